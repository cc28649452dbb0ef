"""Liger-Kernel's CSV: the golden row, each reason for which a row is not taken, and what a file may not be."""

from pathlib import Path
from typing import Any

import pytest

from registry.core.digest import document_text, sha256
from registry.core.kinds import parse
from registry.importers import liger
from registry.importers.base import CoverageEntry, DocumentEntry, Rejected, RunEntry, SourceEntry, Unreadable
from registry.importers.liger import COLUMNS, kebab
from tests.conftest import SHARED
from tests.registry.importers.reading import translated

FIXTURE = Path(__file__).parents[3] / "registry/fixtures/liger-relu-squared.csv"
HEADER = ",".join(COLUMNS)
GOLDEN = {  # linkedin/Liger-Kernel benchmark/data/all_benchmark_data.csv line 1931
    "kernel_name": "relu_squared",
    "kernel_provider": "torch",
    "kernel_operation_mode": "backward",
    "metric_name": "speed",
    "metric_unit": "ms",
    "x_name": "N",
    "x_label": "hidden size",
    "x_value": "4096",
    "y_value_50": "0.1263359934091568",
    "y_value_20": "0.12515200674533844",
    "y_value_80": "0.1271360069513321",
    "extra_benchmark_config_str": '"{""M"": 4096, ""dtype"": ""torch.bfloat16""}"',
    "gpu_name": "NVIDIA H100 80GB HBM3",
    "timestamp": "2026-03-27 06:09:46",
    "liger_version": "0.7.0",
}
KEY = "relu_squared/backward/torch/nvidia-h100-80gb-hbm3/hidden4096-rows4096-bf16/2026-03-27-06-09-46"
NAME = "liger-relu-squared-backward-torch-nvidia-h100-80gb-hbm3-hidden4096-rows4096-bf16-2026-03-27-06-09-46"


def line(**columns: str) -> str:
    return ",".join((GOLDEN | columns).values())


@pytest.fixture
def csv(tmp_path: Path) -> Any:
    def write(*lines: str, header: str = HEADER, end: str = "\n") -> Path:
        path = tmp_path / "rows.csv"
        path.write_bytes("".join(text + end for text in (header, *lines)).encode())
        return path

    return write


def of(kind: type, path: Path) -> list[Any]:
    return [entry for entry in translated(liger, path) if isinstance(entry, kind)]


def faults(path: Path) -> list[str]:
    return [f"{entry.reason} {entry.place}: {entry.message}" for entry in of(Rejected, path)]


def digest(value: Any) -> str:
    manifest = parse(value)
    return sha256(document_text(manifest.kind, manifest.spec))


# The golden row


def test_the_golden_row_gives_the_documents_that_are_published(csv: Any) -> None:
    [run] = of(RunEntry, csv(line()))
    assert digest(run.run) == "sha256:e623e9242d413ecb009420593bdc959332909ee286c0e13ed1a7f98117891b24"
    assert run.run == {
        "apiVersion": "kernelindex.dev/v1alpha1",
        "kind": "BenchmarkRun",
        "metadata": {
            "name": NAME,
            "title": "ReLU squared · torch · backward",
            "labels": {"liger_version": "0.7.0"},
        },
        "spec": {
            "implementationDigest": digest(named(csv(line()), "ImplementationRevision")),
            "workloadDigest": digest(named(csv(line()), "WorkloadCase")),
            "protocolDigest": digest(run.protocol),
            "environmentDigest": digest(run.environment),
            "observedAt": "2026-03-27T06:09:46.000Z",
            "status": "passed",
            "timing": {"primaryStatistic": "median", "latencyNs": {"median": 126336}},
            "measurements": [
                {"metric": "latency", "statistic": "p20", "unit": "ns", "value": 125152},
                {"metric": "latency", "statistic": "p80", "unit": "ns", "value": 127136},
            ],
            "sourceNative": {
                "source": "liger-kernel-bench",
                "benchmark": "relu_squared/backward",
                "externalId": KEY,
                "metrics": {
                    "ms_50": 0.1263359934091568,
                    "ms_20": 0.12515200674533844,
                    "ms_80": 0.1271360069513321,
                },
            },
        },
    }
    assert (run.source, run.implementation) == ("liger-kernel-bench", ("pytorch", "liger-bench-relu-squared-torch"))
    assert (run.upstream_key, run.published_at, run.id) == (KEY, None, None)
    assert [code for code, _ in run.flags] == ["TIME_ZONE_NOT_STATED"]


def named(path: Path, kind: str) -> Any:
    [document] = [entry.value for entry in of(DocumentEntry, path) if entry.kind == kind]
    return document


def test_the_entries_of_a_row_come_in_order(csv: Any) -> None:
    entries = list(translated(liger, csv(line())))
    assert [entry.kind if isinstance(entry, DocumentEntry) else type(entry) for entry in entries] == [
        SourceEntry, "SoftwareProject", "OperationSpec", "WorkloadCase", "ImplementationRevision", RunEntry,
        CoverageEntry,
    ]  # fmt: skip
    assert entries[-1] == CoverageEntry((KEY,), 1, "every speed row of this kernel, case, pass and GPU in the file")


def test_translating_twice_gives_equal_documents() -> None:
    first, second = ([entry.value for entry in of(DocumentEntry, FIXTURE)] for _ in range(2))
    assert first == second


def test_what_upstream_does_not_state_stays_absent(csv: Any) -> None:
    [run] = of(RunEntry, csv(line()))
    assert run.environment["spec"] == {
        "hardware": {"vendor": "nvidia", "product": "NVIDIA H100", "architecture": "sm_90", "formFactor": "80GB HBM3"},
        "software": {},
    }
    assert run.protocol["spec"]["measurement"] == {"timer": "cuda_events", "primaryStatistic": "median"}
    assert "samples" not in run.run["spec"]["timing"]


def test_a_spread_that_is_not_a_number_leaves_a_run_without_spread(csv: Any) -> None:
    [run] = of(RunEntry, csv(line(y_value_20="nan")))
    assert "measurements" not in run.run["spec"]
    assert run.run["spec"]["sourceNative"]["metrics"] == {"ms_50": 0.1263359934091568, "ms_80": 0.1271360069513321}


def test_lines_may_end_as_on_windows(csv: Any) -> None:
    windows = [entry.run for entry in of(RunEntry, csv(line(), end="\r\n"))]
    assert windows == [entry.run for entry in of(RunEntry, csv(line()))]


def test_places_are_lines_of_the_file(csv: Any) -> None:
    path = csv(line(), line(timestamp="2026-03-28 00:00:00"))
    assert [str(run.locate(("run", "spec"))) for run in of(RunEntry, path)] == [
        "rows.csv: line 2: run.spec",
        "rows.csv: line 3: run.spec",
    ]


def test_further_columns_do_no_harm(csv: Any) -> None:
    assert len(of(RunEntry, csv(line() + ",more", header=HEADER + ",another"))) == 1


# Rows that are not taken


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"metric_name": "memory"}, "MEMORY_ROW metric_name: memory rows are not read yet, speed rows are"),
        ({"kernel_name": "geglu"}, "UNKNOWN_KERNEL kernel_name: no mapping for kernel 'geglu'"),
        ({"kernel_operation_mode": "sideways"}, "UNKNOWN_PASS kernel_operation_mode: unknown pass 'sideways'"),
        ({"kernel_operation_mode": ""}, "UNKNOWN_PASS kernel_operation_mode: unknown pass ''"),
        ({"kernel_provider": "someone"}, "UNKNOWN_PROVIDER kernel_provider: unknown provider 'someone'"),
        ({"metric_unit": "us"}, "UNIT metric_unit: speed is stated in ms, got 'us'"),
        ({"gpu_name": "NVIDIA Z9"}, "UNKNOWN_GPU gpu_name: no mapping for GPU 'NVIDIA Z9'"),
        ({"x_name": "V"}, "UNKNOWN_CONFIG x_name: relu_squared is swept over N"),
        ({"x_value": "0"}, "UNKNOWN_CONFIG x_value: x must be a positive whole number, got '0'"),
        ({"x_value": "4096.0"}, "UNKNOWN_CONFIG x_value: x must be a positive whole number, got '4096.0'"),
        ({"x_value": "-4"}, "UNKNOWN_CONFIG x_value: x must be a positive whole number, got '-4'"),
        ({"x_value": "9" * 16}, f"UNKNOWN_CONFIG x_value: x must be a positive whole number, got '{'9' * 16}'"),
        (
            {"extra_benchmark_config_str": '"{""dtype"": ""torch.bfloat16""}"'},
            "UNKNOWN_CONFIG extra_benchmark_config_str: M must be a positive whole number, got None",
        ),
        (
            {"extra_benchmark_config_str": '"{""M"": true, ""dtype"": ""torch.bfloat16""}"'},
            "UNKNOWN_CONFIG extra_benchmark_config_str: M must be a positive whole number, got True",
        ),
        (
            {"extra_benchmark_config_str": '"{""M"": 4096, ""dtype"": ""torch.int4""}"'},
            "UNKNOWN_CONFIG extra_benchmark_config_str: unknown dtype 'torch.int4'",
        ),
        (
            {"extra_benchmark_config_str": '"{""M"": 4096}"'},
            "UNKNOWN_CONFIG extra_benchmark_config_str: unknown dtype None",
        ),
        ({"extra_benchmark_config_str": "[]"}, "CONFIG extra_benchmark_config_str: must be a JSON object"),
        (
            {"extra_benchmark_config_str": "{M: 1}"},
            'CONFIG extra_benchmark_config_str: line 1: is not JSON: expected a key in double quotes, found "M: 1}"',
        ),
        (
            {"extra_benchmark_config_str": '"{""M"": 1, ""M"": 2}"'},
            "CONFIG extra_benchmark_config_str: line 1: M: is written twice in one object",
        ),
        ({"timestamp": "2026-03-27"}, "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got '2026-03-27'"),
        (
            {"timestamp": "2026-02-30 00:00:00"},
            "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got '2026-02-30 00:00:00'",
        ),
        ({"y_value_50": "nan"}, "VALUE y_value_50: must be finite and not negative, got 'nan'"),
        ({"y_value_50": "inf"}, "VALUE y_value_50: must be finite and not negative, got 'inf'"),
        ({"y_value_50": "-1"}, "VALUE y_value_50: must be finite and not negative, got '-1'"),
        ({"y_value_50": "fast"}, "VALUE y_value_50: not a number: 'fast'"),
        ({"y_value_50": ""}, "VALUE y_value_50: not a number: ''"),
        ({"y_value_20": "inf"}, "VALUE y_value_20: must be finite and not negative, got 'inf'"),
        ({"y_value_80": "-0.1"}, "VALUE y_value_80: must be finite and not negative, got '-0.1'"),
        ({"y_value_50": "1e300"}, "VALUE y_value_50: out of range: 1e+300 ms"),
    ],
)
def test_a_row_that_is_not_taken_says_why(csv: Any, columns: dict[str, str], fault: str) -> None:
    reason, rest = fault.split(" ", 1)
    path = csv(line(**columns), line())
    assert faults(path) == [f"{reason} rows.csv: line 2: {rest}"]
    assert len(of(RunEntry, path)) == 1


def test_the_same_row_twice_is_taken_once(csv: Any) -> None:
    path = csv(line(), line())
    assert faults(path) == [f"DUPLICATE rows.csv: line 3: timestamp: {KEY} stands on an earlier line"]
    assert len(of(RunEntry, path)) == 1


@pytest.mark.parametrize("text", ["", "a,b", line() + ",more"], ids=["blank", "short", "long"])
def test_a_ragged_row_is_not_taken(csv: Any, text: str) -> None:
    assert faults(csv(text)) == ["COLUMN_COUNT rows.csv: line 2: a record has 15 cells"]


# Files that are not read


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("", "rows.csv: line 1: the header lacks kernel_name, kernel_provider, "),
        (HEADER.replace("gpu_name", "gpu"), "rows.csv: line 1: the header lacks gpu_name"),
        ("\ufeff" + HEADER, "rows.csv: line 1: the header lacks kernel_name"),
    ],
    ids=["none", "a column", "byte order mark"],
)
def test_a_header_that_lacks_a_column_makes_the_file_unreadable(csv: Any, header: str, words: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        list(translated(liger, csv(line(), header=header)))
    assert str(unreadable.value).startswith(words)


@pytest.mark.parametrize("data", [b"\xff\xfe", HEADER.encode() + b'\n"unclosed', b""])
def test_a_file_that_is_no_csv_is_unreadable(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    with pytest.raises(Unreadable, match=r"rows\.csv"):
        list(translated(liger, path))


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="No such file"):
        list(translated(liger, tmp_path / "absent.csv"))


# The sweep


def test_all_48_rows_of_the_sweep_are_taken() -> None:
    assert faults(FIXTURE) == []
    runs = of(RunEntry, FIXTURE)
    assert len(runs) == len({digest(run.run) for run in runs}) == 48
    coverage = of(CoverageEntry, FIXTURE)
    assert [entry.offered for entry in coverage] == [2] * 24


@pytest.mark.shared
def test_the_upstream_s_file_gives_exactly_the_published_runs() -> None:
    path = SHARED / "data/liger/all_benchmark_data.csv"
    rows = [text.split("\t") for text in (SHARED / "data/liger/expected-digests.tsv").read_text().splitlines()[1:]]
    expected = {key: run for key, run, *_ in rows if key.startswith("relu_squared/")}
    assert {run.upstream_key: digest(run.run) for run in of(RunEntry, path)} == expected
    assert len(expected) == 48
    assert {entry.reason for entry in of(Rejected, path)} == {"MEMORY_ROW", "UNKNOWN_KERNEL"}


@pytest.mark.parametrize(
    ("text", "slug"),
    [("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3"), ("--A__b!", "a-b"), ("a" * 99 + "-b", "a" * 99 + "-")],
)
def test_names_are_cut_after_they_are_trimmed(text: str, slug: str) -> None:
    assert kebab(text) == slug
