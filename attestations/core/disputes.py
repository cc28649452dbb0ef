"""The dispute rule's dates: by when staff answer and decide, and whether they are late."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

FIRST_ANSWER = timedelta(days=7)
DECISION = timedelta(days=30)
APPEAL = timedelta(days=30)  # after a decision: a new report for the same reason goes to another moderator
CONTACT_KEPT = timedelta(days=30)  # after a decision


class Late(StrEnum):
    ANSWER = "first answer"
    DECISION = "decision"


@dataclass(frozen=True, slots=True)
class Due:
    answer_by: datetime
    decide_by: datetime


def due(opened_at: datetime) -> Due:
    """Nothing stops the clock: not a question to the reporter, not a later report that joins."""
    return Due(opened_at + FIRST_ANSWER, opened_at + DECISION)


def late(
    *, opened_at: datetime, answered_at: datetime | None, closed_at: datetime | None, now: datetime
) -> Late | None:
    """What is overdue at `now`, the graver of the two; None once a report is decided, however late that was.

    `answered_at`: the first public note, question to the reporter or decision.
    """
    if closed_at is not None:
        return None
    dates = due(opened_at)
    if now > dates.decide_by:
        return Late.DECISION
    return Late.ANSWER if answered_at is None and now > dates.answer_by else None
