"""When runs were first and last seen upstream: the files that they stood in, and every later reading of the same bytes.

A file that a sync finds unchanged makes no new rows of facts; that it was read again stands on the sync.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Subquery

from registry.models import Sighting, SyncFile
from registry.models.syncs import SyncState

_READINGS = SyncFile.objects.filter(
    sha256=OuterRef("snapshot__sha256"),
    sync__source=OuterRef("snapshot__source"),
    sync__state=SyncState.DONE,
    sync__is_dry_run=False,
)
# Of a sighting: when its file was last read, as far as a finished sync tells; else None.
LAST_READ_AT = Subquery(_READINGS.order_by("-taken_at").values("taken_at")[:1])


@dataclass(frozen=True, slots=True)
class SeenUpstream:
    first_at: datetime
    last_at: datetime


def seen_upstream(run_ids: Iterable[UUID]) -> dict[UUID, SeenUpstream]:
    """First and last of each of these runs, in one query."""
    found: dict[UUID, SeenUpstream] = {}
    rows = Sighting.objects.filter(run__in=list(run_ids)).annotate(read_at=LAST_READ_AT)
    for row in rows.values("run_id", "seen_at", "read_at"):
        before = found.get(row["run_id"])
        first, last = row["seen_at"], last_at([row])
        found[row["run_id"]] = SeenUpstream(
            min(first, before.first_at) if before else first, max(last, before.last_at) if before else last
        )
    return found


def last_at(sightings: Iterable[dict[str, Any]]) -> datetime:
    """The last instant at which any of these sightings of a run (`seen_at`, `read_at`) held."""
    return max(at for row in sightings for at in (row["seen_at"], row["read_at"]) if at)
