import io
import json
from pathlib import Path

import pytest
import zstandard

from registry.core import comparability, measurement
from registry.core.comparability import ABSENT, Difference, Profile

SHARED = Path(__file__).resolve().parents[4] / "shared"

SOL_PARTS = {
    "operation": "sha256:3cc491fd1eb98b1e8fba683c2e3274f9199e2da01cadd74ccadc67da3225f336",
    "workload": "sha256:b902ef8dd87d37e4d5583fc20ac0fce3b7dd9b9f00ca84d7bddb153303559449",
    "protocol": "sha256:2964c5c4ed9cb0dcdc0f74674035bc71bf5e66620939e38441060f76434ed3e5",
    "environment": "sha256:5296c820e166474e590abb1beaf7728cdfe0a4bde9bf55f8966a40f4f5401621",
    "correctness": "sha256:d2595bd58bcaafaece79e7574209fa6a4f982d5b33b629d08422fa31037c4c7a",
    "metric": "latency:mean:ns",
}
LIGER_PARTS = {
    "operation": "sha256:ddb7fe09e7ccecb7a304760e5151718e336bc3241e991aa8926ec8deed368016",
    "workload": "sha256:5cb8c859206c6117aeecd3c604a56f1db73ea602eeaa23dba7a922bc698d4227",
    "protocol": "sha256:080e6e66e4ec75a131aa0c9121c74b8e8eed64e7b6d621d567c6a28f79548be8",
    "environment": "sha256:2750ae381d6de582f1eb6b9008e0987463d19ede8af127d97d76c5ae09121393",
    "correctness": "sha256:52ff5e65e6367fb49310aa21f4dcf442c03ff62a93e704b64778a2169d6bf45a",
    "metric": "latency:median:ns",
}


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (SOL_PARTS, "sha256:5d97d1668cb9ea2e17a8a3e674370944ac17a81abb0c6990ca3bffd4a62531e2"),
        (LIGER_PARTS, "sha256:f78db58cec2cc7eabed53fa02f442f24eb22c7bb5d5a51b9697c8b971f159d43"),
    ],
    ids=["seed 002", "seed 000"],
)
def test_a_comparison_key_is_made_bit_for_bit(parts, key):
    assert comparability.comparison_key(**parts) == key


@pytest.mark.parametrize("part", comparability.PARTS)
def test_every_part_changes_the_key(part):
    changed = SOL_PARTS | {part: LIGER_PARTS[part]}
    assert comparability.comparison_key(**changed) != comparability.comparison_key(**SOL_PARTS)


@pytest.mark.parametrize(
    ("correctness", "digest"),
    [
        (
            {
                "comparator": "sol_execbench_eval",
                "description": "Correctness must pass on every case in the SOL evaluation stack.",
            },
            SOL_PARTS["correctness"],
        ),
        ({"comparator": "not_asserted"}, LIGER_PARTS["correctness"]),
    ],
)
def test_the_correctness_digest_covers_the_policy_alone(correctness, digest):
    assert comparability.correctness_digest({"correctness": correctness, "axes": {"n": 1}}) == digest


def test_the_metric_key_joins_metric_statistic_and_unit():
    timing = {"latencyNs": {"median": 1}, "primaryStatistic": "median"}
    assert comparability.metric_key(measurement.primary({"timing": timing})) == "latency:median:ns"
    assert comparability.metric_key(None) == "none"


@pytest.mark.parametrize(
    ("spec", "profile", "text"),
    [
        ({"sourceNative": {"source": "sol-execbench"}}, Profile.SOURCE_NATIVE, "source-native comparison"),
        ({}, Profile.STRICT_EXACT, "strict exact comparison"),
    ],
)
def test_a_run_is_source_native_where_it_carries_the_block(spec, profile, text):
    assert comparability.profile(spec) is profile
    assert profile == text


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, []),
        ({"a": 1}, {"a": 2}, [("a", 1, 2)]),
        ({"a": {"b": 1}}, {"a": {}}, [("a.b", 1, ABSENT)]),
        ({}, {"a": {"b": 1, "c": [True]}}, [("a.b", ABSENT, 1), ("a.c[0]", ABSENT, True)]),
        ({"a": {}}, {}, [("a", {}, ABSENT)]),
        ({"a": {}}, {"a": []}, [("a", {}, [])]),
        ({"cases": [{"h": 1}]}, {"cases": [{"h": 2}, {"h": 3}]}, [("cases[0].h", 1, 2), ("cases[1].h", ABSENT, 3)]),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        ({"a": 0}, {"a": False}, [("a", 0, False)]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": "absent"}, {}, [("a", "absent", ABSENT)]),
        ({"env": {"A.B": "1"}}, {"env": {"A.B": "2"}}, [('env["A.B"]', "1", "2")]),
        ({"a": [1]}, {"a": {"b": 1}}, [("a", [1], {"b": 1})]),
        (1, 2, [("", 1, 2)]),
    ],
)
def test_every_differing_leaf_is_named_by_its_path(left, right, expected):
    assert comparability.differences(left, right) == tuple(Difference(*row) for row in expected)


def test_the_mark_of_absence_reads_as_a_word_but_equals_none():
    assert str(ABSENT) == "absent"
    assert ABSENT != "absent"


@pytest.mark.parametrize(
    ("changed", "parts", "text"),
    [
        ([], (), "nothing differs"),
        (["environment"], ("environment",), "environment differs"),
        (["environment", "protocol"], ("protocol", "environment"), "protocol and environment differ"),
        (
            ["metric", "workload", "operation"],
            ("operation", "workload", "metric"),
            "operation, workload and metric differ",
        ),
    ],
)
def test_the_parts_that_keep_two_groups_apart_are_named_in_order(changed, parts, text):
    other = SOL_PARTS | {part: LIGER_PARTS[part] for part in changed}
    assert comparability.differing_parts(SOL_PARTS, other) == parts
    assert comparability.parts_text(parts) == text


@pytest.mark.shared
def test_every_comparison_key_of_the_public_export_is_reproduced():
    [export] = (SHARED / "data/catalog").glob("*.jsonl.zst")
    workloads, runs = {}, []
    with export.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
        for line in io.TextIOWrapper(stream, "utf-8"):
            entry = json.loads(line)
            if entry["table"] == "workloads":
                workloads[entry["row"]["id"]] = entry["row"]
            elif entry["table"] == "benchmark_runs":
                runs.append(entry["row"])
    wrong = []
    for run in runs:
        workload, spec = workloads[run["workloadId"]], run["manifest"]["run"]["spec"]
        key = comparability.comparison_key(
            operation=workload["manifest"]["spec"]["operationSpecDigest"],
            workload=workload["workloadDigest"],
            protocol=spec["protocolDigest"],
            environment=spec["environmentDigest"],
            correctness=comparability.correctness_digest(workload["manifest"]["spec"]),
            metric=comparability.metric_key(measurement.primary(spec)),
        )
        if key != run["comparisonKey"]:
            wrong.append(run["runDigest"])
    assert (len(runs), wrong) == (7857, [])
