"""The only door in: entries to rows, in batches that are each one transaction, with an account of everything read.

Nothing is written before the whole input has been read to its end. One that is larger than a window (staging) is read
twice: to see that it can be, then to stage and write it window by window, so that memory does not grow with it. A batch
holds documents, or runs with their groups, marks, levels and standings, so an import that is killed leaves whole
batches with consistent ranks, and doing it again completes it.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from uuid import UUID

from registry import bulk
from registry.core.ids import uuid7
from registry.importers.base import Entry, SourceEntry
from registry.ingest.contents import contents_line
from registry.ingest.report import IngestReport, Refusal
from registry.ingest.writing import SnapshotFile, Writer, source_row
from registry.models import Snapshot
from registry.staging import Staging

__all__ = ["IngestReport", "Refusal", "SnapshotFile", "contents_line", "ingest", "source_row"]

OBJECTS_A_COLLECTION = 100_000


def ingest(
    entries: Iterable[Entry],
    *,
    source: SourceEntry,
    snapshot: SnapshotFile,
    more: Sequence[SnapshotFile] = (),
    now: datetime,
    is_all_or_nothing: bool = False,
    is_dry_run: bool = False,
    is_said_by_source_only: bool = False,
    keep: Callable[[], object] = lambda: None,
    on_read: Callable[[int], None] = lambda count: None,
    on_write: Callable[[int, int], None] = lambda done, total: None,
) -> IngestReport:
    """Take in everything that holds. Raises Refusal where `is_all_or_nothing` and anything does not.

    `entries` larger than a window are iterated twice, and must be equal both times; an iterator, which can be gone
    through only once, is one window. What iterating them raises, it raises before anything is written.

    With `is_said_by_source_only` no run is taken: written is only what the source says of its runs that are published
    already, that it disqualified or withdrew them.

    `more` are the other files of an input of several; a run was seen in the one that its place names. `keep` stores the
    input's bytes: it is called before the first row is written, and only then.
    """
    with bulk.one_import_at_a_time(), _few_collections():
        taken = [(_snapshot_id(source, file, now), file) for file in (snapshot, *more)]
        snapshots = dict(taken)  # files of equal bytes are one snapshot
        staging = Staging(
            source=source,
            snapshot_id=next(iter(snapshots)),
            snapshot_of={file.file_name: row_id for row_id, file in taken},
            now=now,
            is_own_data=is_all_or_nothing,
        )
        report = IngestReport(source.slug, snapshot.sha256, is_dry_run, staging.account)
        writer = Writer(source, snapshots, now, keep, on_write)
        for _ in _windows(entries, staging, is_one=is_all_or_nothing, on_read=on_read):
            plan = staging.plan()
            if report.rejected and is_all_or_nothing:
                raise Refusal(report)
            if not is_dry_run:
                writer.write(plan.said_by_source() if is_said_by_source_only else plan)
                staging.forget()
        last = staging.conclude()
        if not (is_dry_run or is_said_by_source_only):
            writer.write(last)
        report.groups_touched, report.batches = len(writer.touched), writer.batches
    return report


def _windows(
    entries: Iterable[Entry], staging: Staging, *, is_one: bool, on_read: Callable[[int], None]
) -> Iterator[None]:
    """Fill one window after the other, and yield when it is to be planned and written."""
    reading = iter(entries)
    is_one = is_one or reading is entries
    count = first = 0
    for entry in reading:
        count += 1
        staging.take(entry)
        on_read(count)
        if staging.is_full and not is_one:
            first = count
            break
    for _ in reading:  # an input that can't be read to its end leaves nothing behind
        count += 1
        on_read(count)
    yield
    if not first:
        return
    is_begun = False
    for entry in islice(entries, first, None):
        count += 1
        staging.take(entry)
        on_read(count)
        is_begun = not staging.is_full
        if staging.is_full:
            yield
    if is_begun:
        yield


@contextmanager
def _few_collections() -> Iterator[None]:
    """An import holds millions of objects and hardly a cycle: the collector would walk them all, time and again."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], OBJECTS_A_COLLECTION), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _snapshot_id(source: SourceEntry, file: SnapshotFile, now: datetime) -> UUID:
    """The id of a file's snapshot: the one that is held, or the one that it will have."""
    held = Snapshot.objects.filter(source__slug=source.slug, sha256=file.sha256).values_list("id", flat=True).first()
    return held or uuid7(now, f"snapshot:{source.slug}:{file.sha256}")
