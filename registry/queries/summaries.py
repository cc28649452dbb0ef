"""A comparison group in a list: what it holds equal, how many runs it has, and its best."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from registry.core import ranking
from registry.queries import addresses
from registry.queries.shapes import Quantity, Ref, quantity

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """A group in a list."""

    key: str
    url: str
    operation: Ref
    workload: Ref
    hardware: Ref
    runner: str | None
    protocol: Ref
    timed_pass: str | None
    metric: str | None
    statistic: str | None
    direction: str | None
    run_count: int
    ranked_count: int
    author_count: int
    best: Quantity | None
    best_url: str | None
    best_implementation: str | None
    best_observed_at: datetime | None
    next_ratio: float | None
    next_separability: str | None
    newest_observed_at: datetime


SUMMARY_COLUMNS = (
    "id",
    "key",
    "metric",
    "statistic",
    "unit",
    "correctness",
    "operation__slug",
    "operation__display_name",
    "workload__digest",
    "workload__label",
    "protocol__digest",
    "protocol__label",
    "protocol__timed_pass",
    "environment__digest",
    "environment__label",
    "environment__runner",
    "environment__hardware__slug",
    "environment__hardware__name",
    "standing__run_count",
    "standing__ranked_count",
    "standing__author_count",
    "standing__best_value",
    "standing__best__digest",
    "standing__best__observed_at",
    "standing__best__implementation__display_name",
    "standing__next_ratio",
    "standing__next_separability",
    "standing__newest_observed_at",
)


def summary(columns: Columns, display_unit: str | None = None) -> Summary:
    metric, unit = columns["metric"], columns["unit"]
    direction = ranking.direction(metric, unit or "") if metric else None
    best_digest = columns["standing__best__digest"]
    return Summary(
        key=columns["key"],
        url=addresses.group(columns["key"]),
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
        metric=metric,
        statistic=columns["statistic"],
        direction=str(direction) if direction else None,
        run_count=columns["standing__run_count"],
        ranked_count=columns["standing__ranked_count"],
        author_count=columns["standing__author_count"],
        best=None if best_digest is None else quantity(columns["standing__best_value"], unit, display_unit),
        best_url=addresses.run(best_digest) if best_digest else None,
        best_implementation=columns["standing__best__implementation__display_name"],
        best_observed_at=columns["standing__best__observed_at"],
        next_ratio=columns["standing__next_ratio"],
        next_separability=columns["standing__next_separability"],
        newest_observed_at=columns["standing__newest_observed_at"],
    )
