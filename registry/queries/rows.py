"""Runs as rows of a list: one query for any number of them, each row complete in itself."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from registry.core import flags, measurement, ranking, releases, variants
from registry.models import Run, Sighting
from registry.queries import addresses, keyset
from registry.queries.shapes import Page, Quantity, Range, Reason, Ref, RunRow, Warned, quantity

DEMONSTRATION = "demonstration"
COLUMNS = (
    "id",
    "digest",
    "status",
    "value",
    "sample_count",
    "interval_low",
    "interval_high",
    "interval_kind",
    "spread_low",
    "spread_high",
    "spread_name",
    "observed_at",
    "published_at",
    "is_source_native",
    "name",
    "metadata",
    "implementation_id",
    "implementation__display_name",
    "implementation__author",
    "implementation__revision",
    "implementation__is_baseline",
    "implementation__project__slug",
    "implementation__project__name",
    "operation__slug",
    "operation__display_name",
    "workload__digest",
    "workload__label",
    "protocol__digest",
    "protocol__label",
    "protocol__timed_pass",
    "environment__runner",
    "environment__hardware__slug",
    "environment__hardware__name",
    "source__slug",
    "source__name",
    "group__key",
    "group__metric",
    "group__statistic",
    "group__unit",
    "standing__rank",
    "standing__tied",
    "standing__position",
    "standing__ratio",
    "standing__separability",
    "standing__lead",
    "standing__reasons",
    "standing__warnings",
    "evidence__level",
)
Columns = Mapping[str, Any]
# What the upstream called the release when it was first seen; to be asked for beside COLUMNS.
SIGHTED_RELEASE = Subquery(
    Sighting.objects.filter(run=OuterRef("pk"), release__isnull=False).order_by("seen_at", "id").values("release")[:1]
)


def wide(runs: QuerySet[Run]) -> QuerySet[Run, dict[str, Any]]:
    """The columns that a row is made of."""
    return runs.values(*COLUMNS, sighted_release=SIGHTED_RELEASE)


def run_rows(runs: QuerySet[Run]) -> list[RunRow]:
    """The rows of runs, in the queryset's order, each value in its own best unit."""
    return [row(columns) for columns in wide(runs)]


def row(columns: Columns, display_unit: str | None = None) -> RunRow:
    """One row from its columns; with `display_unit`, its numbers in the unit that its table's column shares."""
    unit = columns["group__unit"] or ""
    labels = labels_of(columns)
    return RunRow(
        digest=columns["digest"],
        id=str(columns["id"]),
        url=addresses.run(columns["digest"]),
        implementation=Ref(
            str(columns["implementation_id"]),
            columns["implementation__display_name"] or "redacted",
            addresses.implementation(columns["implementation_id"]),
        ),
        author=columns["implementation__author"],
        project=columns["implementation__project__name"],
        version=version(columns, labels),
        release=releases.release(columns["sighted_release"], labels),
        variant=variants.name_of(labels),
        is_baseline=columns["implementation__is_baseline"],
        operation=Ref(
            columns["operation__slug"],
            columns["operation__display_name"],
            addresses.operation(columns["operation__slug"]),
        ),
        workload=Ref(
            columns["workload__digest"], columns["workload__label"], addresses.workload(columns["workload__digest"])
        ),
        hardware=Ref(
            columns["environment__hardware__slug"],
            columns["environment__hardware__name"],
            addresses.hardware(columns["environment__hardware__slug"]),
        ),
        runner=columns["environment__runner"],
        protocol=Ref(
            columns["protocol__digest"], columns["protocol__label"], addresses.protocol(columns["protocol__digest"])
        ),
        timed_pass=columns["protocol__timed_pass"],
        source=Ref(columns["source__slug"], columns["source__name"], addresses.source(columns["source__slug"])),
        group=Ref(columns["group__key"], short(columns["group__key"]), addresses.group(columns["group__key"])),
        metric=columns["group__metric"],
        statistic=columns["group__statistic"],
        value=_quantity(columns["value"], unit, display_unit),
        spread=range_of(columns, "spread", unit, display_unit),
        interval=range_of(columns, "interval", unit, display_unit),
        sample_count=columns["sample_count"],
        status=columns["status"],
        rank=columns["standing__rank"],
        position=columns["standing__position"],
        tied=columns["standing__tied"] or 0,
        ratio_to_best=columns["standing__ratio"],
        separability=columns["standing__separability"],
        lead_percent=columns["standing__lead"],
        reasons=reasons(columns["standing__reasons"] or ()),
        warnings=warned(columns["standing__warnings"] or ()),
        level=columns["evidence__level"],
        observed_at=columns["observed_at"],
        published_at=columns["published_at"],
        is_demonstration=columns["source__slug"] == DEMONSTRATION,
        is_redacted=not columns["name"],
    )


def labels_of(columns: Columns) -> dict[str, str]:
    return dict(json.loads(columns["metadata"] or "{}").get("labels", {}))


def version(columns: Columns, labels: Mapping[str, str]) -> str | None:
    """What was measured, as far as it is told: commit, version, or the release label of the project's own benchmark."""
    if columns["implementation__revision"]:
        return str(columns["implementation__revision"])
    for name, value in labels.items():
        project = name.removesuffix("_version")
        if project != name and columns["implementation__project__slug"].startswith(project):
            return str(value)
    return None


def column_unit(rows: Iterable[Columns]) -> str | None:
    """The unit that the values of a group's table are all shown in."""
    values = [(columns["value"], columns["group__unit"]) for columns in rows if columns["value"] is not None]
    return measurement.column_unit([value for value, _ in values], values[0][1]) if values else None


def reasons(codes: Iterable[str]) -> tuple[Reason, ...]:
    return tuple(Reason(code, ranking.reason_text(code)) for code in codes)


def warned(codes: Iterable[str]) -> tuple[Warned, ...]:
    return tuple(Warned(code, flags.RULES[code].title, flags.RULES[code].text) for code in codes)


def short(digest: str, length: int = 12) -> str:
    return f"{digest[: len('sha256:') + length]}…"


def _quantity(value: float | None, unit: str, display_unit: str | None) -> Quantity | None:
    return None if value is None else quantity(value, unit, display_unit)


def range_of(columns: Columns, kind: str, unit: str, display_unit: str | None) -> Range | None:
    low, high = columns[f"{kind}_low"], columns[f"{kind}_high"]
    if low is None or high is None:
        return None
    if display_unit is None:  # both ends in one unit, or a range would read "950 – 1.20"
        display_unit = measurement.column_unit([low, high], unit)
    is_interval = kind == "interval"
    derived = columns["interval_kind"] == measurement.IntervalKind.DERIVED
    name = f"95 % interval{', derived' * derived}" if is_interval else columns["spread_name"]
    return Range(quantity(low, unit, display_unit), quantity(high, unit, display_unit), name, is_interval)


@dataclass(frozen=True, slots=True)
class RunList:
    """One keyset page of runs, newest observation first, and how many there are in all."""

    rows: tuple[RunRow, ...]
    page: Page


def run_list(
    runs: QuerySet[Run], *, scope: str, cursor: str | None, limit: int = keyset.LIMIT, total: int | None = None
) -> RunList:
    """A page of runs under something. Three queries. Raises keyset.BadCursorError."""
    keys, following = keyset.page(
        runs.values("id", "observed_at"), order=("-observed_at", "-id"), scope=scope, cursor=cursor, limit=limit
    )
    # The keys first, then the wide join for these alone: no planner is led to join before it cuts.
    found = wide(Run.objects.filter(pk__in=[key["id"] for key in keys]))
    by_id = {columns["id"]: columns for columns in found}
    return RunList(
        tuple(row(by_id[key["id"]]) for key in keys), Page(following, runs.count() if total is None else total)
    )
