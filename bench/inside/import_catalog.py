"""One round of the import and of its raw limit, in one process, into two fresh databases."""

import io
import json
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import zstandard
from django.db import connection

from bench.inside import raw_limit
from registry import syncs
from registry.ingest import IngestReport
from registry.models import ComparisonGroup, GroupStanding, Mark, Run
from registry.models.marks import MarkKind

T = TypeVar("T")
NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
KIB = 1024  # getrusage gives ru_maxrss in KiB on Linux
# A column of the export beside what the registry says of the same run.
CLAIMS = {
    "runDigest": "digest",
    "protocolKey": "protocol__digest",
    "environmentKey": "environment__digest",
    "comparisonKey": "group__key",
    "correctnessKey": "group__correctness",
    "primaryMetric": "group__metric",
    "primaryStatistic": "group__statistic",
    "primaryUnit": "group__unit",
    "primaryValue": "value",
}


def measure(*, path: str, second: str, is_checked: bool) -> dict[str, Any]:
    """Import, import again, then insert the very rows that came of it into the database named `second`."""
    connection.ensure_connection()
    file = Path(path)
    report, done = timed(lambda: syncs.import_file("catalog-export", file, now=NOW))
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    counts = _counts(report, file) if is_checked else {}
    again, second_s = timed(lambda: syncs.import_file("catalog-export", file, now=NOW))
    sync, seen_s = timed(lambda: syncs.seen_again("catalog-export", file, now=NOW))
    assert sync, "equal bytes were not known again"
    rows = raw_limit.all_rows()
    raw_limit.into_another(second)
    return {
        "import": done,
        "second": second_s,
        "seen_again": seen_s,
        "new_of_second": again.new,
        "batches_of_second": again.batches,
        "peak_bytes": peak_bytes,
        "counts": counts,
        "raw": raw_limit.measure(lambda: _documents(file), rows),
    }


def timed(act: Callable[[], T]) -> tuple[T, dict[str, float]]:
    began, began_cpu = time.perf_counter(), time.process_time()
    done = act()
    return done, {"wall_s": time.perf_counter() - began, "cpu_s": time.process_time() - began_cpu}


def _documents(path: Path) -> Iterator[list[dict[str, Any]]]:
    """The kernel documents of each line; a protocol or environment that stood in an earlier line is left out."""
    seen: set[str] = set()
    for table, row in _rows_of(path):
        if table == "benchmark_runs":
            parts = row["manifest"]
            documents = [parts["run"]]
            for name, key in (("protocol", row["protocolKey"]), ("environment", row["environmentKey"])):
                if key not in seen:
                    seen.add(key)
                    documents.append(parts[name])
            yield documents
        elif table in ("projects", "operations", "workloads", "implementations"):
            yield [row["manifest"]]


def _rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            value = json.loads(line)
            yield value["table"], value["row"]


def _counts(report: IngestReport, path: Path) -> dict[str, Any]:
    """What was taken in, and how far the export's own columns agree; read apart from the import's own checks."""
    held = {str(row["id"]): row for row in Run.objects.values("id", *CLAIMS.values())}
    differing: Counter[str] = Counter()
    eligible: set[str] = set()
    for table, row in _rows_of(path):
        if table != "benchmark_runs":
            continue
        run = held.get(row["id"])
        differing.update(
            column for column, name in CLAIMS.items() if run is None or not _is_same(row[column], run[name])
        )
        if row["status"] == "passed" and row["primaryValue"] is not None and not row["retractedAt"]:
            eligible.add(row["comparisonKey"])
    return {
        "read": report.read,
        "new": report.new,
        "not indexed, by reason": report.skipped,
        "rejected, by reason": report.rejected_by_reason,
        "runs": Run.objects.count(),
        "columns of the export that differ": {column: differing[column] for column in CLAIMS},
        "groups": ComparisonGroup.objects.count(),
        "groups with an eligible run by the export's own columns": len(eligible),
        "groups with an eligible run once flagged ones are out": GroupStanding.objects.filter(
            ranked_count__gt=0
        ).count(),
        "flagged at the door": report.flagged,
        "supersessions": Mark.objects.filter(kind=MarkKind.SUPERSEDED).count(),
        "batches": report.batches,
    }


def _is_same(stated: Any, held: Any) -> bool:
    """Equal, where the export has decimals in text, and the word none for a metric that is not there."""
    if held is None:
        return stated in (None, "none")
    return stated is not None and (float(stated) == held if isinstance(held, float) else stated == held)
