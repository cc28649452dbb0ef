"""Each entry on its own: kind, shape, digest, and the digests that the input claims."""

import marshal
from collections import defaultdict

from registry.core import coherence
from registry.core.digest import canonical, document_text, sha256
from registry.core.kinds import KindError, NotIndexed, parse
from registry.core.reading import DOCUMENT_LIMIT
from registry.importers.base import (
    AliasEntry,
    ArtifactEntry,
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
from registry.staging.plan import Document, Plan, Refused, StagedRun

JUDGED_LATER = ("BenchmarkRun", "OperationSpec")  # where it is known whose data it is


class Reader:
    """Takes each entry on its own: kind, shape, digest, and the digests that the input claims."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.documents: dict[str, list[tuple[DocumentEntry, Document]]] = defaultdict(list)
        self.aliases: list[AliasEntry] = []
        self.artifacts: list[ArtifactEntry] = []
        self.coverage: list[CoverageEntry] = []
        self.runs: list[StagedRun] = []
        self.interned: dict[bytes, Document] = {}

    def take(self, entry: Entry) -> None:
        try:
            match entry:
                case RunEntry():
                    self.plan.read["BenchmarkRun"] += 1
                    self.runs.append(self._run(entry))
                case DocumentEntry():
                    self.plan.read[entry.kind] += 1
                    self.documents[entry.kind].append((entry, self._document(entry)))
                case SourceEntry():
                    self.plan.sources.setdefault(entry.slug, entry)
                case AliasEntry():
                    self.aliases.append(entry)
                case ArtifactEntry():
                    self.plan.read["Artifact"] += 1
                    self.artifacts.append(entry)
                case CoverageEntry():
                    self.coverage.append(entry)
                case Skipped():
                    self.plan.skipped[entry.reason] += 1
                case Rejected():
                    self.plan.rejected.append(entry)
                case Pending():
                    self.plan.pending.append(entry)
        except Refused as refused:
            self.plan.rejected += refused.rejections

    def _document(self, entry: DocumentEntry) -> Document:
        document = self._read(entry.kind, entry.value, entry.locate)
        if entry.claimed_digest not in (None, document.digest):
            raise document.refuse(
                "DIGEST_MISMATCH", f"the input states {entry.claimed_digest}, the document hashes to {document.digest}"
            )
        return document

    def _run(self, entry: RunEntry) -> StagedRun:
        locate = entry.locate
        run = self._read("BenchmarkRun", entry.run, lambda path: locate(("run", *path)))
        protocol = self._interned("BenchmarkProtocol", entry.protocol, lambda path: locate(("protocol", *path)))
        environment = self._interned(
            "ExecutionEnvironment", entry.environment, lambda path: locate(("environment", *path))
        )
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
            self.interned[key] = self._read(kind, value, locate)
        return self.interned[key]

    def _read(self, kind: str, value: object, locate: Locate) -> Document:
        try:
            manifest = parse(value, kind=kind)
        except NotIndexed as error:
            raise Refused(Rejected("SERVING_KIND", locate(()), str(error))) from error
        except KindError as error:
            raise Refused(*(Rejected("SHAPE", locate(f.path), f.message) for f in error.faults)) from error
        breaches = coherence.document_breaches(manifest)
        if breaches and kind not in JUDGED_LATER:
            raise Refused(*(Rejected(b.rule, locate(b.path), b.message) for b in breaches))
        text, metadata_text = document_text(manifest.kind, manifest.spec), canonical(manifest.metadata)
        size = len(text.encode()) + len(metadata_text.encode())
        if size > DOCUMENT_LIMIT:
            message = f"is {size:,} bytes in its canonical form; one document has at most {DOCUMENT_LIMIT:,}"
            raise Refused(Rejected("TOO_LARGE", locate(()), message))
        return Document(manifest.kind, sha256(text), text, metadata_text, manifest, locate, tuple(breaches))
