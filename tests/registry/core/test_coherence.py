import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from registry.core.axis_expressions import ExpressionError
from registry.core.axis_expressions import parse as parse_expression
from registry.core.coherence import RULES, Breach, document_breaches, run_breaches, workload_breaches
from registry.core.kinds import Manifest, parse

SHARED = Path(__file__).resolve().parents[4] / "shared"

DIGEST = "sha256:" + "0" * 64
OTHER = "sha256:" + "1" * 64
VARIABLE = {"role": "variable", "type": "integer"}
OPERATION: dict[str, Any] = {
    "family": "gemm",
    "axes": {
        "m": {**VARIABLE, "minimum": 1, "maximum": 64},
        "k": {"role": "constant", "type": "integer", "value": 4096},
        "half": {"role": "derived", "type": "integer", "expression": "k // 2"},
        "total": {"role": "derived", "type": "integer", "expression": "m * half + 1"},
    },
    "inputs": [
        {"name": "a", "tensor": {"shape": ["m", "k", 1], "dtype": "bf16"}},
        {"name": "b", "tensor": {"shape": ["half"], "dtype": "bf16"}},
        {"name": "alpha", "scalar": {"dtype": "fp32"}},
    ],
    "outputs": [{"name": "a", "tensor": {"shape": ["m", "k"], "dtype": "bf16"}}],
    "semantics": {"mutation": "in_place", "determinism": "unspecified"},
}
CASE: dict[str, Any] = {
    "operationSpecDigest": DIGEST,
    "axes": {"m": 8, "k": 4096, "half": 2048},
    "tensors": {
        "a": {"shape": [8, 4096, 1], "dtype": "bf16", "strides": [4096, 1, 1]},
        "b": {"shape": [2048], "dtype": "fp32"},
    },
    "correctness": {"comparator": "allclose", "maxAbsoluteError": 0.1},
}
SUITE: dict[str, Any] = {
    "operationSpecDigest": DIGEST,
    "cases": [{"externalId": "one", "axes": {"m": 8}}, {"externalId": "two", "axes": {"k": 4096}}],
    "correctness": {"comparator": "allclose"},
    "aggregation": {"metric": "latency", "statistic": "mean"},
}
RUN: dict[str, Any] = {
    "status": "passed",
    "correctness": {"comparator": "allclose", "maximumAbsoluteError": 0.05},
    "timing": {
        "primaryStatistic": "median",
        "latencyNs": {"minimum": 90, "p05": 95, "median": 100, "mean": 118, "p95": 110, "maximum": 120},
    },
    "measurements": [
        {"metric": "latency", "unit": "ns", "statistic": "p20", "value": 97.5},
        {"metric": "latency", "unit": "ns", "statistic": "p80", "value": 104},
        {"metric": "memory", "unit": "mib", "statistic": "maximum", "value": 12},
    ],
}
IMPLEMENTATION: dict[str, Any] = {"operation": {"specDigest": DIGEST}}
PROTOCOL: dict[str, Any] = {"measurement": {"timer": "cuda_events", "primaryStatistic": "median"}}


def changed(spec: dict[str, Any], **changes: object) -> dict[str, Any]:
    """The spec with fields replaced; `a__b` stands for a field within a field, None removes."""
    made: dict[str, Any] = json.loads(json.dumps(spec))
    for path, value in changes.items():
        place, steps = made, path.split("__")
        for step in steps[:-1]:
            place = place[int(step) if step.isdigit() else step]
        place[int(steps[-1]) if steps[-1].isdigit() else steps[-1]] = value
        if value is None:
            del place[steps[-1]]
    return made


def told(breaches: list[Breach]) -> list[str]:
    assert {breach.rule for breach in breaches} <= RULES.keys()
    return [str(breach) for breach in breaches]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [("OperationSpec", OPERATION), ("WorkloadCase", CASE), ("WorkloadSuite", SUITE), ("BenchmarkRun", RUN)],
)
def test_a_coherent_document_breaks_no_rule(kind: str, spec: dict[str, Any]) -> None:
    assert document_breaches(Manifest(kind, spec, {})) == []


def test_a_kind_without_rules_breaks_none() -> None:
    assert document_breaches(Manifest("SoftwareProject", {"name": "x"}, {})) == []


@pytest.mark.parametrize(
    ("kind", "spec", "breaches"),
    [
        (
            "OperationSpec",
            changed(OPERATION, inputs__0__tensor__shape__1="n"),
            ["spec.inputs[0].tensor.shape[1]: axis n is not declared (UNDECLARED_AXIS)"],
        ),
        (
            "OperationSpec",
            changed(OPERATION, axes__half__expression="k // n"),
            ["spec.axes.half.expression: axis n is not declared (UNDECLARED_AXIS)"],
        ),
        (
            "OperationSpec",
            changed(OPERATION, axes__half__expression="k // (2"),
            ["spec.axes.half.expression: a parenthesis is not closed (EXPRESSION)"],
        ),
        (
            "OperationSpec",
            changed(OPERATION, axes__half__expression="total - 1"),
            ["spec.axes.half.expression: is derived in a circle: half, total, half (EXPRESSION)"],
        ),
        (
            "OperationSpec",
            changed(OPERATION, axes__m__minimum=65),
            ["spec.axes.m: minimum 65 is greater than maximum 64 (AXIS_BOUNDS)"],
        ),
        (
            "OperationSpec",
            changed(OPERATION, axes__k__minimum=5000),
            ["spec.axes.k.value: 4096 is less than the minimum 5000 (AXIS_BOUNDS)"],
        ),
        (
            "OperationSpec",
            changed(OPERATION, axes__k__maximum=1024),
            ["spec.axes.k.value: 4096 is greater than the maximum 1024 (AXIS_BOUNDS)"],
        ),
        (
            "OperationSpec",
            changed(OPERATION, inputs__1__name="a"),
            ["spec.inputs[1].name: a is named twice in inputs (DUPLICATE_ARGUMENT)"],
        ),
        (
            "WorkloadCase",
            changed(CASE, tensors__a__strides=[4096, 1]),
            ["spec.tensors.a.strides: 2 strides for a shape of 3 dimensions (CASE_STRIDES)"],
        ),
        (
            "WorkloadSuite",
            changed(SUITE, cases__1__externalId="one"),
            ["spec.cases[1].externalId: one names an earlier case with other axes (DUPLICATE_CASE)"],
        ),
        ("WorkloadSuite", changed(SUITE, cases__1=SUITE["cases"][0]), []),  # repeated as SOL repeats its cases
        (
            "BenchmarkRun",
            changed(RUN, timing__latencyNs__p05=101),
            ["spec.measurements[0].value: p20 97.5 is less than p05 101 (STATISTIC_ORDER)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, timing__latencyNs__p95=99, measurements=None),
            ["spec.timing.latencyNs.p95: p95 99 is less than median 100 (STATISTIC_ORDER)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, timing__latencyNs__minimum=96),
            ["spec.timing.latencyNs.p05: p05 95 is less than minimum 96 (STATISTIC_ORDER)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, timing__latencyNs__maximum=109),
            [
                "spec.timing.latencyNs.maximum: maximum 109 is less than p95 110 (STATISTIC_ORDER)",
                "spec.timing.latencyNs.maximum: maximum 109 is less than mean 118 (STATISTIC_ORDER)",
            ],
        ),
        (
            "BenchmarkRun",
            changed(RUN, measurements__1__value=99.5),
            ["spec.measurements[1].value: p80 99.5 is less than median 100 (STATISTIC_ORDER)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, timing__latencyNs__confidence95=[103, 98]),
            ["spec.timing.latencyNs.confidence95: runs from 103 down to 98 (INTERVAL)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, timing__latencyNs__confidence95=[101, 103]),
            ["spec.timing.latencyNs.confidence95: 101 to 103 does not contain the median, 100 (INTERVAL)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, timing__latencyNs__confidence95=[99, 103], timing__primaryStatistic="mean"),
            ["spec.timing.latencyNs.confidence95: 99 to 103 does not contain the mean, 118 (INTERVAL)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, measurements__0__unit="mib"),
            ["spec.measurements[0].unit: latency is measured in ms, ns, s, us, not mib (UNIT_OF_METRIC)"],
        ),
        ("BenchmarkRun", changed(RUN, measurements__0__metric="score", measurements__0__unit="points"), []),
        ("BenchmarkRun", changed(RUN, measurements__0__metric="elegance", measurements__0__unit="points"), []),
        (
            "BenchmarkRun",
            changed(RUN, measurements__1__statistic="p20"),
            ["spec.measurements[1]: latency p20 is stated twice (DUPLICATE_MEASUREMENT)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, measurements__0__statistic="median", measurements__0__value=100),
            ["spec.measurements[0]: latency median is stated twice (DUPLICATE_MEASUREMENT)"],
        ),
        (
            "BenchmarkRun",
            changed(RUN, timing=None, measurements=None),
            ["spec: a passed run needs timing or a measurement (MISSING_PRIMARY)"],
        ),
        ("BenchmarkRun", changed(RUN, timing=None, measurements=None, status="timeout"), []),
    ],
)
def test_a_document_that_contradicts_itself_is_told_where(kind: str, spec: dict[str, Any], breaches: list[str]) -> None:
    assert told(document_breaches(Manifest(kind, spec, {}))) == breaches


@pytest.mark.parametrize(
    ("kind", "spec", "breaches"),
    [
        ("WorkloadCase", CASE, []),
        ("WorkloadCase", changed(CASE, axes__half=None), []),
        ("WorkloadSuite", SUITE, []),  # its second case leaves m out, which upstreams do
        (
            "WorkloadCase",
            changed(CASE, axes__n=1),
            ["spec.axes.n: axis n is not declared by the operation (UNDECLARED_AXIS)"],
        ),
        ("WorkloadCase", changed(CASE, axes__k=1024), ["spec.axes.k: k is constant: 4096, not 1024 (CONSTANT_AXIS)"]),
        (
            "WorkloadCase",
            changed(CASE, axes__half=1024),
            ["spec.axes.half: half is k // 2: 2048, not 1024 (DERIVED_AXIS)"],
        ),
        ("WorkloadCase", changed(CASE, axes__m=None), ["spec.axes.m: variable axis m has no value (MISSING_AXIS)"]),
        (
            "WorkloadCase",
            changed(CASE, axes__m=65, tensors__a__shape__0=65),
            ["spec.axes.m: 65 is greater than the maximum 64 (AXIS_BOUNDS)"],
        ),
        (
            "WorkloadCase",
            changed(CASE, tensors__b__shape__0=1024),
            ["spec.tensors.b.shape[0]: half is 2048, not 1024 (TENSOR_MISMATCH)"],
        ),
        (
            "WorkloadCase",
            changed(CASE, tensors__c={"shape": [1], "dtype": "bf16"}),
            ["spec.tensors.c: c is not a tensor that the operation reads (TENSOR_MISMATCH)"],
        ),
        ("WorkloadCase", changed(CASE, tensors__b=None), ["spec.tensors.b: input b is not described (MISSING_TENSOR)"]),
        (
            "WorkloadCase",
            changed(CASE, tensors__a__shape=[8, 4096]),
            ["spec.tensors.a.shape: has 2 dimensions where the operation has 3 (TENSOR_MISMATCH)"],
        ),
        (
            "WorkloadCase",
            changed(CASE, tensors__a__shape=[9, 1024, 2]),
            [
                "spec.tensors.a.shape[0]: m is 8, not 9 (TENSOR_MISMATCH)",
                "spec.tensors.a.shape[1]: k is 4096, not 1024 (TENSOR_MISMATCH)",
                "spec.tensors.a.shape[2]: 1 is 1, not 2 (TENSOR_MISMATCH)",
            ],
        ),
        (
            "WorkloadSuite",
            changed(SUITE, cases__1__axes={"is_joint_block": 1, "k": 1}),
            [
                "spec.cases[1].axes.is_joint_block: axis is_joint_block is not declared by the operation "
                "(UNDECLARED_AXIS)",
                "spec.cases[1].axes.k: k is constant: 4096, not 1 (CONSTANT_AXIS)",
            ],
        ),
    ],
)
def test_a_workload_that_contradicts_its_operation_is_told_where(
    kind: str, spec: dict[str, Any], breaches: list[str]
) -> None:
    assert told(workload_breaches(OPERATION, Manifest(kind, spec, {}))) == breaches


@pytest.mark.parametrize(
    ("run", "implementation", "correctness", "protocol_statistic", "breaches"),
    [
        (RUN, DIGEST, CASE["correctness"], "median", []),
        (
            RUN,
            OTHER,
            CASE["correctness"],
            "median",
            [
                f"spec.implementationDigest: the implementation is of operation {OTHER}, the workload of {DIGEST} "
                "(OPERATION_MISMATCH)"
            ],
        ),
        (
            RUN,
            DIGEST,
            CASE["correctness"],
            "mean",
            ["spec.timing.primaryStatistic: is median, the protocol's is mean (STATISTIC_MISMATCH)"],
        ),
        (
            changed(RUN, timing=None),
            DIGEST,
            CASE["correctness"],
            "mean",
            ["spec.measurements[0].statistic: is p20, the protocol's is mean (STATISTIC_MISMATCH)"],
        ),
        (changed(RUN, timing=None, measurements=None, status="timeout"), DIGEST, CASE["correctness"], "mean", []),
        (
            RUN,
            DIGEST,
            {"comparator": "bitwise"},
            "median",
            ["spec.correctness.comparator: is allclose, the workload's is bitwise (COMPARATOR_MISMATCH)"],
        ),
        (
            RUN,
            DIGEST,
            {"comparator": "allclose", "maxAbsoluteError": 0.01},
            "median",
            ["spec.correctness.maximumAbsoluteError: 0.05 is more than the tolerance 0.01 (MEASURED_ERROR)"],
        ),
        # either tolerance may be exceeded alone, as in torch.allclose, and a ratio below 1 lets elements lie outside
        (RUN, DIGEST, {"comparator": "allclose", "maxAbsoluteError": 0.01, "maxRelativeError": 0.1}, "median", []),
        (RUN, DIGEST, {"comparator": "allclose", "maxAbsoluteError": 0.01, "requiredMatchedRatio": 0.9}, "median", []),
        (
            changed(RUN, correctness__matchedRatio=0.8),
            DIGEST,
            {"comparator": "allclose", "maxAbsoluteError": 0.01, "requiredMatchedRatio": 0.9},
            "median",
            ["spec.correctness.matchedRatio: 0.8 is less than the required 0.9 (MEASURED_ERROR)"],
        ),
        (
            changed(RUN, status="incorrect_numerical"),
            DIGEST,
            {"comparator": "allclose", "maxAbsoluteError": 0.01},
            "median",
            [],
        ),
        (changed(RUN, correctness=None), DIGEST, {"comparator": "bitwise"}, "median", []),
    ],
)
def test_a_run_that_contradicts_what_it_names_is_told_where(
    run: dict[str, Any], implementation: str, correctness: dict[str, Any], protocol_statistic: str, breaches: list[str]
) -> None:
    workload = Manifest("WorkloadCase", changed(CASE, correctness=correctness), {})
    protocol = changed(PROTOCOL, measurement__primaryStatistic=protocol_statistic)
    found = run_breaches(run, {"operation": {"specDigest": implementation}}, workload, protocol)
    assert told(found) == breaches


def test_a_long_chain_of_derived_axes_is_judged_in_a_moment() -> None:
    axes = {f"a{n}": {"role": "derived", "type": "integer", "expression": f"a{n + 1}"} for n in range(12_000)}
    axes["a12000"] = VARIABLE
    start = time.process_time()
    assert document_breaches(Manifest("OperationSpec", {**OPERATION, "axes": {**OPERATION["axes"], **axes}}, {})) == []
    assert time.process_time() - start < 1


def test_a_rule_is_said_in_one_sentence() -> None:
    assert all(text.endswith(".") and text.count(". ") == 0 for text in RULES.values())


# Expressions


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("m", 8),
        ("m*k", 24),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("10 - 3 - 2", 5),
        ("7 // 2", 3),
        ("(0 - 7) // 2", -4),
        ("7 % 4 * 2", 6),
        ("(m + 127) // 128 * 128", 128),
        ("((k))", 3),
        ("if - is", 0),  # axis names, not Python
        ("8 / 2 / 2", 2),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("(-2) ** 2", 4),
        ("2 * -k", -6),
        ("m - -k", 11),
        ("+m", 8),
        ("2 ** k * 5 // 3", 13),
    ],
)
def test_an_expression_is_computed_as_python_does(text: str, value: int) -> None:
    assert parse_expression(text).evaluate({"m": 8, "k": 3, "if": 1, "is": 1}) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends where a number or a name was expected"),
        ("1 +", "ends where a number or a name was expected"),
        ("1 2", "expected an operator, found 2"),
        ("m (k)", "expected an operator, found ("),
        ("* 2", "expected a number or a name, found *"),
        ("-", "ends where a number or a name was expected"),
        ("2 *** 3", "expected a number or a name, found *"),
        ("()", "expected a number or a name, found )"),
        ("(1", "a parenthesis is not closed"),
        ("1)", "a parenthesis is closed that was not opened"),
        ("4 /// 2", "expected a number or a name, found /"),
        ("_m", "can't read '_m'"),
        ("f.x", "can't read '.x'"),
    ],
)
def test_an_expression_outside_the_language_is_refused(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as refusal:
        parse_expression(text)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m", "axis m has no value"),
        ("1 // 0", "divides by zero"),
        ("1 % 0", "divides by zero"),
        ("5 / 2", "5 / 2 is not a whole number"),
        ("2 ** -1", "2 ** -1 is not a whole number that an axis can have"),
        ("9 ** 9 ** 9", "9 ** 387420489 is not a whole number that an axis can have"),
    ],
)
def test_an_expression_that_has_no_value_says_why(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as refusal:
        parse_expression(text).evaluate({})
    assert str(refusal.value) == message


@given(st.text(st.sampled_from("mk019 +-*%/()"), max_size=40))
def test_any_expression_is_computed_as_python_does_or_refused(text: str) -> None:
    try:
        value = parse_expression(text).evaluate({"m": 8, "k": 3, "mk": 5})
    except ExpressionError:
        return
    plain = " ".join(parse_expression_numbers(text))
    assert value == eval(plain, {"__builtins__": {}}, {"m": 8, "k": 3, "mk": 5})  # noqa: S307  # of this alphabet only


def parse_expression_numbers(text: str) -> list[str]:
    """Split as Python would have to: its literals may not start with 0."""
    spaced = text.replace("//", "÷").replace("/", "÷").replace("**", "^")  # what divides evenly divides as by floor
    for symbol in "+-*%()÷^":
        spaced = spaced.replace(symbol, f" {symbol} ")
    words = spaced.replace("÷", "//").replace("^", "**").split()
    return [str(int(word)) if word.isdigit() else word for word in words]


# Real documents


@pytest.mark.shared
@pytest.mark.parametrize("seed", ["seed_000_liger", "seed_002_sol"])
def test_the_seed_documents_are_coherent(seed: str) -> None:
    entries = json.loads((SHARED / "seeds/seed-documents.json").read_text())[seed]
    names = ("run", "implementation", "workload", "protocol", "environment", "operation")
    documents = {name: parse(entries[name]["document"]) for name in names}
    run, implementation, workload, protocol, _, operation = documents.values()
    assert [breach for manifest in documents.values() for breach in document_breaches(manifest)] == []
    assert workload_breaches(operation.spec, workload) == []
    assert run_breaches(run.spec, implementation.spec, workload, protocol.spec) == []


@pytest.mark.shared
def test_of_the_exported_runs_exactly_46_break_a_rule() -> None:
    """43 GEMM runs whose workload is of another operation, and 3 of a suite with an axis that nobody declares."""
    (path,) = (SHARED / "data/catalog").glob("*.jsonl.zst")
    documents: dict[str, Manifest] = {}
    runs: list[tuple[Manifest, Manifest]] = []
    columns = {"operations": "semanticDigest", "workloads": "workloadDigest", "implementations": "implementationDigest"}
    with zstandard.open(path, "rt") as lines:
        for line in lines:
            entry = json.loads(line)
            table, row = entry["table"], entry["row"]
            if table in columns:
                documents[row[columns[table]]] = parse(row["manifest"])
            elif table == "benchmark_runs":
                runs.append((parse(row["manifest"]["run"]), parse(row["manifest"]["protocol"])))
    own = [breach for manifest in documents.values() for breach in document_breaches(manifest)]
    assert own == []
    broken = {digest: _workload_rules(documents, digest) for digest in {run.spec["workloadDigest"] for run, _ in runs}}
    count: Counter[str] = Counter()
    for run, protocol in runs:
        workload = documents[run.spec["workloadDigest"]]
        implementation = documents[run.spec["implementationDigest"]]
        found = document_breaches(run) + run_breaches(run.spec, implementation.spec, workload, protocol.spec)
        count[" ".join(sorted({breach.rule for breach in found} | broken[run.spec["workloadDigest"]]))] += 1
    assert count == {"": 7811, "OPERATION_MISMATCH": 43, "UNDECLARED_AXIS": 3}


def _workload_rules(documents: dict[str, Manifest], digest: str) -> set[str]:
    workload = documents[digest]
    operation = documents[workload.spec["operationSpecDigest"]]
    return {breach.rule for breach in workload_breaches(operation.spec, workload)}
