import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from registry.core.coherence import RULES
from registry.core.digest import document_text, sha256
from registry.core.faults import MAX_FAULTS
from registry.core.kinds import (
    KERNEL_KINDS,
    SERVING_KINDS,
    KindError,
    Manifest,
    NotIndexed,
    instant,
    json_schema,
    parse,
)

REPOSITORY = Path(__file__).resolve().parents[3]
SHARED = REPOSITORY.parent / "shared"

DIGEST = "sha256:" + "0af9" * 16
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ARTIFACT = {"uri": "kernelindex:artifact/x", "digest": DIGEST}

# Each kind with every field that it has
FULL: dict[str, dict[str, Any]] = {
    "OperationSpec": {
        "family": "normalization",
        "axes": {
            "rows": {"role": "variable", "type": "integer", "minimum": 1, "maximum": 65536},
            "hidden": {"role": "constant", "type": "integer", "value": 4096},
            "half": {"role": "derived", "type": "integer", "expression": "hidden // 2"},
        },
        "inputs": [
            {"name": "x", "tensor": {"shape": ["rows", "hidden", 1], "dtype": "bf16", "layout": "row_major"}},
            {"name": "eps", "scalar": {"dtype": "fp32"}},
        ],
        "outputs": [{"name": "y", "tensor": {"shape": ["rows", "half"], "dtype": "bf16"}}],
        "semantics": {"expression": "y = x", "mutation": "none", "determinism": "deterministic"},
        "reference": {"language": "python", "artifact": ARTIFACT},
    },
    "WorkloadCase": {
        "operationSpecDigest": DIGEST,
        "axes": {"rows": 8},
        "tensors": {
            "x": {
                "shape": [8, 4096, 1],
                "dtype": "bf16",
                "strides": [4096, 1, 1],
                "alignmentBytes": 16,
                "data": {"generator": "normal", "seed": 0, "parameters": {"std": 0.5}, "artifact": ARTIFACT},
            }
        },
        "scalars": {"eps": {"dtype": "fp32", "value": 1e-6}},
        "correctness": {
            "comparator": "allclose",
            "maxAbsoluteError": 0.01,
            "maxRelativeError": 0,
            "requiredMatchedRatio": 1,
            "nanPolicy": "reject",
            "infinityPolicy": "exact_match",
        },
    },
    "WorkloadSuite": {
        "operationSpecDigest": DIGEST,
        "cases": [{"externalId": "a1", "axes": {"rows": 8}}],
        "correctness": {"comparator": "allclose", "description": "on every case"},
        "aggregation": {"metric": "latency", "statistic": "mean"},
    },
    "SoftwareProject": {
        "name": "Liger",
        "kind": "library",
        "repository": "https://github.com/linkedin/Liger-Kernel",
        "homepage": "https://example.org/",
        "host": {"kind": "github", "id": "linkedin/Liger-Kernel"},
        "packages": [{"ecosystem": "pypi", "name": "liger-kernel"}],
    },
    "ImplementationRevision": {
        "projectRevision": {
            "repository": "https://example.org/x",
            "commit": COMMIT,
            "version": "0.7.0",
            "treeDigest": DIGEST,
        },
        "operation": {"specDigest": DIGEST},
        "callable": {"language": "python", "path": "a/b.py", "symbol": "f", "interface": "torch"},
        "support": {
            "hardwareArchitectures": ["sm_100", "sm_90"],
            "dtypes": ["bf16"],
            "productsTested": ["NVIDIA B200"],
            "axes": ["rows % 8 == 0"],
            "layouts": ["row_major"],
        },
        "source": {"contentDigest": DIGEST, "fileName": "submission.py", "sizeBytes": 4575},
        "buildVariants": [
            {
                "name": "pip",
                "install": {
                    "kind": "pip",
                    "repository": "https://example.org/x",
                    "commit": COMMIT,
                    "package": "liger-kernel",
                    "version": "0.7.0",
                    "command": "pip install liger-kernel",
                },
                "requirements": {"torch": ">=2.1"},
            }
        ],
        "licensing": {"declared": "MIT", "concluded": "MIT", "evidence": {"path": "LICENSE", "digest": DIGEST}},
    },
    "BenchmarkProtocol": {
        "harness": {"name": "bench", "version": "1", "repository": "https://example.org/x", "commit": COMMIT},
        "measurement": {
            "timer": "cuda_events",
            "primaryStatistic": "median",
            "synchronization": "device",
            "compileIncluded": False,
            "setupIncluded": True,
            "warmupIterations": 0,
            "warmupDuration": 25000000,
            "measuredIterations": 100,
            "samples": 3,
            "inputRegeneration": "per_sample",
            "outlierPolicy": "none",
        },
        "correctness": {"reference": "torch eager", "comparator": "allclose"},
        "devicePolicy": {"clocksLocked": True, "powerLimitWatts": 700.5, "persistenceMode": True},
        "comparability": {"family": "bench", "notes": "one GPU"},
    },
    "ExecutionEnvironment": {
        "hardware": {
            "vendor": "nvidia",
            "product": "NVIDIA H100",
            "architecture": "sm_90",
            "formFactor": "80GB HBM3",
            "memoryBytes": 85899345920,
            "count": 1,
            "interconnect": "NVLink",
        },
        "software": {
            "operatingSystem": "Debian 12",
            "kernel": "6.1",
            "driver": "550.54",
            "cudaToolkit": "12.4",
            "compiler": "gcc 12",
            "framework": {"name": "torch", "version": "2.5.1"},
            "libraries": {"triton": "3.1"},
        },
        "settings": {
            "clocksLocked": True,
            "persistenceMode": False,
            "eccEnabled": True,
            "powerLimitWatts": 700,
            "environmentVariables": {"CUDA_VISIBLE_DEVICES": "0"},
        },
        "imageDigest": DIGEST,
    },
    "BenchmarkRun": {
        "implementationDigest": DIGEST,
        "workloadDigest": DIGEST,
        "protocolDigest": DIGEST,
        "environmentDigest": DIGEST,
        "observedAt": "2026-03-27T06:09:46.000Z",
        "status": "passed",
        "correctness": {
            "comparator": "allclose",
            "maximumAbsoluteError": 0.001,
            "maximumRelativeError": 0.0,
            "matchedRatio": 1,
        },
        "timing": {
            "primaryStatistic": "median",
            "samples": 10,
            "latencyNs": {
                "median": 100,
                "mean": 101,
                "p05": 95,
                "p95": 110,
                "minimum": 90,
                "maximum": 120,
                "mad": 3,
                "confidence95": [98, 103],
            },
            "rawSamples": ARTIFACT,
        },
        "measurements": [{"metric": "memory", "unit": "mib", "statistic": "maximum", "value": 12.5, "sampleCount": 3}],
        "sourceNative": {"source": "liger", "benchmark": "rms", "externalId": "rms/1", "metrics": {"ms_50": 0.0001}},
        "evidence": {
            "logs": ARTIFACT,
            "rawSamples": ARTIFACT,
            "harness": {"repository": "https://example.org/x", "commit": COMMIT},
        },
    },
}
METADATA = {
    "name": "a.name-1",
    "title": "A title",
    "description": "",
    "labels": {"release": "0.7.0"},
    "authors": [{"name": "An author", "github": "author"}],
    "sourceRefs": [{"url": "https://user@example.org:8443/a?b#c"}],
}
ABSENT = object()


def document(kind: str, *changes: tuple[tuple[str | int, ...], object]) -> dict[str, Any]:
    """A full document of the kind, with the value at each path replaced, or removed by ABSENT."""
    made: dict[str, Any] = {
        "apiVersion": "kernelindex.dev/v1alpha1",
        "kind": kind,
        "metadata": METADATA,
        "spec": FULL[kind],
    }
    made = json.loads(json.dumps(made))  # not deepcopy: the two artifacts of a run are one object here
    for path, value in changes:
        place: Any = made
        for step in path[:-1]:
            place = place[step]
        if value is ABSENT:
            del place[path[-1]]
        else:
            place[path[-1]] = value
    return made


def faults(value: object, kind: str | None = None) -> list[str]:
    with pytest.raises(KindError) as refusal:
        parse(value, kind=kind)
    return [str(fault) for fault in refusal.value.faults]


@pytest.mark.parametrize("kind", KERNEL_KINDS)
def test_a_full_document_is_a_manifest_exactly_as_written(kind: str) -> None:
    made = document(kind)
    manifest = parse(made)
    assert manifest == Manifest(kind, FULL[kind], METADATA)
    assert json.dumps(manifest.spec, sort_keys=True) == json.dumps(FULL[kind], sort_keys=True)  # 1 is not 1.0


@pytest.mark.parametrize(
    ("kind", "required"),
    [
        ("OperationSpec", {"family", "axes", "inputs", "outputs", "semantics"}),
        ("WorkloadCase", {"operationSpecDigest", "axes", "tensors", "correctness"}),
        ("WorkloadSuite", {"operationSpecDigest", "cases", "correctness", "aggregation"}),
        ("SoftwareProject", {"name"}),
        ("ImplementationRevision", {"projectRevision", "operation", "callable", "support", "licensing"}),
        ("BenchmarkProtocol", {"harness", "measurement"}),
        ("ExecutionEnvironment", {"hardware", "software"}),
        (
            "BenchmarkRun",
            {"implementationDigest", "workloadDigest", "protocolDigest", "environmentDigest", "observedAt", "status"},
        ),
    ],
)
def test_each_kind_requires_these_fields_and_all_missing_ones_are_named(kind: str, required: set[str]) -> None:
    made = document(kind, (("spec",), {}))
    assert set(faults(made)) == {f"spec.{field}: is required" for field in required}


# The envelope (original-domain 1.1)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ((("apiVersion",), ABSENT), "apiVersion: is required"),
        (
            (("apiVersion",), "kernelindex.dev/v2"),
            'apiVersion: must be kernelindex.dev/v1alpha1, got "kernelindex.dev/v2"',
        ),
        ((("kind",), ABSENT), "kind: is required"),
        ((("kind",), 5), "kind: must be a string, got an integer"),
        ((("metadata",), ABSENT), "metadata: is required"),
        ((("spec",), ABSENT), "spec: is required"),
        ((("spec",), []), "spec: must be an object, got a list"),
        ((("spec",), None), "spec: must be an object, got null"),
        ((("status",), {}), "status: unknown field"),
        ((("metadata", "name"), ABSENT), "metadata.name: is required"),
        (
            (("metadata", "name"), "A name"),
            "metadata.name: must be a name: small letters, digits, '.', '_' and -, starting with a letter or digit; "
            'got "A name"',
        ),
        ((("metadata", "name"), "x" * 201), "metadata.name: must be at most 200 characters, has 201"),
        ((("metadata", "title"), "x" * 201), "metadata.title: must be at most 200 characters, has 201"),
        ((("metadata", "title"), None), "metadata.title: must be a string, got null"),
        ((("metadata", "description"), "x" * 2001), "metadata.description: must be at most 2000 characters, has 2001"),
        ((("metadata", "labels", "release"), 7), "metadata.labels.release: must be a string, got an integer"),
        (
            (("metadata", "labels", "Release"), "7"),
            "metadata.labels.Release: as a key must be a token: a small letter, then small letters, digits and _; "
            'got "Release"',
        ),
        ((("metadata", "authors", 0, "email"), "a@b"), "metadata.authors[0].email: unknown field"),
        (
            (("metadata", "authors", 0, "github"), "x" * 101),
            "metadata.authors[0].github: must be at most 100 characters, has 101",
        ),
        ((("metadata", "sourceRefs", 0, "url"), ABSENT), "metadata.sourceRefs[0].url: is required"),
        ((("metadata", "visibility"), "public"), "metadata.visibility: unknown field"),
    ],
)
def test_an_envelope_that_is_not_ours_is_refused_by_path(change: Any, fault: str) -> None:
    assert faults(document("SoftwareProject", change)) == [fault]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ([], "a document must be an object, got a list"),
        (None, "a document must be an object, got null"),
        ("text", "a document must be an object, got a string"),
        ({}, "kind: is required"),
        ({"kind": "Pod"}, f'kind: unknown kind "Pod"; known are {", ".join(KERNEL_KINDS)}'),
        ({"kind": "OperationRelation"}, f'kind: unknown kind "OperationRelation"; known are {", ".join(KERNEL_KINDS)}'),
    ],
)
def test_a_value_without_a_known_kind_is_refused(value: object, fault: str) -> None:
    assert faults(value) == [fault]


def test_a_document_of_another_kind_than_wanted_is_refused() -> None:
    assert 'kind: must be SoftwareProject, got "BenchmarkRun"' in faults(document("BenchmarkRun"), "SoftwareProject")
    assert parse(document("BenchmarkRun"), kind="BenchmarkRun").kind == "BenchmarkRun"


@pytest.mark.parametrize("kind", SERVING_KINDS)
def test_a_serving_kind_is_recognised_and_not_indexed(kind: str) -> None:
    with pytest.raises(NotIndexed) as refusal:
        parse({"kind": kind, "spec": {}})
    assert (refusal.value.kind, str(refusal.value)) == (
        kind,
        f"kind: {kind} is a serving kind; this index takes kernel kinds only",
    )


# The shared field types (original-domain 1.1), each on one field

TOKEN_WORDS = "must be a token: a small letter, then small letters, digits and _; got "
SLUG_WORDS = "must be a slug: small letters, digits and -, not starting with -; got "
DIGEST_WORDS = "must be a digest: sha256: and 64 hex digits in lower case; got "
COMMIT_WORDS = "must be a full commit: 40 hex digits in lower case; got "


@pytest.mark.parametrize(
    ("kind", "path", "value", "message"),
    [
        # tok
        ("BenchmarkProtocol", ("measurement", "timer"), "Cuda", f'{TOKEN_WORDS}"Cuda"'),
        ("BenchmarkProtocol", ("measurement", "timer"), "", f'{TOKEN_WORDS}""'),
        ("BenchmarkProtocol", ("measurement", "timer"), "9x", f'{TOKEN_WORDS}"9x"'),
        ("BenchmarkProtocol", ("measurement", "timer"), "a-b", f'{TOKEN_WORDS}"a-b"'),
        ("BenchmarkProtocol", ("measurement", "timer"), "a\n", f'{TOKEN_WORDS}"a\\n"'),
        ("BenchmarkProtocol", ("measurement", "timer"), 5, "must be a string, got an integer"),
        # slug
        ("OperationSpec", ("family",), "-a", f'{SLUG_WORDS}"-a"'),
        ("OperationSpec", ("family",), "a_b", f'{SLUG_WORDS}"a_b"'),
        ("OperationSpec", ("family",), "x" * 101, "must be at most 100 characters, has 101"),
        # Sn
        ("SoftwareProject", ("name",), "x" * 201, "must be at most 200 characters, has 201"),
        ("SoftwareProject", ("name",), ["x"], "must be a string, got a list"),
        ("SoftwareProject", ("name",), "a\0b", 'can\'t hold a NUL character; got "a\\u0000b"'),
        ("SoftwareProject", ("name",), "\ud800", "must be Unicode text, holds half of a surrogate pair"),
        # dig
        ("BenchmarkRun", ("workloadDigest",), DIGEST.upper(), f'{DIGEST_WORDS}"SHA256:{"0AF9" * 13}…"'),
        ("BenchmarkRun", ("workloadDigest",), DIGEST[:-1], f'{DIGEST_WORDS}"sha256:{"0af9" * 13}…"'),
        ("BenchmarkRun", ("workloadDigest",), DIGEST + "\n", f'{DIGEST_WORDS}"sha256:{"0af9" * 13}…"'),
        ("BenchmarkRun", ("workloadDigest",), "md5:0", f'{DIGEST_WORDS}"md5:0"'),
        # sha40
        ("BenchmarkProtocol", ("harness", "commit"), "0123abc", f'{COMMIT_WORDS}"0123abc"'),
        ("BenchmarkProtocol", ("harness", "commit"), COMMIT.upper(), f'{COMMIT_WORDS}"{COMMIT.upper()}"'),
        # https
        ("SoftwareProject", ("homepage",), "http://example.org", 'must be an https URL, got "http://example.org"'),
        ("SoftwareProject", ("homepage",), "https://", 'must be an https URL, got "https://"'),
        ("SoftwareProject", ("homepage",), "https://a b", 'must be an https URL, got "https://a b"'),
        ("SoftwareProject", ("homepage",), "example.org", 'must be an https URL, got "example.org"'),
        ("SoftwareProject", ("homepage",), "https://x:99999/", 'must be an https URL, got "https://x:99999/"'),
        ("SoftwareProject", ("homepage",), "https://a.b/\n", 'must be an https URL, got "https://a.b/\\n"'),
        ("SoftwareProject", ("homepage",), "javascript:alert(1)", 'must be an https URL, got "javascript:alert(1)"'),
        ("SoftwareProject", ("homepage",), "https://x/" + "y" * 2000, "must be at most 2000 characters, has 2010"),
        # int
        ("OperationSpec", ("axes", "rows", "minimum"), "1", "must be an integer, got a string"),
        ("OperationSpec", ("axes", "rows", "minimum"), 1.0, "must be an integer, got a number"),
        ("OperationSpec", ("axes", "rows", "minimum"), 1.5, "must be an integer, got a number"),
        ("OperationSpec", ("axes", "rows", "minimum"), True, "must be an integer, got a boolean"),
        ("OperationSpec", ("axes", "rows", "minimum"), None, "must be an integer, got null"),
        ("OperationSpec", ("axes", "rows", "minimum"), 2**53, "must be within ±(2^53−1), is 9007199254740992"),
        ("OperationSpec", ("axes", "rows", "minimum"), -(2**53), "must be within ±(2^53−1), is -9007199254740992"),
        (
            "OperationSpec",
            ("axes", "rows", "minimum"),
            10**30,
            "must be within ±(2^53−1), is a number of more than 20 digits",
        ),
        ("BenchmarkProtocol", ("measurement", "samples"), 0, "must be at least 1, is 0"),
        ("BenchmarkProtocol", ("measurement", "warmupIterations"), -1, "must be at least 0, is -1"),
        # num
        ("WorkloadCase", ("scalars", "eps", "value"), "1", "must be a number, got a string"),
        ("WorkloadCase", ("scalars", "eps", "value"), True, "must be a number, got a boolean"),
        ("WorkloadCase", ("scalars", "eps", "value"), None, "must be a number, got null"),
        ("WorkloadCase", ("scalars", "eps", "value"), float("nan"), "must be a finite number, is nan"),
        ("WorkloadCase", ("scalars", "eps", "value"), float("-inf"), "must be a finite number, is -inf"),
        ("WorkloadCase", ("scalars", "eps", "value"), 2**53, "must be within ±(2^53−1), is 9007199254740992"),
        ("WorkloadCase", ("correctness", "maxAbsoluteError"), -0.5, "must be at least 0, is -0.5"),
        ("WorkloadCase", ("correctness", "requiredMatchedRatio"), 1.01, "must be at most 1, is 1.01"),
        ("ExecutionEnvironment", ("settings", "powerLimitWatts"), 0, "must be greater than 0, is 0"),
        # dur
        (
            "BenchmarkRun",
            ("timing", "latencyNs", "median"),
            "0.0000005 ms",
            '"0.0000005 ms" is not a whole number of nanoseconds',
        ),
        (
            "BenchmarkRun",
            ("timing", "latencyNs", "median"),
            8.0,
            'must be integer nanoseconds or a duration such as "1.5 ms", got a number',
        ),
        ("BenchmarkRun", ("timing", "latencyNs", "mad"), -1, "a duration can't be negative"),
        # art
        ("BenchmarkRun", ("evidence", "logs"), "kernelindex:artifact/x", "must be an object, got a string"),
        # utc
        (
            "BenchmarkRun",
            ("observedAt",),
            "2026-03-27",
            'must be an instant in UTC such as 2026-03-27T06:09:46.000Z, got "2026-03-27"',
        ),
        (
            "BenchmarkRun",
            ("observedAt",),
            "2026-03-27T06:09:46+00:00",
            'must be an instant in UTC such as 2026-03-27T06:09:46.000Z, got "2026-03-27T06:09:46+00:00"',
        ),
        (
            "BenchmarkRun",
            ("observedAt",),
            "2026-03-27T06:09:46z",
            'must be an instant in UTC such as 2026-03-27T06:09:46.000Z, got "2026-03-27T06:09:46z"',
        ),
        (
            "BenchmarkRun",
            ("observedAt",),
            "2026-03-27 06:09:46Z",
            'must be an instant in UTC such as 2026-03-27T06:09:46.000Z, got "2026-03-27 06:09:46Z"',
        ),
        (
            "BenchmarkRun",
            ("observedAt",),
            "2026-02-29T00:00:00Z",
            'names a date or time that doesn\'t exist: "2026-02-29T00:00:00Z"',
        ),
        (
            "BenchmarkRun",
            ("observedAt",),
            "2026-03-27T24:00:00Z",
            'names a date or time that doesn\'t exist: "2026-03-27T24:00:00Z"',
        ),
        ("BenchmarkRun", ("observedAt",), 1774591786, "must be a string, got an integer"),
        # enumerations, flags, lists
        ("SoftwareProject", ("kind",), "robot", 'must be library, individual or vendor, got "robot"'),
        ("SoftwareProject", ("packages",), {}, "must be a list, got an object"),
        ("BenchmarkProtocol", ("measurement", "setupIncluded"), "yes", "must be true or false, got a string"),
        ("BenchmarkProtocol", ("measurement", "setupIncluded"), 1, "must be true or false, got an integer"),
        # the rules of single fields
        ("OperationSpec", ("axes", "rows", "type"), "float", 'must be integer, got "float"'),
        (
            "OperationSpec",
            ("axes", "half", "expression"),
            "a ^ b",
            'may hold only small letters, digits, _ + - * % / ( ) and spaces; got "a ^ b"',
        ),
        ("OperationSpec", ("axes", "half", "expression"), "a" * 201, "must be at most 200 characters, has 201"),
        ("OperationSpec", ("axes", "rows"), {"role": "constant", "type": "integer"}, "a constant axis needs its value"),
        (
            "OperationSpec",
            ("axes", "rows"),
            {"role": "derived", "type": "integer"},
            "a derived axis needs its expression",
        ),
        ("OperationSpec", ("inputs",), [], "must have at least 1 item, has 0"),
        ("OperationSpec", ("inputs", 0, "tensor", "shape"), [], "must have at least 1 item, has 0"),
        ("OperationSpec", ("inputs", 0), {"name": "x"}, "must have exactly one of tensor and scalar"),
        ("OperationSpec", ("inputs", 0, "scalar"), {"dtype": "fp32"}, None),
        ("WorkloadCase", ("tensors", "x", "alignmentBytes"), 0, "must be at least 1, is 0"),
        ("WorkloadSuite", ("cases",), [], "must have at least 1 item, has 0"),
        ("BenchmarkRun", ("timing", "latencyNs"), {"p05": 5}, "must have at least one of median and mean"),
        ("BenchmarkRun", ("timing", "latencyNs", "confidence95"), [1], "must have at least 2 items, has 1"),
        ("BenchmarkRun", ("timing", "latencyNs", "confidence95"), [1, 2, 3], "must have at most 2 items, has 3"),
    ],
)
def test_a_field_of_the_wrong_shape_is_refused_in_plain_words(
    kind: str, path: tuple[str | int, ...], value: object, message: str | None
) -> None:
    with pytest.raises(KindError) as refusal:
        parse(document(kind, (("spec", *path), value)))
    (fault,) = refusal.value.faults
    if message is None:
        path, message = path[:-1], "must have exactly one of tensor and scalar"
    assert (fault.path, fault.message) == (("spec", *path), message)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("inputs", 0, "tensor", "shape", 1), -1, "must be an axis name or a whole number from 0, got -1"),
        (("inputs", 0, "tensor", "shape", 1), "Hidden", 'must be an axis name or a whole number from 0, got "Hidden"'),
        (("inputs", 0, "tensor", "shape", 1), 1.5, "must be an axis name or a whole number from 0, got 1.5"),
        (("inputs", 0, "tensor", "shape", 1), True, "must be an axis name or a whole number from 0, got a boolean"),
        (("inputs", 0, "tensor", "shape", 1), None, "must be an axis name or a whole number from 0, got null"),
    ],
)
def test_a_dimension_is_an_axis_or_a_size(path: tuple[str | int, ...], value: object, message: str) -> None:
    made = document("OperationSpec", (("spec", *path), value))
    assert faults(made) == [f"spec.inputs[0].tensor.shape[1]: {message}"]


def objects(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Paths of the closed objects within a value; maps with free keys are left out."""
    steps: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = [found for step, item in steps for found in objects(item, (*path, step))]
    is_map = path and path[-1] in ("axes", "tensors", "scalars", "parameters", "requirements", "libraries", "metrics")
    is_map = is_map or (path and path[-1] == "environmentVariables")
    return [*([path] if isinstance(value, dict) and not is_map else []), *inner]


@pytest.mark.parametrize("kind", KERNEL_KINDS)
def test_every_object_is_closed_at_every_depth(kind: str) -> None:
    for path in objects(FULL[kind]):
        assert faults(document(kind, (("spec", *path, "unheard_of"), 1))) == [
            str_path(("spec", *path, "unheard_of")) + ": unknown field"
        ]


@pytest.mark.parametrize("kind", KERNEL_KINDS)
def test_null_stands_for_nothing_anywhere(kind: str) -> None:
    for path in objects(FULL[kind]):
        place: Any = FULL[kind]
        for step in path:
            place = place[step]
        for field in place:
            assert len(faults(document(kind, (("spec", *path, field), None)))) >= 1


def numbers(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Paths of the numbers within a value."""
    steps: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    here = [path] if isinstance(value, int | float) and not isinstance(value, bool) else []
    return here + [found for step, item in steps for found in numbers(item, (*path, step))]


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), float("-inf"), 2**53, -(2**53), 2**64, 10**400, 1e16, 1e300, "1", "", True, [], {}],
)
@pytest.mark.parametrize("kind", KERNEL_KINDS)
def test_no_numeric_field_takes_what_is_no_safe_number(kind: str, value: object) -> None:
    for path in numbers(FULL[kind]):
        assert len(faults(document(kind, (("spec", *path), value)))) == 1


def str_path(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]


def test_all_faults_are_reported_at_once() -> None:
    made = document(
        "BenchmarkRun",
        (("spec", "status"), "fine"),
        (("spec", "workloadDigest"), ABSENT),
        (("spec", "timing", "latencyNs", "median"), "soon"),
        (("spec", "measurements", 0, "value"), "12"),
        (("metadata", "nickname"), "x"),
    )
    assert [fault.split(": ")[0] for fault in faults(made)] == [
        "metadata.nickname",
        "spec.workloadDigest",
        "spec.status",
        "spec.timing.latencyNs.median",
        "spec.measurements[0].value",
    ]


def test_a_flood_of_faults_is_cut() -> None:
    found = faults(document("SoftwareProject", (("spec",), {"name": "x", **{f"f{n}": n for n in range(150)}})))
    assert len(found) == MAX_FAULTS + 1
    assert found[-1] == "50 more faults are not listed"


# Normalisation


def test_durations_become_whole_nanoseconds_and_measurements_stay() -> None:
    latency = ("spec", "timing", "latencyNs")
    made = document(
        "BenchmarkRun",
        ((*latency, "median"), "0.126336 ms"),
        ((*latency, "mad"), "1.001 us"),
        ((*latency, "confidence95"), ["125 us", 127_000]),
        (("spec", "measurements", 0, "value"), 1.5),
    )
    before = copy.deepcopy(made)
    spec = parse(made).spec
    assert spec["timing"]["latencyNs"] == {
        **FULL["BenchmarkRun"]["timing"]["latencyNs"],
        "median": 126336,
        "mad": 1001,
        "confidence95": [125_000, 127_000],
    }
    assert spec["measurements"][0]["value"] == 1.5
    assert made == before  # what was read is not touched


def test_a_warm_up_is_a_duration_too() -> None:
    made = document("BenchmarkProtocol", (("spec", "measurement", "warmupDuration"), "25 ms"))
    assert parse(made).spec == FULL["BenchmarkProtocol"]


def test_the_lists_of_support_are_sets_and_other_lists_are_not() -> None:
    support = {
        "hardwareArchitectures": ["sm_90", "sm_100", "sm_90"],
        "dtypes": [],
        "productsTested": ["NVIDIA H100", "AMD MI300X", "AMD MI300X"],
        "axes": ["\ufb33", "\U0001f600", "a"],
        "layouts": ["b", "a"],
    }
    spec = parse(document("ImplementationRevision", (("spec", "support"), support))).spec
    assert spec["support"] == {
        "hardwareArchitectures": ["sm_100", "sm_90"],
        "dtypes": [],
        "productsTested": ["AMD MI300X", "NVIDIA H100"],
        "axes": ["a", "\U0001f600", "\ufb33"],  # by UTF-16 unit: D83D comes before FB33
        "layouts": ["a", "b"],
    }
    packages = [{"ecosystem": "pypi", "name": "b"}, {"ecosystem": "pypi", "name": "a"}]
    assert parse(document("SoftwareProject", (("spec", "packages"), packages))).spec["packages"] == packages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-27T06:09Z", "2026-03-27T06:09:00+00:00"),
        ("2026-03-27T06:09:46Z", "2026-03-27T06:09:46+00:00"),
        ("2026-03-27T06:09:46.000Z", "2026-03-27T06:09:46+00:00"),
        ("2026-03-27T06:09:46.5Z", "2026-03-27T06:09:46.500000+00:00"),
        ("2026-03-27T06:09:46.123456789Z", "2026-03-27T06:09:46.123456+00:00"),
    ],
)
def test_an_instant_may_be_spelt_several_ways_and_keeps_its_spelling(text: str, expected: str) -> None:
    assert instant(text).isoformat() == expected
    assert parse(document("BenchmarkRun", (("spec", "observedAt"), text))).spec["observedAt"] == text


# The published schema and the manual


@pytest.mark.parametrize("kind", KERNEL_KINDS)
def test_the_published_schema_is_closed_and_has_no_defaults(kind: str) -> None:
    schema = json_schema(kind)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["kind"]["const"] == kind
    for definition in [schema, *schema["$defs"].values()]:
        assert definition["additionalProperties"] is False
    assert "default" not in json.dumps(schema)


def test_the_published_schema_states_the_rules_between_fields() -> None:
    definitions = json_schema("OperationSpec")["$defs"]
    assert '"oneOf": [{"required": ["tensor"]}, {"required": ["scalar"]}]' in json.dumps(json_schema("OperationSpec"))
    assert '"then": {"required": ["expression"]}' in json.dumps(json_schema("OperationSpec"))
    assert '"anyOf": [{"required": ["median"]}, {"required": ["mean"]}]' in json.dumps(json_schema("BenchmarkRun"))
    assert definitions["TensorSpec"]["required"] == ["shape", "dtype"]


@pytest.mark.parametrize("kind", KERNEL_KINDS)
def test_the_manual_names_every_field(kind: str) -> None:
    manual = (REPOSITORY / "docs/manifest.md").read_text()
    _, _, section = manual.partition(f"\n### {kind}\n")
    section, _, _ = section.partition("\n### ")
    schema = json_schema(kind)
    general = {"Metadata", "Author", "SourceRef", "Artifact"}
    fields = {field for name, part in schema["$defs"].items() if name not in general for field in part["properties"]}
    assert {field for field in fields if f"`{field}`" not in section} == set()
    shared = {field for name in general & schema["$defs"].keys() for field in schema["$defs"][name]["properties"]}
    assert {field for field in shared if f"`{field}`" not in manual} == set()


# Real documents


@pytest.mark.shared
@pytest.mark.parametrize("seed", ["seed_000_liger", "seed_002_sol"])
def test_the_seed_documents_stand_as_they_are(seed: str) -> None:
    for entry in json.loads((SHARED / "seeds/seed-documents.json").read_text())[seed].values():
        if "document" in entry:
            manifest = parse(entry["document"])
            assert manifest.spec == entry["document"]["spec"]
            assert manifest.metadata == entry["document"]["metadata"]


@pytest.mark.shared
def test_one_exported_document_of_each_kind_stands_as_it_is() -> None:
    for line in (SHARED / "data/samples/export_one_of_each.jsonl").read_text().splitlines():
        stated = (json.loads(line)["row"].get("manifest") if line else None) or {}
        for made in stated.values() if "run" in stated else [stated] if stated else []:
            if made["kind"] not in SERVING_KINDS:
                assert parse(made).spec == made["spec"]


def test_the_example_of_the_manual_has_the_digest_that_it_states() -> None:
    manual = (REPOSITORY / "docs/manifest.md").read_text()
    example = json.loads(manual.split("```json\n")[1].split("```")[0])
    code = manual.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"manifest": example, "hashlib": hashlib, "rfc8785": rfc8785}
    exec(code, names)  # noqa: S102  # what readers are told to use
    assert f"\n{names['digest']}\n" in manual
    example["spec"]["timing"]["latencyNs"]["median"] = "126.336 us"
    manifest = parse(example)
    assert sha256(document_text(manifest.kind, manifest.spec)) == names["digest"]


def test_the_manual_states_every_rule_between_documents() -> None:
    manual = (REPOSITORY / "docs/manifest.md").read_text()
    assert [line for rule, text in RULES.items() if (line := f"| `{rule}` | {text} |") not in manual] == []
