"""Give an importer files as a sync does."""

from collections.abc import Iterator
from pathlib import Path

from registry import snapshots
from registry.importers.base import Entry, Importer, InputFile, Known


def translated(importer: Importer, path: Path, **known: object) -> Iterator[Entry]:
    """The entries of one file, there or not, or of a folder; `known` are the fields of Known."""
    files = snapshots.input_files(path) if path.is_dir() else [InputFile(path.name, path)]
    return importer.translate(files, Known(**known))  # type: ignore[arg-type]
