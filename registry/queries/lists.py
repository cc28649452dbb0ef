"""Lists of every noun, a keyset page at a time: by slug or name, then id, each row with the runs under it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from registry.models import (
    ComparisonGroup,
    Environment,
    Hardware,
    Implementation,
    Operation,
    Project,
    Protocol,
    Run,
    Workload,
)
from registry.queries import keyset, rows
from registry.queries.rows import RunList
from registry.queries.shapes import Page
from registry.queries.summaries import SUMMARY_COLUMNS, Summary, summary


@dataclass(frozen=True, slots=True)
class Line:
    """One thing in a list: `note` is what sets it apart from its like-named neighbours."""

    id: str
    name: str
    url: str
    digest: str | None
    note: str
    run_count: int


@dataclass(frozen=True, slots=True)
class ListPage:
    kind: str
    title: str
    lines: tuple[Line, ...]
    page: Page
    filtered_by: str | None

    @property
    def plural(self) -> str:
        """The title within a sentence."""
        return self.title if self.title == "GPUs" else self.title.lower()


@dataclass(frozen=True, slots=True)
class GroupList:
    rows: tuple[Summary, ...]
    page: Page


@dataclass(frozen=True, slots=True)
class _Listing:
    title: str
    model: type[Model]
    order: tuple[str, ...]
    run_column: str
    line: Callable[[Any], Line]
    filters: Mapping[str, str]


def _operation(row: Operation) -> Line:
    return Line(row.slug, row.display_name or "redacted", row.get_absolute_url(), row.digest, row.family, _runs(row))


def _project(row: Project) -> Line:
    return Line(row.slug, row.name or "redacted", row.get_absolute_url(), None, row.slug, _runs(row))


def _implementation(row: Implementation) -> Line:
    note = f"{row.operation.display_name} · {row.project.name}"
    return Line(str(row.pk), row.display_name or "redacted", row.get_absolute_url(), row.digest, note, _runs(row))


def _hardware(row: Hardware) -> Line:
    return Line(row.slug, row.name, row.get_absolute_url(), None, row.vendor, _runs(row))


def _protocol(row: Protocol) -> Line:
    return Line(row.digest, row.label or "redacted", row.get_absolute_url(), row.digest, row.harness, _runs(row))


def _environment(row: Environment) -> Line:
    note = " · ".join(filter(None, (row.hardware.name, row.architecture, row.runner and f"runner {row.runner}")))
    return Line(row.digest, row.label or "redacted", row.get_absolute_url(), row.digest, note, _runs(row))


def _workload(row: Workload) -> Line:
    return Line(row.digest, row.label, row.get_absolute_url(), row.digest, row.operation.display_name, _runs(row))


LISTINGS = {
    "operations": _Listing("Operations", Operation, ("slug",), "operation", _operation, {"family": "family"}),
    "projects": _Listing("Projects", Project, ("slug",), "implementation__project", _project, {}),
    "implementations": _Listing(
        "Implementations",
        Implementation,
        ("slug", "id"),
        "implementation",
        _implementation,
        {"project": "project__slug", "operation": "operation__slug"},
    ),
    "hardware": _Listing("GPUs", Hardware, ("slug",), "environment__hardware", _hardware, {}),
    "protocols": _Listing("Protocols", Protocol, ("label", "id"), "protocol", _protocol, {}),
    "environments": _Listing(
        "Environments", Environment, ("label", "id"), "environment", _environment, {"hardware": "hardware__slug"}
    ),
    "workloads": _Listing("Workloads", Workload, ("digest",), "workload", _workload, {"operation": "operation__slug"}),
}
RELATED = {
    "implementations": ("operation", "project"),
    "environments": ("hardware",),
    "workloads": ("operation",),
}


def list_page(kind: str, *, cursor: str | None = None, filters: Mapping[str, str] | None = None) -> ListPage:
    """A page of one noun's list. Three queries. Raises keyset.BadCursorError; unknown filters are not applied."""
    listing = LISTINGS[kind]
    applied = {name: value for name, value in (filters or {}).items() if name in listing.filters and value}
    found = listing.model._default_manager.filter(
        Q(*[(listing.filters[name], value) for name, value in applied.items()])
    ).select_related(*RELATED.get(kind, ()))
    scope = f"{kind}:{sorted(applied.items())}"
    shown, following = keyset.page(_counted(found, listing), order=listing.order, scope=scope, cursor=cursor)
    told = ", ".join(f"{name} {value}" for name, value in applied.items()) or None
    return ListPage(
        kind, listing.title, tuple(listing.line(row) for row in shown), Page(following, found.count()), told
    )


def _counted(found: QuerySet[Any], listing: _Listing) -> QuerySet[Any]:
    """Runs are counted for the rows of the page alone: a join would count for the whole table first."""
    counted = (
        Run.objects.filter(**{listing.run_column: OuterRef("pk")})
        .order_by()
        .values(listing.run_column)
        .annotate(count=Count("pk"))
        .values("count")
    )
    return found.annotate(run_count=Coalesce(Subquery(counted), 0))


def _runs(row: Any) -> int:
    count: int = row.run_count
    return count


def runs_page(*, cursor: str | None = None) -> RunList:
    """Every run, newest observation first."""
    return rows.run_list(Run.objects.all(), scope="runs", cursor=cursor)


def groups_page(*, cursor: str | None = None) -> GroupList:
    """Every comparison group, by key."""
    found = ComparisonGroup.objects.all()
    keys, following = keyset.page(found.values("id", "key"), order=("key",), scope="groups", cursor=cursor)
    by_id = {
        columns["id"]: summary(columns)
        for columns in ComparisonGroup.objects.filter(pk__in=[key["id"] for key in keys]).values(*SUMMARY_COLUMNS)
    }
    return GroupList(tuple(by_id[key["id"]] for key in keys), Page(following, found.count()))
