"""One round of importing Liger's CSV, of reading it a second time, and of the raw limit, in one process."""

import csv
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connection

from bench.inside import raw_limit
from bench.inside.import_catalog import KIB, NOW, timed
from registry import syncs
from registry.core.reading import read_json_line
from registry.importers import IMPORTERS
from registry.importers.base import DocumentEntry, InputFile, Known, RunEntry
from registry.models import Run

SOURCE = "liger-kernel-bench"


def measure(*, path: str, second: str) -> dict[str, Any]:
    """Import, import again, then insert the very rows that came of it into the database named `second`.

    The header alone goes first: what a process does once, at its first import, is none of the rate.
    """
    connection.ensure_connection()
    file = Path(path)
    with tempfile.TemporaryDirectory(prefix="bench_") as folder:
        header = Path(folder) / file.name
        header.write_text(file.read_text().splitlines()[0] + "\n")
        syncs.import_file(SOURCE, header, now=NOW)
    report, first = timed(lambda: syncs.import_file(SOURCE, file, now=NOW))
    again, second_s = timed(lambda: syncs.import_file(SOURCE, file, now=NOW))
    sync, seen_s = timed(lambda: syncs.seen_again(SOURCE, file, now=NOW))
    assert sync, "equal bytes were not known again"
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    runs, rows, documents = Run.objects.count(), raw_limit.all_rows(), _documents(file)
    raw_limit.into_another(second)
    return {
        "runs": runs,
        "read": report.read,
        "new_of_second": again.new,
        "batches_of_second": again.batches,
        "import": first,
        "second": second_s,
        "seen_again": seen_s,
        "peak_bytes": peak_bytes,
        "raw": raw_limit.measure(lambda: _as_read(file, documents), rows),
    }


def _documents(path: Path) -> list[dict[str, Any]]:
    """Each distinct document of the CSV once, and each of its runs."""
    entries = list(IMPORTERS[SOURCE].translate([InputFile(path.name, path)], Known()))
    found: list[Any] = [entry.value for entry in entries if isinstance(entry, DocumentEntry)]
    runs = [entry for entry in entries if isinstance(entry, RunEntry)]
    beside = {id(document): document for run in runs for document in (run.protocol, run.environment)}
    return [*found, *beside.values(), *(run.run for run in runs)]


def _as_read(path: Path, documents: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Read every cell, decode every configuration, then hand out the documents that come of them."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            read_json_line(row["extra_benchmark_config_str"])
    yield documents
