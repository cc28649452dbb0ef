"""The files of a sync that no person brings: fetched page after page, each named on the sync before the next one."""

from collections.abc import Sequence
from typing import Protocol

from django.db import transaction

from registry import fetching
from registry.core.ids import uuid7
from registry.fetching import InputFetched
from registry.importers import IMPORTERS
from registry.importers.base import Importer
from registry.models import Source, Sync, SyncFile
from registry.models.syncs import SyncState
from registry.syncs.leases import Lease

MIB = 1 << 20


class Fetch(Protocol):
    """`fetching.fetch_input`, or what a test puts in its place."""

    def __call__(self, importer: Importer, /, **options: object) -> Sequence[InputFetched]: ...


def fetch_files(lease: Lease, fetch: Fetch = fetching.fetch_input) -> None:
    """Fetch what the sync's importer asks for, but for what an earlier attempt fetched. Raises FetchError."""
    sync, source = lease.sync, lease.sync.source
    lease.begin("fetching")
    files = fetch(
        IMPORTERS[sync.importer],
        location=source.location,
        hosts=source.hosts.split(),
        caps=fetching.Caps(file_bytes=source.size_cap_mib * MIB),
        now=lease.now(),
        already=_files(sync),
        last=_files(_last_read(source)),
        on_file=lambda file: _keep(lease, file),
        on_request=lease.note,
    )
    with transaction.atomic():  # pages that an earlier attempt met, and that lead nowhere now, are no part of the input
        lease.step()
        SyncFile.objects.filter(sync=sync).exclude(name__in=[file.name for file in files]).delete()
        for file in files:
            SyncFile.objects.filter(sync=sync, name=file.name).update(position=file.position)


def _last_read(source: Source) -> Sync | None:
    return Sync.objects.filter(source=source, state=SyncState.DONE).exclude(files__url=None).first()


def _files(sync: Sync | None) -> list[InputFetched]:
    return [
        InputFetched(file.position, file.name, file.url or "", file.revision, file.sha256, file.size_bytes)
        for file in SyncFile.objects.filter(sync=sync)
    ]


def _keep(lease: Lease, file: InputFetched) -> None:
    now = lease.now()
    columns = {
        "position": file.position,
        "url": file.url,
        "revision": file.revision,
        "sha256": file.sha256,
        "size_bytes": file.size_bytes,
        "taken_at": now,
    }
    with transaction.atomic():
        lease.step(done=file.position + 1)
        SyncFile.objects.update_or_create(
            sync=lease.sync,
            name=file.name,
            defaults=columns,
            create_defaults={"id": uuid7(now, f"sync file:{lease.sync.pk}:{file.name}"), **columns},
        )
