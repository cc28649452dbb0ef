"""How the site itself is: whether what it holds still verifies, how fresh its sources are, what waits."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from registry.core.schedules import is_overdue
from registry.models import Incident, Run, Source, Sync, UnmappedName, Verification
from registry.models.syncs import SyncState
from registry.queries import addresses
from registry.queries.shapes import Ref

VERIFICATIONS_SHOWN = 14
OPEN = (SyncState.QUEUED, SyncState.RUNNING, SyncState.PUBLISHING)


@dataclass(frozen=True, slots=True)
class VerificationLine:
    """One verification: rows checked, what did not follow, how long it took."""

    started_at: datetime
    seconds: float
    rows: int
    differences: int
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source at a glance. `is_overdue`: it has a schedule and went unread past it."""

    source: Ref
    is_enabled: bool
    paused_at: datetime | None
    schedule: str
    last_read_at: datetime | None
    is_overdue: bool
    run_count: int
    waiting: int
    failing: bool


@dataclass(frozen=True, slots=True)
class StatusPage:
    verifications: tuple[VerificationLine, ...]
    sources: tuple[SourceState, ...]
    open_syncs: int
    waiting_syncs: int
    unmapped_names: int
    incidents_in_force: int
    run_count: int
    newest_published_at: datetime | None


def status_page(now: datetime) -> StatusPage:
    """`now` decides which sources are overdue."""
    verifications = tuple(map(_verification, Verification.objects.all()[:VERIFICATIONS_SHOWN]))
    syncs = Sync.objects.aggregate(
        open=Count("pk", filter=Q(state__in=OPEN)), waiting=Count("pk", filter=Q(state=SyncState.WAITING))
    )
    published = Run.objects.aggregate(count=Count("pk"), newest=Max("published_at"))
    return StatusPage(
        verifications=verifications,
        sources=source_states(now),
        open_syncs=syncs["open"],
        waiting_syncs=syncs["waiting"],
        unmapped_names=UnmappedName.objects.filter(is_settled=False).count(),
        incidents_in_force=Incident.objects.filter(reversal=None).count(),
        run_count=published["count"],
        newest_published_at=published["newest"],
    )


def source_states(now: datetime) -> tuple[SourceState, ...]:
    """Every source, by name. A reading counts from when it finished; one that waits for a person has been read."""
    read = Q(syncs__state__in=(SyncState.DONE, SyncState.WAITING, SyncState.DISCARDED))
    found = Source.objects.annotate(
        last_read_at=Max("syncs__finished_at", filter=read),
        waiting=Count("syncs", filter=Q(syncs__state=SyncState.WAITING), distinct=True),
        last_failed_at=Max("syncs__finished_at", filter=Q(syncs__state=SyncState.FAILED)),
    ).order_by("name")
    runs = dict(Run.objects.order_by().values_list("source").annotate(Count("pk")))
    return tuple(
        SourceState(
            source=Ref(source.slug, source.name, addresses.source(source.slug)),
            is_enabled=source.is_enabled,
            paused_at=source.paused_at,
            schedule=source.schedule,
            last_read_at=source.last_read_at,
            is_overdue=source.is_enabled
            and source.paused_at is None
            and is_overdue(source.schedule, source.last_read_at, source.created_at, now),
            run_count=runs.get(source.pk, 0),
            waiting=source.waiting,
            failing=bool(
                source.last_failed_at and (source.last_read_at is None or source.last_failed_at > source.last_read_at)
            ),
        )
        for source in found
    )


def _verification(row: Verification) -> VerificationLine:
    return VerificationLine(
        row.started_at,
        (row.finished_at - row.started_at).total_seconds(),
        sum(row.checked.values()),
        row.difference_count,
        tuple(row.findings),
    )
