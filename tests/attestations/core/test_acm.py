"""ACM's words, by every combination of what is stated."""

from itertools import product

import pytest

from attestations.core.acm import DEFINITIONS, Classified, Word, classify
from attestations.models.attestations import Relation, Setup


def classified(
    relation: str = "independent",
    setup: str = "as_published",
    *,
    claimant: bool = False,
    claimed: bool = False,
    comparable: bool = True,
    measured: bool = True,
) -> Classified:
    return classify(
        relation=relation,
        is_claimant=claimant,
        project_is_claimed=claimed or claimant,
        setup=setup,
        is_comparable=comparable,
        is_measured=measured,
    )


@pytest.mark.parametrize(
    ("relation", "claimant", "claimed", "setup", "comparable", "word", "why"),
    [
        (
            "own", False, False, "as_published", True, "repeatability",
            "its author says that this is their work, and used the published code, workload and protocol",
        ),
        (
            "", True, True, "as_published", True, "repeatability",
            "its author speaks for the project, and used the published code, workload and protocol",
        ),
        (
            "independent", True, True, "as_published", True, "repeatability",
            "its author speaks for the project, and used the published code, workload and protocol",
        ),
        ("own", False, False, "other", False, "not classified", "same team, another setup: ACM has no word for it"),
        ("", True, True, "other", False, "not classified", "same team, another setup: ACM has no word for it"),
        (
            "own", False, False, "as_published", False, "not classified",
            "the setting is not comparable with the claim's",
        ),
        (
            "independent", False, False, "as_published", True, "reproducibility",
            "its author says that they have no part in it, and used the published code, workload and protocol",
        ),
        (
            "", False, True, "as_published", True, "reproducibility",
            "its author is not who speaks for the project, and used the published code, workload and protocol",
        ),
        (
            "independent", False, False, "as_published", False, "not classified",
            "the setting is not comparable with the claim's",
        ),
        (
            "independent", False, False, "other", False, "replicability",
            "its author says that they have no part in it, and used their own code or another protocol",
        ),
        (
            "", False, True, "other", False, "replicability",
            "its author is not who speaks for the project, and used their own code or another protocol",
        ),
        ("", False, False, "as_published", True, "not classified", "relation to the author unknown"),
        ("", False, False, "other", False, "not classified", "relation to the author unknown"),
        (
            "independent", False, False, "", True, "not classified",
            "whether the published code, workload and protocol were used is not stated",
        ),
        (
            "own", False, False, "", True, "not classified",
            "whether the published code, workload and protocol were used is not stated",
        ),
    ],
)  # fmt: skip
def test_who_measured_with_whose_setup_gives_the_word(
    relation: str, claimant: bool, claimed: bool, setup: str, comparable: bool, word: str, why: str
) -> None:
    found = classified(relation, setup, claimant=claimant, claimed=claimed, comparable=comparable)
    assert (found.word, found.why) == (word, why)
    assert found.definition == DEFINITIONS[Word(word)]


def test_without_a_measurement_nothing_is_classified() -> None:
    for relation, setup, claimant, claimed in product(Relation.values, Setup.values, (True, False), (True, False)):
        found = classified(relation, setup, claimant=claimant, claimed=claimed, measured=False)
        assert (found.word, found.why) == (Word.NOT_CLASSIFIED, "nothing was measured")


def test_nobody_who_speaks_for_the_project_is_independent_of_it() -> None:
    for relation, setup, comparable in product(Relation.values, Setup.values, (True, False)):
        found = classified(relation, setup, claimant=True, comparable=comparable)
        assert found.word in (Word.REPEATABILITY, Word.NOT_CLASSIFIED)


def test_every_word_has_its_definition() -> None:
    assert set(DEFINITIONS) == set(Word)
