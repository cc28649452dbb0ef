"""The part of a group's table around one run."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from registry.core import measurement
from registry.core.axes import Axis, from_zero
from registry.models import Run
from registry.queries import addresses, groups, rows, variants
from registry.queries.found_runs import Loaded
from registry.queries.prepared import Prepared
from registry.queries.shapes import Ref, RunRow
from registry.queries.variants import VariantPart

STRIP_ROWS = 7


@dataclass(frozen=True, slots=True)
class GroupStrip:
    """The part of the group's table around this run: at most seven rows, rank 1 among them.

    In a divided group they are of the run's own variant, `part`, and numbered by value; the group ranks none.
    """

    group: Ref
    rows: tuple[RunRow, ...]
    part: VariantPart | None
    has_releases: bool
    hidden_before: int
    hidden_after: int
    unit: str | None
    statistic: str | None
    range_name: str | None
    axis: Axis

    @property
    def is_ranked(self) -> bool:
        return self.part is None

    @property
    def numbered(self) -> tuple[tuple[int | None, RunRow], ...]:
        return tuple((self.part.number(row) if self.part else row.rank, row) for row in self.rows)

    @property
    def columns(self) -> int:
        """How many columns its table has."""
        return 5 + self.is_ranked


AROUND = Prepared(
    lambda group, best, first, last: rows.wide(
        Run.objects.filter(
            Q(standing__position=best) | Q(standing__position__gte=first, standing__position__lte=last),
            standing__group_id=group,
        ).order_by("standing__position")
    ),
    group=UUID,
    best=int,
    first=int,
    last=int,
)


def strip(run: Loaded) -> GroupStrip:
    """Rank 1, this run and its neighbours, by position: one query."""
    part = _own_part(run)
    before, count = (part.before, part.run_count) if part else (0, run.group.standing.run_count)
    first = max(min(run.standing.position - before - 2, count - (STRIP_ROWS - 2)), 2)
    last = min(first + STRIP_ROWS - 2, count)
    found = AROUND.rows(group=run.group_id, best=before + 1, first=before + first, last=before + last)
    unit = rows.column_unit(found)
    shown = tuple(rows.row(columns, unit) for columns in found)
    values = [c[name] for c in found for name in ("value", "spread_high", "interval_high") if c[name] is not None]
    return GroupStrip(
        group=Ref(run.group.key, rows.short(run.group.key), addresses.group(run.group.key)),
        rows=shown,
        part=part,
        has_releases=len({row.release for row in shown}) > 1,
        hidden_before=max(first - 2, 0),
        hidden_after=max(count - last, 0),
        unit=unit,
        statistic=run.group.statistic,
        range_name=groups.range_name(shown),
        axis=from_zero(values, measurement.scale(run.group.unit, unit)),
    )


def _own_part(run: Loaded) -> VariantPart | None:
    """The table of the run's own variant, where its group is divided."""
    own = variants.parts_of(run.group.standing.variants)
    return next((part for part in reversed(own) if run.standing.position > part.before), None)
