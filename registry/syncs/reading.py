"""What a sync reads: its files as the importer wants them, what people settled, and the fingerprint of both."""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db.models import QuerySet

from registry import aliases, snapshots
from registry.core.digest import sha256
from registry.core.ids import uuid7
from registry.importers import IMPORTERS
from registry.importers.base import InputFile, Known, SourceEntry, Translation, Unreadable
from registry.ingest import IngestReport, SnapshotFile, ingest
from registry.models import Source, Sync, SyncFile
from registry.models.syncs import SyncState

Counted = Callable[[int], None]
Written = Callable[[int, int], None]


def importer_names() -> list[str]:
    """What a source may be read by."""
    return sorted(IMPORTERS)


@dataclass(frozen=True, slots=True)
class Reading:
    """A sync's input, to be translated as often as it takes: once to report, once to publish."""

    importer: str
    source: SourceEntry
    snapshots: Sequence[SnapshotFile]
    files: Sequence[InputFile]
    known: Known

    def ingest(
        self, *, now: datetime, is_dry_run: bool = False, is_said_by_source_only: bool = False,
        keep: Callable[[], object] = lambda: None,
        on_read: Counted = lambda count: None, on_write: Written = lambda done, total: None,
    ) -> IngestReport:  # fmt: skip
        first, *more = self.snapshots
        return ingest(
            Translation(IMPORTERS[self.importer], self.files, self.known),
            source=self.source,
            snapshot=first,
            more=more,
            keep=keep,
            now=now,
            is_dry_run=is_dry_run,
            is_said_by_source_only=is_said_by_source_only,
            on_read=on_read,
            on_write=on_write,
        )

    def fingerprint(self) -> str:
        """Equal for two readings that give equal entries: the files, the importer's version, what people settled."""
        return fingerprint(self.importer, self.snapshots, self.known)


def fingerprint(importer: str, snapshots: Sequence[SnapshotFile], known: Known) -> str:
    names = [[*key, meaning if isinstance(meaning, str) else dict(meaning)] for key, meaning in known.names.items()]
    told = {
        "importer": importer,
        "version": IMPORTERS[importer].VERSION if importer in IMPORTERS else "",
        "files": sorted([file.file_name, file.sha256] for file in snapshots),
        "names": sorted(names, key=str),
        "answers": dict(known.answers),
    }
    return sha256(json.dumps(told, sort_keys=True, ensure_ascii=False, default=str))


@contextmanager
def reading_of(sync: Sync) -> Iterator[Reading]:
    """The input of a sync from the stored bytes. Raises Unreadable where they are no longer held."""
    stored = list(SyncFile.objects.filter(sync=sync))
    if not stored:
        raise Unreadable("there are no files to read")
    with tempfile.TemporaryDirectory(prefix="sync-") as folder:
        yield Reading(
            sync.importer,
            entry_of(sync.source),
            [SnapshotFile(file.name, file.sha256, file.size_bytes, file.url, file.revision) for file in stored],
            snapshots.lay_out([(file.name, file.sha256) for file in stored], Path(folder)),
            aliases.known(sync.source, sync.answers),
        )


def keep_files(sync: Sync, files: Sequence[SnapshotFile], *, now: datetime) -> None:
    """Name the files of an input on its sync."""
    SyncFile.objects.bulk_create(
        SyncFile(
            id=uuid7(now, f"sync file:{sync.pk}:{position}"),
            sync=sync,
            position=position,
            name=file.file_name[:255],
            url=file.url,
            revision=file.revision,
            sha256=file.sha256,
            size_bytes=file.size_bytes,
            taken_at=now,
        )
        for position, file in enumerate(files)
    )


def entry_of(source: Source) -> SourceEntry:
    """Whom the runs of a sync belong to: the row is curated, so nothing of it is stated anew."""
    return SourceEntry(source.slug, source.name, source.kind)


def same_input(source: Source, fingerprint: str, *, but: Sync) -> Sync | None:
    """The newest sync that got to its end with this very input: published, waiting, or turned down by a person."""
    ended = _read_so(source, fingerprint).filter(state__in=(SyncState.DONE, SyncState.WAITING, SyncState.DISCARDED))
    return ended.exclude(state=SyncState.DISCARDED, decided_by=None).exclude(pk=but.pk).first()


def published_before(source: Source, fingerprint: str) -> Sync | None:
    return _read_so(source, fingerprint).filter(state=SyncState.DONE).first()


def _read_so(source: Source, fingerprint: str) -> QuerySet[Sync]:
    """Readings of this input since people last settled or unsettled a name: what rows wait for is as it was then."""
    read = Sync.objects.select_related("source").filter(source=source, fingerprint=fingerprint, is_dry_run=False)
    return read.filter(requested_at__gte=aliases.last_act(source) or source.created_at)
