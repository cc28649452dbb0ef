"""By when a report is answered and decided, and what is late."""

from datetime import UTC, datetime, timedelta

import pytest

from attestations.core import disputes
from attestations.core.disputes import Late

OPENED = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)


def on(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 9, 1, hour, 0, tzinfo=UTC) + timedelta(days=day)


def test_the_first_answer_is_due_within_seven_days_and_the_decision_within_thirty() -> None:
    due = disputes.due(OPENED)
    assert due.answer_by == datetime(2026, 9, 8, 12, 0, tzinfo=UTC)
    assert due.decide_by == datetime(2026, 10, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("answered_at", "closed_at", "now", "expected"),
    [
        (None, None, on(0), None),
        (None, None, on(7), None),
        (None, None, on(7, hour=13), Late.ANSWER),
        (on(3), None, on(7, hour=13), None),
        (on(9), None, on(10), None),
        (on(3), None, on(30), None),
        (on(3), None, on(30, hour=13), Late.DECISION),
        (None, None, on(31), Late.DECISION),
        (on(3), on(40), on(50), None),
        (None, on(2), on(50), None),
    ],
)
def test_what_is_late(
    answered_at: datetime | None, closed_at: datetime | None, now: datetime, expected: Late | None
) -> None:
    assert disputes.late(opened_at=OPENED, answered_at=answered_at, closed_at=closed_at, now=now) is expected
