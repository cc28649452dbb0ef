"""Who held the lead of a group, and when: a replay of its eligible runs by observation.

Always re-derived from every run that is eligible now, never patched, so a withdrawal or a late import rewrites history
consistently. The holder is the run of the last event.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from registry.core.measurement import percent_lead
from registry.core.ranking import REAL_LEAD_PERCENT, Direction, Entry, is_better, overlap, ties


class Kind(StrEnum):
    FIRST = "first measurement"
    LEAD = "took the lead"
    OWN = "own improvement"


@dataclass(frozen=True, slots=True)
class Event:
    """`ratio` is larger over smaller value of the two runs; None for the first, and where a value is 0."""

    run: str
    previous: str | None
    kind: Kind
    ratio: float | None


def events(entries: Iterable[Entry], direction: Direction) -> tuple[Event, ...]:
    """Oldest first, by (observed, id).

    A run moves the lead only if its value beats every earlier one. Against another author it must also be clearly ahead
    of the holder: no tie, and intervals apart or at least 1 % better. So steps too small to be real take nothing, but
    add up. An author passing their own holder needs no margin, since nobody loses: that is `Kind.OWN`, which moves the
    lead without being news. An unknown author is nobody's own.
    """
    found: list[Event] = []
    holder: Entry | None = None
    best = 0.0
    for entry in sorted(entries, key=lambda entry: (entry.observed, entry.id)):
        if holder is None:
            found.append(Event(entry.id, None, Kind.FIRST, None))
            holder, best = entry, entry.value
        elif is_better(entry.value, best, direction):
            best = entry.value
            is_own = entry.author is not None and entry.author == holder.author
            if is_own or _is_clearly_ahead(entry, holder):
                found.append(Event(entry.id, holder.id, Kind.OWN if is_own else Kind.LEAD, _ratio(entry, holder)))
                holder = entry
    return tuple(found)


def _is_clearly_ahead(entry: Entry, holder: Entry) -> bool:
    """For an entry already known to be better."""
    if ties(entry, holder):
        return False
    if entry.interval and holder.interval and not overlap(entry.interval, holder.interval):
        return True
    return percent_lead(entry.value, holder.value) >= REAL_LEAD_PERCENT


def _ratio(a: Entry, b: Entry) -> float | None:
    return float(percent_lead(a.value, b.value) / 100 + 1) if a.value and b.value else None
