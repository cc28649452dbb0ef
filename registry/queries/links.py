"""Links that no longer answer, for those who curate."""

from dataclasses import dataclass
from datetime import datetime

from registry.core.links import is_dead
from registry.models import Link


@dataclass(frozen=True, slots=True)
class DeadLink:
    url: str
    shown_on: str
    status: str
    failing_since: datetime
    checked_at: datetime


def dead_links() -> tuple[DeadLink, ...]:
    """The longest dead first."""
    failing = Link.objects.filter(failing_since__isnull=False).order_by("failing_since", "url")
    return tuple(
        DeadLink(link.url, link.shown_on, link.status, link.failing_since, link.checked_at)
        for link in failing
        if is_dead(link.failing_since, link.checked_at)
    )
