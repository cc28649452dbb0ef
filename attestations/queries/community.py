"""A run's page with what people say about it: the registry's facts, and testimony beside them."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from attestations.queries.attestations import Testimony, testimony
from attestations.queries.claims import AuthorsWords, author_notes
from attestations.queries.reports import Reports, reports_of
from registry.queries.runs import RunPage, Tombstone


@dataclass(frozen=True, slots=True)
class Community:
    """Testimony. It never changes the evidence level, nor any rank."""

    testimony: Testimony
    reports: Reports
    author_notes: tuple[AuthorsWords, ...]


@dataclass(frozen=True, slots=True)
class PublicRunPage(RunPage):
    """Everything on a run's page; its JSON twin is this object."""

    community: Community


def with_community(page: RunPage | Tombstone, run: Any, *, now: datetime) -> PublicRunPage | Tombstone:
    """Put testimony beside a run's facts; a tombstone has none to show."""
    if isinstance(page, Tombstone):
        return page
    said = Community(testimony(run), reports_of(run.id, now=now), author_notes(run.id))
    return PublicRunPage(**{field.name: getattr(page, field.name) for field in fields(page)}, community=said)
