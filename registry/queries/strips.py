"""The part of a group's table around one run."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from registry.core import measurement
from registry.core.axes import Axis, from_zero
from registry.models import Run
from registry.queries import addresses, groups, rows
from registry.queries.found_runs import Loaded
from registry.queries.prepared import Prepared
from registry.queries.shapes import Ref, RunRow

STRIP_ROWS = 7


@dataclass(frozen=True, slots=True)
class GroupStrip:
    """The part of the group's table around this run: at most seven rows, rank 1 among them."""

    group: Ref
    rows: tuple[RunRow, ...]
    hidden_before: int
    hidden_after: int
    unit: str | None
    statistic: str | None
    range_name: str | None
    axis: Axis


AROUND = Prepared(
    lambda group, first, last: (
        Run.objects.filter(
            Q(standing__position=1) | Q(standing__position__gte=first, standing__position__lte=last),
            standing__group_id=group,
        )
        .order_by("standing__position")
        .values(*rows.COLUMNS)
    ),
    group=UUID,
    first=int,
    last=int,
)


def strip(run: Loaded) -> GroupStrip:
    """Rank 1, this run and its neighbours, by position: one query."""
    at, count = run.standing.position, run.group.standing.run_count
    first = max(min(at - 2, count - (STRIP_ROWS - 2)), 2)
    last = first + STRIP_ROWS - 2
    found = AROUND.rows(group=run.group_id, first=first, last=last)
    unit = rows.column_unit(found)
    shown = tuple(rows.row(columns, unit) for columns in found)
    values = [c[name] for c in found for name in ("value", "spread_high", "interval_high") if c[name] is not None]
    return GroupStrip(
        group=Ref(run.group.key, rows.short(run.group.key), addresses.group(run.group.key)),
        rows=shown,
        hidden_before=max(first - 2, 0),
        hidden_after=max(count - last, 0),
        unit=unit,
        statistic=run.group.statistic,
        range_name=groups.range_name(shown),
        axis=from_zero(values, measurement.scale(run.group.unit, unit)),
    )
