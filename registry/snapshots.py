"""Take what an import reads from: the file's bytes are kept by digest before a row of it is written, and only then."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
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


def take_files(files: Sequence[InputFile]) -> list[SnapshotFile]:
    """Describe the files of an input, by the names that places have; nothing is stored yet."""
    return [replace(take_file(file.path), file_name=file.name) for file in files]


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


def keep_files(files: Iterable[InputFile], *, now: datetime) -> list[str]:
    """Store the bytes of each and return their digests, in order."""
    return [keep_file(file.path, now=now) for file in files]


def lay_out(held: Iterable[tuple[str, str]], folder: Path) -> list[InputFile]:
    """Put held bytes, given as (name, digest), where an importer can read them.

    The files on disk are numbered: a name is an upstream's word and may hold anything. Raises Unreadable for bytes that
    are not held or are no longer what their digest says.
    """
    return [_laid_out(name, digest, folder / f"{number:06}") for number, (name, digest) in enumerate(held)]


def _laid_out(name: str, digest: str, path: Path) -> InputFile:
    try:
        stored = artifacts.open_stored(digest)
        if stored is None:
            raise Unreadable(f"{name}: {digest} is not held here")
        with stored, path.open("wb") as file:
            shutil.copyfileobj(stored, file, artifacts.CHUNK)
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}") from error
    if artifacts.digest_of_file(path) != digest:
        raise Unreadable(f"{name}: the bytes held are no longer those of {digest}")
    return InputFile(name, path)
