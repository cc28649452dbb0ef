"""Which of ACM's three words a reproduction deserves, from who measured and with whose setup.

ACM's terminology 1.1 (2020-08), in our own words; its version 1.0 had the last two swapped and old pages still do, so a
definition stands beside each word. A word says what was tried; the verdict says how it came out, so a comparable
measurement that is slower is a reproducibility result too.

- own (declared, or the author speaks for the project) + published setup + comparable: repeatability.
- own + another setup: not classified; for the same team with another setup ACM has no word.
- independent (declared, or the project has an author here who is somebody else) + published setup + comparable:
  reproducibility.
- independent + own code or another protocol: replicability. It compares with no claim, and says nothing against one.
- everything else is not classified, with the reason. Who speaks for the project is never independent of it, whatever
  they declare.
"""

from dataclasses import dataclass
from enum import StrEnum

OWN, INDEPENDENT, UNSTATED = "own", "independent", ""
AS_PUBLISHED, OTHER = "as_published", "other"


class Word(StrEnum):
    REPEATABILITY = "repeatability"
    REPRODUCIBILITY = "reproducibility"
    REPLICABILITY = "replicability"
    NOT_CLASSIFIED = "not classified"


DEFINITIONS = {
    Word.REPEATABILITY: "Same team, same setup: the authors measure their own work again in the same way.",
    Word.REPRODUCIBILITY: "Different team, same setup: others measure with what the authors published.",
    Word.REPLICABILITY: "Different team, different setup: others measure with what they made themselves.",
    Word.NOT_CLASSIFIED: "None of ACM's words applies, or too little is stated to choose one.",
}


@dataclass(frozen=True, slots=True)
class Classified:
    """The word, what ACM means by it, and what of the statement decided."""

    word: Word
    definition: str
    why: str


def classify(
    *, relation: str, is_claimant: bool, project_is_claimed: bool, setup: str, is_comparable: bool, is_measured: bool
) -> Classified:
    """`relation` and `setup` as declared; `is_claimant`: the author of the statement speaks for the run's project.

    `is_comparable` is the assessment's; `is_measured`: a value, samples or wrong outputs are stated.
    """
    word, why = _decided(_team(relation, is_claimant, project_is_claimed), setup, is_comparable, is_measured)
    return Classified(word, DEFINITIONS[word], why)


def _team(relation: str, is_claimant: bool, project_is_claimed: bool) -> tuple[str, str]:
    """Whether the statement is of the authors, and how that is known."""
    if is_claimant:
        return OWN, "its author speaks for the project"
    if relation == OWN:
        return OWN, "its author says that this is their work"
    if relation == INDEPENDENT:
        return INDEPENDENT, "its author says that they have no part in it"
    if project_is_claimed:
        return INDEPENDENT, "its author is not who speaks for the project"
    return UNSTATED, ""


def _decided(team: tuple[str, str], setup: str, is_comparable: bool, is_measured: bool) -> tuple[Word, str]:
    whose, known = team
    if not is_measured:
        return Word.NOT_CLASSIFIED, "nothing was measured"
    if whose == UNSTATED:
        return Word.NOT_CLASSIFIED, "relation to the author unknown"
    if setup not in (AS_PUBLISHED, OTHER):
        return Word.NOT_CLASSIFIED, "whether the published code, workload and protocol were used is not stated"
    if setup == OTHER:
        if whose == OWN:
            return Word.NOT_CLASSIFIED, "same team, another setup: ACM has no word for it"
        return Word.REPLICABILITY, f"{known}, and used their own code or another protocol"
    if not is_comparable:
        return Word.NOT_CLASSIFIED, "the setting is not comparable with the claim's"
    word = Word.REPEATABILITY if whose == OWN else Word.REPRODUCIBILITY
    return word, f"{known}, and used the published code, workload and protocol"
