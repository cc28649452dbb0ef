"""FlashInfer-Bench's tree: runs with their authors, logs and timers, and what of a tree is not taken."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry.core.digest import sha256
from registry.importers import flashinfer
from registry.importers.base import (
    BytesEntry,
    CoverageEntry,
    DocumentEntry,
    Entry,
    Pending,
    Rejected,
    Request,
    RunEntry,
    Skipped,
    Unreadable,
)
from registry.importers.documents import digest_of
from registry.importers.trace_files.runs import timer_of
from tests.registry.importers.reading import translated

FIXTURE = Path(__file__).parents[2] / "data/flashinfer_bench"
BASELINE = "traces/baseline/sample/sample_scale_n64.jsonl"
PLAIN = "solutions/baseline/sample/sample_scale_n64/plain_scale.json"
FAST = "solutions/an-author/sample/sample_scale_n64/fast_scale.json"
DEFINITION = "definitions/sample/sample_scale_n64.json"
SOFTWARE = "trace-nvidia-b200-cuda-12-8-torch-2-8-0-cu128-triton-3-4-0"
A, B = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
FELL_BACK = "UserWarning: CUPTI is not installed. Falling back to CUDA events for benchmarking.\n"


def of(kind: type, entries: list[Entry]) -> list[Any]:
    return [entry for entry in entries if isinstance(entry, kind)]


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return list(translated(flashinfer, FIXTURE))


def documents(entries: list[Entry], kind: str) -> dict[str, Any]:
    return {entry.value["metadata"]["name"]: entry.value for entry in of(DocumentEntry, entries) if entry.kind == kind}


def run_of(entries: list[Entry], solution: str, workload: str, status: str) -> RunEntry:
    start = f"sample_scale_n64/{solution}/{workload}/"
    [run] = [
        run
        for run in of(RunEntry, entries)
        if run.upstream_key.startswith(start) and run.run["spec"]["status"] == status
    ]
    return run  # type: ignore[no-any-return]


def test_a_trace_that_passed_is_a_run_of_its_solution_s_author(entries: list[Entry]) -> None:
    run = run_of(entries, "plain_scale", A, "passed")
    assert run.run == {
        "apiVersion": "kernelindex.dev/v1alpha1",
        "kind": "BenchmarkRun",
        "metadata": {
            "name": "plain-scale-sample-scale-n64-aaaaaaaa",
            "title": "plain_scale · sample_scale_n64",
            "labels": {"workload": A},
        },
        "spec": {
            "implementationDigest": digest_of(documents(entries, "ImplementationRevision")["plain-scale"]),
            "workloadDigest": digest_of(documents(entries, "WorkloadCase")["sample-scale-n64-aaaaaaaa"]),
            "protocolDigest": "sha256:7d44d206ad086b4bece35ce31f6531ebb11f07e0d9dcfb74c75be86d3ec02095",  # as published
            "environmentDigest": digest_of(run.environment),  # type: ignore[arg-type]
            "observedAt": "2025-10-21T13:37:42.930Z",
            "status": "passed",
            "correctness": {
                "comparator": "flashinfer_bench_eval",
                "maximumAbsoluteError": 0.0,
                "maximumRelativeError": 0.0,
            },
            "timing": {"primaryStatistic": "mean", "latencyNs": {"mean": 7667}},  # 7666.5 rounds half up
            "sourceNative": {
                "source": "flashinfer-bench",
                "benchmark": "sample_scale_n64",
                "externalId": f"sample_scale_n64/plain_scale/{A}",
                "metrics": {
                    "latency_ms": 0.0076665,
                    "reference_latency_ms": 0.05,
                    "speedup_factor": 6.521880910454576,
                },
            },
        },
    }
    assert run.implementation == ("flashinfer-author-baseline", "plain-scale")
    assert run.lasting_key == f"sample_scale_n64/plain_scale/{A}/{SOFTWARE}"
    assert run.upstream_key == f"{run.lasting_key}/2025-10-21T13:37:42.930971"
    assert [rule for rule, _ in run.flags] == ["TIME_ZONE_NOT_STATED"]
    assert str(run.locate(("spec",))) == f"{BASELINE}: line 1: → spec"


def test_the_architecture_comes_from_the_name_of_the_gpu(entries: list[Entry]) -> None:
    run = run_of(entries, "plain_scale", A, "passed")
    assert run.environment["spec"] == {  # type: ignore[index]
        "hardware": {"vendor": "nvidia", "product": "NVIDIA B200", "architecture": "sm_100"},
        "software": {
            "framework": {"name": "pytorch", "version": "2.8.0+cu128"},
            "cudaToolkit": "12.8",
            "libraries": {"triton": "3.4.0"},
        },
    }


def test_the_timer_that_the_log_reveals_makes_another_protocol(entries: list[Entry]) -> None:
    run = run_of(entries, "plain_scale", B, "passed")
    assert run.protocol["spec"]["measurement"] == {"timer": "cuda_events", "primaryStatistic": "mean"}  # type: ignore[index]
    assert run.protocol["metadata"]["title"] == "FlashInfer-Bench trace harness, timed by CUDA events"  # type: ignore[index]
    assert run.flags == ()  # its time has a zone


@pytest.mark.parametrize(
    ("log", "timer"),
    [
        ("", "harness_reported"),
        ("all 16 cases passed", "harness_reported"),
        ("CUPTI is not installed", "harness_reported"),  # what it did instead is not said
        (FELL_BACK, "cuda_events"),
        ("CUPTI needs to be >= 13.0.0. falling back to CUDA events for benchmarking.", "cuda_events"),
        ("timing with CUPTI", "cupti"),
    ],
)
def test_a_timer_is_what_the_log_says(log: str, timer: str) -> None:
    assert timer_of(log) == timer


def test_a_log_is_kept_by_its_digest_and_named_in_the_run(entries: list[Entry]) -> None:
    digest = sha256(FELL_BACK)
    run = run_of(entries, "plain_scale", B, "passed")
    assert run.run["spec"]["evidence"] == {  # type: ignore[index]
        "logs": {"uri": f"kernelindex:artifact/{digest}", "digest": digest}
    }
    [log] = [entry for entry in of(BytesEntry, entries) if entry.digest == digest]
    assert (log.data, log.kind, log.media_type) == (FELL_BACK.encode(), "log", "text/plain")
    assert log.file_name == "plain-scale-sample-scale-n64-bbbbbbbb.log"
    assert str(log.place) == f"{BASELINE}: line 2: evaluation.log"


@pytest.mark.parametrize(
    ("workload", "status", "correctness"),
    [
        (A, "runtime_error", None),
        (A, "suspected_reward_hack", None),
        (B, "incorrect_numerical", {"comparator": "flashinfer_bench_eval", "maximumAbsoluteError": 3.5}),
    ],
)
def test_what_failed_is_a_run_with_its_status_and_no_timing(
    entries: list[Entry], workload: str, status: str, correctness: object
) -> None:
    spec = run_of(entries, "fast_scale", workload, status).run["spec"]  # type: ignore[index]
    assert "timing" not in spec
    assert "metrics" not in spec["sourceNative"]
    assert spec.get("correctness") == correctness


def test_an_error_that_is_not_finite_stays_absent(entries: list[Entry]) -> None:
    spec = run_of(entries, "plain_scale", B, "passed").run["spec"]  # type: ignore[index]
    assert spec["correctness"] == {"comparator": "flashinfer_bench_eval", "maximumAbsoluteError": 0.5}


def test_the_author_is_the_solution_s_and_owns_a_project(entries: list[Entry]) -> None:
    assert documents(entries, "SoftwareProject")["flashinfer-author-an-author"]["spec"] == {
        "name": "An Author",
        "host": {"kind": "other", "id": "flashinfer-trace/author/An Author"},
    }
    fast, plain = (documents(entries, "ImplementationRevision")[name] for name in ("fast-scale", "plain-scale"))
    assert fast["metadata"]["authors"] == [{"name": "An Author"}]
    assert "labels" not in fast["metadata"]
    assert plain["metadata"]["labels"] == {"role": "baseline"}


def test_a_lone_file_is_known_by_its_own_digest_and_several_by_their_listing(entries: list[Entry]) -> None:
    fast, plain = (documents(entries, "ImplementationRevision")[name] for name in ("fast-scale", "plain-scale"))
    code = b"def run(x, scale, factor, is_signed):\n    return x * factor\n"
    assert plain["spec"]["source"] == {"contentDigest": sha256(code), "fileName": "main.py", "sizeBytes": len(code)}
    listing = b'[{"content":"// runs\\n","path":"kernel.cu"},{"content":"// binds\\n","path":"main.cpp"}]'
    assert fast["spec"]["source"] == {
        "contentDigest": sha256(listing),
        "fileName": "sources.json",
        "sizeBytes": len(listing),
    }
    kept = {entry.digest: entry.data for entry in of(BytesEntry, entries) if entry.kind == "source"}
    assert kept == {sha256(code): code, sha256(listing): listing}


def test_an_implementation_says_what_its_solution_says_and_no_revision_of_the_data_set(entries: list[Entry]) -> None:
    fast = documents(entries, "ImplementationRevision")["fast-scale"]["spec"]
    assert fast["projectRevision"] == {}
    assert fast["callable"] == {"language": "cuda_cpp_and_triton", "path": "main.cpp", "symbol": "run"}
    assert fast["support"] == {
        "hardwareArchitectures": ["sm_100"],  # LOCAL is no hardware
        "dtypes": ["bf16", "bool", "fp32", "fp8_e4m3"],
    }
    assert fast["licensing"] == {"declared": "Apache-2.0"}


def test_a_case_binds_its_shapes_and_keeps_its_scalars(entries: list[Entry]) -> None:
    assert documents(entries, "WorkloadCase")["sample-scale-n64-bbbbbbbb"]["spec"] == {
        "operationSpecDigest": digest_of(documents(entries, "OperationSpec")["sample-scale-n64"]),
        "axes": {"m": 40},
        "tensors": {
            "x": {"shape": [40, 64], "dtype": "bf16", "data": {"generator": "random"}},
            "scale": {
                "shape": [3, 32],
                "dtype": "fp8_e4m3",
                "data": {"generator": "safetensors", "parameters": {"file_key": 148167646286770}},
            },
        },
        "scalars": {"factor": {"dtype": "fp32", "value": 0.5}, "is_signed": {"dtype": "bool", "value": 1}},
        "correctness": {"comparator": "flashinfer_bench_eval"},
    }


def test_a_workload_that_nobody_ran_is_a_case_without_runs(entries: list[Entry]) -> None:
    assert "sample-scale-n64-cccccccc" in documents(entries, "WorkloadCase")


def test_coverage_is_every_trace_of_a_group(entries: list[Entry]) -> None:
    rule = (
        "every trace of this workload, environment and timer in the files read at "
        "0123456789abcdef0123456789abcdef01234567"
    )
    start = f"sample_scale_n64/fast_scale/{A}/{SOFTWARE}"
    covered = of(CoverageEntry, entries)
    assert len(covered) == 4
    assert covered[0] == CoverageEntry((f"{start}/2025-10-21T14:00:00.000001", f"{start}/2025-10-22T14:00:01"), 2, rule)


def test_translating_twice_gives_equal_entries(entries: list[Entry]) -> None:
    again = list(translated(flashinfer, FIXTURE))
    assert [entry.run for entry in of(RunEntry, again)] == [entry.run for entry in of(RunEntry, entries)]
    assert [entry.value for entry in of(DocumentEntry, again)] == [entry.value for entry in of(DocumentEntry, entries)]


# One file changed

Change = Callable[[Any], Any]
Translate = Callable[..., list[Entry]]


@pytest.fixture
def tree(tmp_path: Path) -> Translate:
    """What the tree gives with one file changed: its object, or the first line of its lines."""

    def translate(file: str, change: Change, **known: object) -> list[Entry]:
        folder = tmp_path / "tree"
        if not folder.exists():
            shutil.copytree(FIXTURE, folder)
        path = folder / file
        if path.suffix == ".json":
            path.write_text(json.dumps(change(json.loads(path.read_text()))))
        else:
            first, *others = path.read_text().splitlines(keepends=True)
            path.write_text(json.dumps(change(json.loads(first))) + "\n" + "".join(others))
        return list(translated(flashinfer, folder, **known))

    return translate


def put(**members: object) -> Change:
    """Set members of an object; a__b is the member b of a."""

    def change(value: Any) -> Any:
        for name, member in members.items():
            *steps, last = name.split("__")
            inner = value
            for step in steps:
                inner = inner[step]
            inner[last] = member
        return value

    return change


def faults(entries: list[Entry]) -> list[tuple[str, str, str]]:
    return [(entry.reason, str(entry.place), entry.message) for entry in of(Rejected, entries)]


@pytest.mark.parametrize(
    ("change", "reason", "path", "message"),
    [
        (put(definition="other"), "NO_DEFINITION", "definition", 'no definition "other" in the files read'),
        (put(solution="x"), "NO_SOLUTION", "solution", "sample_scale_n64 has no such solution in the files read"),
        (put(solution=3), "SHAPE", "solution", "must be text, got an integer"),
        (put(evaluation=None), "UNFINISHED", "evaluation", "the solution was not evaluated"),
        (put(evaluation__status="LOST"), "STATUS", "evaluation.status", 'unknown status "LOST"'),
        (put(evaluation__status=None), "MISSING_FIELD", "evaluation.status", "status is missing"),
        (
            put(evaluation__performance=None),
            "NO_LATENCY",
            "evaluation.performance",
            "a run that passed states its latency",
        ),
        (
            put(evaluation__performance={"latency_ms": "Infinity"}),
            "NO_LATENCY",
            "evaluation.performance.latency_ms",
            "a run that passed states its latency",
        ),
        (
            put(evaluation__performance__latency_ms="fast"),
            "SHAPE",
            "evaluation.performance.latency_ms",
            'must be a number, got "fast"',
        ),
        (
            put(evaluation__performance__latency_ms=-0.5),
            "VALUE",
            "evaluation.performance.latency_ms",
            "must be a time of a nanosecond or more, got -0.5 ms",
        ),
        (
            put(evaluation__correctness__max_absolute_error=-1),
            "VALUE",
            "evaluation.correctness.max_absolute_error",
            "an error is not negative, got -1",
        ),
        (
            put(evaluation__timestamp="13:37"),
            "TIMESTAMP",
            "evaluation.timestamp",
            'must be a time such as 2026-07-03T03:55:35.544, got "13:37"',
        ),
        (put(evaluation__environment="B200"), "SHAPE", "evaluation.environment", 'must be an object, got "B200"'),
        (put(workload__axes={}), "MISSING_AXIS", "workload.axes", "axis m has no value"),
        (put(workload__axes={"M": "16"}), "SHAPE", "workload.axes.M", 'must be a whole number, got "16"'),
        (put(workload__axes={"M": -200}), "AXIS_BOUNDS", "workload.axes", "axis m is -200, which is no size"),
        (put(workload=[]), "SHAPE", "workload", "must be an object, got a list"),
        (put(workload__inputs__x={}), "MISSING_FIELD", "workload.inputs.x.type", "type is missing"),
    ],
)
def test_a_trace_at_fault_is_told_by_its_member(
    tree: Translate, change: Change, reason: str, path: str, message: str
) -> None:
    entries = tree(BASELINE, change)
    assert faults(entries) == [(reason, f"{BASELINE}: line 1: {path}", message)]
    assert len(of(RunEntry, entries)) == 4
    [rejected] = of(Rejected, entries)
    assert rejected.key
    assert rejected.row.startswith('{"definition": ')


@pytest.mark.parametrize(
    ("file", "change", "reason", "path"),
    [
        (PLAIN, put(definition="other"), "NO_DEFINITION", "definition"),
        (PLAIN, put(author=""), "SHAPE", "author"),
        (PLAIN, put(spec__language=None), "MISSING_FIELD", "spec.language"),
        (PLAIN, put(spec__languages=[]), "SHAPE", "spec.languages"),
        (PLAIN, put(sources="code"), "SHAPE", "sources"),
        (PLAIN, put(sources=[{"path": "a", "content": 1}]), "SHAPE", "sources[0].content"),
        (PLAIN, put(sources=[{"path": "a", "content": "1"}] * 2), "DUPLICATE_NAME", "sources[1].path"),
        (PLAIN, put(spec__target_hardware="B200"), "SHAPE", "spec.target_hardware"),
        (DEFINITION, put(axes__M__type="free"), "AXIS_TYPE", "axes.M.type"),
        (DEFINITION, put(inputs=[]), "SHAPE", "inputs"),
        (DEFINITION, put(inputs__x__dtype=16), "SHAPE", "inputs.x.dtype"),
    ],
)
def test_a_definition_or_solution_at_fault_takes_its_traces_with_it(
    tree: Translate, file: str, change: Change, reason: str, path: str
) -> None:
    first, *others = faults(tree(file, change))
    assert first[:2] == (reason, f"{file}: line 1: {path}")
    assert {told for told, _, _ in others} <= {"NO_DEFINITION", "NO_SOLUTION"}
    assert others


def test_a_gpu_that_nobody_knows_waits_and_is_settled_by_a_name(tree: Translate) -> None:
    change = put(evaluation__environment__hardware="NVIDIA Q1")
    entries = tree(BASELINE, change)
    [pending] = of(Pending, entries)
    assert (pending.kind, pending.name, str(pending.place)) == (
        "gpu", "NVIDIA Q1", f"{BASELINE}: line 1: evaluation.environment.hardware",
    )  # fmt: skip
    assert not of(Pending, tree(BASELINE, change, names={("gpu", "NVIDIA Q1"): "B200"}))


def test_one_name_for_two_definitions_or_solutions_is_told(tree: Translate, tmp_path: Path) -> None:
    other = tmp_path / "tree/definitions/z.json"
    tree(DEFINITION, put())
    other.write_text((FIXTURE / DEFINITION).read_text().replace("float8_e4m3fn", "float16"))
    assert faults(list(translated(flashinfer, tmp_path / "tree"))) == [
        (
            "DUPLICATE_NAME",
            "definitions/z.json: line 2: name",
            "sample_scale_n64 is defined otherwise in an earlier file",
        )
    ]


def test_a_trace_that_stands_twice_counts_once_and_another_under_its_key_is_told(
    tree: Translate, tmp_path: Path
) -> None:
    tree(BASELINE, put())
    path = tmp_path / "tree" / BASELINE
    line = path.read_text().splitlines()[0]
    path.write_text(f"{line}\n{line}\n{line.replace('0.0076665', '0.0076')}\n")
    entries = list(translated(flashinfer, tmp_path / "tree"))
    assert [str(entry.place) for entry in of(Skipped, entries) if entry.reason == "REPEATED_ROW"] == [
        f"{BASELINE}: line 2"
    ]
    [(reason, place, _)] = faults(entries)
    assert (reason, place) == ("DUPLICATE_ID", f"{BASELINE}: line 3")


@pytest.mark.parametrize("shape", ["object", "list", "spread list", "lines"])
def test_traces_come_as_an_object_a_list_or_lines(tree: Translate, tmp_path: Path, shape: str) -> None:
    tree(BASELINE, put())
    path = tmp_path / "tree" / BASELINE
    traces = [json.loads(line) for line in path.read_text().splitlines()]
    path.unlink()
    written = {
        "object": json.dumps(traces[0], indent=1),
        "list": json.dumps(traces),
        "spread list": json.dumps(traces, indent=2),
        "lines": "\n".join(map(json.dumps, traces)),
    }
    path.with_suffix(".json").write_text(written[shape])
    runs = of(RunEntry, list(translated(flashinfer, tmp_path / "tree")))
    assert len(runs) == (4 if shape == "object" else 5)


def test_a_captured_workload_without_solution_is_a_case_only(tree: Translate) -> None:
    entries = tree(BASELINE, put(solution=None, evaluation=None))
    assert faults(entries) == []
    assert len(of(RunEntry, entries)) == 4
    assert "sample-scale-n64-aaaaaaaa" in documents(entries, "WorkloadCase")


def test_two_files_of_workloads_serve_one_definition(tree: Translate, tmp_path: Path) -> None:
    tree(DEFINITION, put())
    workload = {"uuid": "dddddddd-0000", "axes": {"M": 2}, "inputs": {}}
    (tmp_path / "tree/elsewhere").mkdir()
    (tmp_path / "tree/elsewhere/sample_scale_n64.jsonl").write_text(json.dumps(workload) + "\n")
    (tmp_path / "tree/definitions/sample/workload.jsonl").write_text(
        json.dumps(workload | {"uuid": "eeeeeeee", "axes": {"M": 3}}) + "\n"
    )
    (tmp_path / "tree/elsewhere/workload.jsonl").write_text(json.dumps(workload) + "\n")
    entries = list(translated(flashinfer, tmp_path / "tree"))
    assert {"sample-scale-n64-dddddddd", "sample-scale-n64-eeeeeeee"} <= documents(entries, "WorkloadCase").keys()
    message = "0 definitions lie beside this workload; it needs one"
    assert faults(entries) == [("NO_DEFINITION", "elsewhere/workload.jsonl: line 1", message)]


def test_a_scalar_that_is_not_given_is_left_out(tree: Translate) -> None:
    change = put(workload__axes={"M": 5}, workload__inputs__factor={"type": "random"}, workload__inputs__is_signed=None)
    [case] = [
        entry.value["spec"]
        for entry in of(DocumentEntry, tree(BASELINE, change))
        if entry.kind == "WorkloadCase" and entry.value["spec"]["axes"] == {"m": 5}
    ]
    assert "scalars" not in case


def test_a_case_with_values_of_another_file_is_another_case(tree: Translate) -> None:
    one, other = (
        run_of(tree(BASELINE, put(workload__inputs__scale__path=path)), "plain_scale", A, "passed").run["spec"]  # type: ignore[index]
        for path in ("./blob/b.safetensors", "./blob/c.safetensors")
    )
    assert one["workloadDigest"] != other["workloadDigest"]


def test_a_tolerance_becomes_the_case_s_policy(tree: Translate) -> None:
    tolerance = {"max_atol": 0.01, "max_rtol": "Infinity", "required_matched_ratio": 0.99, "max_error_cap": None}
    cases = [
        entry.value["spec"]["correctness"]
        for entry in of(DocumentEntry, tree(BASELINE, put(workload__tolerance=tolerance)))
        if entry.kind == "WorkloadCase"
    ]
    assert {
        "comparator": "flashinfer_bench_eval",
        "maxAbsoluteError": 0.01,
        "requiredMatchedRatio": 0.99,
    } in cases


# Fetching


def test_fetching_leads_from_the_listing_to_the_files_at_its_revision() -> None:
    [listing] = flashinfer.first(flashinfer.SOURCE.location)
    assert listing == Request("https://huggingface.co/api/datasets/flashinfer-ai/flashinfer-trace", "info.json")
    requests = flashinfer.following(listing, (FIXTURE / "info.json").read_bytes())
    at = (
        "https://huggingface.co/datasets/flashinfer-ai/flashinfer-trace/resolve/"
        "0123456789abcdef0123456789abcdef01234567/"
    )
    assert list(requests) == [Request(at + name, name) for name in (DEFINITION, PLAIN, BASELINE)]
    assert flashinfer.following(requests[0], b"anything") == ()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"sha": "ab', "info.json: line 1: sha: is not JSON: a string has no closing quote"),
        (b"[]", 'info.json: the listing is not {"sha": <revision>, "siblings": […]}'),
        (b'{"sha": "../x", "siblings": []}', 'info.json: the listing is not {"sha": <revision>, "siblings": […]}'),
        (
            b'{"sha": "ab", "siblings": [{"rfilename": "traces/../../x.json"}]}',
            "info.json: names a file outside the tree: traces/../../x.json",
        ),
    ],
)
def test_a_listing_that_can_not_be_followed_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(Unreadable) as refused:
        flashinfer.following(Request(flashinfer.SOURCE.location, "info.json"), body)
    assert str(refused.value) == message
