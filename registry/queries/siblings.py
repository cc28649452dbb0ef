"""The sweep that a comparison group belongs to: the groups that differ from it by one axis of the workload alone."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from registry.core import measurement, naming
from registry.core.axes import Axis, from_zero, logarithmic
from registry.models import ComparisonGroup, Run
from registry.queries import addresses, rows
from registry.queries.shapes import Quantity, Ref, quantity

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SiblingCell:
    """One implementation's best run in a sibling group."""

    run_url: str
    implementation: str
    is_baseline: bool
    value: Quantity
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Sibling:
    """A group that differs by one axis of the workload alone."""

    group: Ref
    axis_value: int
    is_this: bool
    cells: tuple[SiblingCell | None, ...]
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Siblings:
    """The sweep that a group belongs to. `series` are the implementations, in the order of the cells."""

    axis: str
    constants: str
    series: tuple[str, ...]
    baselines: tuple[str, ...]
    unit: str
    title: str
    range_name: str | None
    rows: tuple[Sibling, ...]
    plot: Axis

    @property
    def this_value(self) -> int:
        return next(row.axis_value for row in self.rows if row.is_this)


def siblings(group: ComparisonGroup) -> Siblings | None:
    """The groups that differ from this one by a single axis, where at least three sizes of it were measured.

    Where several axes were swept, the one with most sizes. Two queries.
    """
    axes = group.workload.axes
    if not axes or group.metric is None:
        return None
    near = list(
        ComparisonGroup.objects.filter(
            operation_id=group.operation_id,
            protocol_id=group.protocol_id,
            environment_id=group.environment_id,
            metric=group.metric,
            statistic=group.statistic,
            unit=group.unit,
            workload__is_suite=False,
        ).values_list("id", "key", "workload__axes", "workload__label")
    )
    by_axis: dict[str, list[tuple[int, Any, str]]] = defaultdict(list)
    for group_id, key, other, label in near:
        changed = [axis for axis in axes if other.get(axis) != axes[axis]]
        is_near = other.keys() == axes.keys() and len(changed) <= 1
        if is_near and _held(label, changed) == _held(group.workload.label, changed):
            for axis in changed or axes:
                by_axis[axis].append((other[axis], group_id, key))
    axis, members = max(
        by_axis.items(), key=lambda item: (len({size for size, *_ in item[1]}), item[0]), default=("", [])
    )
    if len({size for size, *_ in members}) < 3:
        return None
    return _siblings(group, axis, sorted(members, key=lambda member: (member[0], str(member[1]))))


def _siblings(group: ComparisonGroup, axis: str, members: list[tuple[int, Any, str]]) -> Siblings | None:
    runs = Run.objects.filter(group__in=[group_id for _, group_id, _ in members], standing__rank__isnull=False)
    best: dict[tuple[Any, str], Columns] = {}
    for columns in runs.order_by("standing__position").values(*rows.COLUMNS, "group_id"):
        best.setdefault((columns["group_id"], columns["implementation__display_name"]), columns)
    if not best:
        return None
    groups_held: dict[str, int] = defaultdict(int)
    for _, name in best:
        groups_held[name] += 1
    baselines = {c["implementation__display_name"] for c in best.values() if c["implementation__is_baseline"]}
    series = sorted(groups_held, key=lambda name: (name in baselines, -groups_held[name], name))[:4]
    values = [columns["value"] for columns in best.values()]
    unit = measurement.column_unit(values, group.unit or "")
    reach = [c[end] for c in best.values() for end in ("spread_low", "spread_high") if c[end] is not None]
    plot = _plot([*values, *reach], measurement.scale(group.unit, unit))
    sibling_rows = tuple(
        _sibling(
            size, key, group_id == group.id, [best.get((group_id, name)) for name in series], unit, group.unit or ""
        )
        for size, group_id, key in members
    )
    held = _held(group.workload.label, [axis])
    timed = [f"{group.protocol.timed_pass} pass"] if group.protocol.timed_pass else []
    constants = naming.DOT.join([*timed, *held, group.environment.hardware.name])
    spreads = {columns["spread_name"] for columns in best.values() if columns["spread_name"]}
    return Siblings(
        axis,
        constants,
        tuple(series),
        tuple(sorted(baselines)),
        unit,
        f"{group.metric}, {unit}",
        ", ".join(sorted(spreads)) or None,
        sibling_rows,
        plot,
    )


def _held(label: str, changed: list[str]) -> list[str]:
    """A workload's label without these axes: the other sizes, and the dtypes."""
    return [part for part in label.split(naming.DOT) if part.partition(" ")[0] not in changed]


def _plot(values: list[float], factor: float) -> Axis:
    positive = [value for value in values if value > 0]
    is_wide = positive and max(positive) > 10 * min(positive)
    return logarithmic(positive, factor) if is_wide else from_zero(values, factor)


def _sibling(size: int, key: str, is_this: bool, found: list[Columns | None], display_unit: str, unit: str) -> Sibling:
    cells = tuple(
        SiblingCell(
            addresses.run(columns["digest"]),
            columns["implementation__display_name"],
            columns["implementation__is_baseline"],
            quantity(columns["value"], unit, display_unit),
            columns["spread_low"],
            columns["spread_high"],
        )
        if columns
        else None
        for columns in found
    )
    first, second = (*cells, None, None)[:2]
    ratio = second.value.value / first.value.value if first and second and first.value.value else None
    return Sibling(Ref(key, rows.short(key), addresses.group(key)), size, is_this, cells, ratio)
