"""What an importer yields: entries for the door, or rows it can't translate, each with its place in the input."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path as FilePath
from typing import Protocol
from uuid import UUID

from registry.core.reading import Path, path_text


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in an input: file, 1-based line where known, path inside the document."""

    file: str
    line: int | None
    path: str

    def __str__(self) -> str:
        parts = [self.file, f"line {self.line}" if self.line else "", self.path]
        return ": ".join(part for part in parts if part)


Locate = Callable[[Path], Place]


def in_line(file: str, line: int) -> Locate:
    """Places of a file that holds one row a line."""
    return lambda path: Place(file, line, path_text(path))


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that is not taken, and why. `reason` is a stable code; reports count by it."""

    reason: str
    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that this index does not hold by design (serving kinds, what is derived here anew)."""

    reason: str
    place: Place


@dataclass(frozen=True, slots=True)
class SourceEntry:
    slug: str
    name: str
    kind: str
    homepage: str = ""
    licence: str = ""
    terms: str = ""
    attribution: str = ""


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document of any kind but BenchmarkRun. `value` is as read: nothing about it has been checked.

    `slug` and `id` are the catalog's own where it has them; `project` is the owner's slug, of implementations only.
    """

    kind: str
    value: object
    locate: Locate
    slug: str | None = None
    id: UUID | None = None
    project: str | None = None
    aliases: tuple[str, ...] = ()
    claimed_digest: str | None = None


@dataclass(frozen=True, slots=True)
class AliasEntry:
    operation_id: UUID
    alias: str
    place: Place


@dataclass(frozen=True, slots=True)
class ArtifactEntry:
    digest: str
    kind: str
    media_type: str | None
    size_bytes: int | None
    uri: str | None
    licence: str | None
    place: Place
    id: UUID | None = None


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run with its protocol and environment, as read.

    `implementation` names the row (project slug, document name) where a digest has several. `claims` are digests that
    the input states beside the documents, by column; each must equal what the documents say.
    """

    run: object
    protocol: object
    environment: object
    locate: Locate
    source: str | None = None
    implementation: tuple[str, str] | None = None
    id: UUID | None = None
    published_at: datetime | None = None
    upstream_key: str | None = None
    claims: dict[str, str | None] = field(default_factory=dict)
    flags: tuple[tuple[str, str], ...] = ()
    withdrawn: tuple[datetime, str] | None = None
    supersedes: UUID | None = None


@dataclass(frozen=True, slots=True)
class CoverageEntry:
    """Of the runs that upstream offers for these runs' group, how many were taken and by which rule."""

    run_external_ids: tuple[str, ...]
    offered: int | None
    rule: str


Entry = SourceEntry | DocumentEntry | AliasEntry | ArtifactEntry | RunEntry | CoverageEntry | Rejected | Skipped


class Importer(Protocol):
    """One upstream's reader. `translate` is pure but for reading the file: twice gives equal entries."""

    SOURCE: SourceEntry

    def translate(self, path: FilePath) -> Iterator[Entry]: ...


class Unreadable(ValueError):
    """The whole input can't be read; nothing of it was taken. The text says what and where."""
