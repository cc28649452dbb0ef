"""One round of the import and of its raw limit, in one process, into two fresh databases."""

import gc
import io
import json
import resource
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import zstandard
from django.apps import apps
from django.db import connection, models, transaction

from registry import bulk, syncs
from registry.core.digest import document_text, sha256
from registry.ingest import IngestReport
from registry.models import ComparisonGroup, GroupStanding, Mark, Run
from registry.models.marks import MarkKind

Rows = list[tuple[type[models.Model], list[dict[str, Any]]]]
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
    """Import, then insert the very rows that came of it into the database named `second`."""
    connection.ensure_connection()
    began, began_cpu = time.perf_counter(), time.process_time()
    report = syncs.import_file("catalog-export", Path(path), now=NOW)
    done = {"wall_s": time.perf_counter() - began, "cpu_s": time.process_time() - began_cpu}
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    counts = _counts(report, Path(path)) if is_checked else {}
    rows = _all_rows()
    connection.close()
    connection.settings_dict["NAME"] = second
    connection.ensure_connection()
    gc.collect()
    gc.freeze()  # the limit pays nothing for the rows that are held in memory for it
    return {"import": done, "peak_bytes": peak_bytes, "counts": counts, "raw": _raw_limit(Path(path), rows)}


def _all_rows() -> Rows:
    """Every row of the registry, in the order in which it was inserted."""
    found = []
    for model in apps.get_app_config("registry").get_models():
        names = [field.attname for field in model._meta.concrete_fields]
        found.append((model, list(model._default_manager.order_by().values(*names))))
    return found


def _raw_limit(path: Path, rows: Rows) -> dict[str, float]:
    """Parse every line, canonicalise and hash each distinct document, insert the rows: nothing else."""
    began, began_cpu = time.perf_counter(), time.process_time()
    digest_s = 0.0
    for documents in _documents(path):
        started = time.perf_counter()
        for document in documents:
            sha256(document_text(document["kind"], document["spec"]))
        digest_s += time.perf_counter() - started
    read_s = time.perf_counter() - began
    started = time.perf_counter()
    with transaction.atomic():
        for model, of_model in rows:
            bulk.insert(model, of_model)
    now = time.perf_counter()
    return {
        "wall_s": now - began,
        "cpu_s": time.process_time() - began_cpu,
        "parse_s": read_s - digest_s,
        "digest_s": digest_s,
        "insert_s": now - started,
    }


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
