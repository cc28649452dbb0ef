"""When a link counts as dead."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.core.links import answers, is_dead

FIRST = datetime(2026, 9, 1, tzinfo=UTC)

DEAD = [
    (None, None, False),  # never checked
    (None, FIRST, False),  # works
    (FIRST, FIRST, False),  # failed once
    (FIRST, FIRST + timedelta(days=6, hours=23), False),
    (FIRST, FIRST + timedelta(days=7), True),
    (FIRST, FIRST + timedelta(days=400), True),
]


@pytest.mark.parametrize(("failing_since", "checked_at", "expected"), DEAD)
def test_a_link_is_dead_after_a_week_of_failures(
    failing_since: datetime | None, checked_at: datetime | None, expected: bool
) -> None:
    assert is_dead(failing_since, checked_at) is expected


def test_somebody_answers_even_where_machines_are_refused() -> None:
    assert [status for status in (200, 204, 206, 401, 403, 429) if not answers(status)] == []
    assert [status for status in (304, 400, 404, 405, 410, 418, 451, 500, 503, 999) if answers(status)] == []
