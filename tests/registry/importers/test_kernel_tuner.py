"""Kernel Tuner's files: the fastest configuration with its samples, twins, open caches, and what can't be read."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.core.kinds import parse
from registry.core.measurement import interval
from registry.importers import kernel_tuner
from registry.importers.base import (
    BytesEntry,
    DocumentEntry,
    InputFile,
    Known,
    MissingFacts,
    Pending,
    Rejected,
    RunEntry,
    Skipped,
    Unreadable,
)
from tests.conftest import SHARED

ANSWERS: dict[str, object] = {
    "timer": "cuda_events", "problem_size": "width = 64; height = 32", "operation": "blur", "family": "conv",
    "inputs": "a: fp32[height, width]", "outputs": "b: fp32[height, width]", "project": "acme", "language": "cuda_cpp",
}  # fmt: skip
ALONE = {"gpu": "NVIDIA A100-PCIE-40GB", "implementation": "blur-tuned"}
SAMPLES = [2.5 + 0.01 * (number % 3) for number in range(12)]


def entry(times: object = None, **changes: object) -> dict[str, Any]:
    times = SAMPLES if times is None else times
    return {"block": 16, "time": 2.5, "times": times, "timestamp": "2026-08-01 09:54:05+00:00"} | changes


def cache(**entries: object) -> dict[str, Any]:
    return {
        "device_name": "NVIDIA A100-PCIE-40GB", "kernel_name": "blur_kernel", "problem_size": [64, 32],
        "tune_params_keys": ["block"], "cache": entries or {"16": entry()},
    }  # fmt: skip


def result(runtimes: object = None, **changes: object) -> dict[str, Any]:
    return {
        "timestamp": "2026-08-01 09:54:05.502007+00:00", "configuration": {"block": 16},
        "times": {"runtimes": SAMPLES if runtimes is None else runtimes}, "invalidity": "correct", "correctness": 1,
    } | changes  # fmt: skip


def t4(*results: object, unit: str = "miliseconds") -> dict[str, Any]:
    return {"metadata": {"timeunit": unit}, "results": list(results), "schema_version": "1.0.0"}


@pytest.fixture
def entries(tmp_path: Path) -> Any:
    """The entries of files by name, with answers."""

    def give(files: dict[str, object], known: Known | None = None, **answers: object) -> list[Any]:
        inputs = []
        for name, content in files.items():
            path = tmp_path / name
            path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=1).encode())
            inputs.append(InputFile(name, path))
        return list(kernel_tuner.translate(inputs, known or Known(answers=ANSWERS | answers)))

    return give


def of(kind: type, found: list[Any]) -> list[Any]:
    return [one for one in found if isinstance(one, kind)]


def test_the_fastest_configuration_of_a_cache_is_a_run(entries: Any) -> None:
    found = entries({"A100.json": cache(a=entry([3.0, 3.5], block=8), b=entry())})
    [run] = of(RunEntry, found)
    spec = run.run["spec"]
    assert spec["timing"]["latencyNs"] == {
        "mean": 2510000, "median": 2510000, "minimum": 2500000, "maximum": 2520000,
    }  # fmt: skip
    assert (spec["timing"]["samples"], spec["observedAt"]) == (12, "2026-08-01T09:54:05.000Z")
    assert run.environment["spec"]["hardware"]["formFactor"] == "PCIE-40GB"
    [implementation] = [one for one in of(DocumentEntry, found) if one.kind == "ImplementationRevision"]
    assert implementation.value["metadata"]["name"] == "blur-kernel"
    assert implementation.value["spec"]["callable"]["symbol"] == "blur_kernel<block=16>"
    assert [(one.reason, one.place.path) for one in of(Skipped, found)] == [("SLOWER_CONFIGURATION", "cache.a")]


def test_raw_samples_and_the_search_go_along(entries: Any) -> None:
    found = entries({"A100.json": cache(a=entry([3.0, 3.5], block=8), b=entry())})
    samples, space = of(BytesEntry, found)
    [run] = of(RunEntry, found)
    assert run.run["spec"]["timing"]["rawSamples"] == {"uri": "A100-samples.json", "digest": samples.digest}
    assert run.run["spec"]["evidence"]["logs"] == {"uri": "A100-search-space.jsonl", "digest": space.digest}
    assert json.loads(samples.data) == {"unit": "ms", "samples": SAMPLES}
    assert [json.loads(line) for line in space.data.splitlines()] == [
        {"configuration": {"block": 8}, "samples_ms": [3, 3.5]},
        {"configuration": {"block": 16}, "samples_ms": SAMPLES},
    ]


def test_an_interval_of_the_mean_is_derived_from_ten_samples_and_more(entries: Any) -> None:
    [run] = of(RunEntry, entries({"A100.json": cache()}))
    [few] = of(RunEntry, entries({"A100.json": cache(a=entry(SAMPLES[:9]))}))
    derived = interval(parse(run.run).spec)
    assert derived is not None
    assert (round(derived.low), round(derived.high), str(derived.kind)) == (2504582, 2515418, "derived")
    assert interval(parse(few.run).spec) is None


def test_one_sample_has_no_deviation(entries: Any) -> None:
    [run] = of(RunEntry, entries({"A100.json": cache(a=entry([2.5]))}))
    assert "measurements" not in run.run["spec"]


def test_a_t4_takes_from_its_cache_what_it_lacks(entries: Any) -> None:
    found = entries({"A100.json": cache(a=entry([9.0])), "A100_T4.json": t4(result())})
    [run] = of(RunEntry, found)
    assert str(run.locate(())) == "A100_T4.json: line 6: results[0]"
    assert run.run["spec"]["timing"]["samples"] == 12
    assert run.environment["spec"]["hardware"]["product"] == "NVIDIA A100"


def test_a_t4_alone_asks_for_gpu_and_kernel(entries: Any) -> None:
    with pytest.raises(MissingFacts) as missing:
        entries({"A100_T4.json": t4(result())}, Known())
    assert [question.name for question in missing.value.questions] == [
        "implementation", "timer", "problem_size", "gpu", "dtype", "operation", "family", "inputs", "outputs",
        "project", "language",
    ]  # fmt: skip
    [run] = of(RunEntry, entries({"A100_T4.json": t4(result())}, **ALONE))
    assert run.environment["spec"]["hardware"]["formFactor"] == "PCIE-40GB"


def test_a_time_without_a_zone_is_asked(entries: Any) -> None:
    with pytest.raises(MissingFacts, match="observed"):
        entries({"A100.json": cache(a=entry(timestamp="2026-08-01 09:54:05"))})


def test_an_unknown_gpu_waits_for_a_person(entries: Any) -> None:
    [pending] = of(Pending, entries({"A.json": cache() | {"device_name": "Moon GPU"}}))
    assert (pending.kind, pending.name, pending.key) == ("gpu", "Moon GPU", "blur_kernel")


@pytest.mark.parametrize("end", [b"", b",", b",\n", b"\n"])
def test_a_cache_that_was_left_open_is_read_and_told(entries: Any, end: bytes) -> None:
    whole = json.dumps(cache(a=entry()), indent=1).encode()
    found = entries({"A100.json": whole.rstrip(b"}\n ") + b"}" + end})
    assert len(of(RunEntry, found)) == 1
    assert [(one.reason, str(one.place)) for one in of(Skipped, found)] == [
        ("CACHE_LEFT_OPEN", "A100.json: line 11: cache")
    ]


@pytest.mark.parametrize(
    ("failed", "reason"),
    [
        (result(invalidity="runtime"), "RUNTIME_FAILED"),
        (result(invalidity="compile"), "COMPILATION_FAILED"),
        (result(invalidity="constraints"), "INVALID_CONFIGURATION"),
        (result(invalidity="correctness"), "WRONG_RESULT"),
        (result(invalidity="lunar"), "INVALID_CONFIGURATION"),
    ],
)
def test_a_configuration_that_failed_is_counted_by_its_reason(entries: Any, failed: object, reason: str) -> None:
    found = entries({"A100_T4.json": t4(failed, result())}, **ALONE)
    assert [(one.reason, str(one.place)) for one in of(Skipped, found)] == [(reason, "A100_T4.json: results[0]")]


@pytest.mark.parametrize("word", ["RuntimeFailedConfig", "CompilationFailedConfig", "InvalidConfig", "Other"])
def test_so_is_one_of_a_cache(entries: Any, word: str) -> None:
    found = entries({"A100.json": cache(a={"block": 8, "time": word}, b=entry())})
    assert [one.reason for one in of(Skipped, found)] == [kernel_tuner.FAILED.get(word, "INVALID_CONFIGURATION")]


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        ("result", "SHAPE results[0]: a result is an object with its configuration"),
        ({"invalidity": "correct"}, "SHAPE results[0]: a result is an object with its configuration"),
        (result([]), "NO_SAMPLES results[0].times.runtimes: states no samples"),
        (result(times=None), "NO_SAMPLES results[0].times.runtimes: states no samples"),
        (result([2.5, "2.5"]),
         "VALUE results[0].times.runtimes[1]: a sample is a number of milliseconds, from 1 ns on, got '2.5'"),
        (result([2.5, None]),
         "VALUE results[0].times.runtimes[1]: a sample is a number of milliseconds, from 1 ns on, got None"),
        (result([1e-7]),
         "VALUE results[0].times.runtimes[0]: a sample is a number of milliseconds, from 1 ns on, got 1e-07"),
        (result([1e12]),
         "VALUE results[0].times.runtimes[0]: a sample is a number of milliseconds, from 1 ns on, got 1000000000000.0"),
        (result([-1]),
         "VALUE results[0].times.runtimes[0]: a sample is a number of milliseconds, from 1 ns on, got -1"),
        (result([True]),
         "VALUE results[0].times.runtimes[0]: a sample is a number of milliseconds, from 1 ns on, got True"),
    ],
)  # fmt: skip
def test_a_result_that_can_t_be_read_is_told(entries: Any, bad: object, expected: str) -> None:
    found = entries({"A100_T4.json": t4(bad, result())}, **ALONE)
    [rejected] = of(Rejected, found)
    assert f"{rejected.reason} {rejected.place.path}: {rejected.message}" == expected
    assert len(of(RunEntry, found)) == 1


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "A.json: line 1: is empty"),
        (b"\xef\xbb\xbf{}", "A.json: line 1: starts with a byte order mark; write plain UTF-8"),
        (b"{}", "A.json: line 1: has neither results nor a cache: this is no file of Kernel Tuner"),
        (b'{"results": [NaN]}', "A.json: line 1: results[0]: NaN is not a finite number"),
        (
            b'{"cache": {"a": {"time"',
            "A.json: line 1: cache.a.time: is not JSON: expected ':', found the end of the text",
        ),
        (b'{"a": 1, "a": 2, "cache": {}}', "A.json: line 1: a: is written twice in one object"),
        (t4(result(), unit="seconds"), "A.json: metadata.timeunit: times are read in milliseconds, got 'seconds'"),
        (t4(), "A.json: no configuration of 0 ran"),
        (t4(result(invalidity="runtime")), "A.json: no configuration of 1 ran"),
    ],
)
def test_a_file_that_gives_no_run_is_unreadable(entries: Any, content: object, expected: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        entries({"A.json": content}, **ALONE)
    assert str(unreadable.value) == expected


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"problem_size": "width = 32; height = 64"}, "fact problem_size: the cache says 64, 32"),
        ({"problem_size": "width = 64"}, "fact problem_size: the cache says 64, 32"),
        ({"problem_size": "width = 2 * 32; height = 32"}, "fact problem_size: a size is a whole number"),
        ({"problem_size": "64 x 32"}, 'fact problem_size: an axis is settled by "axis = number or expression", got'),
        (
            {"inputs": "a: fp32[depth]"},
            "fact problem_size: the tensors' sizes do not follow from the axes width, height",
        ),
        ({"timer": "sundial"}, "fact timer: must be one of cuda_events, hip_events, opencl_events, got 'sundial'"),
        ({"gpu": "NVIDIA H100"}, "fact gpu: answers no question here; asked are "),
    ],
)
def test_an_answer_that_makes_no_sense_is_named(entries: Any, answers: dict[str, object], expected: str) -> None:
    with pytest.raises(Unreadable) as refused:
        entries({"A.json": cache()}, **answers)
    assert str(refused.value).startswith(expected)


def test_a_long_configuration_is_told_by_its_digest(entries: Any) -> None:
    configuration = {f"parameter_{number}": number for number in range(30)}
    found = entries({"A100_T4.json": t4(result(configuration=configuration))}, **ALONE)
    [implementation] = [one for one in of(DocumentEntry, found) if one.kind == "ImplementationRevision"]
    symbol = implementation.value["spec"]["callable"]["symbol"]
    assert symbol.startswith("blur-tuned<sha256:")
    assert len(symbol) == 31


@pytest.mark.shared
def test_the_real_file_gives_its_one_configuration_that_ran() -> None:
    path = SHARED / "data/samples/kernel_tuner_T4.json"
    known = Known(answers=ANSWERS | ALONE)
    found = list(kernel_tuner.translate([InputFile(path.name, path)], known))
    [run] = of(RunEntry, found)
    assert run.run["spec"]["timing"]["latencyNs"]["mean"] == 3875328  # the file's own 3.8753279224038124 ms
    assert [one.reason for one in of(Skipped, found)] == ["RUNTIME_FAILED"]
    derived = interval(parse(run.run).spec)
    assert derived is not None
    assert derived.low < 3875328 < derived.high
