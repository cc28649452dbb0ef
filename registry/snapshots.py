"""Take what an import reads from: the file's bytes are kept by digest before a row of it is written, and only then."""

from datetime import datetime
from pathlib import Path

from registry import artifacts
from registry.importers.base import Unreadable
from registry.ingest import SnapshotFile


def take_file(path: Path, *, url: str | None = None) -> SnapshotFile:
    """Describe a file that a person gave; nothing is stored yet."""
    try:
        if not path.is_file():
            raise Unreadable(f"{path}: no such file")
        return SnapshotFile(path.name, artifacts.digest_of_file(path), path.stat().st_size, url=url)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error


def keep_file(path: Path, *, now: datetime) -> str:
    """Store the file's bytes and return their digest."""
    try:
        return artifacts.store_file(path, now=now)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
