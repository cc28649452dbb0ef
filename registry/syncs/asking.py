"""Asking for syncs, and whether a source may be read at all. A worker fetches and translates; nothing here does."""

import tempfile
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO

from django.db import IntegrityError, transaction

from registry import artifacts, auditing
from registry.core.retries import RING_AGAIN
from registry.importers import IMPORTERS
from registry.ingest import SnapshotFile
from registry.models import Source, Sync
from registry.models.syncs import SyncState, Trigger
from registry.syncs import bell, reading
from registry.syncs.errors import SyncError
from registry.syncs.leases import OPEN

MOST_FILES = 50
MIB = 1 << 20
LONGEST_NAME = 255
Upload = tuple[str, IO[bytes]]


def request(
    source: Source, *, trigger: Trigger, actor: uuid.UUID | None, now: datetime, is_dry_run: bool = False
) -> Sync:
    """Ask that a source be fetched and read. One that is asked for already, and just so, is returned as it stands."""
    _require_readable(source)
    if not source.location:
        raise SyncError(f"{source.name} has no location to fetch from: upload a file.")
    if already := Sync.objects.filter(
        source=source, state__in=OPEN, is_dry_run=is_dry_run, trigger__in=(Trigger.SCHEDULE, Trigger.BUTTON)
    ).first():
        return already
    with transaction.atomic():
        sync = queue(source, trigger=trigger, actor=actor, now=now, is_dry_run=is_dry_run)
        if actor:
            action = "dry run asked for" if is_dry_run else "sync asked for"
            auditing.record(action, "source", source.slug, str(Trigger(trigger).label), actor, now, _named(sync))
    return sync


def request_upload(
    source: Source, files: Sequence[Upload], *, actor: uuid.UUID, now: datetime, is_dry_run: bool = False,
    answers: Mapping[str, object] | None = None,
) -> Sync:  # fmt: skip
    """Ask that files given by a person be read. They are stored here and now; a worker reads them.

    `answers` are facts that the files do not state, by the name of the question.
    """
    _require_readable(source)
    names = _names([name for name, _ in files])
    _require_idle(source)
    kept = [_store(name, file, source.size_cap_mib, now) for name, (_, file) in zip(names, files, strict=True)]
    with transaction.atomic():
        sync = queue(
            source, trigger=Trigger.UPLOAD, actor=actor, now=now, is_dry_run=is_dry_run, answers=dict(answers or {})
        )
        reading.keep_files(sync, kept, now=now)
        auditing.record("file uploaded", "source", source.slug, ", ".join(names), actor, now, _named(sync))
    return sync


def queue(
    source: Source, *, trigger: Trigger, actor: uuid.UUID | None, now: datetime, is_dry_run: bool = False,
    importer: str = "", answers: Mapping[str, object] | None = None, waits_because: str = "",
) -> Sync:  # fmt: skip
    """Put a sync where a worker finds it, and give up what was to be tried again. In the caller's transaction."""
    try:
        with transaction.atomic():
            sync = Sync.objects.create(
                id=auditing.new_id(now),
                source=source,
                importer=importer or source.importer,
                trigger=trigger,
                is_dry_run=is_dry_run,
                requested_at=now,
                requested_by=actor,
                next_attempt_at=now + RING_AGAIN,
                answers=answers or {},
                waits_because=waits_because,
            )
    except IntegrityError:
        _require_idle(source)
        raise
    Sync.objects.filter(source=source, state=SyncState.FAILED).update(next_attempt_at=None)
    bell.ring(sync.id)
    return sync


def pause(source: Source, *, reason: str, actor: uuid.UUID, now: datetime) -> None:
    """Stop reading a source until it is resumed. What is under way goes on; what is queued is let go by its worker."""
    _require_reason(reason)
    with transaction.atomic():
        if not Source.objects.filter(pk=source.pk, paused_at=None).update(paused_at=now):
            raise SyncError(f"{source.name} is paused already.")
        auditing.record("source paused", "source", source.slug, reason, actor, now)


def resume(source: Source, *, reason: str, actor: uuid.UUID, now: datetime) -> None:
    """Read a paused source again; what its schedule missed is read once."""
    _require_reason(reason)
    with transaction.atomic():
        if not Source.objects.filter(pk=source.pk).exclude(paused_at=None).update(paused_at=None):
            raise SyncError(f"{source.name} is not paused.")
        auditing.record("source resumed", "source", source.slug, reason, actor, now)


def unreadable_because(source: Source) -> str:
    """Why nothing of the source may be read now; empty: it may."""
    if not source.is_enabled:
        return f"{source.name} is switched off: nothing of it is fetched or taken."
    if source.paused_at:
        return f"{source.name} is paused since {source.paused_at:%Y-%m-%d}."
    if source.importer not in IMPORTERS:
        return f"{source.name} has no importer: only bundles reach it."
    return ""


def _require_readable(source: Source) -> None:
    if because := unreadable_because(source):
        raise SyncError(because)


def _require_idle(source: Source) -> None:
    at_work = Sync.objects.filter(source=source, state__in=OPEN).first()
    if at_work:
        raise SyncError(f"A sync of {source.name} is {at_work.get_state_display()} already; one runs at a time.")


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise SyncError("State a reason: it is kept.")


def _names(given: Sequence[str]) -> list[str]:
    """The bare names of uploaded files: a browser's folders are no part of them."""
    names = [PurePosixPath(name.replace("\\", "/")).name[-LONGEST_NAME:] for name in given]
    if not names:
        raise SyncError("Choose at least one file.")
    if len(names) > MOST_FILES:
        raise SyncError(f"At most {MOST_FILES} files make one sync.")
    if not all(name.strip(". ") and name.isprintable() for name in names):
        raise SyncError("Each file needs a name of printable characters.")
    if len(set(names)) < len(names):
        raise SyncError("Two files have the same name: their rows could not be told apart.")
    return names


def _store(name: str, file: IO[bytes], cap_mib: int, now: datetime) -> SnapshotFile:
    """A file that is now stored. Raises SyncError for one above the cap, having kept nothing."""
    with tempfile.TemporaryDirectory(prefix="upload-") as folder:
        path = Path(folder) / "file"
        with path.open("wb") as copy:
            while copy.tell() <= cap_mib * MIB and (piece := file.read(MIB)):
                copy.write(piece)
            size = copy.tell()
        if size > cap_mib * MIB:
            raise SyncError(f"{name} is larger than the {cap_mib} MiB that one file of this source may have.")
        if not size:
            raise SyncError(f"{name} is empty.")
        return SnapshotFile(name, artifacts.store_file(path, now=now), size)


def _named(sync: Sync) -> dict[str, str]:
    return {"sync": str(sync.id)}
