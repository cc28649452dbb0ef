"""A source: who, under which terms, what was taken and when."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from registry.models import Run, Sighting, Snapshot, Source
from registry.queries import addresses, rows
from registry.queries.rows import RunList
from registry.queries.shapes import Fact, Ref


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


@dataclass(frozen=True, slots=True)
class SourcePage:
    id: str
    title: str
    url: str
    kind: str
    facts: tuple[Fact, ...]
    run_count: int
    ranked_count: int
    operation_count: int
    hardware: tuple[Ref, ...]
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
    counts = runs.aggregate(
        runs=Count("pk"), ranked=Count("standing__rank"), operations=Count("operation", distinct=True)
    )
    hardware = (
        runs.order_by("environment__hardware__name")
        .values_list("environment__hardware__slug", "environment__hardware__name")
        .distinct()
    )
    listed = rows.run_list(runs, scope=f"source:{slug}", cursor=cursor, total=counts["runs"])
    return SourcePage(
        id=slug,
        title=source.name,
        url=addresses.source(slug),
        kind=source.kind,
        facts=(
            _stated("homepage", source.homepage, url=source.homepage or None),
            _stated("licence", source.licence),
            _stated("terms", source.terms),
            _stated("attribution", source.attribution),
            _stated("takedown contact", source.contact),
        ),
        run_count=counts["runs"],
        ranked_count=counts["ranked"],
        operation_count=counts["operations"],
        hardware=tuple(Ref(key, name, addresses.hardware(key)) for key, name in hardware),
        snapshots=_snapshots(source),
        runs=listed,
    )


def _snapshots(source: Source) -> tuple[SnapshotLine, ...]:
    """The files that this source's runs were seen in, whichever channel they came by, and those of its own channel."""
    seen = dict(
        Sighting.objects.filter(run__source=source).values_list("snapshot").annotate(runs=Count("id")).order_by()
    )
    return tuple(
        SnapshotLine(
            s.file_name, s.sha256, s.size_bytes, s.taken_at, s.url, s.revision, seen.get(s.id, 0)
        )
        for s in Snapshot.objects.filter(Q(source=source) | Q(pk__in=list(seen))).order_by("-taken_at", "-id")
    )  # fmt: skip


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


def _stated(label: str, value: str, *, url: str | None = None) -> Fact:
    shown = value.removeprefix("https://")
    return Fact(label, label, shown, url=url) if value else Fact(label, label, absent="not stated")
