"""A source: who, under which terms, what was taken and when."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, OuterRef, Q

from registry.models import Run, Sighting, Snapshot, Source, StoredObject, Sync
from registry.models.names import NameKind
from registry.models.sources import Schedule
from registry.queries import addresses, downloads, rows
from registry.queries.rows import RunList
from registry.queries.shapes import Fact, Ref, linkable
from registry.queries.syncs import (
    FINISHED,
    ReasonCount,
    SyncLine,
    line,
    newest_finished,
    not_taken,
    sync_lines,
)

SYNCS_SHOWN = 10
COVERED_SHOWN = 12
CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class SnapshotLine:
    """A file that was read, and the runs that stand in it."""

    file_name: str
    sha256: str
    size_bytes: int
    taken_at: datetime
    url: str | None
    revision: str | None
    run_count: int
    available_at: str | None


@dataclass(frozen=True, slots=True)
class Covered:
    """One thing that a source has runs of."""

    thing: Ref
    run_count: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a kind (operations, GPUs, protocols) a source has runs of: the first of them, and how many there are."""

    title: str
    total: int
    things: tuple[Covered, ...]


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A name that rows of the newest reading wait for."""

    kind: str
    name: str
    row_count: int


@dataclass(frozen=True, slots=True)
class NotTaken:
    """What the newest finished reading did not take, by reason; `rows_url` gives each row."""

    sync: SyncLine
    reasons: tuple[ReasonCount, ...]
    rows_url: str


@dataclass(frozen=True, slots=True)
class SourcePage:
    """`carried_count`: of a channel, the runs that stood in its files; each belongs to the source that it names."""

    id: str
    title: str
    url: str
    kind: str
    facts: tuple[Fact, ...]
    run_count: int
    ranked_count: int
    operation_count: int
    carried_count: int
    coverage: tuple[Coverage, ...]
    syncs: tuple[SyncLine, ...]
    not_taken: NotTaken | None
    unmapped: tuple[Unmapped, ...]
    snapshots: tuple[SnapshotLine, ...]
    runs: RunList


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source in a list. `newest_observed_at` None: it has no runs."""

    source: Ref
    kind: str
    licence: str | None
    run_count: int
    snapshot_count: int
    newest_observed_at: datetime | None


def source_page(slug: str, cursor: str | None = None) -> SourcePage:
    """Raises Source.DoesNotExist, keyset.BadCursorError."""
    source = Source.objects.get(slug=slug)
    runs = Run.objects.filter(source=source)
    found = list(
        runs.order_by()
        .values_list(
            "operation__slug", "operation__display_name", "environment__hardware__slug",
            "environment__hardware__name", "protocol__digest", "protocol__label",
        )
        .annotate(runs=Count("pk"), ranked=Count("standing__rank"))
    )  # fmt: skip
    snapshots = _snapshots(source)
    syncs = list(source.syncs.select_related("source")[:SYNCS_SHOWN])
    total = sum(row[-2] for row in found)
    return SourcePage(
        id=slug,
        title=source.name,
        url=addresses.source(slug),
        kind=source.kind,
        facts=_facts(source),
        run_count=total,
        ranked_count=sum(row[-1] for row in found),
        operation_count=len({row[0] for row in found}),
        carried_count=sum(snapshot.run_count for snapshot in snapshots) if source.kind == CHANNEL else 0,
        coverage=(
            _covered("Operations", [(row[0], row[1], row[-2]) for row in found], addresses.operation),
            _covered("GPUs", [(row[2], row[3], row[-2]) for row in found], addresses.hardware),
            _covered("Protocols", [(row[4], row[5], row[-2]) for row in found], addresses.protocol),
        ),
        syncs=sync_lines(syncs),
        not_taken=_not_taken(slug, syncs),
        unmapped=tuple(
            Unmapped(NameKind(name.kind).label, name.name, name.row_count)
            for name in source.unmapped_names.filter(is_settled=False)
        ),
        snapshots=snapshots,
        runs=rows.run_list(runs, scope=f"source:{slug}", cursor=cursor, total=total),
    )


def _facts(source: Source) -> tuple[Fact, ...]:
    read_on = f"{source.terms_read_on:%Y-%m-%d}" if source.terms_read_on else ""
    kept = "kept here by digest and offered" if source.may_store else "read and checked, only linked"
    return (
        _stated("homepage", source.homepage, url=linkable(source.homepage)),
        _stated("licence", source.licence),
        _stated("terms", source.terms),
        _stated("terms at", source.terms_url, url=linkable(source.terms_url)),
        _stated("terms last read", read_on, absent="not on record"),
        Fact("files read", "may_store", kept),
        _stated("attribution", source.attribution),
        _stated("takedown contact", source.contact),
        Fact("read", "schedule", _reading(source)),
    )


def _reading(source: Source) -> str:
    if not source.is_enabled:
        return "not at all: switched off"
    if source.paused_at:
        return f"paused since {source.paused_at:%Y-%m-%d}"
    return source.schedule if source.schedule != Schedule.OFF else "when a person asks"


def _covered(title: str, found: list[tuple[str, str, int]], address: Callable[[str], str]) -> Coverage:
    counts: Counter[tuple[str, str]] = Counter()
    for key, name, run_count in found:
        counts[key, name] += run_count
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0][1]))
    shown = ordered[:COVERED_SHOWN]
    return Coverage(title, len(counts), tuple(Covered(Ref(k, n, address(k)), count) for (k, n), count in shown))


def _not_taken(slug: str, syncs: list[Sync]) -> NotTaken | None:
    """Of the newest reading that got to its end; a source that was never read has none."""
    newest = next((sync for sync in syncs if sync.state in FINISHED), None)
    if newest is None and len(syncs) == SYNCS_SHOWN:
        newest = newest_finished(slug)
    return NotTaken(line(newest), not_taken(newest), f"{addresses.source(slug)}rows.csv") if newest else None


def _snapshots(source: Source) -> tuple[SnapshotLine, ...]:
    """The files that this source's runs were seen in, whichever channel they came by, and those of its own channel."""
    of_it = Q(run__source=source) | Q(snapshot__source=source)  # what came by a channel belongs to other sources
    seen = dict(Sighting.objects.filter(of_it).values_list("snapshot").annotate(runs=Count("id")).order_by())
    return tuple(
        SnapshotLine(
            s.file_name,
            s.sha256,
            s.size_bytes,
            s.taken_at,
            s.url,
            s.revision,
            seen.get(s.id, 0),
            downloads.available_at(s.sha256, is_held=s.is_held, may_store=s.source.may_store, upstream_url=s.url),
        )
        for s in Snapshot.objects.filter(Q(source=source) | Q(pk__in=list(seen)))
        .annotate(is_held=Exists(StoredObject.objects.filter(digest=OuterRef("sha256"))))
        .select_related("source")
        .order_by("-taken_at", "-id")
    )


def source_lines() -> tuple[SourceLine, ...]:
    """Every source, those with most runs first."""
    found = Source.objects.annotate(
        run_count=Count("runs", distinct=True),
        snapshot_count=Count("snapshots", distinct=True),
        newest=Max("runs__observed_at"),
    ).order_by("-run_count", "slug")
    return tuple(
        SourceLine(
            Ref(s.slug, s.name, addresses.source(s.slug)),
            s.kind,
            s.licence or None,
            s.run_count,
            s.snapshot_count,
            s.newest,
        )
        for s in found
    )


def _stated(label: str, value: str, *, url: str | None = None, absent: str = "not stated") -> Fact:
    shown = value.removeprefix("https://")
    return Fact(label, label, shown, url=url) if value else Fact(label, label, absent=absent)
