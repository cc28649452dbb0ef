"""Liger-Kernel's CSVs: the golden row, each dialect, memory beside speed, and what people settle."""

from pathlib import Path
from typing import Any

import pytest

from registry.core import comparability, measurement, naming
from registry.core.kinds import parse
from registry.importers import IMPORTERS, liger
from registry.importers.base import CoverageEntry, DocumentEntry, Rejected, RunEntry, Skipped, SourceEntry
from registry.importers.liger.documents import kebab
from tests.registry.importers.liger.writing import (
    GOLDEN,
    HEADER,
    KEY,
    LASTING,
    MEMORY,
    STATED,
    Write,
    digest,
    line,
    of,
    untaken,
)
from tests.registry.importers.reading import translated

ROOT = Path(__file__).parents[4]
FIXTURE = ROOT / "registry/fixtures/liger-relu-squared.csv"
DIALECTS = ROOT / "tests/data/liger"
NAME = "liger-relu-squared-backward-torch-nvidia-h100-80gb-hbm3-hidden4096-rows4096-bf16-2026-03-27-06-09-46"


# The golden row


def test_the_golden_row_gives_the_documents_that_are_published(csv: Write) -> None:
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
    assert (run.upstream_key, run.lasting_key, run.release) == (KEY, LASTING, "0.7.0")
    assert (run.published_at, run.id) == (None, None)
    assert [code for code, _ in run.flags] == ["TIME_ZONE_NOT_STATED"]


def named(path: Path, kind: str) -> Any:
    [document] = [entry.value for entry in of(DocumentEntry, path) if entry.kind == kind]
    return document


def test_the_entries_of_a_row_come_in_order(csv: Write) -> None:
    entries = list(translated(liger, csv(line())))
    assert [entry.kind if isinstance(entry, DocumentEntry) else type(entry) for entry in entries] == [
        SourceEntry, "SoftwareProject", "OperationSpec", "WorkloadCase", "ImplementationRevision", RunEntry,
        CoverageEntry,
    ]  # fmt: skip
    assert entries[-1] == CoverageEntry((KEY,), 1, "every speed row of this kernel, case, pass and GPU in the file")


def test_what_upstream_does_not_state_stays_absent(csv: Write) -> None:
    [run] = of(RunEntry, csv(line()))
    assert run.environment["spec"] == {
        "hardware": {"vendor": "nvidia", "product": "NVIDIA H100", "architecture": "sm_90", "formFactor": "80GB HBM3"},
        "software": {},
    }
    assert run.protocol["spec"]["measurement"] == {"timer": "cuda_events", "primaryStatistic": "median"}
    assert "samples" not in run.run["spec"]["timing"]


def test_a_spread_that_is_not_a_number_leaves_a_run_without_spread(csv: Write) -> None:
    [run] = of(RunEntry, csv(line(y_value_20="nan")))
    assert "measurements" not in run.run["spec"]
    assert run.run["spec"]["sourceNative"]["metrics"] == {"ms_50": 0.1263359934091568, "ms_80": 0.1271360069513321}


def test_places_are_lines_of_the_file(csv: Write) -> None:
    path = csv(line(), line(timestamp="2026-03-28 00:00:00"))
    assert [str(run.locate(("run", "spec"))) for run in of(RunEntry, path)] == [
        "rows.csv: line 2: run.spec",
        "rows.csv: line 3: run.spec",
    ]


@pytest.mark.parametrize(
    ("text", "slug"),
    [("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3"), ("--A__b!", "a-b"), ("a" * 99 + "-b", "a" * 99 + "-")],
)
def test_names_are_cut_after_they_are_trimmed(text: str, slug: str) -> None:
    assert kebab(text) == slug


# Passes, memory, flags


@pytest.mark.parametrize("timed_pass", ["forward", "backward", "full", "no-grad-forward"])
@pytest.mark.parametrize("metric", [{}, MEMORY], ids=["speed", "memory"])
def test_each_metric_and_pass_has_a_protocol_that_says_its_pass(
    csv: Write, timed_pass: str, metric: dict[str, str]
) -> None:
    [run] = of(RunEntry, csv(line(kernel_operation_mode=timed_pass, **metric)))
    protocol = parse(run.protocol)
    assert naming.timed_pass(protocol.metadata, protocol.spec) == timed_pass
    assert run.run["spec"]["protocolDigest"] == digest(run.protocol)


def test_no_two_protocols_are_one(csv: Write) -> None:
    passes = ("forward", "backward", "full", "no-grad-forward")
    rows = [line(kernel_operation_mode=timed_pass, **metric) for timed_pass in passes for metric in ({}, MEMORY)]
    assert len({digest(run.protocol) for run in of(RunEntry, csv(*rows))}) == 8


def test_a_memory_row_is_a_run_of_its_own_of_the_same_implementation_and_workload(csv: Write) -> None:
    speed, memory = of(RunEntry, csv(line(), line(**MEMORY)))
    spec = memory.run["spec"]
    assert "timing" not in spec
    assert spec["measurements"] == [{"metric": "memory", "statistic": "median", "unit": "mib", "value": 36.5}]
    assert spec["sourceNative"] == {
        "source": "liger-kernel-bench",
        "benchmark": "relu_squared/backward/memory",
        "externalId": KEY.replace("/backward/", "/backward/memory/"),
        "metrics": {"mib_50": 36.5, "mib_20": 36.5, "mib_80": 36.5},
    }
    assert memory.run["metadata"]["title"] == "ReLU squared · torch · backward · peak memory"
    assert str(measurement.figure(36.5, "mib")) == "36.5 MiB"
    for part in ("implementationDigest", "workloadDigest", "environmentDigest"):
        assert spec[part] == speed.run["spec"][part]
    assert memory.implementation == speed.implementation
    assert memory.protocol["spec"]["measurement"] == {"timer": "none", "primaryStatistic": "median"}
    assert [code for code, _ in memory.flags] == ["TIME_ZONE_NOT_STATED"]


def test_memory_that_differed_between_repeats_keeps_its_quantiles(csv: Write) -> None:
    [run] = of(RunEntry, csv(line(**MEMORY | {"y_value_80": "40"})))
    assert [(m["statistic"], m["value"]) for m in run.run["spec"]["measurements"]] == [
        ("median", 36.5), ("p20", 36.5), ("p80", 40.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("p20", "median", "p80", "is_flagged"),
    [
        ("5.0", "5.0", "5.0", True),
        ("4.999", "4.999", "4.999", False),
        ("5.0", "5.0", "5.1", False),
        ("4.9", "5.0", "5.0", False),
        ("nan", "6.0", "nan", False),
    ],
)
def test_equal_quantiles_from_5_ms_are_one_sample(
    csv: Write, p20: str, median: str, p80: str, is_flagged: bool
) -> None:
    [run] = of(RunEntry, csv(line(y_value_20=p20, y_value_50=median, y_value_80=p80)))
    assert ("SINGLE_SAMPLE" in dict(run.flags)) is is_flagged


# Coverage


def test_a_row_that_waits_for_its_provider_was_offered_and_not_taken(csv: Write) -> None:
    path = csv(line(), line(kernel_provider="someone"))
    assert of(CoverageEntry, path) == [
        CoverageEntry((KEY,), 2, "every speed row of this kernel, case, pass and GPU in the file")
    ]


def test_memory_and_speed_are_covered_apart(csv: Write) -> None:
    path = csv(line(), line(**MEMORY))
    assert [(entry.offered, entry.rule) for entry in of(CoverageEntry, path)] == [
        (1, "every speed row of this kernel, case, pass and GPU in the file"),
        (1, "every memory row of this kernel, case, pass and GPU in the file"),
    ]


def test_all_48_rows_of_the_sweep_are_taken() -> None:
    assert untaken(FIXTURE) == []
    runs = of(RunEntry, FIXTURE)
    assert len(runs) == len({digest(run.run) for run in runs}) == 48
    assert [entry.offered for entry in of(CoverageEntry, FIXTURE)] == [2] * 24


# Around a sync


def test_a_sync_fetches_the_three_files() -> None:
    requests = IMPORTERS["liger-kernel-bench"].first(liger.SOURCE.location)
    assert [request.name for request in requests] == [
        "all_benchmark_data.csv", "all_benchmark_data_cutedsl.csv", "all_benchmark_data_cutile.csv",
    ]  # fmt: skip
    assert {request.url.rsplit("/", 1)[0] for request in requests} == {liger.SOURCE.location.rsplit("/", 1)[0]}
    assert liger.following(requests[0], b"kernel_name\n") == ()


def test_a_rejected_row_keeps_its_key_and_its_text(csv: Write) -> None:
    text = line(metric_unit="us")
    [rejected] = of(Rejected, csv(text, end="\r\n"))
    assert (rejected.key, rejected.row) == (STATED, text)
    [ragged] = of(Rejected, csv("a,b"))
    assert (ragged.key, ragged.row) == (None, "a,b")


def test_reordered_columns_and_further_ones_do_no_harm(csv: Write) -> None:
    columns = list(reversed(GOLDEN))
    path = csv(",".join(GOLDEN[column] for column in columns) + ",more", header=",".join(columns) + ",another")
    assert [digest(run.run) for run in of(RunEntry, path)] == [digest(run.run) for run in of(RunEntry, csv(line()))]


def test_a_further_column_is_told(csv: Write) -> None:
    [skipped] = of(Skipped, csv(line() + ",more", header=HEADER + ",another"))
    assert (skipped.reason, str(skipped.place)) == ("EXTRA_COLUMN", "rows.csv: line 1: another")


def test_groups_are_told_apart_as_the_site_does(csv: Write) -> None:
    """Coverage goes by group: its parts decide a comparison key, with the metric."""
    workload = parse(named(csv(line()), "WorkloadCase")).spec
    path = csv(line(), line(kernel_provider="liger"), line(kernel_operation_mode="full"), line(**MEMORY))
    keys = []
    for run in of(RunEntry, path):
        spec = parse(run.run).spec
        keys.append(
            comparability.comparison_key(
                operation=workload["operationSpecDigest"],
                workload=spec["workloadDigest"],
                protocol=spec["protocolDigest"],
                environment=spec["environmentDigest"],
                correctness=comparability.correctness_digest(workload),
                metric=comparability.metric_key(measurement.primary(spec)),
            )
        )
    assert (keys[0] == keys[1], len(set(keys)), len(of(CoverageEntry, path))) == (True, 3, 3)
