"""The columns of each row, as they follow from its document."""

from datetime import UTC, datetime
from typing import Any

import pytest

from registry.core import columns

OPERATION: dict[str, Any] = {
    "family": "elementwise",
    "axes": {
        "rows": {"role": "variable", "type": "integer"},
        "hidden": {"role": "constant", "type": "integer", "value": 64},
    },
    "inputs": [{"name": "x", "tensor": {"shape": ["rows", "hidden"], "dtype": "float"}}],
    "outputs": [{"name": "y", "tensor": {"shape": ["rows", "hidden"], "dtype": "float"}}],
    "semantics": {"mutation": "none", "determinism": "unspecified"},
}
RUN: dict[str, Any] = {
    "workloadDigest": "sha256:" + "1" * 64,
    "protocolDigest": "sha256:" + "2" * 64,
    "environmentDigest": "sha256:" + "3" * 64,
    "implementationDigest": "sha256:" + "4" * 64,
    "observedAt": "2026-07-03T03:55:35.544Z",
    "status": "passed",
    "timing": {"primaryStatistic": "median", "latencyNs": {"median": 1000}},
}


@pytest.mark.parametrize(
    ("metadata", "display_name"),
    [
        ({"name": "039_adaptive_norm"}, "Adaptive norm"),
        ({"name": "scale"}, "Scale"),
        ({"name": "relu", "title": "ReLU squared"}, "ReLU squared"),
    ],
)
def test_an_operation_is_called_by_its_title_or_its_name(metadata: dict[str, str], display_name: str) -> None:
    assert columns.operation_columns(OPERATION, metadata) == {
        "family": "elementwise", "name": metadata["name"], "display_name": display_name,
    }  # fmt: skip


def test_a_case_keeps_its_axes_and_a_suite_counts_its_cases() -> None:
    case = {"axes": {"rows": 8}, "tensors": {"x": {"shape": [8, 64], "dtype": "bf16"}}, "correctness": {}}
    suite = {
        "cases": [{"externalId": "a", "axes": {"rows": 8}}],
        "aggregation": {"metric": "latency", "statistic": "mean"},
    }
    assert columns.workload_columns("WorkloadCase", case, {"name": "one"}, OPERATION) == {
        "is_suite": False, "case_count": None, "name": "one", "label": "rows 8 · bf16", "axes": {"rows": 8},
    }  # fmt: skip
    assert columns.workload_columns("WorkloadSuite", suite, {"name": "two"}, OPERATION) == {
        "is_suite": True, "case_count": 1, "name": "two", "label": "suite of 1 case", "axes": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("metadata", "harness", "expected"),
    [
        (
            {"name": "p", "title": "Liger benchmark harness · backward pass"},
            {"name": "Liger", "version": "1"},
            {"name": "p", "label": "Liger benchmark harness · backward pass", "timed_pass": "backward",
             "harness": "Liger 1", "statistic": "median"},
        ),
        (
            {"name": "p"},
            {"name": "SOL"},
            {"name": "p", "label": "p", "timed_pass": None, "harness": "SOL", "statistic": "median"},
        ),
    ],
)  # fmt: skip
def test_a_protocol_is_labelled_by_its_title(metadata: Any, harness: Any, expected: Any) -> None:
    spec = {"harness": harness, "measurement": {"timer": "cuda_events", "primaryStatistic": "median"}}
    assert columns.protocol_columns(spec, metadata) == expected


@pytest.mark.parametrize(
    ("hardware", "expected"),
    [
        (
            {"vendor": "nvidia", "product": "NVIDIA H100", "formFactor": "80GB HBM3"},
            {"name": "NVIDIA H100 80GB HBM3", "slug": "nvidia-h100-80gb-hbm3", "vendor": "nvidia",
             "product": "NVIDIA H100", "form_factor": "80GB HBM3", "count": None},
        ),
        (
            {"vendor": "nvidia", "product": "NVIDIA H100", "formFactor": "PCIe", "count": 8},
            {"name": "8 × NVIDIA H100 PCIe", "slug": "8-nvidia-h100-pcie", "vendor": "nvidia",
             "product": "NVIDIA H100", "form_factor": "PCIe", "count": 8},
        ),
        (
            {"vendor": "nvidia", "product": "B200", "formFactor": "runner:modal"},
            {"name": "B200", "slug": "b200", "vendor": "nvidia", "product": "B200", "form_factor": None, "count": None},
        ),
    ],
)  # fmt: skip
def test_hardware_is_product_form_factor_and_count_and_no_runner(hardware: Any, expected: Any) -> None:
    assert columns.hardware_columns({"hardware": hardware}) == expected


def test_an_environment_names_its_runner() -> None:
    spec = {"hardware": {"architecture": "unknown", "formFactor": "runner:modal"}}
    assert columns.environment_columns(spec, {"name": "e", "title": "Modal"}) == {
        "name": "e", "label": "Modal", "architecture": "unknown", "runner": "modal",
    }  # fmt: skip


def test_a_projects_unstated_fields_are_none() -> None:
    assert columns.project_columns({"name": "Acme"}) == {
        "name": "Acme", "kind": None, "repository": None, "homepage": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("revision", "licensing", "expected"),
    [
        ({"commit": "abc", "version": "1"}, {"declared": "MIT", "concluded": "Apache-2.0"}, ("abc", "Apache-2.0")),
        ({"version": "1"}, {"declared": "MIT"}, ("1", "MIT")),
        ({}, {}, (None, None)),
    ],
)
def test_an_implementations_revision_is_its_commit_and_its_licence_the_concluded_one(
    revision: Any, licensing: Any, expected: Any
) -> None:
    spec = {"projectRevision": revision, "licensing": licensing, "callable": {"language": "triton"}}
    made = columns.implementation_columns(spec, {"name": "acme-scale"}, {"name": "scale"}, "Acme Kernels")
    assert (made["revision"], made["licence"]) == expected
    assert (made["author"], made["is_baseline"], made["source_digest"]) == ("Acme Kernels", False, None)


def test_an_implementations_authors_and_role_come_from_its_metadata() -> None:
    spec = {
        "projectRevision": {}, "licensing": {}, "callable": {"language": "python"},
        "source": {"contentDigest": "sha256:" + "7" * 64},
    }  # fmt: skip
    metadata = {
        "name": "n",
        "authors": [{"name": "Ada"}, {"url": "https://x"}, {"name": "Bo"}],
        "labels": {"role": "baseline"},
    }
    made = columns.implementation_columns(spec, metadata, {"name": "scale"}, "Acme")
    assert (made["author"], made["is_baseline"], made["language"]) == ("Ada, Bo", True, "python")
    assert made["source_digest"] == "sha256:7777777777777777777777777777777777777777777777777777777777777777"


def test_a_run_without_samples_spread_or_interval_states_none_of_them() -> None:
    assert columns.run_columns(RUN, {"name": "r"}) == {
        "status": "passed",
        "observed_at": datetime(2026, 7, 3, 3, 55, 35, 544000, tzinfo=UTC),
        "value": 1000.0,
        "sample_count": None,
        "interval_low": None, "interval_high": None, "interval_kind": None,
        "spread_low": None, "spread_high": None, "spread_name": None,
        "is_source_native": False,
        "benchmark": None,
        "external_id": None,
        "name": "r",
        "title": None,
    }  # fmt: skip


def test_a_source_native_run_with_percentiles_has_a_spread_and_an_external_id() -> None:
    percentile = {"metric": "latency", "unit": "ns"}
    spec = RUN | {
        "sourceNative": {"source": "s", "benchmark": "relu", "externalId": "row/1", "metrics": {}},
        "measurements": [
            percentile | {"statistic": "p20", "value": 900}, percentile | {"statistic": "p80", "value": 1300},
        ],
    }  # fmt: skip
    made = columns.run_columns(spec, {"name": "r", "title": "A run"})
    assert (made["spread_low"], made["spread_high"], made["spread_name"]) == (900.0, 1300.0, "p20 – p80")
    assert (made["interval_low"], made["interval_kind"]) == (None, None)
    assert (made["is_source_native"], made["benchmark"], made["external_id"], made["title"]) == (
        True, "relu", "row/1", "A run",
    )  # fmt: skip


def test_a_failed_run_has_no_value() -> None:
    spec = {key: value for key, value in RUN.items() if key != "timing"} | {"status": "compile_error"}
    made = columns.run_columns(spec, {"name": "r"})
    assert (made["status"], made["value"], made["sample_count"]) == ("compile_error", None, None)


def test_a_runs_files_are_its_raw_samples_and_its_log() -> None:
    raw, log = {"digest": "sha256:" + "5" * 64, "uri": "a"}, {"digest": "sha256:" + "6" * 64, "uri": "b"}
    assert columns.run_artifacts({"evidence": {"rawSamples": raw, "logs": log}}) == {
        "raw samples": ("sha256:" + "5" * 64, "a"), "log": ("sha256:" + "6" * 64, "b"),
    }  # fmt: skip
    assert columns.run_artifacts({"timing": {"rawSamples": raw}}) == {"raw samples": ("sha256:" + "5" * 64, "a")}
    assert columns.run_artifacts({}) == {}


def test_a_run_without_a_value_is_in_another_group_than_one_with_a_value() -> None:
    workload = {"operationSpecDigest": "sha256:" + "9" * 64, "correctness": {"comparator": "allclose"}}
    made = columns.group_identity(RUN, workload)
    assert (made.metric, made.statistic, made.unit) == ("latency", "median", "ns")
    failed = columns.group_identity({k: v for k, v in RUN.items() if k != "timing"}, workload)
    assert (failed.metric, failed.statistic, failed.unit) == (None, None, None)
    assert failed.correctness == made.correctness
    assert failed.key != made.key


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-07-03T03:55:35.544Z", datetime(2026, 7, 3, 3, 55, 35, 544000, tzinfo=UTC)),
        ("2026-07-03T03:55:35Z", datetime(2026, 7, 3, 3, 55, 35, tzinfo=UTC)),
        ("2026-07-03T03:55:35.123456789Z", datetime(2026, 7, 3, 3, 55, 35, 123456, tzinfo=UTC)),
    ],
)
def test_an_instant_is_cut_to_microseconds(text: str, instant: datetime) -> None:
    assert columns.instant(text) == instant
