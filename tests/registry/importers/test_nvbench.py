"""nvbench's JSON: a golden state, devices and axes, what is left out and why, and files that are none."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.core.kinds import parse
from registry.core.measurement import interval
from registry.importers import nvbench
from registry.importers.base import DocumentEntry, MissingFacts, Rejected, RunEntry, Skipped, Unreadable
from tests.conftest import SHARED
from tests.registry.importers.reading import translated

ANSWERS = {
    "implementation": "copy-fast", "operation": "copy", "family": "memory", "inputs": "a: uint8[elements]",
    "outputs": "b: uint8[elements]", "project": "acme", "observed": "2026-08-01T10:00:00Z",
}  # fmt: skip


def summaries(**values: object) -> list[dict[str, Any]]:
    tags = {
        "samples": "nv/cold/sample_size", "mean": "nv/cold/time/gpu/mean", "noise": "nv/cold/time/gpu/stdev/relative",
        "batch": "nv/batch/time/gpu/mean", "launches": "nv/batch/sample_size",
    }  # fmt: skip
    return [{"tag": tags[name], "data": [{"name": "value", "value": value}]} for name, value in values.items()]


def axis(name: str = "Elements", kind: str = "int64", value: str = "1024") -> dict[str, str]:
    return {"name": name, "type": kind, "value": value}


def state(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Device=0", "device": 0, "axis_values": [axis()], "is_skipped": False,
        "summaries": summaries(samples="2000", mean="5.25e-06", noise="0.02"),
    } | changes  # fmt: skip


def report(*states: object, axes: list[dict[str, str]] | None = None, **changes: object) -> dict[str, Any]:
    benchmark = {"name": "copy", "axes": [axis()] if axes is None else axes, "states": list(states)}
    return {
        "meta": {"version": {"nvbench": {"string": "0.1.0", "git_sha": "a" * 40}}},
        "devices": [
            {"id": 0, "name": "NVIDIA B200", "sm_version": 1000, "ecc_state": True},
            {"id": 1, "name": "Quadro GV100", "sm_version": 700},
        ],
        "benchmarks": [benchmark],
    } | changes


@pytest.fixture
def entries(tmp_path: Path) -> Any:
    """The entries of a report, or of a text as it is, with answers."""

    def give(content: object, **answers: object) -> list[Any]:
        path = tmp_path / "copy.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=1).encode())
        return list(translated(nvbench, path, answers=ANSWERS | answers))

    return give


def of(kind: type, found: list[Any]) -> list[Any]:
    return [entry for entry in found if isinstance(entry, kind)]


def test_a_state_is_a_run_of_isolated_launches(entries: Any) -> None:
    [run] = of(RunEntry, entries(report(state())))
    spec = run.run["spec"]
    assert spec["timing"] == {"primaryStatistic": "mean", "latencyNs": {"mean": 5250}, "samples": 2000}
    assert spec["measurements"] == [
        {"metric": "latency", "statistic": "std", "unit": "ns", "value": 105.0, "sampleCount": 2000}
    ]
    assert (spec["observedAt"], run.flags, run.source) == ("2026-08-01T10:00:00.000Z", (), None)
    assert run.protocol["spec"]["measurement"] == {"timer": "cuda_events", "primaryStatistic": "mean"}
    assert run.protocol["spec"]["harness"] == {
        "name": "nvbench", "version": "0.1.0", "commit": "a" * 40, "repository": "https://github.com/NVIDIA/nvbench",
    }  # fmt: skip
    assert run.environment["spec"] == {
        "hardware": {"vendor": "nvidia", "product": "NVIDIA B200", "architecture": "sm_100"},
        "software": {},
        "settings": {"eccEnabled": True},
    }


def test_the_interval_of_the_mean_follows_from_the_noise(entries: Any) -> None:
    [run] = of(RunEntry, entries(report(state())))
    derived = interval(parse(run.run).spec)
    assert derived is not None
    assert (round(derived.low, 1), round(derived.high, 1), str(derived.kind)) == (5245.4, 5254.6, "derived")


def test_batches_are_another_run_under_another_protocol(entries: Any) -> None:
    both = summaries(samples="2000", mean="5.25e-06", batch="4.5e-06", launches="90000")
    cold, batch = of(RunEntry, entries(report(state(summaries=both))))
    assert batch.run["spec"]["timing"] == {"primaryStatistic": "mean", "latencyNs": {"mean": 4500}, "samples": 90000}
    assert "measurements" not in batch.run["spec"]
    assert cold.run["spec"]["protocolDigest"] != batch.run["spec"]["protocolDigest"]
    assert cold.run["spec"]["workloadDigest"] == batch.run["spec"]["workloadDigest"]


def test_when_measuring_stops_is_part_of_the_protocol(entries: Any) -> None:
    [run] = of(RunEntry, entries(report(state(min_samples=10, min_time=0.5, max_noise=0.005, timeout=15.0))))
    assert run.protocol["spec"]["comparability"]["notes"] == (
        "Isolated launches, each between two CUDA events and with the L2 cache flushed before it. Measured at least 10 "
        "samples, at least 0.5 s, until the relative standard deviation is under 0.005, for at most 15.0 s."
    )


def test_each_device_is_an_environment_and_one_that_no_table_knows_says_enough_itself(entries: Any) -> None:
    runs = of(RunEntry, entries(report(state(), state(device=1))))
    assert [run.environment["spec"]["hardware"]["architecture"] for run in runs] == ["sm_100", "sm_70"]
    assert runs[1].environment["spec"]["hardware"] == {
        "vendor": "nvidia", "product": "Quadro GV100", "architecture": "sm_70",
    }  # fmt: skip


def test_numbers_are_axes_and_scalars_and_names_tell_implementations_apart(entries: Any) -> None:
    values = [axis(), axis("Alpha", "float64", "0.5"), axis("T", "type", "F32"), axis("Path", "string", "fast")]
    found = entries(report(state(axis_values=values), axes=values))
    documents = {entry.kind: entry.value["spec"] for entry in of(DocumentEntry, found)}
    assert documents["WorkloadCase"]["axes"] == {"elements": 1024}
    assert documents["WorkloadCase"]["scalars"] == {"alpha": {"dtype": "fp64", "value": 0.5}}
    assert documents["OperationSpec"]["inputs"][1] == {"name": "alpha", "scalar": {"dtype": "fp64"}}
    assert documents["ImplementationRevision"]["callable"] == {
        "language": "cuda_cpp", "symbol": "copy<T=F32, Path=fast>",
    }  # fmt: skip


def test_a_benchmark_without_axes_is_one_case(entries: Any) -> None:
    found = entries(report(state(axis_values=None), axes=[]), inputs="a: uint8[16]", outputs="b: uint8[16]")
    [case] = [entry.value["spec"] for entry in of(DocumentEntry, found) if entry.kind == "WorkloadCase"]
    assert (case["axes"], case["tensors"]) == ({}, {"a": {"shape": [16], "dtype": "uint8"}})


def test_one_benchmark_is_read_at_a_time(entries: Any) -> None:
    two = report(state())
    two["benchmarks"].append({"name": "sort", "states": []})
    with pytest.raises(MissingFacts) as missing:
        entries(two)
    [question] = missing.value.questions
    assert (question.name, question.choices) == ("benchmark", ("copy", "sort"))
    found = entries(two, benchmark="copy")
    assert len(of(RunEntry, found)) == 1
    assert [(one.reason, one.place.path) for one in of(Skipped, found)] == [("OTHER_BENCHMARK", "benchmarks[1]")]


def test_a_bare_day_is_flagged(entries: Any) -> None:
    [run] = of(RunEntry, entries(report(state()), observed="2026-08-01"))
    assert [rule for rule, _ in run.flags] == ["TIME_ZONE_NOT_STATED"]


def test_what_the_file_leaves_open_is_asked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "copy.json"
    path.write_text(json.dumps(report(state())))
    with pytest.raises(MissingFacts) as missing:
        list(translated(nvbench, path))
    assert [question.name for question in missing.value.questions] == [
        "implementation", "dtype", "operation", "family", "inputs", "outputs", "project", "observed",
    ]  # fmt: skip


# Reasons


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (state(is_skipped=True, skip_reason="too big"), "SKIPPED : nvbench left it out: too big"),
        (state(is_skipped=True), "SKIPPED : nvbench left it out: no reason"),
        (state(summaries=[]), "NO_TIME .summaries: states no mean GPU time"),
        (state(summaries=None), "NO_TIME .summaries: states no mean GPU time"),
        (state(device=7), "UNKNOWN_DEVICE .device: the file has no device 7"),
        (state(summaries=summaries(mean="nan")), "VALUE .summaries: nv/cold/time/gpu/mean must be a number, got 'nan'"),
        (state(summaries=summaries(mean="inf")), "VALUE .summaries: nv/cold/time/gpu/mean must be a number, got 'inf'"),
        (state(summaries=summaries(mean="-1")),
         "VALUE .summaries: nv/cold/time/gpu/mean must be over 0 and below 2^53 ns, got '-1'"),
        (state(summaries=summaries(mean="1e-12")), "VALUE .summaries: nv/cold/time/gpu/mean rounds to 0 ns: '1e-12'"),
        (state(summaries=summaries(mean="1e-6", samples="many")),
         "VALUE .summaries: nv/cold/sample_size must be a count, got 'many'"),
        (state(summaries=summaries(mean="1e-6", noise="-0.1")),
         "VALUE .summaries: nv/cold/time/gpu/stdev/relative must be a share, got '-0.1'"),
        (state(axis_values=[axis(value="2^10")]), "AXIS .axis_values[0].value: Elements is no int64: '2^10'"),
        (state(axis_values=[axis(kind="float64", value="None")]),
         "AXIS .axis_values[0].value: Elements is no float64: 'None'"),
        (state(axis_values=[]), "AXIS .axis_values: states no elements"),
        ("state", "SHAPE : a state is an object"),
    ],
)  # fmt: skip
def test_a_state_that_gives_no_run_is_told(entries: Any, bad: object, expected: str) -> None:
    found = entries(report(bad, state()))
    [rejected] = of(Rejected, found)
    path = rejected.place.path.removeprefix("benchmarks[0].states[0]")
    assert f"{rejected.reason} {path}: {rejected.message}" == expected
    assert rejected.place.line is not None
    assert len(of(RunEntry, found)) == 1


def test_sizes_that_do_not_follow_from_the_axes_are_told(entries: Any) -> None:
    [rejected] = of(Rejected, entries(report(state()), inputs="a: uint8[rows]"))
    assert (rejected.reason, rejected.message) == ("AXIS", "the tensors' sizes do not follow from the axes elements")


def test_a_single_sample_has_no_deviation(entries: Any) -> None:
    [run] = of(RunEntry, entries(report(state(summaries=summaries(samples="1", mean="1e-6", noise="inf")))))
    assert "measurements" not in run.run["spec"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "copy.json: line 1: is empty"),
        (b"\xef\xbb\xbf{}", "copy.json: line 1: starts with a byte order mark; write plain UTF-8"),
        (b"\xff\xfe{\x00", "copy.json: line 1: starts with a byte order mark; write plain UTF-8"),
        (b"\xff", "copy.json: line 1: is not UTF-8: byte 0xff at offset 0"),
        (b'{"benchmarks": [1,]}', "copy.json: line 1: benchmarks[1]: is not JSON: expected a value, found \"]}\""),
        (b'{"benchmarks": [{}',
         "copy.json: line 1: benchmarks[0]: is not JSON: expected ',' or ']', found the end of the text"),
        (b'{"a": NaN}', "copy.json: line 1: a: NaN is not a finite number"),
        (b"{}", "copy.json: line 1: has no list of benchmarks: this is no JSON of nvbench"),
        (b"[]", "copy.json: line 1: has no list of benchmarks: this is no JSON of nvbench"),
        (b'{"meta": 1, "devices": 2, "benchmarks": [3]}',
         "copy.json: line 1: has no list of benchmarks: this is no JSON of nvbench"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_unreadable(entries: Any, data: bytes, expected: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        entries(data)
    assert str(unreadable.value) == expected


def test_odd_meta_is_no_reason_to_fail(entries: Any) -> None:
    [run] = of(RunEntry, entries(report(state(), meta=[1])))
    assert "version" not in run.protocol["spec"]["harness"]


@pytest.mark.shared
def test_the_real_file_gives_both_means() -> None:
    runs = of(
        RunEntry,
        list(
            translated(
                nvbench,
                SHARED / "data/samples/nvbench.json",
                answers=ANSWERS | {"inputs": "none", "outputs": "y: int32[1]"},
            )
        ),
    )
    assert [run.run["spec"]["timing"]["latencyNs"] for run in runs] == [{"mean": 3922}, {"mean": 1819}]
    assert all(parse(run.run) for run in runs)
