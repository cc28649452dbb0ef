"""Files of pyperf, pytest-benchmark and nvbench: hand-made in their true shape, with made-up numbers."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from attestations.core.samples import MAX_SAMPLES, Samples, SamplesError, read_samples

DATA = Path(__file__).resolve().parents[2] / "data" / "samples"


def read(name: str, named: str | None = None) -> Samples:
    return read_samples((DATA / name).read_bytes(), file_name=name, named=named)


def refusal(data: bytes | str, named: str | None = None) -> str:
    with pytest.raises(SamplesError) as error:
        read_samples(data, file_name="file.json", named=named)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "named", "values", "unit", "read_from"),
    [
        (
            "pyperf.json",
            None,
            "2.11e-6 2.12e-6 2.10e-6 2.13e-6 2.09e-6 2.15e-6",
            "s",
            'pyperf JSON, "softmax": 6 values of 2 processes, taken together',
        ),
        (
            "pyperf_suite.json",
            "rms_norm",
            "3.5e-6 3.6e-6",
            "s",
            'pyperf JSON, "rms_norm": 2 values of 1 process, taken together',
        ),
        (
            "pyperf_memory.json",
            None,
            "7360512 7364608",
            "b",
            'pyperf JSON, "timeit": 2 values of 2 processes, taken together',
        ),
        (
            "pytest_benchmark.json",
            None,
            "0.0002098 0.0002101 0.0002095 0.0002110 0.0002099 0.0002102",
            "s",
            'pytest-benchmark JSON, "bench/test_kernels.py::test_softmax"',
        ),
        (
            "pytest_benchmark_two.json",
            "bench/test_kernels.py::test_rms_norm[4096]",
            "0.0003 0.00031 0.00032",
            "s",
            'pytest-benchmark JSON, "bench/test_kernels.py::test_rms_norm[4096]"',
        ),
    ],
)
def test_the_samples_of_a_file_are_read(name: str, named: str | None, values: str, unit: str, read_from: str) -> None:
    assert read(name, named) == Samples(tuple(map(Decimal, values.split())), unit, read_from)


def test_of_nvbench_the_mean_is_read_with_its_number_and_deviation() -> None:
    assert read("nvbench.json") == Samples(
        (Decimal("0.0002098"),),
        "s",
        'nvbench JSON, "copy Device=0 Elements=1024": the mean of 2,500 launches; the file holds no samples',
        statistic="mean",
        n=2500,
        deviation=Decimal("0.000002098"),
    )


def test_of_a_single_launch_nvbench_states_no_deviation() -> None:
    found = read("nvbench_states.json", "copy Device=0 Elements=2048")
    assert (found.values, found.n, found.deviation) == ((Decimal("0.0004"),), 1, None)


@pytest.mark.parametrize(
    ("name", "named", "message"),
    [
        (
            "pyperf_suite.json",
            None,
            'benchmarks: has 2 benchmarks to choose from; name one of "softmax", "rms_norm"',
        ),
        ("pyperf_suite.json", "gelu", 'benchmarks: has no "gelu"; there are "softmax", "rms_norm"'),
        ("pyperf_calibration.json", None, "benchmarks[0].runs: no values"),
        (
            "pytest_benchmark_two.json",
            None,
            "benchmarks: has 2 benchmarks to choose from; name one of"
            ' "bench/test_kernels.py::test_softmax", "bench/test_kernels.py::test_rms_norm[4096]"',
        ),
        (
            "pytest_benchmark_summary.json",
            None,
            "benchmarks[0].stats.data: holds no samples: write the file with --benchmark-json, or save it with"
            " --benchmark-save-data",
        ),
        (
            "nvbench_states.json",
            None,
            "benchmarks: has 2 states that were measured to choose from; name one of"
            ' "copy Device=0 Elements=1024", "copy Device=0 Elements=2048"',
        ),
        ("nvbench_skipped.json", None, "benchmarks: has no states that were measured"),
        (
            "nvbench_no_time.json",
            None,
            "benchmarks[0].states[0].summaries: states no mean GPU time of isolated launches (nv/cold/time/gpu/mean)",
        ),
    ],
)
def test_a_file_that_does_not_say_which_samples_are_meant_is_refused(
    name: str, named: str | None, message: str
) -> None:
    assert refusal((DATA / name).read_bytes(), named) == message


def altered(name: str, path: list[str | int], value: Any) -> str:
    """A file with one value in it exchanged."""
    root = json.loads((DATA / name).read_text())
    place = root
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(root)


VALUES: list[str | int] = ["benchmarks", 0, "runs", 1, "values"]
MEAN: list[str | int] = ["benchmarks", 0, "states", 0, "summaries", 2, "data", 0, "value"]


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        ("pyperf.json", [*VALUES, 2], "2.1", "benchmarks[0].runs[1].values[2]: must be a number, got a string"),
        (
            "pyperf.json",
            [*VALUES, 0],
            0.0,
            'benchmarks[0].runs[1].values[0]: "0.0" is not above 0: no measurement takes no time, or less',
        ),
        (
            "pyperf.json",
            VALUES,
            [1.0] * (MAX_SAMPLES + 1),
            "benchmarks[0].runs[1].values: too many samples: at most 10,000 are read",
        ),
        ("pyperf.json", ["metadata", "unit"], "integer", 'benchmarks[0]: values in "integer" are not read'),
        ("pyperf.json", ["metadata", "unit"], ["second"], "benchmarks[0]: values in \"['second']\" are not read"),
        ("pyperf.json", ["benchmarks", 0, "runs"], None, "benchmarks[0].runs: no values"),
        ("pyperf.json", ["benchmarks", 0, "runs"], [1, "a", {}], "benchmarks[0].runs: no values"),
        (
            "pytest_benchmark.json",
            ["benchmarks", 0, "stats", "data", 5],
            None,
            "benchmarks[0].stats.data[5]: must be a number, got null",
        ),
        (
            "pytest_benchmark.json",
            ["benchmarks", 0, "stats"],
            5,
            "benchmarks[0].stats.data: holds no samples: write the file with --benchmark-json, or save it with"
            " --benchmark-save-data",
        ),
        ("nvbench.json", ["benchmarks", 0, "states"], {}, "benchmarks: has no states that were measured"),
        (
            "nvbench.json",
            MEAN,
            "inf",
            "benchmarks[0].states[0].summaries: states no mean GPU time of isolated launches (nv/cold/time/gpu/mean)",
        ),
        (
            "nvbench.json",
            MEAN,
            "fast",
            "benchmarks[0].states[0].summaries: states no mean GPU time of isolated launches (nv/cold/time/gpu/mean)",
        ),
        (
            "nvbench.json",
            MEAN,
            "-1",
            'benchmarks[0].states[0].summaries: "-1" is not above 0: no measurement takes no time, or less',
        ),
    ],
)
def test_a_faulty_value_is_named_by_its_path(name: str, path: list[str | int], value: Any, message: str) -> None:
    assert refusal(altered(name, path, value)) == message


@pytest.mark.parametrize("name", ["pyperf.json", "pytest_benchmark.json", "nvbench.json"])
@pytest.mark.parametrize("odd", [None, True, 5, -1.5, "a", [], {}, [[]], [{}], {"a": {}}, [None, 1, "a"]])
def test_no_value_of_another_type_breaks_the_reading(name: str, odd: Any) -> None:
    """Every value of each file, one after the other, exchanged for something odd: read or refused, never broken."""
    refused = 0
    for path in paths(json.loads((DATA / name).read_text()), []):
        try:
            read_samples(altered(name, path, odd), file_name=name)
        except SamplesError:
            refused += 1
    assert refused


def paths(value: Any, path: list[str | int]) -> list[list[str | int]]:
    steps: list[Any] = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    return [found for step in steps for found in ([*path, step], *paths(value[step], [*path, step]))]
