"""What documents must agree on, within one and between several: the rules that no field's type can say.

Each rule was run over the public catalog export of 2026-08-16 (18 000 documents, 7 857 runs). There OPERATION_MISMATCH
holds of 43 runs and UNDECLARED_AXIS of the one suite behind 3 more; where a rule is narrower than one might expect, the
comment beside it says what upstream publishes.
"""

from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from registry.core.axis_expressions import Expression, ExpressionError
from registry.core.axis_expressions import parse as parse_expression
from registry.core.kinds import Manifest
from registry.core.located import Path, path_text
from registry.core.ranking import DIRECTIONS, direction

RULES = {
    "AXIS_BOUNDS": "An axis's minimum is at most its maximum, and its value lies between them.",
    "CASE_STRIDES": "A tensor has one stride for each dimension of its shape.",
    "COMPARATOR_MISMATCH": "A run's correctness was judged by the comparator that its workload names.",
    "CONSTANT_AXIS": "A workload restates a constant axis only with the operation's value.",
    "DERIVED_AXIS": "A workload restates a derived axis only with the value that its expression gives.",
    "DUPLICATE_ARGUMENT": "The inputs of an operation have different names, and so have its outputs.",
    "DUPLICATE_CASE": "Cases of a suite with one external id have the same axes.",
    "DUPLICATE_MEASUREMENT": "A run states each statistic of a metric once.",
    "EXPRESSION": "A derived axis's expression can be computed from the operation's other axes.",
    "INTERVAL": "A 95 % interval runs from low to high and contains the value that it is an interval of.",
    "MEASURED_ERROR": "A passed run's measured error is within its workload's tolerance.",
    "MISSING_AXIS": "A workload case gives a value to each variable axis of its operation.",
    "MISSING_PRIMARY": "A passed run states a primary measurement.",
    "MISSING_TENSOR": "A workload case describes each tensor that its operation reads.",
    "OPERATION_MISMATCH": "A run's implementation and workload name the same operation.",
    "STATISTIC_MISMATCH": "A run's primary statistic is the one that its protocol names.",
    "STATISTIC_ORDER": "Statistics of one measurement are in order: minimum, p05, p20, median, p80, p95, maximum.",
    "TENSOR_MISMATCH": "A workload's tensors have the names and shapes that its operation gives its inputs.",
    "UNDECLARED_AXIS": "Each axis that is used is declared by the operation.",
    "UNIT_OF_METRIC": "A known metric is stated in a unit that measures it.",
}

_OWN_UNITS = frozenset({"score"})  # each benchmark's own: GPU MODE publishes a geometric mean in s
_ORDER = ("minimum", "p05", "p20", "median", "p80", "p95", "maximum")
_ALIASES = {"min": "minimum", "max": "maximum", "p50": "median"}


@dataclass(frozen=True, slots=True)
class Breach:
    """One rule that a document breaks, and where."""

    rule: str
    path: Path
    message: str

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.message} ({self.rule})"


def document_breaches(manifest: Manifest) -> list[Breach]:
    """What one document says that can't all be true."""
    check = _DOCUMENT_CHECKS.get(manifest.kind)
    return list(check(manifest.spec)) if check else []


def workload_breaches(operation_spec: Mapping[str, Any], workload: Manifest) -> list[Breach]:
    """What a case or suite says against its operation. A suite's case may leave axes out: upstreams publish no more."""
    axes = _Axes(operation_spec["axes"])
    if workload.kind == "WorkloadCase":
        return [*_case_axes(axes, workload.spec["axes"]), *_case_tensors(axes, operation_spec, workload.spec)]
    return [
        breach
        for index, case in enumerate(workload.spec["cases"])
        for breach in _axis_values(axes, case["axes"], ("spec", "cases", index, "axes"))
    ]


def run_breaches(
    run_spec: Mapping[str, Any],
    implementation_spec: Mapping[str, Any],
    workload: Manifest,
    protocol_spec: Mapping[str, Any],
) -> list[Breach]:
    """What a run says against the documents that it names. Paths are the run's."""
    breaches = [
        *_one_operation(implementation_spec, workload.spec),
        *_one_statistic(run_spec, protocol_spec["measurement"]["primaryStatistic"]),
    ]
    if "correctness" in run_spec:
        breaches += _judged_by(run_spec["correctness"], workload.spec["correctness"])
        if run_spec["status"] == "passed":
            breaches += _within_tolerance(run_spec["correctness"], workload.spec["correctness"])
    return breaches


# OperationSpec


def _operation(spec: Mapping[str, Any]) -> Iterator[Breach]:
    axes = spec["axes"]
    for name, axis in axes.items():
        yield from _bounds(axis, ("spec", "axes", name))
    yield from _expressions(axes)
    for side in ("inputs", "outputs"):
        # An output may bear the name of an input: that is how an in-place operation is written.
        for index in _repeated(argument["name"] for argument in spec[side]):
            name = spec[side][index]["name"]
            yield Breach("DUPLICATE_ARGUMENT", ("spec", side, index, "name"), f"{name} is named twice in {side}")
        for index, argument in enumerate(spec[side]):
            for place, dimension in enumerate(argument.get("tensor", {}).get("shape", ())):
                if isinstance(dimension, str) and dimension not in axes:
                    path = ("spec", side, index, "tensor", "shape", place)
                    yield Breach("UNDECLARED_AXIS", path, f"axis {dimension} is not declared")


def _bounds(axis: Mapping[str, Any], path: Path) -> Iterator[Breach]:
    minimum, maximum = axis.get("minimum"), axis.get("maximum")
    if minimum is not None and maximum is not None and minimum > maximum:
        yield Breach("AXIS_BOUNDS", path, f"minimum {minimum} is greater than maximum {maximum}")
    elif "value" in axis:
        yield from _within_bounds(axis["value"], axis, (*path, "value"))


def _within_bounds(value: int, axis: Mapping[str, Any], path: Path) -> Iterator[Breach]:
    if value < axis.get("minimum", value):
        yield Breach("AXIS_BOUNDS", path, f"{value} is less than the minimum {axis['minimum']}")
    if value > axis.get("maximum", value):
        yield Breach("AXIS_BOUNDS", path, f"{value} is greater than the maximum {axis['maximum']}")


def _expressions(axes: Mapping[str, Any]) -> Iterator[Breach]:
    parsed: dict[str, Expression] = {}
    for name, axis in axes.items():
        path = ("spec", "axes", name, "expression")
        if axis["role"] != "derived":
            continue
        try:
            parsed[name] = parse_expression(axis["expression"])
        except ExpressionError as error:
            yield Breach("EXPRESSION", path, str(error))
            continue
        for used in sorted(used for used in parsed[name].names if used not in axes):
            yield Breach("UNDECLARED_AXIS", path, f"axis {used} is not declared")
    try:
        TopologicalSorter({name: expression.names for name, expression in parsed.items()}).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        path = ("spec", "axes", circle[0], "expression")
        yield Breach("EXPRESSION", path, f"is derived in a circle: {_listed(circle)}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= 5 else [*names[:5], f"and {len(names) - 5} more"])


# WorkloadCase and WorkloadSuite


def _case(spec: Mapping[str, Any]) -> Iterator[Breach]:
    for name, tensor in spec["tensors"].items():
        strides, rank = tensor.get("strides"), len(tensor["shape"])
        if strides is not None and len(strides) != rank:
            path = ("spec", "tensors", name, "strides")
            yield Breach("CASE_STRIDES", path, f"{len(strides)} strides for a shape of {rank} dimensions")


def _suite(spec: Mapping[str, Any]) -> Iterator[Breach]:
    # The same case listed twice is no breach: SOL's suites repeat cases, and each repetition weighs in the mean.
    axes_by_id: dict[str, dict[str, int]] = {}
    for index, case in enumerate(spec["cases"]):
        external_id = case["externalId"]
        if axes_by_id.setdefault(external_id, case["axes"]) != case["axes"]:
            path = ("spec", "cases", index, "externalId")
            yield Breach("DUPLICATE_CASE", path, f"{external_id} names an earlier case with other axes")


class _Axes:
    """An operation's axes, with what they say of a case's: built once for all cases of a suite."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self.declared = declared
        self._constants = {name: int(axis["value"]) for name, axis in declared.items() if axis["role"] == "constant"}
        self._expressions: dict[str, Expression] = {}

    def expected(self, name: str, stated: dict[str, int]) -> int | None:
        """Give the one value that an axis can have; None where it is free, or where the documents don't tell."""
        if name in self._constants:
            return self._constants[name]
        if self.declared[name]["role"] == "derived":
            with suppress(ExpressionError):
                return self._expression(name).evaluate(ChainMap(self._constants, stated))
        return None

    def _expression(self, name: str) -> Expression:
        if name not in self._expressions:
            self._expressions[name] = parse_expression(self.declared[name]["expression"])
        return self._expressions[name]


def _case_axes(axes: _Axes, stated: dict[str, int]) -> Iterator[Breach]:
    yield from _axis_values(axes, stated, ("spec", "axes"))
    for name, axis in axes.declared.items():
        if axis["role"] == "variable" and name not in stated:
            yield Breach("MISSING_AXIS", ("spec", "axes", name), f"variable axis {name} has no value")


def _axis_values(axes: _Axes, stated: dict[str, int], path: Path) -> Iterator[Breach]:
    for name, value in stated.items():
        if name not in axes.declared:
            yield Breach("UNDECLARED_AXIS", (*path, name), f"axis {name} is not declared by the operation")
            continue
        axis, expected = axes.declared[name], axes.expected(name, stated)
        if expected is not None and expected != value:
            rule, reason = ("CONSTANT_AXIS", "") if axis["role"] == "constant" else ("DERIVED_AXIS", axis["expression"])
            yield Breach(rule, (*path, name), f"{name} is {reason or axis['role']}: {expected}, not {value}")
        yield from _within_bounds(value, axis, (*path, name))


def _case_tensors(axes: _Axes, operation_spec: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Breach]:
    inputs = {argument["name"]: argument["tensor"] for argument in operation_spec["inputs"] if "tensor" in argument}
    for name, tensor in spec["tensors"].items():
        path: Path = ("spec", "tensors", name)
        if name in inputs:
            yield from _shape(axes, inputs[name]["shape"], tensor["shape"], spec["axes"], path)
        else:
            yield Breach("TENSOR_MISMATCH", path, f"{name} is not a tensor that the operation reads")
    # Scalars may be left out, and a tensor's dtype may differ: FlashInfer publishes cases without their scalars, and an
    # operation that is generic in its dtype says `float` where a case says `bf16`.
    for name in inputs:
        if name not in spec["tensors"]:
            yield Breach("MISSING_TENSOR", ("spec", "tensors", name), f"input {name} is not described")


def _shape(
    axes: _Axes, declared: Sequence[int | str], shape: Sequence[int], stated: dict[str, int], path: Path
) -> Iterator[Breach]:
    if len(declared) != len(shape):
        message = f"has {len(shape)} dimensions where the operation has {len(declared)}"
        yield Breach("TENSOR_MISMATCH", (*path, "shape"), message)
        return
    for index, (dimension, size) in enumerate(zip(declared, shape, strict=True)):
        expected: int | None
        if isinstance(dimension, int):
            expected = dimension
        elif dimension in axes.declared:
            expected = axes.expected(dimension, stated)
            expected = stated.get(dimension) if expected is None else expected
        else:
            expected = None  # UNDECLARED_AXIS of the operation itself
        if expected is not None and expected != size:
            yield Breach("TENSOR_MISMATCH", (*path, "shape", index), f"{dimension} is {expected}, not {size}")


# BenchmarkRun


def _run(spec: Mapping[str, Any]) -> Iterator[Breach]:
    measurements = spec.get("measurements", [])
    if spec["status"] == "passed" and "timing" not in spec and not measurements:
        yield Breach("MISSING_PRIMARY", ("spec",), "a passed run needs timing or a measurement")
    for index, measurement in enumerate(measurements):
        metric, unit = measurement["metric"], measurement["unit"]
        if metric in DIRECTIONS and metric not in _OWN_UNITS and direction(metric, unit) is None:
            _, units = DIRECTIONS[metric]
            message = f"{metric} is measured in {', '.join(sorted(units))}, not {unit}"
            yield Breach("UNIT_OF_METRIC", ("spec", "measurements", index, "unit"), message)
    yield from _repeated_statistics(spec, measurements)
    yield from _statistic_order(spec, measurements)
    if "timing" in spec:
        yield from _interval(spec["timing"])


def _repeated_statistics(spec: Mapping[str, Any], measurements: Sequence[Mapping[str, Any]]) -> Iterator[Breach]:
    timed = [("latency", statistic) for statistic in spec.get("timing", {}).get("latencyNs", ())]
    stated = [(measurement["metric"], measurement["statistic"]) for measurement in measurements]
    for index in _repeated([*timed, *stated]):
        metric, statistic = stated[index - len(timed)]
        path = ("spec", "measurements", index - len(timed))
        yield Breach("DUPLICATE_MEASUREMENT", path, f"{metric} {statistic} is stated twice")


def _statistic_order(spec: Mapping[str, Any], measurements: Sequence[Mapping[str, Any]]) -> Iterator[Breach]:
    """Compare values of one metric and unit; the mean only with the extremes, as a skewed sample's may lie anywhere."""
    groups: dict[tuple[str, str], dict[str, tuple[float, Path]]] = {}
    for statistic, ns in spec.get("timing", {}).get("latencyNs", {}).items():
        if statistic != "confidence95":
            path: Path = ("spec", "timing", "latencyNs", statistic)
            groups.setdefault(("latency", "ns"), {})[statistic] = ns, path
    for index, measurement in enumerate(measurements):
        statistic = _ALIASES.get(measurement["statistic"], measurement["statistic"])
        path = ("spec", "measurements", index, "value")
        groups.setdefault((measurement["metric"], measurement["unit"]), {}).setdefault(
            statistic, (measurement["value"], path)
        )
    for group in groups.values():
        for chain in (_ORDER, ("minimum", "mean", "maximum")):
            stated = [(name, *group[name]) for name in chain if name in group]
            for (lower_name, lower, _), (upper_name, upper, path) in pairwise(stated):
                if lower > upper:
                    message = f"{upper_name} {upper} is less than {lower_name} {lower}"
                    yield Breach("STATISTIC_ORDER", path, message)


def _interval(timing: Mapping[str, Any]) -> Iterator[Breach]:
    latency = timing["latencyNs"]
    if "confidence95" not in latency:
        return
    path = ("spec", "timing", "latencyNs", "confidence95")
    low, high = latency["confidence95"]
    first, second = ("mean", "median") if timing["primaryStatistic"] == "mean" else ("median", "mean")
    centre_name = first if first in latency else second
    centre = latency[centre_name]
    if low > high:
        yield Breach("INTERVAL", path, f"runs from {low} down to {high}")
    elif not low <= centre <= high:
        yield Breach("INTERVAL", path, f"{low} to {high} does not contain the {centre_name}, {centre}")


def _one_operation(implementation_spec: Mapping[str, Any], workload_spec: Mapping[str, Any]) -> Iterator[Breach]:
    implemented, asked = implementation_spec["operation"]["specDigest"], workload_spec["operationSpecDigest"]
    if implemented != asked:
        message = f"the implementation is of operation {implemented}, the workload of {asked}"
        yield Breach("OPERATION_MISMATCH", ("spec", "implementationDigest"), message)


def _one_statistic(run_spec: Mapping[str, Any], wanted: str) -> Iterator[Breach]:
    path: Path
    if "timing" in run_spec:
        stated, path = run_spec["timing"]["primaryStatistic"], ("spec", "timing", "primaryStatistic")
    elif run_spec.get("measurements"):
        stated, path = run_spec["measurements"][0]["statistic"], ("spec", "measurements", 0, "statistic")
    else:
        return  # a run that failed has nothing to name
    if stated != wanted:
        yield Breach("STATISTIC_MISMATCH", path, f"is {stated}, the protocol's is {wanted}")


def _judged_by(measured: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[Breach]:
    # The protocol's comparator is left out: FlashInfer's protocol names its own harness (flashinfer_bench_eval) while
    # its cases and runs name the one that they came with (sol_execbench_eval), in all 1 851 runs that passed.
    if measured["comparator"] != asked["comparator"]:
        message = f"is {measured['comparator']}, the workload's is {asked['comparator']}"
        yield Breach("COMPARATOR_MISMATCH", ("spec", "correctness", "comparator"), message)


def _within_tolerance(measured: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[Breach]:
    """Compare errors as torch.allclose would accept them: with two tolerances, either may be exceeded alone."""
    path: Path = ("spec", "correctness")
    ratio, required = measured.get("matchedRatio"), asked.get("requiredMatchedRatio")
    if required is not None and ratio is not None and ratio < required:
        yield Breach("MEASURED_ERROR", (*path, "matchedRatio"), f"{ratio} is less than the required {required}")
    if required is not None and required < 1:
        return  # some elements may lie outside, so the largest error proves nothing
    over = []
    for field, limit in _TOLERANCES.items():
        if limit in asked:
            if measured.get(field, 0) <= asked[limit]:  # within, or not stated and so not known to be over
                return
            message = f"{measured[field]} is more than the tolerance {asked[limit]}"
            over.append(Breach("MEASURED_ERROR", (*path, field), message))
    yield from over


_TOLERANCES = {"maximumAbsoluteError": "maxAbsoluteError", "maximumRelativeError": "maxRelativeError"}


def _repeated(items: Iterable[object]) -> Iterator[int]:
    """Give the index of each item that stood earlier."""
    seen: Counter[object] = Counter()
    for index, item in enumerate(items):
        if seen[item]:
            yield index
        seen[item] += 1


_DOCUMENT_CHECKS = {
    "OperationSpec": _operation,
    "WorkloadCase": _case,
    "WorkloadSuite": _suite,
    "BenchmarkRun": _run,
}
