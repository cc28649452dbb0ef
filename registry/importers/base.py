"""What an importer is given, and what it yields: entries for the door, or rows that it can't translate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
class InputFile:
    """One file of an input. Places name it by `name`: its path below the input's folder."""

    name: str
    path: FilePath


@dataclass(frozen=True, slots=True)
class Known:
    """What people have settled that an upstream's files leave open.

    `names`: (kind, the upstream's spelling) -> what it stands for: a name of the importer's own tables, or the facts
    themselves (of a GPU: vendor, product, architecture, formFactor). `answers`: facts asked of the one who imports, by
    the name of the question.
    """

    names: Mapping[tuple[str, str], str | Mapping[str, str]] = field(default_factory=dict)
    answers: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that is not taken, and why. `reason` is a stable code; reports count by it.

    `key` is the upstream's own id of the row, `row` its text as it stood, both where there are any.
    """

    reason: str
    place: Place
    message: str
    key: str | None = None
    row: str | None = None


NAME_KINDS = ("gpu", "provider", "kernel", "configuration")


@dataclass(frozen=True, slots=True)
class Pending:
    """A row that waits until a person says what a name stands for. `kind` is one of NAME_KINDS."""

    kind: str
    name: str
    place: Place
    message: str
    key: str | None = None
    row: str | None = None


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
    contact: str = ""
    importer: str = ""  # a row of IMPORTERS; empty: bundles only
    location: str = ""  # where fetching starts; empty: files are given by a person
    hosts: tuple[str, ...] = ()  # that fetching may connect to
    schedule: str = "off"
    may_store: bool = True  # False: the bytes read are kept for checking, and only linked


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
class BytesEntry:
    """A file's bytes that come inside the input (a log, raw samples, a source file); stored under their sha256.

    A document that names the artifact names it by that digest.
    """

    digest: str
    data: bytes
    kind: str
    media_type: str
    file_name: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run with its protocol and environment, as read.

    `implementation` names the row (project slug, document name) where a digest has several. `claims` are digests that
    the input states beside the documents, by column; each must equal what the documents say.

    `upstream_key` is the upstream's id as it stands. `lasting_key` is the same without its time: what stays equal when
    the row is corrected or measured again; None where the upstream gives no id, and then nothing is ever superseded by
    machine. `release` is the upstream's own label of what was measured (a Liger version). `flags` are (rule, reason).
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
    lasting_key: str | None = None
    release: str | None = None
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


Entry = (
    SourceEntry | DocumentEntry | AliasEntry | ArtifactEntry | BytesEntry | RunEntry | CoverageEntry
    | Rejected | Skipped | Pending
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """One address to fetch; `name` is what the file is called among the input's files."""

    url: str
    name: str


class Importer(Protocol):
    """One upstream's reader. `translate` is pure but for reading its files: twice gives equal entries.

    It raises Unreadable, before or while it yields, where a file can't be read for what it is: nothing is then taken;
    MissingFacts where the files lack what only a person can say. `VERSION` changes whenever equal files would give
    other entries.

    A large input is taken window by window, so a document comes before the runs and documents that refer to it; what
    tells of several runs (coverage, supersession) may come anywhere.

    `first` and `following` say what a sync fetches: where it starts, and what each answer leads to (the next page).
    Importers of files that only people bring yield none.
    """

    SOURCE: SourceEntry
    VERSION: str

    def translate(self, files: Sequence[InputFile], known: Known) -> Iterator[Entry]: ...

    def first(self, location: str) -> Sequence[Request]: ...

    def following(self, request: Request, body: bytes) -> Sequence[Request]: ...


@dataclass(frozen=True, slots=True)
class Translation:
    """An input's entries, translated anew each time that they are gone through."""

    importer: Importer
    files: Sequence[InputFile]
    known: Known

    def __iter__(self) -> Iterator[Entry]:
        return self.importer.translate(self.files, self.known)


def brought_by_people(location: str) -> Sequence[Request]:
    """`first` of an importer whose files no machine fetches."""
    return ()


def no_more(request: Request, body: bytes) -> Sequence[Request]:
    """`following` of an upstream whose files lead nowhere else."""
    return ()


class Unreadable(ValueError):
    """The whole input can't be read; nothing of it was taken. The text says what and where."""


@dataclass(frozen=True, slots=True)
class Question:
    """A fact that the files do not state. `name` is the option or companion key that answers it."""

    name: str
    text: str
    choices: tuple[str, ...] = ()
    example: str = ""


class MissingFacts(ValueError):
    """The input can't be read without facts that only a person can give; nothing of it was taken."""

    def __init__(self, questions: Sequence[Question]) -> None:
        super().__init__(", ".join(question.name for question in questions))
        self.questions = tuple(questions)
