"""What curators see of sources at a glance, and what needs a person."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.urls import reverse

from registry.models import AuditEvent, Source, Sync, SyncRow, UnmappedName, Verification
from registry.models.syncs import SyncRowKind, SyncState
from registry.queries.links import dead_links
from registry.queries.shapes import Ref
from registry.queries.status import SourceState, source_states
from registry.queries.syncs import FINISHED, SyncLine, line

TERMS_HOLD = timedelta(days=365)  # after which somebody reads them again
DRIFT = ("EXTRA_COLUMN", "HEADER")  # reasons by which importers tell that a header is not what they know
NAMED = 8  # of each kind of thing that needs a person


@dataclass(frozen=True, slots=True)
class Glance:
    """A source in the curators' list. `age` is of its newest reading, None where it was never read."""

    state: str
    problems: tuple[str, ...]
    last_read_at: datetime | None
    age: timedelta | None
    run_count: int
    rejected: int | None
    pending: int | None
    newest: SyncLine | None


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of thing that needs a person: how many there are, the first of them, and where they are dealt with."""

    title: str
    count: int
    first: tuple[Ref, ...]
    url: str


@dataclass(frozen=True, slots=True)
class Desk:
    """The curators' desk: what needs a person, and whether the registry verified when that was last asked."""

    tasks: tuple[Task, ...]
    verified_at: datetime | None
    difference_count: int | None


def glances(now: datetime) -> dict[UUID, Glance]:
    """Every source at a glance, by its id. A constant number of queries."""
    newest = _newest_readings()
    unmapped = _open_names()
    ids = dict(Source.objects.values_list("slug", "id"))
    found = {}
    for state in source_states(now):
        source_id = ids[state.source.id]
        reading = newest.get(source_id)
        told = line(reading) if reading else None
        problems = tuple(_problems(state, reading, unmapped.get(source_id, 0), now))
        found[source_id] = Glance(
            state=_state(state, problems),
            problems=problems,
            last_read_at=state.last_read_at,
            age=now - state.last_read_at if state.last_read_at else None,
            run_count=state.run_count,
            rejected=told.rejected if told else None,
            pending=told.pending if told else None,
            newest=told,
        )
    return found


def desk(now: datetime) -> Desk:
    """What waits for a person now."""
    verification = Verification.objects.first()
    states = source_states(now)
    tasks = (
        _task("Syncs that wait for approval", _waiting(), "sync", "?state__exact=waiting"),
        _task("Syncs that failed and are not tried again", _failed(), "sync", "?state__exact=failed"),
        _task("Overdue sources", [_source(s) for s in states if s.is_overdue], "source"),
        _task("Headers that drifted", _drifted(), "sync"),
        _task("Names not settled", _names(), "unmappedname", "?is_settled__exact=0"),
        _task("Rows corrected upstream", _corrections(), "syncrow", "?kind__exact=correction&successor__isnull=False"),
        _task("Terms unread for a year", _unread_terms(now), "source"),
        _task("Dead links", _dead(), "link"),
    )
    return Desk(
        tasks=tuple(task for task in tasks if task.count),
        verified_at=verification.started_at if verification else None,
        difference_count=verification.difference_count if verification else None,
    )


def _task(title: str, things: list[Ref], table: str, filtered: str = "") -> Task:
    return Task(title, len(things), tuple(things[:NAMED]), reverse(f"admin:registry_{table}_changelist") + filtered)


def _edit(table: str, key: object) -> str:
    return reverse(f"admin:registry_{table}_change", args=[key])


def _newest_readings() -> dict[UUID, Sync]:
    """Of each source the newest sync that got to its end."""
    return {sync.source_id: sync for sync in _newest_of_each(Sync.objects.filter(state__in=FINISHED))}


def _newest_of_each(syncs: QuerySet[Sync]) -> QuerySet[Sync]:
    """Of these syncs the newest of each source. What is filtered after it would be filtered before the choice."""
    ranked = syncs.annotate(
        place=Window(RowNumber(), partition_by=F("source"), order_by=[F("requested_at").desc(), F("id").desc()])
    )
    return ranked.filter(place=1).select_related("source")


def _open_names() -> dict[UUID, int]:
    names = UnmappedName.objects.filter(is_settled=False).order_by()
    return dict(names.values_list("source").annotate(Count("id")))


def _problems(state: SourceState, reading: Sync | None, unmapped: int, now: datetime) -> Iterable[str]:
    if state.failing:
        yield "the newest sync failed"
    if state.is_overdue:
        yield "overdue"
    if state.waiting:
        yield f"{state.waiting} waiting for approval"
    if reading and _has_drifted(reading):
        yield "its header drifted"
    if unmapped:
        yield f"{unmapped} names not settled"


def _state(state: SourceState, problems: tuple[str, ...]) -> str:
    if not state.is_enabled:
        return "switched off"
    if state.paused_at:
        return f"paused since {state.paused_at:%Y-%m-%d}"
    return "needs a person" if problems else "in order"


def _has_drifted(sync: Sync) -> bool:
    met = {**sync.report.get("not_indexed", {}), **sync.report.get("rejected", {})}
    return any(reason in met for reason in DRIFT)


def _source(state: SourceState) -> Ref:
    return Ref(state.source.id, state.source.name, state.source.url)


def _synced(syncs: Iterable[Sync]) -> list[Ref]:
    return [
        Ref(str(sync.id), f"{sync.source.name}, {sync.requested_at:%Y-%m-%d}", _edit("sync", sync.id)) for sync in syncs
    ]


def _waiting() -> list[Ref]:
    return _synced(Sync.objects.filter(state=SyncState.WAITING).select_related("source"))


def _failed() -> list[Ref]:
    """Failures that nothing came after: a source that was read since needs nobody."""
    newest = _newest_of_each(Sync.objects.all())
    return _synced(s for s in newest if s.state == SyncState.FAILED and s.next_attempt_at is None)


def _drifted() -> list[Ref]:
    return _synced(sync for sync in _newest_readings().values() if _has_drifted(sync))


def _names() -> list[Ref]:
    found = UnmappedName.objects.filter(is_settled=False).select_related("source")
    return [Ref(str(n.pk), f"{n.name} ({n.source.name})", _edit("unmappedname", n.pk)) for n in found]


def _corrections() -> list[Ref]:
    """Corrections that nobody has decided: both runs stand here, the earlier is not superseded, nobody left it so."""
    published = SyncRow.objects.filter(kind=SyncRowKind.CORRECTION, successor__isnull=False)
    left = set(AuditEvent.objects.filter(action="correction left").values_list("target", flat=True))
    found = published.exclude(run__marks__kind="superseded").select_related("run", "successor")
    return [
        Ref(str(row.pk), row.key or row.file, _edit("syncrow", row.pk))
        for row in found
        if row.run and row.successor and f"{row.run.digest} {row.successor.digest}" not in left
    ]


def _unread_terms(now: datetime) -> list[Ref]:
    """Sources with runs or a schedule whose terms nobody has read for a year, or ever."""
    unread = Q(terms_read_on=None) | Q(terms_read_on__lt=(now - TERMS_HOLD).date())
    found = Source.objects.filter(unread, is_enabled=True).exclude(kind__in=("community", "channel"))
    return [Ref(source.slug, source.name, _edit("source", source.pk)) for source in found]


def _dead() -> list[Ref]:
    return [Ref(link.url, f"{link.url} ({link.status}), shown on {link.shown_on}", link.url) for link in dead_links()]
