"""How much evidence stands behind a run: its level, a pure function of recorded facts and the policy version.

Testimony (attestations, notes, reports, counts, staff opinion) is no input, so it can't raise a level.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import combinations

POLICY = "evidence-v1"


class Level(StrEnum):
    """Ordered by strength: `Level.REPORTED < Level.VERIFIED`."""

    REPORTED = "reported"
    REPRODUCIBLE = "reproducible"
    VERIFIED = "verified"
    REPLICATED = "replicated"

    @property
    def squares(self) -> int:
        """1 to 4, as drawn beside the level."""
        return list(Level).index(self) + 1

    @property
    def meaning(self) -> str:
        return MEANINGS[self]

    # A StrEnum would compare by alphabet, where replicated comes before reported.
    def __lt__(self, other: str) -> bool:
        return self.squares < Level(other).squares

    def __le__(self, other: str) -> bool:
        return self.squares <= Level(other).squares

    def __gt__(self, other: str) -> bool:
        return self.squares > Level(other).squares

    def __ge__(self, other: str) -> bool:
        return self.squares >= Level(other).squares


MEANINGS = {
    Level.REPORTED: "A named source says so; its snapshot's digest is kept.",
    Level.REPRODUCIBLE: "Source code is reachable, identity is complete, raw samples or logs can be downloaded here.",
    Level.VERIFIED: "One accepted controlled rerun agrees.",
    Level.REPLICATED: "Two accepted controlled reruns agree, from different operators on different machines.",
}


class Verdict(StrEnum):
    AGREES = "agrees"
    SLOWER = "slower"
    FASTER = "faster"
    INCONCLUSIVE = "inconclusive"
    INCORRECT = "incorrect"
    FAILED = "failed"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True, slots=True)
class Rerun:
    """One controlled rerun of the claim. `band_percent` was fixed before the run."""

    operator: str
    machine: str
    verdict: Verdict
    accepted: bool
    date: date
    hardware: str
    band_percent: float
    processes: int

    @property
    def counts(self) -> bool:
        return self.accepted and self.verdict is Verdict.AGREES

    @property
    def outcome(self) -> str:
        return "agrees, not accepted" if self.verdict is Verdict.AGREES and not self.accepted else self.verdict


@dataclass(frozen=True, slots=True)
class Facts:
    """What is recorded about a run, as stored facts, never as judgements.

    `source_named`: a source with the digest of its snapshot. `source_reachable`: the implementation has repository and
    commit, or the digest of a mirrored source; whether a foreign link answers today never counts. `raw_stored`: raw
    samples or a log is an artifact stored here. `documents_held`: workload, protocol and environment documents.
    """

    source_named: bool
    source_reachable: bool
    raw_stored: bool
    documents_held: bool
    reruns: tuple[Rerun, ...] = ()


@dataclass(frozen=True, slots=True)
class Requirement:
    level: Level
    text: str
    holds: bool


def level(facts: Facts) -> Level:
    """The highest level whose own requirements hold.

    Levels do not stack: a rerun that agrees is stronger than artifacts that someone could rerun. `reported` is the
    floor, as no run is published without a source; `explain` says if that were ever untrue.
    """
    for candidate in reversed(Level):
        if all(requirement.holds for requirement in explain(facts) if requirement.level is candidate):
            return candidate
    return Level.REPORTED


def is_reachable(repository: str | None, revision: str | None, source_digest: str | None) -> bool:
    """Repository and commit, or a mirrored source. A version is not a commit: tags and releases move."""
    is_commit = revision is not None and re.fullmatch(r"[0-9a-f]{40}", revision) is not None
    return bool(source_digest or (repository and is_commit))


def explain(facts: Facts) -> tuple[Requirement, ...]:
    """Every requirement of every level, weakest level first, and whether it holds."""
    return (
        Requirement(Level.REPORTED, "a named source, with the digest of its snapshot", facts.source_named),
        Requirement(
            Level.REPRODUCIBLE,
            "the implementation's repository and commit, or the digest of a mirrored source",
            facts.source_reachable,
        ),
        Requirement(Level.REPRODUCIBLE, "raw samples or a log, stored here", facts.raw_stored),
        Requirement(
            Level.REPRODUCIBLE, "workload, protocol and environment documents, held here", facts.documents_held
        ),
        Requirement(Level.VERIFIED, "one accepted controlled rerun that agrees", any(_agreeing(facts))),
        Requirement(
            Level.REPLICATED,
            "two accepted controlled reruns that agree, from different operators on different machines",
            _independent_pair(facts) is not None,
        ),
    )


def sentence(facts: Facts) -> str:
    """The label on the page. Reruns that did not agree are told at every level, as plainly as those that did."""
    others = list(dict.fromkeys(rerun.outcome for rerun in facts.reruns if not rerun.counts))
    if pair := _independent_pair(facts):
        start = "two controlled reruns agreed: " + "; ".join(f"{_told(rerun)} by {rerun.operator}" for rerun in pair)
    elif agreeing := next(_agreeing(facts), None):
        start = f"one controlled rerun on {_told(agreeing)}"
    elif level(facts) is Level.REPRODUCIBLE:
        start = "artifacts available" if others else "artifacts available, nobody has rerun it"
    else:
        start = "reported by the source"
    count = sum(not rerun.counts for rerun in facts.reruns)
    reruns = "one controlled rerun" if count == 1 else f"{count} controlled reruns"
    return f"{start}; {reruns} without confirmation ({', '.join(others)})" if others else start


def _agreeing(facts: Facts) -> Iterator[Rerun]:
    return (rerun for rerun in facts.reruns if rerun.counts)


def _independent_pair(facts: Facts) -> tuple[Rerun, Rerun] | None:
    for a, b in combinations(_agreeing(facts), 2):
        if a.operator != b.operator and a.machine != b.machine:
            return a, b
    return None


def _told(rerun: Rerun) -> str:
    processes = f"{rerun.processes} process{'' if rerun.processes == 1 else 'es'}"
    return f"{rerun.date}, {rerun.hardware}, agreed within {rerun.band_percent:g} % ({processes})"
