"""When a source is due to be read again, and when it is late."""

from datetime import datetime, timedelta

INTERVALS = {"daily": timedelta(days=1), "weekly": timedelta(days=7)}
GRACE = 0.5  # of an interval: a reading that started late, or that waited for a worker, is not yet overdue


def next_reading(schedule: str, after: datetime) -> datetime | None:
    """None for a source that is read only when a person asks."""
    interval = INTERVALS.get(schedule)
    return after + interval if interval else None


def is_overdue(schedule: str, last_read_at: datetime | None, since: datetime, now: datetime) -> bool:
    """Whether a scheduled source went unread for longer than its interval and a grace of half of it.

    `since`: when it was made, which counts where it has never been read.
    """
    interval = INTERVALS.get(schedule)
    return interval is not None and now - (last_read_at or since) > interval * (1 + GRACE)
