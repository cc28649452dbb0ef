"""When a run is contested: it has an open report, or somebody's comparable measurement came out slower or incorrect.

Contested is said beside the number and changes no rank and no level. A faster measurement contests nothing: it says
that the claim is modest, and stands in the list. What is not comparable is context and never counts, nor does an
inconclusive one, nor a report that was closed.
"""

from collections import Counter
from collections.abc import Sequence

from registry.core.evidence import Verdict

AGAINST = (Verdict.SLOWER, Verdict.INCORRECT)


def contested(open_reports: int, comparable: Sequence[str]) -> tuple[str, ...]:
    """Why a run is contested, in words; empty where it is not. `comparable` are verdicts of comparable statements."""
    counted = Counter(comparable)
    reasons = [_times(open_reports, "open report")] if open_reports else []
    reasons += [f"{_times(counted[verdict], 'comparable result')} {verdict}" for verdict in AGAINST if counted[verdict]]
    return tuple(reasons)


def _times(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"
