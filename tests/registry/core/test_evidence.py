from dataclasses import replace
from datetime import date
from itertools import product

import pytest

from registry.core import evidence
from registry.core.evidence import Facts, Level, Rerun, Verdict

AGREED = Rerun("lab-a", "host-1", Verdict.AGREES, True, date(2026, 12, 3), "H100 80GB HBM3", 5.0, 5)
ELSEWHERE = replace(AGREED, operator="lab-b", machine="host-2", date=date(2026, 12, 9))
BARE = Facts(source_named=True, source_reachable=False, raw_stored=False, documents_held=False)
FULL = Facts(source_named=True, source_reachable=True, raw_stored=True, documents_held=True)
SLOWER = replace(AGREED, verdict=Verdict.SLOWER)


def rerun(facts, *reruns):
    return replace(facts, reruns=reruns)


@pytest.mark.parametrize(
    ("facts", "level", "sentence"),
    [
        (BARE, "reported", "reported by the source"),
        (replace(FULL, raw_stored=False), "reported", "reported by the source"),
        (replace(FULL, source_reachable=False), "reported", "reported by the source"),
        (replace(FULL, documents_held=False), "reported", "reported by the source"),
        (FULL, "reproducible", "artifacts available, nobody has rerun it"),
        (
            rerun(FULL, AGREED),
            "verified",
            "one controlled rerun on 2026-12-03, H100 80GB HBM3, agreed within 5 % (5 processes)",
        ),
        (
            rerun(BARE, replace(AGREED, band_percent=2.5, processes=1)),
            "verified",
            "one controlled rerun on 2026-12-03, H100 80GB HBM3, agreed within 2.5 % (1 process)",
        ),
        (
            rerun(BARE, AGREED, ELSEWHERE),
            "replicated",
            "two controlled reruns agreed: 2026-12-03, H100 80GB HBM3, agreed within 5 % (5 processes) by lab-a; "
            "2026-12-09, H100 80GB HBM3, agreed within 5 % (5 processes) by lab-b",
        ),
        (
            rerun(BARE, AGREED, SLOWER),
            "verified",
            "one controlled rerun on 2026-12-03, H100 80GB HBM3, agreed within 5 % (5 processes); "
            "one controlled rerun without confirmation (slower)",
        ),
        (
            rerun(BARE, SLOWER),
            "reported",
            "reported by the source; one controlled rerun without confirmation (slower)",
        ),
        (
            rerun(FULL, SLOWER, replace(SLOWER, verdict=Verdict.FAILED), SLOWER),
            "reproducible",
            "artifacts available; 3 controlled reruns without confirmation (slower, failed)",
        ),
    ],
)
def test_the_level_and_its_sentence_follow_from_the_facts(facts, level, sentence):
    assert evidence.level(facts) == level
    assert evidence.sentence(facts) == sentence


@pytest.mark.parametrize(
    "second",
    [
        replace(AGREED, machine="host-2"),
        replace(AGREED, operator="lab-b"),
        replace(ELSEWHERE, accepted=False),
        replace(ELSEWHERE, verdict=Verdict.INCONCLUSIVE),
    ],
    ids=["same operator", "same machine", "not accepted", "no agreement"],
)
def test_a_second_rerun_replicates_only_from_another_operator_on_another_machine(second):
    assert evidence.level(rerun(BARE, AGREED, second)) is Level.VERIFIED


def test_the_independent_pair_may_stand_anywhere_among_the_reruns():
    assert evidence.level(rerun(BARE, AGREED, replace(AGREED, machine="host-2"), ELSEWHERE)) is Level.REPLICATED


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.AGREES])
def test_only_agreement_raises_a_level(verdict):
    assert evidence.level(rerun(BARE, replace(AGREED, verdict=verdict))) is Level.REPORTED


def test_an_agreement_that_was_not_accepted_is_told_without_calling_it_one():
    unaccepted = replace(AGREED, accepted=False)
    assert evidence.level(rerun(BARE, unaccepted)) is Level.REPORTED
    assert evidence.sentence(rerun(BARE, unaccepted)) == (
        "reported by the source; one controlled rerun without confirmation (agrees, not accepted)"
    )


def test_levels_are_ordered_by_strength_and_not_by_alphabet():
    assert sorted(["verified", "replicated", "reported", "reproducible"], key=Level) == [
        "reported",
        "reproducible",
        "verified",
        "replicated",
    ]
    for a, b in product(Level, repeat=2):
        assert (a < b, a <= b, a > b, a >= b) == (
            a.squares < b.squares,
            a.squares <= b.squares,
            a.squares > b.squares,
            a.squares >= b.squares,
        )


@pytest.mark.parametrize(
    ("level", "squares", "meaning"),
    [
        ("reported", 1, "A named source says so; its snapshot's digest is kept."),
        (
            "reproducible",
            2,
            "Source code is reachable, identity is complete, raw samples or logs can be downloaded here.",
        ),
        ("verified", 3, "One accepted controlled rerun agrees."),
        ("replicated", 4, "Two accepted controlled reruns agree, from different operators on different machines."),
    ],
)
def test_each_level_has_squares_and_a_meaning(level, squares, meaning):
    assert (Level(level).squares, Level(level).meaning) == (squares, meaning)


def test_the_explanation_says_which_requirement_is_lacking():
    explained = evidence.explain(rerun(replace(FULL, raw_stored=False), AGREED))
    assert [(r.level, r.text, r.holds) for r in explained] == [
        ("reported", "a named source, with the digest of its snapshot", True),
        ("reproducible", "the implementation's repository and commit, or the digest of a mirrored source", True),
        ("reproducible", "raw samples or a log, stored here", False),
        ("reproducible", "workload, protocol and environment documents, held here", True),
        ("verified", "one accepted controlled rerun that agrees", True),
        (
            "replicated",
            "two accepted controlled reruns that agree, from different operators on different machines",
            False,
        ),
    ]
