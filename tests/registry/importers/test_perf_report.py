"""Triton's perf_report table: providers, units and what the answers may be, each bad cell's place."""

from pathlib import Path
from typing import Any

import pytest

from registry.importers import perf_report
from registry.importers.base import DocumentEntry, MissingFacts, Rejected, RunEntry, Skipped, Unreadable
from tests.registry.importers.reading import translated

ANSWERS = {
    "axes": "M, N", "providers": "Triton", "metric": "latency", "unit": "ms", "statistic": "median",
    "timer": "cuda_events", "gpu": "NVIDIA H100 PCIe", "operation": "matmul", "family": "gemm",
    "inputs": "a: fp16[m, n]", "outputs": "b: fp16[m, n]", "project": "acme", "language": "triton",
    "observed": "2026-08-01T10:00:00Z",
}  # fmt: skip
TABLE = "M,N,Triton,cuBLAS\n256.000000,512.000000,0.004096,0.005120\n"


@pytest.fixture
def entries(tmp_path: Path) -> Any:
    """The entries of a table with answers; None takes one away."""

    def give(table: str | bytes, **answers: object) -> list[Any]:
        path = tmp_path / "matmul.csv"
        path.write_bytes(table if isinstance(table, bytes) else table.encode())
        given = {name: value for name, value in (ANSWERS | answers).items() if value is not None}
        return list(translated(perf_report, path, answers=given))

    return give


def of(kind: type, found: list[Any]) -> list[Any]:
    return [entry for entry in found if isinstance(entry, kind)]


def test_each_cell_of_a_provider_is_a_run(entries: Any) -> None:
    found = entries(TABLE)
    [run] = of(RunEntry, found)
    assert run.run["spec"]["timing"] == {"primaryStatistic": "median", "latencyNs": {"median": 4096}}
    assert str(run.locate(())) == "matmul.csv: line 2: Triton"
    assert run.environment["spec"]["hardware"]["formFactor"] == "PCIe"
    assert run.protocol["spec"]["measurement"] == {"timer": "cuda_events", "primaryStatistic": "median"}
    documents = {entry.kind: entry.value for entry in of(DocumentEntry, found)}
    assert documents["WorkloadCase"]["spec"]["axes"] == {"m": 256, "n": 512}
    assert documents["ImplementationRevision"]["metadata"]["name"] == "matmul-triton"
    assert documents["ImplementationRevision"]["spec"]["callable"] == {"language": "triton", "symbol": "Triton"}
    assert [(one.reason, str(one.place)) for one in of(Skipped, found)] == [
        ("OTHER_PROVIDER", "matmul.csv: line 2: cuBLAS")
    ]


def test_a_rate_is_a_throughput_of_which_more_is_better(entries: Any) -> None:
    [run] = of(RunEntry, entries(TABLE, metric="throughput", unit="tflops"))
    assert run.run["spec"]["measurements"] == [
        {"metric": "throughput", "statistic": "median", "unit": "tflops", "value": 0.004096}
    ]


def test_a_unit_that_the_columns_state_is_not_asked(entries: Any) -> None:
    table = "M,N,Triton (GB/s),Torch (GB/s)\n256,512,1500.5,1400\n"
    [run] = of(RunEntry, entries(table, unit=None, metric=None))
    assert run.run["spec"]["measurements"][0] == {
        "metric": "throughput", "statistic": "median", "unit": "gb_s", "value": 1500.5,
    }  # fmt: skip


def test_several_providers_of_one_project_are_several_implementations(entries: Any) -> None:
    runs = of(RunEntry, entries(TABLE, providers=["Triton", "cuBLAS"]))
    assert len({run.run["spec"]["implementationDigest"] for run in runs}) == 2


def test_a_lone_provider_needs_no_choice_and_columns_beside_it_are_passed_over(entries: Any) -> None:
    found = entries("M,N,Triton,Triton-min,Diff\n1,2,3,1,0\n", providers=None)
    assert len(of(RunEntry, found)) == 1
    assert [one.reason for one in of(Skipped, found)] == ["NO_PROVIDER", "NO_PROVIDER"]


def test_carriage_returns_and_empty_lines_are_passed_over(entries: Any) -> None:
    found = entries(TABLE.replace("\n", "\r\n") + "\r\n")
    assert (len(of(RunEntry, found)), of(Rejected, found)) == (1, [])


def test_what_the_table_leaves_open_is_asked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "matmul.csv"
    path.write_text(TABLE)
    with pytest.raises(MissingFacts) as missing:
        list(translated(perf_report, path))
    assert [question.name for question in missing.value.questions] == [
        "axes", "providers", "unit", "metric", "statistic", "timer", "gpu", "dtype", "operation", "family", "inputs",
        "outputs", "project", "language", "observed",
    ]  # fmt: skip


def test_a_gpu_may_be_stated_by_its_facts(entries: Any) -> None:
    facts = {"vendor": "nvidia", "product": "NVIDIA X1", "architecture": "sm_200"}
    [run] = of(RunEntry, entries(TABLE, gpu=facts))
    assert run.environment["spec"]["hardware"] == facts


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("256,512,nan,1", "VALUE Triton: must be a number, got 'nan'"),
        ("256,512,inf,1", "VALUE Triton: must be a number, got 'inf'"),
        ("256,512,None,1", "VALUE Triton: must be a number, got 'None'"),
        ("256,512,,1", "VALUE Triton: must be a number, got ''"),
        ("256,512,-1,1", "VALUE Triton: must be over 0 and below 2^53 ns, got '-1'"),
        ("256,512,0.000000,1", "VALUE Triton: must be over 0 and below 2^53 ns, got '0.000000'"),
        ("256,512,0.0000004,1", "VALUE Triton: rounds to 0 ns: '0.0000004'"),
        ("256,512,1_000,1", "VALUE Triton: must be a number, got '1_000'"),
        ("256,512,1 ms,1", "VALUE Triton: must be a number, got '1 ms'"),
        ("256.5,512,1,1", "AXIS M: must be a whole number, got '256.5'"),
        ("bf16,512,1,1", "AXIS M: must be a whole number, got 'bf16'"),
        ("256,1e300,1,1", "AXIS N: must be a whole number, got '1e300'"),
        ("256,512,1", "COLUMN_COUNT : has 3 cells, the header 4"),
        ("256,512,1,1,1", "COLUMN_COUNT : has 5 cells, the header 4"),
    ],
)
def test_a_cell_that_gives_no_run_is_told(entries: Any, cells: str, expected: str) -> None:
    found = entries(f"{TABLE}{cells}\n")
    [rejected] = of(Rejected, found)
    assert f"{rejected.reason} {rejected.place.path}: {rejected.message}" == expected
    assert (rejected.place.line, rejected.row) == (3, cells)
    assert len(of(RunEntry, found)) == 1


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"axes": "N, M"}, "fact axes: the file's columns begin 'M, N, Triton, cuBLAS'; providers come after the axes"),
        ({"axes": "M, N, Triton, cuBLAS"},
         "fact axes: the file's columns begin 'M, N, Triton, cuBLAS'; providers come after the axes"),
        ({"providers": "triton"}, "fact providers: the file has no provider 'triton'; it has Triton, cuBLAS"),
        ({"unit": "miles"}, "fact unit: must be one of ns, us, ms, s, tflops, gflops, gb_s, tb_s, got 'miles'"),
        ({"metric": "throughput"}, "fact metric: throughput is not measured in ms"),
        ({"statistic": "p99"}, "fact statistic: must be one of median, mean, got 'p99'"),
        ({"gpu": "HAL 9000"},
         "fact gpu: no GPU 'HAL 9000' is known; a companion file may state vendor, product, architecture"),
        ({"gpu": {"product": "HAL"}},
         "fact gpu: must have vendor, product and architecture, perhaps formFactor, and nothing else"),
        ({"inputs": "a"}, "fact inputs: a tensor is written \"name: dtype[axis, axis]\", got 'a'"),
        ({"observed": "soon"}, "fact observed: must be a date or a time with its zone, got 'soon'"),
        ({"color": "red"}, "fact color: answers no question here; asked are axes, commit, cuda, driver"),
    ],
)  # fmt: skip
def test_an_answer_that_makes_no_sense_is_named(entries: Any, answers: dict[str, object], expected: str) -> None:
    with pytest.raises(Unreadable) as refused:
        entries(TABLE, **answers)
    assert str(refused.value).startswith(expected)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (b"", "matmul.csv: line 1: must name at least two columns, each once, got ''"),
        (b"M\n1\n", "matmul.csv: line 1: must name at least two columns, each once, got 'M'"),
        (b"M,M,A\n", "matmul.csv: line 1: must name at least two columns, each once, got 'M,M,A'"),
        (b"\xef\xbb\xbfM,N,A\n", "matmul.csv: line 1: starts with a byte order mark; write plain UTF-8"),
        (b"\xff\xfeM\x00", "matmul.csv: line 1: starts with a byte order mark; write plain UTF-8"),
        (b"M,N,A\n1,\xff,2\n", "matmul.csv: line 2: is not UTF-8: byte 0xff"),
        (b'M,N,A\n1,"2,3\n', "matmul.csv: line 2: unexpected end of data"),
        (b"M,N,A\n1,2,0.512\n3,4,0.51",
         "matmul.csv: line 3: the file ends inside this line: the tool ends each with a break"),
        (b"M,N,A (ms),B (GB/s)\n", "matmul.csv: line 1: the columns state different units: gb_s, ms"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_unreadable(entries: Any, table: bytes, expected: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        entries(table, providers=None)
    assert str(unreadable.value) == expected


def test_a_unit_that_the_file_contradicts_is_refused(entries: Any) -> None:
    with pytest.raises(Unreadable, match="fact unit: the file says gb_s"):
        entries("M,N,Triton (GB/s)\n1,2,3\n", providers=None)
