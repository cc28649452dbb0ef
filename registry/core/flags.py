"""Flags: what is wrong or odd with a run, by code. Blocking flags unrank, warnings mark, notes only say."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from registry.core import measurement

WIDE_SPREAD_SHARE = 0.25


class Kind(StrEnum):
    BLOCKING = "blocking"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    kind: Kind
    title: str
    text: str


_BLOCKING = (
    ("IMPLAUSIBLE", "implausible value", "The value is below a lower bound that the source itself states."),
    (
        "OPERATION_MISMATCH",
        "operation mismatch",
        "The implementation and the workload name different operations, or the group holds two kinds of mathematics.",
    ),
    ("DISQUALIFIED_UPSTREAM", "disqualified upstream", "The source has disqualified this result."),
    ("INCIDENT", "unranked by an incident", "A published incident covers this run and takes it out of ranking."),
    ("UNDECLARED_AXIS", "undeclared axis", "The workload sets an axis that its operation does not declare."),
    ("CONSTANT_AXIS", "constant axis changed", "The workload gives a constant axis another value than its operation."),
    ("MISSING_AXIS", "missing axis", "The workload leaves out a variable axis of its operation."),
    (
        "STATISTIC_MISMATCH",
        "statistic mismatch",
        "The run's primary statistic is not the one of its protocol or value.",
    ),
    ("STATISTIC_ORDER", "statistics out of order", "The stated statistics contradict each other (p05, median, p95)."),
    ("DERIVED_AXIS", "derived axis changed", "The workload gives a derived axis another value than its expression."),
    ("AXIS_BOUNDS", "axis out of bounds", "The workload gives an axis a value outside the bounds of its operation."),
    ("TENSOR_MISMATCH", "tensor mismatch", "The workload's tensors are not those that its operation reads."),
    ("MISSING_TENSOR", "missing tensor", "The workload leaves out a tensor that its operation reads."),
    ("COMPARATOR_MISMATCH", "comparator mismatch", "Correctness was judged by another comparator than the workload's."),
    ("MEASURED_ERROR", "error over tolerance", "The measured error is over the workload's tolerance."),
    ("INTERVAL", "impossible interval", "The stated interval is out of order or does not contain the value."),
    ("DUPLICATE_MEASUREMENT", "measurement repeated", "The run states one statistic of a metric twice."),
    ("UNIT_OF_METRIC", "unit does not measure the metric", "The metric is stated in a unit that does not measure it."),
    (
        "UNKNOWN_DIRECTION",
        "unknown direction",
        "It is not known whether lower or higher values of this metric are better.",
    ),
)
_WARNINGS = (
    ("SINGLE_SAMPLE", "single sample", "The value rests on one sample."),
    ("WIDE_SPREAD", "spread over 25 %", "The spread of the samples is over 25 % of the value."),
    ("TIME_ZONE_NOT_STATED", "time zone not stated", "The source gives the time of observation without a time zone."),
    ("STATISTIC_UNSPECIFIED", "statistic unspecified", "The source does not say which statistic the value is."),
    ("INCIDENT_FLAG", "flagged by an incident", "A published incident covers this run and casts doubt on it."),
)
_NOTES = (("INCIDENT_NOTE", "noted by an incident", "A published incident covers this run and leaves its rank alone."),)
RULES = {
    code: Rule(code, kind, title, text)
    for kind, rows in ((Kind.BLOCKING, _BLOCKING), (Kind.WARNING, _WARNINGS), (Kind.NOTE, _NOTES))
    for code, title, text in rows
}
OF_INCIDENTS = frozenset({"INCIDENT", "INCIDENT_FLAG", "INCIDENT_NOTE"})
BY_HAND = tuple(code for code in RULES if code not in OF_INCIDENTS)  # what staff may flag a run by


def warnings(run_spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Codes of the warnings that the run's own figures raise. A warned run ranks, and is marked."""
    primary, spread = measurement.primary(run_spec), measurement.spread(run_spec)
    if primary is None:
        return ()
    return warnings_of(primary.value, primary.n, spread.high - spread.low if spread else None, primary.statistic)


def warnings_of(
    value: float | None, n: int | None, spread_width: float | None, statistic: str | None
) -> tuple[str, ...]:
    """The same from a run's figures alone; `value` None raises nothing, there being nothing to warn of."""
    if value is None:
        return ()
    raised = {
        "SINGLE_SAMPLE": n == 1,
        "WIDE_SPREAD": spread_width is not None and spread_width > WIDE_SPREAD_SHARE * abs(value),
        "STATISTIC_UNSPECIFIED": statistic == measurement.UNSPECIFIED,
    }
    return tuple(code for code, holds in raised.items() if holds)
