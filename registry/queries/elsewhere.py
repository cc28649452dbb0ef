"""Groups that measured the same workload on the same hardware and still are not ranked with this one, and why."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from registry.core import comparability
from registry.models import ComparisonGroup
from registry.queries import addresses, rows
from registry.queries.found_runs import Loaded
from registry.queries.prepared import Prepared
from registry.queries.shapes import Quantity, Ref
from registry.queries.summaries import SUMMARY_COLUMNS, summary

ELSEWHERE_SHOWN = 12
Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another group of the same operation, workload and hardware: not ranked with this one, and why."""

    group: Ref
    run_count: int
    best: Quantity | None
    statistic: str | None
    best_implementation: str | None
    observed_at: datetime
    protocol: str
    differs: str
    why_not_url: str


@dataclass(frozen=True, slots=True)
class Parts:
    """What decides a group, and the ids by which its neighbours are found."""

    id: UUID
    key: str
    operation_id: UUID
    workload_id: UUID
    hardware_id: UUID
    protocol: str
    environment: str
    correctness: str
    metric: str | None
    statistic: str | None
    unit: str | None


NEIGHBOURS = Prepared(
    lambda group, operation, workload, hardware, metric: (
        ComparisonGroup.objects.filter(
            ~Q(pk=group),
            operation_id=operation,
            workload_id=workload,
            environment__hardware_id=hardware,
            metric=metric,
        )
        .order_by("-standing__run_count", "id")
        .values(*SUMMARY_COLUMNS)[:ELSEWHERE_SHOWN]
    ),
    group=UUID,
    operation=UUID,
    workload=UUID,
    hardware=UUID,
    metric=str,
)


def parts_of(group: ComparisonGroup) -> Parts:
    return Parts(
        id=group.id,
        key=group.key,
        operation_id=group.operation_id,
        workload_id=group.workload_id,
        hardware_id=group.environment.hardware_id,
        protocol=group.protocol.digest,
        environment=group.environment.digest,
        correctness=group.correctness,
        metric=group.metric,
        statistic=group.statistic,
        unit=group.unit,
    )


def parts_of_run(run: Loaded) -> Parts:
    """The same of a run's group, as the run's own row carries it."""
    return Parts(
        id=run.group_id,
        key=run.group.key,
        operation_id=run.operation_id,
        workload_id=run.workload_id,
        hardware_id=run.environment.hardware_id,
        protocol=run.protocol.digest,
        environment=run.environment.digest,
        correctness=run.group.correctness,
        metric=run.group.metric,
        statistic=run.group.statistic,
        unit=run.group.unit,
    )


def elsewhere(group: Parts) -> tuple[Elsewhere, ...]:
    """Groups that measured the same workload on the same hardware and still are not this one. One query."""
    mine = parts(
        group.operation_id, group.workload_id, group.protocol, group.environment, group.correctness, group.metric,
        group.statistic, group.unit,
    )  # fmt: skip
    others = NEIGHBOURS.rows(
        group=group.id,
        operation=group.operation_id,
        workload=group.workload_id,
        hardware=group.hardware_id,
        metric=group.metric,
    )
    return tuple(_elsewhere(group, mine, columns) for columns in others)


def parts(
    operation: Any, workload: Any, protocol: str, environment: str, correctness: str, metric: str | None,
    statistic: str | None, unit: str | None,
) -> dict[str, str]:  # fmt: skip
    """The six parts of a comparison key, as comparability.differing_parts compares them."""
    return {
        "operation": str(operation),
        "workload": str(workload),
        "protocol": protocol,
        "environment": environment,
        "correctness": correctness,
        "metric": f"{metric}:{statistic}:{unit}",
    }


def _elsewhere(group: Parts, mine: dict[str, str], columns: Columns) -> Elsewhere:
    theirs = parts(
        group.operation_id, group.workload_id, columns["protocol__digest"], columns["environment__digest"],
        columns["correctness"], columns["metric"], columns["statistic"], columns["unit"],
    )  # fmt: skip
    other = summary(columns)
    return Elsewhere(
        group=Ref(other.key, rows.short(other.key), other.url),
        run_count=other.run_count,
        best=other.best,
        statistic=other.statistic,
        best_implementation=other.best_implementation,
        observed_at=other.best_observed_at or other.newest_observed_at,
        protocol=other.protocol.name,
        differs=comparability.parts_text(comparability.differing_parts(mine, theirs)),
        why_not_url=addresses.why_not(group.key, other.key),
    )
