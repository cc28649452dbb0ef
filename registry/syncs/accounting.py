"""The account of a sync: its report, the rows that need telling word for word, and the names that rows wait for."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from registry import bulk
from registry.core.ids import uuid7
from registry.importers.base import Pending, Place, Rejected
from registry.ingest import IngestReport
from registry.models import Run, Sync, SyncRow, UnmappedName
from registry.models.syncs import SyncRowKind
from registry.staging import Unmapped

ROWS_KEPT = 20_000  # word for word; the report counts all
LONGEST_TEXT = 20_000  # characters
TOLD = 20  # documents that came with other metadata
CORRECTED, VANISHED = "CORRECTED", "VANISHED"  # the one reason that such rows have
NAMES_KEPT = 2_000  # of one sync, those of most rows
IN_ORDER = timedelta(milliseconds=1)  # between the ids of rows, so that they stand in the order of the input


def report_json(report: IngestReport) -> dict[str, Any]:
    """The report as a sync keeps it: counts. What needs telling word for word are rows of their own."""
    told = report.as_json()
    pending: Counter[str] = Counter()
    for unmapped in report.unmapped:
        pending[unmapped.kind] += unmapped.count
    for name in ("rejections", "rejections_listed", "unmapped", "changes"):
        del told[name]
    return {**told, "pending": dict(pending.most_common()), "metadata_differs": told["metadata_differs"][:TOLD]}


def keep_rows(sync: Sync, report: IngestReport, *, now: datetime) -> None:
    """Replace the sync's rows by those of the report, and bring the unmapped names up to it. In one transaction."""
    SyncRow.objects.filter(sync=sync).delete()
    rows = islice(enumerate(_rows(report)), ROWS_KEPT)
    bulk.insert(
        SyncRow,
        [
            {**row, "id": uuid7(now + number * IN_ORDER, f"sync row:{sync.pk}:{number}"), "sync_id": sync.pk}
            for number, row in rows
        ],
    )
    _meet_names(sync, report.unmapped, now)


def _rows(report: IngestReport) -> Iterator[dict[str, Any]]:
    about_no_run = {"run_id": None, "successor_id": None}
    for rejected in report.rejected:
        yield {"kind": SyncRowKind.REJECTED.value, "reason": rejected.reason[:60], **_placed(rejected), **about_no_run}
    for pending in report.pending:
        yield {"kind": SyncRowKind.PENDING.value, "reason": pending.kind[:60], **_placed(pending), **about_no_run}
    standing = bulk.existing(Run, "pk", (correction.successor for correction in report.corrections))
    for correction in report.corrections:
        yield {
            "kind": SyncRowKind.CORRECTION.value,
            "reason": CORRECTED,
            **_told(correction.key, correction.place),
            "text": f"The row states another value now, in the run {correction.successor_digest}.",
            "run_id": correction.run,
            "successor_id": correction.successor if correction.successor in standing else None,  # not in a dry run
        }
    for vanished in report.vanished:
        yield {
            "kind": SyncRowKind.VANISHED.value,
            "reason": VANISHED,
            **_told(vanished.key, None),
            "text": "The last reading had this row; this one lacks it.",
            "run_id": vanished.run,
            "successor_id": None,
        }


def _placed(entry: Rejected | Pending) -> dict[str, Any]:
    row = _storable(entry.row) if entry.row else None
    return {**_told(entry.key, entry.place), "text": _storable(entry.message), "row": row}


def _told(key: str | None, place: Place | None) -> dict[str, Any]:
    return {
        "file": _storable(place.file, 255) if place else "",
        "line": place.line if place else None,
        "path": _storable(place.path, 500) if place else "",
        "key": _storable(key, 500) if key else None,
        "row": None,
    }


def _storable(text: str, length: int = LONGEST_TEXT) -> str:
    """An upstream's text as any database takes it: NUL and lone surrogates are shown, not kept."""
    return text[:length].replace("\x00", "\u2400").encode(errors="replace").decode()


def _meet_names(sync: Sync, unmapped: list[Unmapped], now: datetime) -> None:
    """Names that rows wait for. Those that this input no longer waits for keep their row, with a count of none."""
    met = {(name.kind, _storable(name.name, 300)): name for name in unmapped}
    held = {(name.kind, name.name): name for name in UnmappedName.objects.filter(source=sync.source)}
    for key, name in held.items():
        name.row_count = met[key].count if key in met else 0
        if key in met:
            name.last_sync, name.example = sync, _example(met[key])
            name.is_settled = False  # settled or not, rows still wait for it
    UnmappedName.objects.bulk_update(held.values(), ["row_count", "last_sync", "example", "is_settled"], batch_size=200)
    of_most_rows = sorted(met.items(), key=lambda item: -item[1].count)[:NAMES_KEPT]
    UnmappedName.objects.bulk_create(
        UnmappedName(
            id=uuid7(now, f"unmapped name:{sync.source_id}:{kind}:{name}"),
            source=sync.source,
            kind=kind,
            name=name,
            first_seen_at=now,
            last_sync=sync,
            row_count=found.count,
            example=_example(found),
        )
        for (kind, name), found in of_most_rows
        if (kind, name) not in held
    )


def _example(unmapped: Unmapped) -> str:
    return _storable(unmapped.example.row or unmapped.example.message)
