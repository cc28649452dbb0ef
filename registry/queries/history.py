"""One implementation over time: runs of equal workload, protocol, environment and metric, each a run of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Case, IntegerField, Value, When

from registry.core import measurement, releases, variants
from registry.core.axes import Axis, from_zero, logarithmic, over_time, zoomed
from registry.models import Run
from registry.queries import addresses, rows
from registry.queries.found_runs import Loaded
from registry.queries.prepared import Prepared, Row
from registry.queries.shapes import Quantity, Range, Reason, Ref, quantity

SHOWN = 100  # the newest, and always the run that is asked about
CLOSE = 2  # values within this factor of each other are drawn on an axis that does not start at 0

# Everything that one implementation has on one workload and environment: its history, and its runs of other metrics.
BESIDE = Prepared(
    lambda run, implementation, workload, environment: (
        Run.objects.filter(implementation_id=implementation, workload_id=workload, environment_id=environment)
        .order_by(
            Case(When(pk=run, then=Value(0)), default=Value(1), output_field=IntegerField()), "-observed_at", "-id"
        )
        .values(
            "id", "digest", "observed_at", "value", "spread_low", "spread_high", "spread_name", "interval_low",
            "interval_high", "interval_kind", "metadata", "source__slug", "implementation__revision",
            "implementation__project__slug", "protocol__label", "protocol__timed_pass", "group_id", "group__metric",
            "group__statistic", "group__unit", "standing__rank", "standing__reasons",
            sighted_release=rows.SIGHTED_RELEASE,
        )[:SHOWN]
    ),
    run=UUID,
    implementation=UUID,
    workload=UUID,
    environment=UUID,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Observation:
    """One run of a history. `release` is the upstream's label, else the implementation's own version."""

    run: Ref
    observed_at: datetime
    release: str | None
    value: Quantity | None
    spread: Range | None
    rank: int | None
    reasons: tuple[Reason, ...]
    is_this: bool


@dataclass(frozen=True, slots=True)
class History:
    """Oldest first; no plot where all were observed at one instant.

    `values` and `dates` are the axes of its plot; `from_text` says where one that is cut starts.
    """

    observations: tuple[Observation, ...]
    statistic: str
    unit: str
    range_name: str | None
    has_releases: bool
    is_cut: bool
    has_plot: bool
    values: Axis
    dates: Axis

    @property
    def from_text(self) -> str | None:
        start = self.values.ticks[0].text
        return f"{start} {self.unit}" if self.values.low and not self.values.is_log else None


def beside(run: Loaded) -> list[Row]:
    """The run itself and what its implementation has beside it: the newest SHOWN. One query."""
    return BESIDE.rows(
        run=run.id,
        implementation=run.implementation_id,
        workload=run.workload_id,
        environment=run.environment_id,
    )


def release_of(row: Row) -> str | None:
    labels = rows.labels_of(row)
    return releases.release(row["sighted_release"], labels) or rows.version(row, labels)


def variant_of(row: Row) -> str | None:
    return variants.name_of(rows.labels_of(row))


def own_row(run: Loaded, found: Sequence[Row]) -> Row:
    return next(row for row in found if row["id"] == run.id)


def history(run: Loaded, found: Sequence[Row]) -> History | None:
    """The runs beside it of its group and variant; None where it is the only one or nothing was measured."""
    variant = variant_of(own_row(run, found))
    equal = sorted(
        (row for row in found if row["group_id"] == run.group_id and variant_of(row) == variant),
        key=lambda row: (row["observed_at"], row["id"]),
    )
    measured = [row for row in equal if row["value"] is not None]
    if len(equal) < 2 or not measured:
        return None
    unit = measurement.column_unit([row["value"] for row in measured], run.group.unit)
    observations = tuple(_observation(row, run.group.unit, unit, is_this=row["id"] == run.id) for row in equal)
    dates = [row["observed_at"] for row in measured]
    return History(
        observations=observations,
        statistic=run.group.statistic,
        unit=unit,
        range_name=", ".join(sorted({o.spread.name for o in observations if o.spread})) or None,
        has_releases=any(o.release for o in observations),
        is_cut=len(found) == SHOWN,
        has_plot=len(set(dates)) > 1,
        values=_axis(measured, measurement.scale(run.group.unit, unit)),
        dates=over_time(min(dates), max(dates)),
    )


def _observation(row: Row, unit: str, display_unit: str, *, is_this: bool) -> Observation:
    return Observation(
        run=Ref(row["digest"], rows.short(row["digest"]), addresses.run(row["digest"])),
        observed_at=row["observed_at"],
        release=release_of(row),
        value=None if row["value"] is None else quantity(row["value"], unit, display_unit),
        spread=rows.range_of(row, "interval", unit, display_unit) or rows.range_of(row, "spread", unit, display_unit),
        rank=row["standing__rank"],
        reasons=rows.reasons(row["standing__reasons"]),
        is_this=is_this,
    )


def _axis(measured: Sequence[Row], factor: float) -> Axis:
    ends = ("value", "spread_low", "spread_high", "interval_low", "interval_high")
    reach = [row[end] for row in measured for end in ends if row[end] is not None]
    low, high = min(reach), max(reach)
    if low > 0 and high < CLOSE * low:
        return zoomed(low, high, factor)
    return logarithmic(reach, factor) if low > 0 and high > 10 * low else from_zero(reach, factor)
