"""Standings and records of whole groups, from the rows of their runs and marks: no query, nothing is written."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from registry.core import flags, measurement, ranking, records, variants
from registry.core.ids import uuid7
from registry.models.marks import MarkKind

Row = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # a UUIDv7 has no earlier instant; a document may
DIVIDED = ("FLAGGED_OPERATION_MISMATCH",)  # all that keeps a run of a divided group from its rank
# What is read of each row.
GROUP_COLUMNS = ("id", "metric", "statistic", "unit")
AUTHOR = "implementation__author"
RUN_COLUMNS = (
    "id",
    "group_id",
    "status",
    "value",
    "observed_at",
    "published_at",
    "interval_low",
    "interval_high",
    "interval_kind",
    "is_source_native",
    "sample_count",
    "spread_low",
    "spread_high",
    AUTHOR,
    "metadata",
)
MARK_COLUMNS = ("id", "run_id", "kind", "at", "rule", "is_blocking", "clears_id")


@dataclass(frozen=True, slots=True)
class Marks:
    """What marks say of a run at an instant."""

    withdrawn: bool = False
    superseded: bool = False
    blocking: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    last_at: datetime | None = None


@dataclass(slots=True)
class Derived:
    """The cache rows of some groups, as they should stand."""

    standings: list[Row]
    groups: list[Row]
    records: list[Row]


def derive_rows(groups: Iterable[Row], runs: Iterable[Row], marks: Iterable[Row]) -> Derived:
    """What the standings of these groups follow to. `runs` are all of each, by time of observation and id."""
    of_group: dict[UUID, list[Row]] = defaultdict(list)
    for run in runs:
        of_group[run["group_id"]].append(run)
    of_run = marks_of(marks)
    derived = Derived([], [], [])
    for group in groups:
        if in_group := of_group.get(group["id"]):
            _derive_group(group["id"], group["metric"], group["statistic"], group["unit"], in_group, of_run, derived)
    return derived


def marks_of(marks: Iterable[Row]) -> dict[UUID, Marks]:
    """Fold dated marks into what holds of each run now: a cleared flag no longer does."""
    rows: dict[UUID, list[Row]] = defaultdict(list)
    for mark in marks:
        rows[mark["run_id"]].append(mark)
    return {run_id: _fold(of_run) for run_id, of_run in rows.items()}


def _fold(marks: list[Row]) -> Marks:
    cleared = {mark["clears_id"] for mark in marks if mark["kind"] == MarkKind.CLEARED}
    standing = [mark for mark in marks if mark["id"] not in cleared]
    flagged = [mark for mark in standing if mark["kind"] == MarkKind.FLAGGED]
    # A note says something of the run and warns of nothing: it shows as a mark, never beside the rank.
    warnings = {mark["rule"] for mark in flagged if not mark["is_blocking"] and not _is_note(mark["rule"])}
    return Marks(
        withdrawn=any(mark["kind"] == MarkKind.WITHDRAWN for mark in standing),
        superseded=any(mark["kind"] == MarkKind.SUPERSEDED for mark in standing),
        blocking=tuple(mark["rule"] for mark in flagged if mark["is_blocking"]),
        warnings=tuple(sorted(warnings)),
        last_at=max((mark["at"] for mark in marks), default=None),
    )


def _is_note(rule: str) -> bool:
    return rule in flags.RULES and flags.RULES[rule].kind is flags.Kind.NOTE


def _derive_group(
    group_id: UUID, metric: str | None, statistic: str | None, unit: str | None, runs: list[Row],
    marks: dict[UUID, Marks], derived: Derived,
) -> None:  # fmt: skip
    direction = ranking.direction(metric, unit or "") if metric else None
    of_run = {run["id"]: marks.get(run["id"], Marks()) for run in runs}
    kinds = _Kinds(runs)
    reasons = {run["id"]: _reasons(run, of_run[run["id"]], direction, is_divided=kinds.is_divided) for run in runs}
    eligible = [run for run in runs if not reasons[run["id"]]]
    entries = {str(run["id"]): _entry(run) for run in eligible}
    ranked = ranking.rank(entries.values(), direction) if direction else []
    by_id = {str(run["id"]): run for run in runs}
    positions = _Positions(ranked, entries, by_id)
    for position, place in enumerate(ranked, start=1):
        run = by_id[place.id]
        derived.standings.append(
            _standing(run, group_id, position, of_run[run["id"]], statistic)
            | {"rank": place.rank, "tied": len(place.tied_with), **positions.of(place)}
        )
    unranked = sorted(
        (run for run in runs if reasons[run["id"]]), key=kinds.order(reasons, direction) if kinds.is_divided else _order
    )
    for position, run in enumerate(unranked, start=len(ranked) + 1):
        derived.standings.append(
            _standing(run, group_id, position, of_run[run["id"]], statistic) | {"reasons": list(reasons[run["id"]])}
        )
    derived.groups.append(
        _group_row(group_id, runs, ranked, positions, by_id, kinds) | {"changed_at": _changed_at(runs, of_run)}
    )
    if direction:
        for event in records.events(entries.values(), direction):
            run = by_id[event.run]
            derived.records.append(
                {
                    "id": uuid7(max(run["observed_at"], EPOCH), f"record:{group_id}:{event.run}"),
                    "group_id": group_id,
                    "run_id": UUID(event.run),
                    "previous_id": UUID(event.previous) if event.previous else None,
                    "kind": str(event.kind),
                    "at": run["observed_at"],
                }
            )


class _Kinds:
    """The labels of a group's runs, and the kinds of mathematics that they name: two of them divide the group."""

    def __init__(self, runs: list[Row]) -> None:
        self.labels = {run["id"]: json.loads(run["metadata"] or "{}").get("labels", {}) for run in runs}
        self.name = {run_id: variants.name_of(labels) for run_id, labels in self.labels.items()}
        self.found = variants.variants(self.name.values())  # a redacted run names none: it may be of any kind
        self.is_divided = variants.is_divided(self.found)

    def order(self, reasons: dict[UUID, tuple[str, ...]], direction: ranking.Direction | None) -> Callable[[Row], Any]:
        """Of a divided group: a table for each kind, the better value first, then those with a reason of their own."""
        place = {kind.name: number for number, kind in enumerate(self.found)}
        sign = -1 if direction is ranking.Direction.HIGHER else 1

        def key(run: Row) -> Any:
            kind = place[self.name[run["id"]]]
            return kind, reasons[run["id"]] != DIVIDED, run["value"] is None, sign * (run["value"] or 0), run["id"]

        return key


def _order(run: Row) -> Any:
    """Of unranked runs of one kind."""
    return run["value"] is None, run["value"] or 0, run["id"]


def _reasons(run: Row, marks: Marks, direction: ranking.Direction | None, *, is_divided: bool) -> tuple[str, ...]:
    blocking = set(marks.blocking)
    if is_divided:
        blocking.add("OPERATION_MISMATCH")  # of the group, not of the run: no mark says it and none can clear it
    if run["value"] is not None and direction is None:
        blocking.add("UNKNOWN_DIRECTION")
    return ranking.reasons(
        published=True,  # a run's row is its publication
        status=run["status"],
        withdrawn=marks.withdrawn,
        superseded=marks.superseded,
        has_primary=run["value"] is not None,
        blocking=blocking,
    )


def _entry(run: Row) -> ranking.Entry:
    is_stated = run["interval_kind"] == measurement.IntervalKind.STATED
    return ranking.Entry(
        id=str(run["id"]),
        value=run["value"],
        interval=(run["interval_low"], run["interval_high"]) if is_stated else None,
        source_native=run["is_source_native"],
        author=run[AUTHOR] or None,  # redacted: nobody's own
        observed=run["observed_at"],
    )


class _Positions:
    """Ratios, leads and separability between neighbouring ranks of one group."""

    def __init__(self, ranked: list[ranking.Ranked], entries: dict[str, ranking.Entry], runs: dict[str, Row]) -> None:
        self.entries, self.runs = entries, runs
        self.first_of_rank: dict[int, str] = {}
        for place in ranked:
            self.first_of_rank.setdefault(place.rank, place.id)

    def value(self, run_id: str) -> float:
        return self.entries[run_id].value

    def of(self, place: ranking.Ranked) -> Row:
        best, before = self.first_of_rank[1], self.first_of_rank.get(place.rank - 1)
        after = self.first_of_rank.get(place.rank + 1)
        return {
            "ratio": ratio(self.value(place.id), self.value(best)),
            "separability": self.apart(before, place.id) if before else None,
            "lead": self.lead(place.id, after) if after else None,
        }

    def lead(self, a: str, b: str) -> float | None:
        """Percent between two values; None over a value of 0, of which nothing is a percentage."""
        percent = measurement.percent_lead(self.value(a), self.value(b))
        return float(percent) if percent.is_finite() else None

    def apart(self, a: str, b: str) -> str:
        return ranking.separability(self._interval(a), self._interval(b)).name

    def _interval(self, run_id: str) -> measurement.Interval | None:
        run = self.runs[run_id]
        kind = run["interval_kind"]
        return (
            measurement.Interval(run["interval_low"], run["interval_high"], measurement.IntervalKind(kind))
            if kind
            else None
        )


def ratio(value: float, best: float) -> float | None:
    """How many times the best; None where the best is 0, of which nothing is a multiple."""
    return value / best if best else None


def _standing(run: Row, group_id: UUID, position: int, marks: Marks, statistic: str | None) -> Row:
    return {
        "run_id": run["id"],
        "group_id": group_id,
        "position": position,
        "rank": None,
        "tied": 0,
        "ratio": None,
        "separability": None,
        "lead": None,
        "reasons": [],
        "warnings": list(dict.fromkeys([*_warnings(run, statistic), *marks.warnings])),
        "has_marks": marks.last_at is not None,
        "policy": ranking.POLICY,
    }


def _warnings(run: Row, statistic: str | None) -> tuple[str, ...]:
    spread = None if run["spread_low"] is None else run["spread_high"] - run["spread_low"]
    return flags.warnings_of(run["value"], run["sample_count"], spread, statistic)


def _group_row(
    group_id: UUID, runs: list[Row], ranked: list[ranking.Ranked], positions: _Positions, by_id: dict[str, Row],
    kinds: _Kinds,
) -> Row:  # fmt: skip
    best, following = positions.first_of_rank.get(1), positions.first_of_rank.get(2)
    return {
        "group_id": group_id,
        "run_count": len(runs),
        "ranked_count": len(ranked),
        "author_count": len({run[AUTHOR] for run in runs}),
        "best_id": UUID(best) if best else None,
        "best_value": positions.value(best) if best else None,
        "best_tied": len(ranked[0].tied_with) if ranked else 0,
        "next_ratio": ratio(positions.value(following), positions.value(best)) if best and following else None,
        "next_separability": positions.apart(best, following) if best and following else None,
        "oldest_observed_at": min(run["observed_at"] for run in runs),
        "newest_observed_at": max(run["observed_at"] for run in runs),
        "undigested": _undigested(list(kinds.labels.values())),
        "variants": [{"name": kind.name, "runs": kind.runs} for kind in kinds.found],
        "policy": ranking.POLICY,
    }


def _changed_at(runs: list[Row], marks: dict[UUID, Marks]) -> datetime:
    """When a run of the group was last published or marked: what stands of the group is as of this instant."""
    marked = [of_run.last_at for of_run in marks.values() if of_run.last_at]
    return max([*(run["published_at"] for run in runs), *marked])


def _undigested(labels: list[dict[str, str]]) -> list[Row]:
    """Labels that no digest covers and that differ between the runs: what the comparison key does not see."""
    found = []
    for name in sorted({name for of_run in labels for name in of_run}):
        values = sorted({of_run[name] for of_run in labels if name in of_run})
        absent = sum(name not in of_run for of_run in labels)
        if len(values) + bool(absent) > 1:
            found.append({"name": name, "values": len(values), "examples": values[:3], "absent": absent})
    return found
