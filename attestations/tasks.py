"""What the worker does for people, a line each. Each may be called once more than it should be: the acts see to that.

`registry.schedules` names `tick` and `daily` by their dotted names.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from attestations import claims, letters, limits, news, reports

Act = tuple[str, Callable[[datetime], object]]

# Letters come last: they go out in the minute in which they were written.
EACH_MINUTE: tuple[Act, ...] = (
    ("claims rung for", lambda now: claims.check_due(now=now)),
    ("claimants told", lambda now: claims.tell_claimants(now=now)),
    ("urgent news", lambda now: news.tell_urgent(now=now)),
    ("digests", lambda now: news.send_digests(now=now)),
    ("letters", lambda now: letters.send_due(now=now)),
)
EACH_DAY: tuple[Act, ...] = (
    ("counts forgotten", lambda now: limits.forget(now=now)),
    ("reporters' contacts forgotten", lambda now: reports.blank_contacts(now=now)),
    ("watermarks forgotten", lambda now: news.forget(now=now)),
)


def send_letters() -> str:
    """Send the mail that waits."""
    return str(letters.send_due(now=timezone.now()))


def check_claim(claim_id: str) -> str:
    """Look for the token file of a claim."""
    return claims.check(UUID(claim_id), now=timezone.now())


def tick() -> str:
    """What is looked at each minute."""
    return _each(EACH_MINUTE)


def daily() -> str:
    """What is looked at once a day."""
    return _each(EACH_DAY)


def _each(acts: Sequence[Act]) -> str:
    """Do each in turn. One that fails stops no other; the queue is told of it when all were done."""
    told, failed = [], []
    for name, act in acts:
        try:
            told.append(f"{name}: {act(timezone.now())}")
        except Exception as error:
            error.add_note(f"while doing: {name}")
            failed.append(error)
    if failed:
        raise ExceptionGroup("; ".join(told), failed)
    return "; ".join(told)
