"""Scaling plots: values along one axis of a workload, all else equal."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from registry.core import measurement, naming
from registry.core.axes import Axis, logarithmic
from registry.models import Run
from registry.queries import addresses
from registry.queries.shapes import Quantity, quantity

SERIES = 4  # curves of a panel
PASS_ORDER = ("forward", "no-grad-forward", "backward", "full")
FEWEST_SIZES = 3  # fewer points than this are no curve
Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a curve, with the spread of its samples where published."""

    size: int
    value: Quantity
    low: float | None
    high: float | None
    run_url: str


@dataclass(frozen=True, slots=True)
class Curve:
    """`by_size` has one place for each size of the plot, None where this implementation has no run."""

    name: str
    series: int
    points: tuple[Point, ...]
    by_size: tuple[Point | None, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One timed pass or protocol of a scaling plot."""

    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Scaling:
    """Values along one axis, all else equal. Points of a curve are in different groups: a curve ranks nothing."""

    axis: str
    constants: str
    statistic: str
    unit: str
    panels: tuple[Panel, ...]
    sizes: tuple[int, ...]
    plot: Axis

    @property
    def curves(self) -> tuple[Curve, ...]:
        """One curve a name, for the key."""
        return tuple({curve.name: curve for panel in self.panels for curve in panel.curves}.values())


def scaling(found: list[Columns], series: dict[str, int]) -> Scaling | None:
    """The sweep with most groups: one axis varies, everything else and the environment are constant. One query."""
    sweeps: dict[Any, list[Columns]] = defaultdict(list)
    for columns in found:
        axes = columns["workload__axes"]
        if axes and columns["standing__best_value"] is not None:
            where = (columns["environment_id"], columns["metric"], columns["statistic"], columns["unit"])
            for axis, size in axes.items():
                if size > 0:
                    rest = tuple(sorted((name, value) for name, value in axes.items() if name != axis))
                    sweeps[(axis, rest, where)].append(columns)
    full = {key: of for key, of in sweeps.items() if len({c["workload__axes"][key[0]] for c in of}) >= FEWEST_SIZES}
    if not full:
        return None
    axis, _, (_, _, statistic, unit) = key = max(full, key=lambda k: (len(full[k]), str(k)))
    sweep = full[key]
    by_group = {columns["id"]: columns for columns in sweep}
    best: dict[Any, Columns] = {}
    runs = Run.objects.filter(group__in=list(by_group), standing__rank__isnull=False).order_by("standing__position")
    for run in runs.values("group_id", "digest", "value", "spread_low", "spread_high", "implementation__display_name"):
        best.setdefault((run["group_id"], run["implementation__display_name"]), run)
    names = Counter(name for _, name in best)
    chosen = sorted(names, key=lambda name: (series.get(name, SERIES + 1), -names[name], name))[:SERIES]
    marks = {name: series.get(name) or index for index, name in enumerate(chosen, start=1)}
    kept = [run for (_, name), run in best.items() if name in marks]
    display_unit = measurement.column_unit([run["value"] for run in kept], unit)
    reach = [run[end] for run in kept for end in ("value", "spread_low", "spread_high") if run[end]]
    constants = [p for p in sweep[0]["workload__label"].split(naming.DOT) if not p.startswith(f"{axis} ")]
    return Scaling(
        axis=axis,
        constants=naming.DOT.join([*constants, sweep[0]["environment__hardware__name"]]),
        statistic=statistic,
        unit=display_unit,
        panels=_panels(axis, sweep, best, chosen, marks, unit, display_unit),
        sizes=tuple(sorted({columns["workload__axes"][axis] for columns in sweep})),
        plot=logarithmic(reach, measurement.scale(unit, display_unit)),
    )


def _panels(
    axis: str, sweep: list[Columns], best: dict[Any, Columns], chosen: list[str], marks: dict[str, int], unit: str,
    display_unit: str,
) -> tuple[Panel, ...]:  # fmt: skip
    by_protocol: dict[str, list[Columns]] = defaultdict(list)
    titles: dict[str, str] = {}
    sizes = sorted({columns["workload__axes"][axis] for columns in sweep})
    for columns in sweep:
        by_protocol[columns["protocol__digest"]].append(columns)
        titles[columns["protocol__digest"]] = columns["protocol__timed_pass"] or columns["protocol__label"]
    panels = []
    for digest in sorted(by_protocol, key=lambda d: (pass_order(titles[d]), titles[d])):
        curves = []
        for name in chosen:
            points = sorted(
                (
                    Point(
                        columns["workload__axes"][axis],
                        quantity(run["value"], unit, display_unit),
                        run["spread_low"],
                        run["spread_high"],
                        addresses.run(run["digest"]),
                    )
                    for columns in by_protocol[digest]
                    if (run := best.get((columns["id"], name)))
                ),
                key=lambda point: point.size,
            )
            if points:
                found = {point.size: point for point in points}
                curves.append(Curve(name, marks[name], tuple(points), tuple(found.get(size) for size in sizes)))
        if curves:
            panels.append(Panel(titles[digest], tuple(curves)))
    return tuple(panels)


def pass_order(label: str) -> int:
    return PASS_ORDER.index(label) if label in PASS_ORDER else len(PASS_ORDER)
