"""One import of many rows in KernelBot's shape, and the memory that it took."""

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.inside.import_catalog import KIB, NOW
from bench.synthetic import write_kernelbot
from registry import syncs
from registry.models import Run


def measure(*, count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="bench_") as folder:
        path = Path(folder) / "rows.jsonl"
        write_kernelbot(path, count)
        before_bytes = _peak()
        began = time.perf_counter()
        report = syncs.import_file("gpumode-kernelbot", path, now=NOW)
        wall_s = time.perf_counter() - began
    return {
        "runs": Run.objects.count(),
        "rejected": sum(report.rejected_by_reason.values()),
        "before_bytes": before_bytes,
        "peak_bytes": _peak(),
        "wall_s": wall_s,
    }


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
