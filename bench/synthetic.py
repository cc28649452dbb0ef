"""A made-up upstream of any size: one comparison group, its runs spread over a hundred implementations."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from registry.core.digest import API_VERSION, document_text, sha256
from registry.core.kinds import parse
from registry.importers.base import DocumentEntry, Entry, RunEntry, SourceEntry, in_line

SOURCE = SourceEntry("synthetic", "Synthetic upstream", "benchmark")
IMPLEMENTATIONS = 100
OBSERVED_FROM = datetime(2026, 1, 1, tzinfo=UTC)
Document = dict[str, Any]


def entries(count: int) -> Iterator[Entry]:
    """`count` runs with their documents; the runs of a smaller count are the first of a larger one."""
    locate = in_line("synthetic", 1)
    operation, workload = _operation(), _workload()
    implementations = [_implementation(number) for number in range(IMPLEMENTATIONS)]
    yield DocumentEntry("SoftwareProject", _project(), locate, slug="synthetic")
    yield DocumentEntry("OperationSpec", operation, locate, slug="synthetic-scale")
    yield DocumentEntry("WorkloadCase", workload, locate)
    for implementation in implementations:
        yield DocumentEntry("ImplementationRevision", implementation, locate, project="synthetic")
    protocol, environment = _protocol(), _environment()
    digests = {
        "workloadDigest": _digest(workload),
        "protocolDigest": _digest(protocol),
        "environmentDigest": _digest(environment),
    }
    made = [_digest(implementation) for implementation in implementations]
    for number in range(count):
        run = _run(number, digests | {"implementationDigest": made[number % IMPLEMENTATIONS]})
        yield RunEntry(run, protocol, environment, in_line("synthetic", number + 2))


def _document(kind: str, name: str, spec: Document) -> Document:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _digest(document: Document) -> str:
    manifest = parse(document)
    return sha256(document_text(manifest.kind, manifest.spec))


def _project() -> Document:
    return _document("SoftwareProject", "synthetic", {"name": "Synthetic Kernels", "kind": "library"})


def _operation() -> Document:
    tensor = {"shape": ["rows", "hidden"], "dtype": "float"}
    return _document(
        "OperationSpec",
        "synthetic-scale",
        {
            "family": "elementwise",
            "axes": {
                "rows": {"role": "variable", "type": "integer"},
                "hidden": {"role": "constant", "type": "integer", "value": 64},
            },
            "inputs": [{"name": "x", "tensor": tensor}],
            "outputs": [{"name": "y", "tensor": tensor}],
            "semantics": {"mutation": "none", "determinism": "unspecified"},
        },
    )


def _workload() -> Document:
    return _document(
        "WorkloadCase",
        "synthetic-scale-8",
        {
            "operationSpecDigest": _digest(_operation()),
            "axes": {"rows": 8},
            "tensors": {"x": {"shape": [8, 64], "dtype": "bf16"}},
            "correctness": {"comparator": "allclose", "maxAbsoluteError": 0.5},
        },
    )


def _implementation(number: int) -> Document:
    return _document(
        "ImplementationRevision",
        f"scale-{number}",
        {
            "projectRevision": {"repository": "https://example.org/synthetic", "commit": f"{number:040x}"},
            "operation": {"specDigest": _digest(_operation())},
            "callable": {"language": "triton"},
            "support": {"hardwareArchitectures": ["sm_90"], "dtypes": ["bf16"]},
            "licensing": {"declared": "MIT"},
        },
    )


def _protocol() -> Document:
    spec = {
        "harness": {"name": "synthetic-bench"},
        "measurement": {"timer": "cuda_events", "primaryStatistic": "median"},
    }
    return _document("BenchmarkProtocol", "synthetic-bench", spec)


def _environment() -> Document:
    hardware = {"vendor": "nvidia", "product": "NVIDIA H100", "architecture": "sm_90", "formFactor": "PCIe"}
    return _document("ExecutionEnvironment", "synthetic-host", {"hardware": hardware, "software": {}})


def _run(number: int, digests: Document) -> Document:
    observed_at = OBSERVED_FROM + timedelta(minutes=number)
    median_ns = 1_000 + number * 7_919 % 10_007  # no two of the first ten thousand are tied
    return _document(
        "BenchmarkRun",
        f"synthetic-{number}",
        digests
        | {
            "observedAt": observed_at.isoformat().replace("+00:00", "Z"),
            "status": "passed",
            "timing": {"primaryStatistic": "median", "latencyNs": {"median": median_ns}},
        },
    )
