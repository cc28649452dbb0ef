"""Order inside one comparison group: direction, ties, dense ranks, and the reason for each absent rank."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from itertools import groupby

from registry.core.flags import RULES, Kind
from registry.core.measurement import DURATIONS, Interval, percent_lead, percent_text

POLICY = "ranking-v2"
REAL_LEAD_PERCENT = Decimal(1)  # without intervals, a smaller gap is not known to be real

# Timer name to its step in ns, each with the source that states it; values one step apart would tie.
# Empty: no upstream states a timer's step, and none is guessed.
TIMER_GRIDS: dict[str, int] = {}


class Direction(StrEnum):
    LOWER = "lower is better"
    HIGHER = "higher is better"


_SIZES = frozenset({"b", "bytes", "kib", "mib", "gib", "mb", "gb"})
_RATES = frozenset({"tokens_s", "items_s", "requests_s", "gflops", "tflops", "gb_s", "gib_s", "tb_s"})
DIRECTIONS = {
    "latency": (Direction.LOWER, frozenset(DURATIONS)),
    "memory": (Direction.LOWER, _SIZES),
    "peak_memory": (Direction.LOWER, _SIZES),
    "throughput": (Direction.HIGHER, _RATES),
    "score": (Direction.LOWER, frozenset({"s"})),  # GPU MODE's leaderboard score is a time in seconds
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An eligible run of one group. `interval` only where the source states one; `author` None where unknown."""

    id: str
    value: float
    interval: tuple[float, float] | None
    source_native: bool
    author: str | None
    observed: datetime


@dataclass(frozen=True, slots=True)
class Ranked:
    id: str
    rank: int
    tied_with: tuple[str, ...]


def direction(metric: str, unit: str) -> Direction | None:
    """None where `DIRECTIONS` has no row for this metric in this unit: never assumed."""
    better, units = DIRECTIONS.get(metric, (None, frozenset[str]()))
    return better if unit in units else None


def is_better(value: float, than: float, direction: Direction) -> bool:
    return value < than if direction is Direction.LOWER else value > than


def ties(a: Entry, b: Entry) -> bool:
    """Equal values tie; others only where neither is source-native and both stated intervals overlap."""
    if a.value == b.value:
        return True
    if a.source_native or b.source_native or a.interval is None or b.interval is None:
        return False
    return overlap(a.interval, b.interval)


def rank(entries: Iterable[Entry], direction: Direction) -> list[Ranked]:
    """Best first; dense ranks, shared along greedy chains in which every pair ties.

    Runs of equal value join a chain together or not at all, so they always share a rank and the order in which entries
    arrive decides nothing. Inside a chain: better value, earlier observation, id.
    """
    ranked = []
    for number, chain in enumerate(_chains(_best_first(entries, direction)), start=1):
        ids = [entry.id for entry in chain]
        ranked += [Ranked(id_, number, tuple(other for other in ids if other != id_)) for id_ in ids]
    return ranked


def _best_first(entries: Iterable[Entry], direction: Direction) -> list[Entry]:
    sign = 1 if direction is Direction.LOWER else -1
    return sorted(entries, key=lambda entry: (sign * entry.value, entry.observed, entry.id))


def _chains(ordered: list[Entry]) -> Iterator[list[Entry]]:
    chain: list[Entry] = []
    for _, equals in groupby(ordered, key=lambda entry: entry.value):
        block = list(equals)
        if chain and not all(ties(member, entry) for member in chain for entry in block):
            yield chain
            chain = []
        chain = chain + block
    if chain:
        yield chain


def overlap(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Touching ends overlap."""
    return a[0] <= b[1] and b[0] <= a[1]


# Reasons for no rank

STATUSES = {
    "incorrect_shape": "The output had the wrong shape.",
    "incorrect_dtype": "The output had the wrong data type.",
    "incorrect_numerical": "The output was numerically incorrect.",
    "compile_error": "The kernel did not compile.",
    "runtime_error": "The kernel failed at run time.",
    "timeout": "The kernel ran out of time.",
    "resource_exceeded": "The kernel exceeded a resource limit.",
    "invalid_reference": "The reference it was checked against is invalid.",
    "policy_violation": "The source found a breach of its rules.",
    "suspected_reward_hack": "The source suspects that the result games the benchmark.",
    "incomplete_evidence": "The evidence for the result is incomplete.",
    "revoked": "The source has revoked the result.",
}
REASON_TEXTS = {
    "UNPUBLISHED": "The run is not published.",
    **{f"STATUS_{status.upper()}": text for status, text in STATUSES.items()},
    "WITHDRAWN": "The run was withdrawn.",
    "SUPERSEDED": "A corrected run supersedes this one.",
    "MISSING_PRIMARY_METRIC": "The run states no primary value.",
    **{f"FLAGGED_{rule.code}": rule.text for rule in RULES.values() if rule.kind is Kind.BLOCKING},
}


def reasons(
    *, published: bool, status: str, withdrawn: bool, superseded: bool, has_primary: bool, blocking: Iterable[str] = ()
) -> tuple[str, ...]:
    """Why a run has no rank, in the order of `REASON_TEXTS`; empty means eligible. `blocking` are codes of flags."""
    found = {
        "UNPUBLISHED": not published,
        f"STATUS_{status.upper()}": status != "passed",
        "WITHDRAWN": withdrawn,
        "SUPERSEDED": superseded,
        "MISSING_PRIMARY_METRIC": not has_primary,
    }
    return (*(code for code, holds in found.items() if holds), *(f"FLAGGED_{code}" for code in sorted(set(blocking))))


def reason_text(code: str) -> str:
    """Raises KeyError for a code that no policy gives."""
    return REASON_TEXTS[code]


# Neighbours


class Separability(StrEnum):
    SEPARABLE = "separable"
    NOT_SEPARABLE = "not separable"
    UNKNOWN = "unknown: the source publishes no interval"


@dataclass(frozen=True, slots=True)
class Lead:
    percent: Decimal
    text: str
    is_known_real: bool


def separability(a: Interval | None, b: Interval | None) -> Separability:
    """From stated or derived intervals; overlap means that the data cannot tell the two apart."""
    if a is None or b is None:
        return Separability.UNKNOWN
    return Separability.NOT_SEPARABLE if overlap((a.low, a.high), (b.low, b.high)) else Separability.SEPARABLE


def lead(best: float, following: float, apart: Separability) -> Lead:
    """How far the best is ahead of the next, and whether that is known to be real."""
    percent = percent_lead(best, following)
    if not percent:
        return Lead(percent, "no lead: equal values", False)
    text = f"lead {percent_text(percent)}"
    if apart is Separability.NOT_SEPARABLE:
        return Lead(percent, f"{text}, not separable", False)
    if apart is Separability.UNKNOWN and percent < REAL_LEAD_PERCENT:
        return Lead(percent, f"{text}, not known to be real", False)
    return Lead(percent, text, True)
