"""Keep bytes under their own digest, through Django's storage: the same bytes are stored once, whoever brings them."""

import hashlib
from datetime import datetime
from pathlib import Path
from typing import IO

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from registry import evidence
from registry.models import StoredObject

CHUNK = 1 << 20


def digest_of_file(path: Path) -> str:
    """sha256 of a file, read in pieces."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def digest_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def object_path(digest: str) -> str:
    hexdigits = digest.removeprefix("sha256:")
    return f"sha256/{hexdigits[:2]}/{hexdigits}"


def store_file(path: Path, *, now: datetime) -> str:
    """Store a file's bytes and return their digest."""
    with path.open("rb") as file:
        return _store(digest_of_file(path), File(file), path.stat().st_size, now)


def store_bytes(data: bytes, *, now: datetime) -> str:
    return _store(digest_of(data), ContentFile(data), len(data), now)


def _store(digest: str, content: File, size_bytes: int, now: datetime) -> str:  # type: ignore[type-arg]
    """The file first, then its row: a crash in between leaves bytes that the next attempt finds in place."""
    path = object_path(digest)
    if not default_storage.exists(path):
        default_storage.save(path, content)
    with transaction.atomic():  # the row never stands without the evidence that follows from it
        _, is_new = StoredObject.objects.get_or_create(
            digest=digest, defaults={"path": path, "size_bytes": size_bytes, "stored_at": now}
        )
        if is_new:
            evidence.record_stored([digest], now=now)
    return digest


def open_stored(digest: str) -> IO[bytes] | None:
    """The bytes of a digest, if they are held here."""
    held = StoredObject.objects.filter(digest=digest).first()
    return default_storage.open(held.path) if held else None
