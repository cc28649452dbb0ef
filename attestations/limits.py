"""Rate limits that every web process counts in one place, without keeping who was counted.

A window's count is one row whose key is an HMAC of limit, window and subject under the site's secret: the row goes when
the window is over, and no address can be read from it while it stands.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import connection

from attestations.models import Count


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` in each window, counted from the epoch in steps of `window`."""

    name: str
    most: int
    window: timedelta


def take(limit: Limit, subject: str, *, now: datetime) -> bool:
    """Count one try and say whether it is within the limit.

    One statement, atomic on both databases, so simultaneous tries are each counted. Call it outside a transaction that
    may be rolled back: a refused try must stay counted.
    """
    number = int(now.timestamp() // limit.window.total_seconds())
    until = over_at(limit, now=now)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO attestations_count (key, n, until) VALUES (%s, 1, %s) "
            "ON CONFLICT (key) DO UPDATE SET n = attestations_count.n + 1 RETURNING n",
            [_key(limit, number, subject), connection.ops.adapt_datetimefield_value(until)],
        )
        [n] = cursor.fetchone()
    return bool(n <= limit.most)


def over_at(limit: Limit, *, now: datetime) -> datetime:
    """Return when the window is over, and whoever was refused may try again."""
    seconds = limit.window.total_seconds()
    return datetime.fromtimestamp((now.timestamp() // seconds + 1) * seconds, UTC)


def forget(*, now: datetime) -> int:
    """Delete the counts of windows that are over."""
    deleted, _ = Count.objects.filter(until__lt=now).delete()
    return deleted


def _key(limit: Limit, number: int, subject: str) -> str:
    said = f"{limit.name}\n{number}\n{subject}"
    return hmac.new(settings.SECRET_KEY.encode(), said.encode(), hashlib.sha256).hexdigest()
