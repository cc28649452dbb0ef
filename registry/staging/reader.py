"""Each entry on its own: kind, shape, digest, and the digests that the input claims."""

import marshal
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from registry.core import coherence
from registry.core.digest import API_VERSION, canonical, document_text, sha256
from registry.core.kinds import KindError, Manifest, NotIndexed, parse
from registry.core.reading import DOCUMENT_LIMIT
from registry.importers.base import (
    AliasEntry,
    ArtifactEntry,
    BytesEntry,
    CoverageEntry,
    DocumentEntry,
    Entry,
    Locate,
    Pending,
    Rejected,
    RunEntry,
    Skipped,
    SourceEntry,
)
from registry.staging.account import Account
from registry.staging.plan import Document, Refused, StagedRun

WINDOW_RUNS, WINDOW_ENTRIES, WINDOW_BYTES = 10_000, 25_000, 32 * 2**20
INTERNED = 4_000  # protocols and environments that are kept as read
MEMBERS = {"apiVersion", "kind", "metadata", "spec"}


@dataclass(frozen=True, slots=True)
class Plain:
    """A document hashed as it stands, before anything of it is checked.

    Where the registry holds both digests, the document is that row's to the byte, and was checked when it came.
    """

    text: str
    digest: str
    metadata_text: str
    metadata_sha256: str


class IsHeld(Protocol):
    def __call__(self, kind: str, digest: str, metadata_sha256: str) -> bool: ...


JUDGED_LATER = ("BenchmarkRun", "OperationSpec")  # where it is known whose data it is


class Reader:
    """Takes the entries of one window; reads them once it is told which of their documents are held already."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.interned: dict[bytes, Document] = {}
        self.sources: dict[str, SourceEntry] = {}
        self.coverage: list[CoverageEntry] = []  # of the whole input: it may tell of any of its runs
        self.start()

    def start(self) -> None:
        """Begin a window."""
        self.taken: list[tuple[Entry, Plain | None]] = []
        self.documents: dict[str, list[tuple[DocumentEntry, Document]]] = defaultdict(list)
        self.aliases: list[AliasEntry] = []
        self.artifacts: list[ArtifactEntry] = []
        self.files: list[BytesEntry] = []
        self.runs: list[StagedRun] = []
        self.keys: set[str] = set()  # lasting, else the upstream's own: of rows that stand in the input
        self.told_keys: set[str] = set()  # the upstream's own, of rows that are not taken
        self.run_count = self.byte_count = 0
        if len(self.interned) > INTERNED:
            self.interned.clear()

    @property
    def is_full(self) -> bool:
        is_long = self.run_count >= WINDOW_RUNS or len(self.taken) >= WINDOW_ENTRIES
        return is_long or self.byte_count >= WINDOW_BYTES

    def take(self, entry: Entry) -> None:
        match entry:
            case RunEntry():
                self.account.read["BenchmarkRun"] += 1
                self.run_count += 1
                if key := entry.lasting_key or entry.upstream_key:
                    self.keys.add(key)
                self.taken.append((entry, _plain("BenchmarkRun", entry.run)))
            case DocumentEntry():
                self.account.read[entry.kind] += 1
                self.taken.append((entry, _plain(entry.kind, entry.value)))
            case SourceEntry():
                self.sources.setdefault(entry.slug, entry)
            case AliasEntry():
                self.aliases.append(entry)
            case ArtifactEntry():
                self.account.read["Artifact"] += 1
                self.artifacts.append(entry)
            case BytesEntry():
                self.account.read["Artifact"] += 1
                self.byte_count += len(entry.data)
                self.taken.append((entry, None))
            case CoverageEntry():
                self.coverage.append(entry)
            case Skipped():
                self.account.skipped[entry.reason] += 1
            case Rejected():
                self._tell(entry)
                self.taken.append((entry, None))
            case Pending():
                self._tell(entry)
                self.account.wait(entry)

    def _tell(self, entry: Rejected | Pending) -> None:
        if entry.key:
            self.told_keys.add(entry.key)

    def plain_digests(self) -> Mapping[str, set[str]]:
        """By kind, what the documents of this window hash to as they stand."""
        found: dict[str, set[str]] = defaultdict(set)
        for entry, plain in self.taken:
            if plain:
                found["BenchmarkRun" if isinstance(entry, RunEntry) else entry.kind].add(plain.digest)  # type: ignore[union-attr]
        return found

    def read(self, is_held: IsHeld) -> None:
        """Read what was taken, in its order. What is read is let go of as it stands in the input."""
        self.is_held = is_held
        self.taken.reverse()
        while self.taken:
            entry, plain = self.taken.pop()
            try:
                match entry:
                    case RunEntry():
                        self.runs.append(self._run(entry, plain))
                    case DocumentEntry():
                        self.documents[entry.kind].append(self._document(entry, plain))
                    case BytesEntry():
                        self.files.append(_checked(entry))
                    case Rejected():
                        self.account.reject(entry)
            except Refused as refused:
                self.account.reject(*refused.rejections)

    def _document(self, entry: DocumentEntry, plain: Plain | None) -> tuple[DocumentEntry, Document]:
        document = self._read(entry.kind, entry.value, entry.locate, plain)
        if entry.claimed_digest not in (None, document.digest):
            raise document.refuse(
                "DIGEST_MISMATCH", f"the input states {entry.claimed_digest}, the document hashes to {document.digest}"
            )
        slim = DocumentEntry(
            entry.kind, None, entry.locate, entry.slug, entry.id, entry.project, entry.aliases, entry.claimed_digest
        )
        return slim, document

    def _run(self, entry: RunEntry, plain: Plain | None) -> StagedRun:
        locate = entry.locate
        run = self._read("BenchmarkRun", entry.run, lambda path: locate(("run", *path)), plain)
        protocol = self._interned("BenchmarkProtocol", entry.protocol, lambda path: locate(("protocol", *path)))
        environment = self._interned(
            "ExecutionEnvironment", entry.environment, lambda path: locate(("environment", *path))
        )
        if entry.claims:
            claims = (("runDigest", run), ("protocolKey", protocol), ("environmentKey", environment))
            for column, document in claims:
                claimed = entry.claims.get(column)
                if claimed not in (None, document.digest):
                    raise run.refuse(
                        "DIGEST_MISMATCH",
                        f"{column} states {claimed}, the {document.kind} hashes to {document.digest}",
                    )
        for part, document in (("protocolDigest", protocol), ("environmentDigest", environment)):
            if run.spec[part] != document.digest:
                raise run.refuse(
                    "REFERENCE_MISMATCH",
                    f"names {run.spec[part]}, the {document.kind} beside it hashes to {document.digest}",
                    "spec",
                    part,
                )
        slim = RunEntry(
            None, None, None, locate, entry.source, entry.implementation, entry.id, entry.published_at,
            entry.upstream_key, entry.lasting_key, entry.release, entry.claims, entry.flags, entry.withdrawn,
            entry.supersedes,
        )  # fmt: skip  # the parsed documents go: their text is kept
        return StagedRun(slim, run, protocol, environment)

    def _interned(self, kind: str, value: object, locate: Locate) -> Document:
        """Read a document that an input repeats beside each run once. The key tells 1 from 1.0 and from true."""
        key = marshal.dumps((kind, value), 2)
        if key not in self.interned:
            self.interned[key] = self._read(kind, value, locate, None)
        return self.interned[key]

    def _read(self, kind: str, value: object, locate: Locate, plain: Plain | None) -> Document:
        if plain and self.is_held(kind, plain.digest, plain.metadata_sha256):
            stated = Manifest(kind, value["spec"], value["metadata"])  # type: ignore[index]
            return Document(kind, plain.digest, plain.text, plain.metadata_text, plain.metadata_sha256, locate, stated)
        try:
            manifest = parse(value, kind=kind)
        except NotIndexed as error:
            raise Refused(Rejected("SERVING_KIND", locate(()), str(error))) from error
        except KindError as error:
            raise Refused(*(Rejected("SHAPE", locate(f.path), f.message) for f in error.faults)) from error
        breaches = coherence.document_breaches(manifest)
        if breaches and kind not in JUDGED_LATER:
            raise Refused(*(Rejected(b.rule, locate(b.path), b.message) for b in breaches))
        if plain is None or (manifest.spec, manifest.metadata) != (value["spec"], value["metadata"]):  # type: ignore[index]
            plain = _hashed(manifest.kind, manifest.spec, manifest.metadata)
        size = len(plain.text) + len(plain.metadata_text)
        if size > DOCUMENT_LIMIT // 4:  # a character has at most four bytes
            size = len(plain.text.encode()) + len(plain.metadata_text.encode())
        if size > DOCUMENT_LIMIT:
            message = f"is {size:,} bytes in its canonical form; one document has at most {DOCUMENT_LIMIT:,}"
            raise Refused(Rejected("TOO_LARGE", locate(()), message))
        return Document(
            manifest.kind, plain.digest, plain.text, plain.metadata_text, plain.metadata_sha256, locate, manifest,
            tuple(breaches),
        )  # fmt: skip


def _plain(kind: str, value: object) -> Plain | None:
    """What a value hashes to as it stands; None where it is no document of this kind on the face of it."""
    if not isinstance(value, dict) or value.keys() != MEMBERS:
        return None
    if value["kind"] != kind or value["apiVersion"] != API_VERSION:
        return None
    try:
        return _hashed(kind, value["spec"], value["metadata"])
    except (ValueError, TypeError, RecursionError):
        return None  # reading it says what is wrong


def _hashed(kind: str, spec: object, metadata: object) -> Plain:
    text, metadata_text = document_text(kind, spec), canonical(metadata)
    return Plain(text, sha256(text), metadata_text, sha256(metadata_text))


def _checked(entry: BytesEntry) -> BytesEntry:
    hashed = sha256(entry.data)
    if hashed != entry.digest:
        message = f"the input states {entry.digest}, its {len(entry.data):,} bytes hash to {hashed}"
        raise Refused(Rejected("DIGEST_MISMATCH", entry.place, message))
    return entry
