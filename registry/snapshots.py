"""Take what an import reads from: the file's bytes are kept by digest before a row of it is written, and only then."""

from datetime import datetime
from pathlib import Path

from registry import artifacts
from registry.importers.base import InputFile, Unreadable
from registry.ingest import SnapshotFile


def take_file(path: Path, *, url: str | None = None) -> SnapshotFile:
    """Describe a file that a person gave; nothing is stored yet."""
    try:
        if not path.is_file():
            raise Unreadable(f"{path}: no such file")
        return SnapshotFile(path.name, artifacts.digest_of_file(path), path.stat().st_size, url=url)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error


def input_files(path: Path) -> list[InputFile]:
    """A file, or the files below a folder in the order of their names. Raises Unreadable where there are none."""
    if path.is_dir():
        found = sorted(below for below in path.rglob("*") if below.is_file() and not below.name.startswith("."))
        if not found:
            raise Unreadable(f"{path}: holds no files")
        return [InputFile(below.relative_to(path).as_posix(), below) for below in found]
    if not path.is_file():
        raise Unreadable(f"{path}: no such file")
    return [InputFile(path.name, path)]


def keep_file(path: Path, *, now: datetime) -> str:
    """Store the file's bytes and return their digest."""
    try:
        return artifacts.store_file(path, now=now)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
