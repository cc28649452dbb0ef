"""Bad input at the door: every case a located reason, and a registry that is as it was.

The rows of reference/original-domain.md 1.1 to 1.3 and 1.13 and of reliability.md T13 to T15, as the bundles in which
they would come.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry import syncs
from registry.importers.base import Unreadable
from registry.ingest import Refusal
from tests.conftest import NOW
from tests.factories import (
    bundle,
    bundle_of,
    changed,
    everything,
    implementation_document,
    ingest_bundle,
    operation_document,
    project_document,
    protocol_document,
    run_entry,
    suite_document,
    told,
    workload_document,
)

Spec = dict[str, Any]


@pytest.fixture
def refuses(db: None, tmp_path: Path) -> Callable[..., list[str]]:
    """What a file is refused with; the registry, which holds one run, must be as before."""
    ingest_bundle(bundle())

    def refuse(data: bytes | str, *, suffix: str = ".json") -> list[str]:
        path = tmp_path / f"bad{suffix}"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        before = everything()
        try:
            syncs.import_bundles([path], source_slug="community", now=NOW)
        except Refusal as refused:
            found = told(refused.report)
        except Unreadable as unreadable:
            found = [str(unreadable)]
        else:
            raise AssertionError("was taken")
        assert everything() == before
        return found

    return refuse


def operation(**changes: object) -> Spec:
    return bundle(operations=[changed(operation_document("bad"), **changes)])


def with_null(document: Spec) -> Spec:
    return document | {"spec": document["spec"] | {"reference": None}}


def workload(**changes: object) -> Spec:
    return bundle(workloads=[changed(workload_document(), **changes)])


def case(**changes: object) -> Spec:
    return workload(**{f"spec__{path}": value for path, value in changes.items()})


def suite(**spec: object) -> Spec:
    return bundle(workloads=[suite_document(**spec)])


def implementation(**changes: object) -> Spec:
    return bundle(implementations=[{"projectSlug": "acme", "manifest": changed(implementation_document(), **changes)}])


def run(**changes: object) -> Spec:
    return bundle_of(changed(run_entry(), **{f"run__{path}": value for path, value in changes.items()}))


def timed(**latency: object) -> Spec:
    return run(spec__timing__latencyNs={"median": 1000} | latency)


# 1.1 Envelope and shared rules, 1.4 to 1.11 types and limits

DOCUMENTS: list[tuple[str, Spec, str, str]] = [
    (
        "another version",
        operation(apiVersion="kernelindex.dev/v2"),
        "operations[0].apiVersion",
        "must be kernelindex.dev/v1alpha1",
    ),
    ("no version", operation(apiVersion=None), "operations[0].apiVersion", "is required"),
    ("another kind", operation(kind="WorkloadCase"), "operations[0].kind", "must be OperationSpec"),
    ("unknown kind", operation(kind="OperationRelation"), "operations[0].kind", "must be OperationSpec"),
    ("serving kind", workload(kind="ServingWorkload"), "workloads[0]", "is a serving kind"),
    ("no metadata", operation(metadata=None), "operations[0].metadata", "is required"),
    ("no spec", operation(spec=None), "operations[0].spec", "is required"),
    ("no name", operation(metadata__name=None), "operations[0].metadata.name", "is required"),
    ("unknown field of the envelope", operation(id="x"), "operations[0].id", "unknown field"),
    ("unknown field of metadata", operation(metadata__tags=[]), "operations[0].metadata.tags", "unknown field"),
    ("unknown field of spec", operation(spec__note="x"), "operations[0].spec.note", "unknown field"),
    (
        "unknown field deep down",
        operation(spec__axes__rows__unit="x"),
        "operations[0].spec.axes.rows.unit",
        "unknown field",
    ),
    ("not an object", bundle(operations=[1]), "operations[0]", "must be an object, got an integer"),
    ("a list for an object", operation(spec__axes=[]), "operations[0].spec.axes", "must be an object, got a list"),
    ("upper case in a slug", operation(spec__family="Gemm"), "operations[0].spec.family", "must be a slug"),
    (
        "a slug of 101",
        operation(spec__family="a" * 101),
        "operations[0].spec.family",
        "must be at most 100 characters, has 101",
    ),
    ("a space in a name", operation(metadata__name="a b"), "operations[0].metadata.name", "must be a name"),
    (
        "a name of 201",
        operation(metadata__name="a" * 201),
        "operations[0].metadata.name",
        "must be at most 200 characters",
    ),
    (
        "a title of 201",
        operation(metadata__title="a" * 201),
        "operations[0].metadata.title",
        "must be at most 200 characters",
    ),
    (
        "a description of 2001",
        operation(metadata__description="a" * 2001),
        "operations[0].metadata.description",
        "must be at most 2000",
    ),
    (
        "a token with a dash",
        operation(spec__inputs__0__tensor__dtype="bf-16"),
        "operations[0].spec.inputs[0].tensor.dtype",
        "must be a token",
    ),
    (
        "a label's key",
        operation(metadata__labels={"A": "x"}),
        "operations[0].metadata.labels.A",
        "as a key must be a token",
    ),
    (
        "a label's value",
        operation(metadata__labels={"a": 1}),
        "operations[0].metadata.labels.a",
        "must be a string, got an integer",
    ),
    (
        "an http link",
        operation(metadata__sourceRefs=[{"url": "http://a.b"}]),
        "operations[0].metadata.sourceRefs[0].url",
        "must be an https URL",
    ),
    (
        "a link of 2001",
        operation(metadata__sourceRefs=[{"url": "https://a.b/" + "c" * 1989}]),
        "operations[0].metadata.sourceRefs[0].url",
        "must be at most 2000",
    ),
    (
        "a digest in capitals",
        case(operationSpecDigest="sha256:" + "A" * 64),
        "workloads[0].spec.operationSpecDigest",
        "must be a digest",
    ),
    (
        "a digest of md5",
        case(operationSpecDigest="md5:" + "a" * 32),
        "workloads[0].spec.operationSpecDigest",
        "must be a digest",
    ),
    (
        "a short commit",
        implementation(spec__projectRevision__commit="abc123"),
        "implementations[0].manifest.spec.projectRevision.commit",
        "must be a full commit",
    ),
    (
        "a null",
        bundle(operations=[with_null(operation_document("bad"))]),
        "operations[0].spec.reference",
        "must be an object, got null",
    ),
    ("no inputs", operation(spec__inputs=[]), "operations[0].spec.inputs", "must have at least 1 item, has 0"),
    (
        "tensor and scalar",
        operation(spec__inputs__0__scalar={"dtype": "fp32"}),
        "operations[0].spec.inputs[0]",
        "must have exactly one of tensor and scalar",
    ),
    (
        "a constant without value",
        operation(spec__axes__hidden__value=None),
        "operations[0].spec.axes.hidden",
        "a constant axis needs its value",
    ),
    ("a fraction for an integer", case(axes__rows=8.5), "workloads[0].spec.axes.rows", "must be an integer"),
    ("true for an integer", case(axes__rows=True), "workloads[0].spec.axes.rows", "must be an integer, got a boolean"),
    (
        "a negative dimension",
        case(tensors__x__shape=[-1, 64]),
        "workloads[0].spec.tensors.x.shape[0]",
        "must be at least 0",
    ),
    (
        "a ratio over 1",
        case(correctness__requiredMatchedRatio=1.5),
        "workloads[0].spec.correctness.requiredMatchedRatio",
        "must be at most 1",
    ),
    ("no cases", suite(cases=[]), "workloads[0].spec.cases", "must have at least 1 item"),
    (
        "an instant with an offset",
        run(spec__observedAt="2026-07-01T00:00:00+00:00"),
        "runs[0].run.spec.observedAt",
        "must be an instant in UTC",
    ),
    ("a date alone", run(spec__observedAt="2026-07-01"), "runs[0].run.spec.observedAt", "must be an instant in UTC"),
    (
        "a day that is not",
        run(spec__observedAt="2026-02-30T00:00:00Z"),
        "runs[0].run.spec.observedAt",
        "names a date or time that doesn't exist",
    ),
    ("an unknown status", run(spec__status="ok"), "runs[0].run.spec.status", "must be passed, "),
    (
        "neither mean nor median",
        run(spec__timing__latencyNs={"p05": 1}),
        "runs[0].run.spec.timing.latencyNs",
        "must have at least one of median and mean",
    ),
    (
        "an interval of one",
        timed(confidence95=[1]),
        "runs[0].run.spec.timing.latencyNs.confidence95",
        "must have at least 2 items",
    ),
    ("no samples", run(spec__timing__samples=0), "runs[0].run.spec.timing.samples", "must be at least 1"),
    # 1.3 durations
    (
        "a negative duration",
        timed(median=-1),
        "runs[0].run.spec.timing.latencyNs.median",
        "a duration can't be negative",
    ),
    (
        "half a nanosecond",
        timed(median="0.5 ns"),
        "runs[0].run.spec.timing.latencyNs.median",
        "is not a whole number of nanoseconds",
    ),
    (
        "a fraction of ns",
        timed(median=0.5),
        "runs[0].run.spec.timing.latencyNs.median",
        "must be integer nanoseconds or a duration",
    ),
    ("a unit that is none", timed(median="1 min"), "runs[0].run.spec.timing.latencyNs.median", "is not a duration"),
    ("an exponent", timed(median="1e3 ns"), "runs[0].run.spec.timing.latencyNs.median", "is not a duration"),
    ("no unit", timed(median="1000"), "runs[0].run.spec.timing.latencyNs.median", "is not a duration"),
    ("a leading dot", timed(median=".5 us"), "runs[0].run.spec.timing.latencyNs.median", "is not a duration"),
    (
        "a century",
        timed(median="3153600000 s"),
        "runs[0].run.spec.timing.latencyNs.median",
        "a duration can't exceed 2^53",
    ),
    (
        "a million digits",
        timed(median="1" * 10**6 + " ns"),
        "runs[0].run.spec.timing.latencyNs.median",
        "is not a duration",
    ),
    # 1.7, and what a bundle says of owners
    (
        "a project's kind",
        bundle(projects=[project_document(kind="company")]),
        "projects[0].spec.kind",
        "must be library, individual or vendor",
    ),
    (
        "a project of nobody",
        bundle(implementations=[{"projectSlug": "nobody", "manifest": implementation_document("new")}]),
        "implementations[0].manifest",
        "no project 'nobody' in this input or the registry",
    ),
]


@pytest.mark.parametrize(
    ("content", "path", "words"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_a_document_that_is_none_is_refused(refuses: Any, content: Spec, path: str, words: str) -> None:
    fault = refuses(json.dumps(content, indent=1))[0]
    reason, file, line, rest = fault.split(" ", 3)
    assert (file, line) == ("bad.json:", "line")
    number, place, message = rest.split(": ", 2)
    assert int(number) > 1
    assert place == path
    assert words in message
    assert reason in ("SHAPE", "MISSING_DOCUMENT", "SERVING_KIND")


# 1.13 What the original did not check

DERIVED = {"role": "derived", "type": "integer"}

COHERENCE: list[tuple[str, Spec, str, str]] = [
    (
        "UNDECLARED_AXIS",
        operation(spec__inputs__0__tensor__shape=["cols"]),
        "operations[0].spec.inputs[0].tensor.shape[0]",
        "axis cols is not declared",
    ),
    (
        "EXPRESSION",
        operation(spec__axes__half=DERIVED | {"expression": "rows //"}),
        "operations[0].spec.axes.half.expression",
        "ends where a number or a name was expected",
    ),
    (
        "EXPRESSION",
        operation(spec__axes__half=DERIVED | {"expression": "half + 1"}),
        "operations[0].spec.axes.half.expression",
        "is derived in a circle",
    ),
    (
        "AXIS_BOUNDS",
        operation(spec__axes__rows={"role": "variable", "type": "integer", "minimum": 9, "maximum": 8}),
        "operations[0].spec.axes.rows",
        "minimum 9 is greater than maximum 8",
    ),
    (
        "DUPLICATE_ARGUMENT",
        operation(spec__inputs=operation_document()["spec"]["inputs"] * 2),
        "operations[0].spec.inputs[1].name",
        "x is named twice in inputs",
    ),
    (
        "UNDECLARED_AXIS",
        case(axes__cols=4),
        "workloads[0].spec.axes.cols",
        "axis cols is not declared by the operation",
    ),
    ("CONSTANT_AXIS", case(axes__hidden=65), "workloads[0].spec.axes.hidden", "hidden is constant: 64, not 65"),
    ("MISSING_AXIS", case(axes__rows=None), "workloads[0].spec.axes.rows", "variable axis rows has no value"),
    ("TENSOR_MISMATCH", case(tensors__x__shape=[9, 64]), "workloads[0].spec.tensors.x.shape[0]", "rows is 8, not 9"),
    (
        "TENSOR_MISMATCH",
        case(tensors__x__shape=[512]),
        "workloads[0].spec.tensors.x.shape",
        "has 1 dimensions where the operation has 2",
    ),
    (
        "TENSOR_MISMATCH",
        case(tensors__z={"shape": [1], "dtype": "bf16"}),
        "workloads[0].spec.tensors.z",
        "z is not a tensor that the operation reads",
    ),
    ("MISSING_TENSOR", case(tensors={}), "workloads[0].spec.tensors.x", "input x is not described"),
    (
        "CASE_STRIDES",
        case(tensors__x__strides=[1]),
        "workloads[0].spec.tensors.x.strides",
        "1 strides for a shape of 2 dimensions",
    ),
    (
        "UNDECLARED_AXIS",
        suite(cases=[{"externalId": "one", "axes": {"cols": 8}}]),
        "workloads[0].spec.cases[0].axes.cols",
        "axis cols is not declared",
    ),
    (
        "DUPLICATE_CASE",
        suite(cases=[{"externalId": "one", "axes": {"rows": n}} for n in (1, 2)]),
        "workloads[0].spec.cases[1].externalId",
        "one names an earlier case with other axes",
    ),
    (
        "STATISTIC_ORDER",
        timed(p05=1001),
        "runs[0].run.spec.timing.latencyNs.median",
        "median 1000 is less than p05 1001",
    ),
    ("STATISTIC_ORDER", timed(p95=999), "runs[0].run.spec.timing.latencyNs.p95", "p95 999 is less than median 1000"),
    (
        "INTERVAL",
        timed(confidence95=[1100, 900]),
        "runs[0].run.spec.timing.latencyNs.confidence95",
        "runs from 1100 down to 900",
    ),
    (
        "INTERVAL",
        timed(confidence95=[1001, 1100]),
        "runs[0].run.spec.timing.latencyNs.confidence95",
        "does not contain the median, 1000",
    ),
    (
        "STATISTIC_MISMATCH",
        run(spec__timing__primaryStatistic="mean"),
        "runs[0].run.spec.timing.primaryStatistic",
        "is mean, the protocol's is median",
    ),
    (
        "COMPARATOR_MISMATCH",
        run(spec__correctness={"comparator": "exact"}),
        "runs[0].run.spec.correctness.comparator",
        "is exact, the workload's is allclose",
    ),
    (
        "MEASURED_ERROR",
        run(spec__correctness={"comparator": "allclose", "maximumAbsoluteError": 0.6}),
        "runs[0].run.spec.correctness.maximumAbsoluteError",
        "0.6 is more than the tolerance 0.5",
    ),
    ("MISSING_PRIMARY", run(spec__timing=None), "runs[0].run.spec", "a passed run needs timing or a measurement"),
    (
        "UNIT_OF_METRIC",
        run(spec__measurements=[{"metric": "latency", "unit": "tflops", "statistic": "p20", "value": 1}]),
        "runs[0].run.spec.measurements[0].unit",
        "latency is measured in ",
    ),
    (
        "DUPLICATE_MEASUREMENT",
        run(spec__measurements=[{"metric": "latency", "unit": "ns", "statistic": "median", "value": 1000}]),
        "runs[0].run.spec.measurements[0]",
        "latency median is stated twice",
    ),
    (
        "REFERENCE_MISMATCH",
        bundle_of(changed(run_entry(), environment__spec__software__driver="580")),
        "runs[0].run.spec.environmentDigest",
        "the ExecutionEnvironment beside it hashes to sha256:",
    ),
    (
        "REFERENCE_MISMATCH",
        bundle_of(run_entry() | {"protocol": protocol_document(harness__version="2")}),
        "runs[0].run.spec.protocolDigest",
        "the BenchmarkProtocol beside it hashes to sha256:",
    ),
]


@pytest.mark.parametrize(
    ("rule", "content", "path", "words"), COHERENCE, ids=[f"{row[0]} {row[3]}"[:60] for row in COHERENCE]
)
def test_contradictions_are_refused(refuses: Any, rule: str, content: Spec, path: str, words: str) -> None:
    fault = refuses(json.dumps(content, indent=1))[0]
    assert fault.startswith(f"{rule} bad.json: line ")
    _, place, message = fault.split(": line ", 1)[1].split(": ", 2)
    assert place == path
    assert words in message


# 1.2 Intake and T13 to T15: text that is not a document at all


def at(path: str, literal: str) -> str:
    """A whole bundle as JSON, with a literal of this spelling at one numeric place."""
    *steps, last = path.split(".")
    content: Any = bundle()
    place = content
    for step in steps:
        place = place[int(step)] if step.isdigit() else place[step]
    place[last] = "LITERAL"
    return json.dumps(content, indent=1).replace('"LITERAL"', literal)


SAMPLES = "runs.0.run.spec.timing.samples"
NUMERALS = [
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9007199254740992", "-9007199254740992", "1e16", "1" * 400,
    "9" * 5000, "01", "+1", "1.", ".5", "0x10", "1_000", "--1", "1e", "0b1", "nan", "1,000", "1e400", "-0.5", "1.5",
]  # fmt: skip


@pytest.mark.parametrize("literal", NUMERALS, ids=lambda literal: literal[:12])
@pytest.mark.parametrize("path", [SAMPLES, "workloads.0.spec.axes.rows", "runs.0.run.spec.timing.latencyNs.median"])
def test_a_numeral_that_no_field_takes_is_refused(refuses: Any, path: str, literal: str) -> None:
    fault = refuses(at(path, literal))[0]
    assert "line " in fault
    assert path.rsplit(".", 1)[1] in fault or "is not JSON" in fault


def nested(opening: str, closing: str, depth: int) -> str:
    return opening * depth + closing * depth


@pytest.mark.parametrize("depth", [65, 1000, 100_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")], ids=["lists", "objects"])
@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_depth_is_bounded(refuses: Any, opening: str, closing: str, depth: int, suffix: str) -> None:
    body = opening * depth + ("1" if opening != "[" else "") + closing * depth
    began = time.process_time()
    [fault] = refuses(body, suffix=suffix)
    assert time.process_time() - began < 1
    assert fault.startswith(f"bad{suffix}: line 1: nests deeper than 64 levels")


TEXTS: list[tuple[str, bytes, str, str]] = [
    ("a key twice", b'{"runs": [], "runs": []}', ".json", "bad.json: line 1: runs: is written twice in one object"),
    (
        "a key twice, spelt twice",
        b'{"runs": [],\n"\\u0072uns": []}',
        ".json",
        "bad.json: line 2: runs: is written twice",
    ),
    (
        "a key twice in YAML",
        b"runs: []\nruns: []\n",
        ".yaml",
        "bad.yaml: line 2: runs: is written twice in one mapping",
    ),
    ("trailing data", b"{} {}", ".json", "bad.json: line 1: has text after the end of the document"),
    ("a second document", b"runs: []\n---\nruns: []\n", ".yaml", "bad.yaml: line 2: holds a second document"),
    ("a byte order mark", b"\xef\xbb\xbf{}", ".json", "bad.json: line 1: starts with a byte order mark"),
    ("UTF-16", '{"runs": []}'.encode("utf-16"), ".json", "bad.json: line 1: starts with a byte order mark"),
    ("not UTF-8", b'{"runs":\n"\xff"}', ".json", "bad.json: line 2: is not UTF-8: byte 0xff"),
    ("overlong UTF-8", b'"\xc0\xaf"', ".json", "bad.json: line 1: is not UTF-8"),
    ("a NUL", b'{"a": "\x00"}', ".json", "bad.json: line 1: a: holds a NUL character"),
    ("an escaped NUL", b'{"a": "\\u0000"}', ".json", "bad.json: line 1: a: holds a NUL character"),
    ("a lone surrogate", b'{"a": "\\ud800"}', ".json", "bad.json: line 1: a: holds half of a surrogate pair"),
    ("a lone surrogate as key", b'{"\\udfff": 1}', ".json", "bad.json: line 1: holds half of a surrogate pair"),
    ("nothing", b"", ".json", "bad.json: line 1: is empty"),
    ("nothing in YAML", b"# only a comment\n", ".yaml", "bad.yaml: line"),
    ("a comment in JSON", b"{} // no", ".json", "bad.json: line 1: has text after the end of the document"),
    ("single quotes", b"{'runs': []}", ".json", "bad.json: line 1: is not JSON"),
    ("a trailing comma", b'{"runs": [],}', ".json", "bad.json: line 1: is not JSON"),
    ("a raw tab in a string", b'{"a": "\t"}', ".json", "bad.json: line 1: a: is not JSON"),
    ("cut short", b'{"runs": [', ".json", "bad.json: line 1: runs"),
    ("a custom tag", b"runs: !!python/object:os.system []\n", ".yaml", "bad.yaml: line 1: runs: carries the tag"),
    ("a merge of nothing", b"runs: *nobody\n", ".yaml", "bad.yaml: line 1"),
    ("YAML 1.1", b"%YAML 1.1\n---\nruns: []\n", ".yaml", "bad.yaml: line"),
    ("a number as key", b"1: []\n", ".yaml", "bad.yaml: line 1: has a key that is not a string: 1"),
    ("infinity in YAML", b"a: .inf\n", ".yaml", "bad.yaml: line 1: a: .inf is not a finite number"),
    (
        "a huge number in YAML",
        b"a: 9007199254740992\n",
        ".yaml",
        "bad.yaml: line 1: a: integer 9007199254740992 is outside",
    ),
    (
        "too many aliases",
        b"a: &a []\nb: [" + b", ".join([b"*a"] * 101) + b"]\n",
        ".yaml",
        "bad.yaml: line 2: b[100]: uses more than 100 aliases",
    ),
    ("a page of HTML", b"<!doctype html><html></html>", ".json", "bad.json: line 1: is not JSON"),
]


@pytest.mark.parametrize(("data", "suffix", "words"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_a_text_that_is_no_document_is_refused(refuses: Any, data: bytes, suffix: str, words: str) -> None:
    [fault] = refuses(data, suffix=suffix)
    assert fault.startswith(words)


@pytest.mark.parametrize("word", ["yes", "2026-07-01", "1:30", "0777_"])
def test_what_yaml_1_1_would_take_for_a_value_is_a_text(refuses: Any, word: str) -> None:
    yaml = json.dumps(bundle_of(run_entry()), indent=1).replace('"median": 1000', f'"median": {word}')
    assert f'"{word}" is not a duration' in refuses(yaml, suffix=".yaml")[0]


def test_a_bundle_of_over_64_mebibytes_is_refused(refuses: Any) -> None:
    [fault] = refuses(b" " * (64 * 2**20 + 1))
    assert fault == "bad.json: has more than 67,108,864 bytes"


def test_one_document_of_over_a_mebibyte_is_refused(refuses: Any) -> None:
    cases = [{"externalId": f"case-{number}", "axes": {"rows": number}} for number in range(30_000)]
    fault = refuses(json.dumps(suite(cases=cases), indent=1))[0]
    assert fault.startswith("TOO_LARGE bad.json: line ")
    assert "workloads[0]: is 1," in fault


def test_a_hundred_thousand_faults_are_told_in_a_hundred(refuses: Any) -> None:
    began = time.process_time()
    faults = refuses(json.dumps(suite(cases=[{}] * 30_000)))
    assert time.process_time() - began < 5
    assert len(faults) < 110
    assert any("more faults are not listed" in fault for fault in faults)
