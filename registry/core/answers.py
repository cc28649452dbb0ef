"""What an HTTP answer says of itself: its revision, and when to come again."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_REVISION = 200
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})  # the same request may be answered another time
REDIRECTS = frozenset({301, 302, 303, 307, 308})


def revision(headers: Mapping[str, str]) -> str | None:
    """How the server names this state of what it sent: an ETag, a date, a commit; None where it doesn't, or at length.

    `headers` have lower-case names.
    """
    for name in ("etag", "last-modified", "x-repo-commit"):
        found = headers.get(name, "").strip()
        if found and len(found) <= LONGEST_REVISION:
            return found
    return None


def condition(revision: str) -> tuple[str, str] | None:
    """The header that asks only for what differs from a revision; None where the revision is no ETag and no date."""
    if revision.startswith(('"', 'W/"')) and revision.endswith('"'):
        return "If-None-Match", revision
    return ("If-Modified-Since", revision) if _instant(revision) else None


def seconds_to_wait(text: str, now: datetime) -> float | None:
    """What Retry-After asks for, in seconds or as a date; None where it can't be read."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    until = _instant(text)
    return max(0.0, (until - now).total_seconds()) if until else None


def _instant(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
