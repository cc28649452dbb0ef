"""Specs as lists of facts: every field that is stated, under a label that a reader knows."""

from typing import Any

import pytest

from registry.core.readable import environment_facts, humanised, leaves, protocol_facts, written


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("primaryStatistic", "primary statistic"),
        ("evaluation_stack", "evaluation stack"),
        ("maxAbsoluteError", "max absolute error"),
        ("timer", "timer"),
        ("sm90Count", "sm90 count"),
    ],
)
def test_keys_are_written_as_words(key: str, words: str) -> None:
    assert humanised(key) == words


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("measurement.compileIncluded", True, "yes"),
        ("measurement.compileIncluded", False, "no"),
        ("hardware.memoryBytes", 85899345920, "80 GiB"),
        ("hardware.memoryBytes", 85520809984, "79.65 GiB"),
        ("measurement.warmupDuration", 1500000, "1,500,000 ns"),
        ("devicePolicy.powerLimitWatts", 700, "700 W"),
        ("measurement.samples", 12000, "12,000"),
        ("software.libraries", ["triton", "torch"], "triton, torch"),
        ("measurement.timer", "cuda_events", "cuda_events"),
    ],
)
def test_a_value_is_written_for_reading(path: str, value: object, text: str) -> None:
    assert written(path, value) == text


def test_every_leaf_is_found_with_its_path_and_a_list_is_one_leaf() -> None:
    spec = {"a": {"b": 1, "c": {"d": "x"}}, "e": ["p", {"q": 1}], "f": {}, "g": []}
    assert list(leaves(spec)) == [("a.b", 1), ("a.c.d", "x"), ("e", ["p", {"q": 1}]), ("g", [])]


def test_a_protocols_facts_stand_in_one_order_and_leave_out_the_notes() -> None:
    spec: dict[str, Any] = {
        "comparability": {"notes": "Long.", "family": "sol"},
        "measurement": {"primaryStatistic": "mean", "timer": "harness_reported", "novel": {"thing": True}},
        "correctness": {"reference": "definition", "comparator": "sol_eval"},
        "harness": {"version": "v1.0", "name": "SOL", "commit": "abc"},
    }
    assert protocol_facts(spec) == [
        ("harness", "harness", "SOL v1.0"),
        ("commit", "harness.commit", "abc"),
        ("timer", "measurement.timer", "harness_reported"),
        ("primary statistic", "measurement.primaryStatistic", "mean"),
        ("correctness reference", "correctness.reference", "definition"),
        ("comparator", "correctness.comparator", "sol_eval"),
        ("comparability family", "comparability.family", "sol"),
        ("thing", "measurement.novel.thing", "yes"),
    ]


def test_an_environments_facts_are_all_but_vendor_product_and_architecture() -> None:
    spec: dict[str, Any] = {
        "hardware": {
            "vendor": "nvidia", "product": "NVIDIA H100", "architecture": "sm_90", "formFactor": "80GB HBM3",
            "memoryBytes": 85899345920, "count": 1,
        },
        "software": {
            "driver": "580.1", "cudaToolkit": "13.0", "operatingSystem": "Ubuntu",
            "framework": {"name": "torch", "version": "2.11"},
        },
        "settings": {"eccEnabled": True},
    }  # fmt: skip
    assert environment_facts(spec) == [
        ("form factor", "hardware.formFactor", "80GB HBM3"),
        ("memory", "hardware.memoryBytes", "80 GiB"),
        ("count", "hardware.count", "1"),
        ("driver", "software.driver", "580.1"),
        ("CUDA toolkit", "software.cudaToolkit", "13.0"),
        ("operating system", "software.operatingSystem", "Ubuntu"),
        ("ECC enabled", "settings.eccEnabled", "yes"),
        ("framework", "software.framework", "torch 2.11"),
    ]


def test_a_runner_label_is_no_form_factor() -> None:
    spec = {
        "hardware": {"vendor": "n", "product": "B200", "architecture": "unknown", "formFactor": "runner:modal"},
        "software": {},
    }
    assert environment_facts(spec) == []
