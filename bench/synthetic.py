"""Made-up upstreams of any size: one comparison group of a hundred implementations; and rows as KernelBot has them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
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


# Rows of GPU MODE's KernelBot


RUNNERS = ("A100", "B200", "H100", "L4")
BOARDS = ("grayscale_v2", "histogram_v2", "matmul_v2", "prefixsum_v2", "sort_v2", "vectoradd_v2", "vectorsum_v2")
SPECS = ("k: 7168; m: 1024; n: 1536", "k: 1536; m: 1024; n: 3072", "k: 7168; m: 1024; n: 576")
USERS = 2_000


def kernelbot_rows(count: int) -> Iterator[str]:
    """`count` JSON lines in the shape of KernelBot's rows: scores, every tenth a row of three benchmarks with their
    statistics, every seventeenth a run that is not ranked. Code comes whole in every twentieth, else cut short."""
    for number in range(count):
        row: Document = {
            "submission_id": 1_000_000 + number,
            "user_id": number * 7_919 % USERS,
            "submission_time": (OBSERVED_FROM + timedelta(minutes=number)).replace(tzinfo=None).isoformat(),
            "file_name": "submission.py",
            "code": f"# submission {number}\nimport torch\n" + "x = 1\n" * 100,
            "run_id": 3_000_000 + number,
        }
        row |= _shaped(number) if number % 10 == 0 else _scored(number)
        yield json.dumps({"row": row, "truncated_cells": [] if number % 20 == 0 else ["code"]}) + "\n"


def write_kernelbot(path: Path, count: int) -> None:
    """Write those rows to a file, which should end in .jsonl."""
    with path.open("w") as file:
        file.writelines(kernelbot_rows(count))


def _scored(number: int) -> Document:
    return {
        "problem_name": BOARDS[number % len(BOARDS)],
        "user_name": f"user {number * 7_919 % USERS}",
        "score": (1_000_003 + number * 7_919 % 999_983) / 1e9,
        "passed": number % 17 != 0,
        "mode": "leaderboard",
        "runner": RUNNERS[number % len(RUNNERS)],
    }


def _shaped(number: int) -> Document:
    result: dict[str, str | None] = {"benchmark-count": "3"}
    for place, spec in enumerate(
        ("k: 7168; m: 1024; n: 1536", "k: 1536; m: 1024; n: 3072", "k: 7168; m: 1024; n: 576")
    ):
        mean = 50_000 + (number * 7_919 + place) % 49_999
        stated = {
            "spec": f"{spec}; seed: {place}",
            "runs": "100",
            "mean": f"{mean}.25",
            "best": f"{mean - 1_000}.0",
            "worst": f"{mean + 5_000}.0",
            "std": "812.5",
            "err": "81.25",
            "report": None,
        }
        result |= {f"benchmark.{place}.{name}": value for name, value in stated.items()}
    return {
        "leaderboard_id": 399,
        "run_mode": "leaderboard" if number % 17 else "test",
        "run_passed": True,
        "run_score": (50_000 + number * 7_919 % 49_999) / 1e9,
        "run_result": result,
        "run_system_info": {"gpu": "AMD Instinct MI300X", "torch": "2.8.0", "platform": "Linux"},
    }
