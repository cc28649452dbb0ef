"""Take what an import reads from: the file's bytes are kept by digest before a row of it is written."""

from datetime import datetime
from pathlib import Path

from registry import artifacts
from registry.importers.base import Unreadable
from registry.ingest import SnapshotFile


def take_file(path: Path, *, now: datetime, keep: bool, url: str | None = None) -> SnapshotFile:
    """Record a file that a person gave. With `keep` its bytes are stored; a dry run keeps nothing."""
    try:
        if not path.is_file():
            raise Unreadable(f"{path}: no such file")
        digest = artifacts.store_file(path, now=now) if keep else artifacts.digest_of_file(path)
        return SnapshotFile(path.name, digest, path.stat().st_size, url=url)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
