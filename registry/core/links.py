"""When a link that pages show counts as dead."""

from datetime import datetime, timedelta

DEAD_AFTER = timedelta(days=7)
# Refused to machines or for now: somebody is there, and a reader may well get through.
_THERE = frozenset({401, 403, 429})


def answers(status: int) -> bool:
    return 200 <= status < 300 or status in _THERE


def is_dead(failing_since: datetime | None, checked_at: datetime | None) -> bool:
    """Failing for a week and at least twice: its first and its last failure lie that far apart, none between worked."""
    return failing_since is not None and checked_at is not None and checked_at - failing_since >= DEAD_AFTER
