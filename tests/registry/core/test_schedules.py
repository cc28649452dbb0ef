"""When a source is due, and when it is late."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.core.schedules import is_overdue, next_reading

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "due"),
    [("daily", datetime(2026, 9, 2, 12, tzinfo=UTC)), ("weekly", datetime(2026, 9, 8, 12, tzinfo=UTC)), ("off", None)],
)
def test_the_next_reading_is_an_interval_later(schedule: str, due: datetime | None) -> None:
    assert next_reading(schedule, NOW) == due


@pytest.mark.parametrize(
    ("schedule", "hours_ago", "late"),
    [
        ("daily", 24, False), ("daily", 36, False), ("daily", 37, True), ("weekly", 24 * 10, False),
        ("weekly", 24 * 11, True), ("off", 24 * 400, False),
    ],
)  # fmt: skip
def test_a_source_is_overdue_after_half_an_interval_of_grace(schedule: str, hours_ago: int, late: bool) -> None:
    read_at = NOW - timedelta(hours=hours_ago)
    assert is_overdue(schedule, read_at, since=NOW - timedelta(days=500), now=NOW) is late


def test_a_source_that_was_never_read_is_late_from_when_it_was_made() -> None:
    assert is_overdue("daily", None, since=NOW - timedelta(days=2), now=NOW)
    assert not is_overdue("daily", None, since=NOW - timedelta(days=1), now=NOW)
