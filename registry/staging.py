"""From entries to finished rows: what an import would write and what it refuses, without writing anything.

First every entry is read on its own (kind, digest, claims); then all are resolved in the order of their dependence,
against each other and against the registry. ingest.py writes the Plan that comes of it.
"""

import json
import marshal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models

from registry import bulk
from registry.core import coherence, flags, ranking
from registry.core import columns as columns_from
from registry.core.digest import canonical, document_text, sha256
from registry.core.ids import uuid7
from registry.core.kinds import KindError, Manifest, NotIndexed, parse
from registry.core.naming import slugify
from registry.core.reading import DOCUMENT_LIMIT
from registry.guards import REDACTED
from registry.importers.base import (
    AliasEntry,
    ArtifactEntry,
    CoverageEntry,
    DocumentEntry,
    Entry,
    Locate,
    Rejected,
    RunEntry,
    Skipped,
    SourceEntry,
)
from registry.models import (
    Artifact,
    ComparisonGroup,
    Coverage,
    Environment,
    Hardware,
    Implementation,
    Mark,
    Operation,
    OperationAlias,
    Project,
    ProjectRevision,
    Protocol,
    Run,
    RunArtifact,
    Sighting,
    Source,
    Workload,
)
from registry.models.marks import MarkKind

Row = dict[str, Any]
Model = type[models.Model]
LONGEST_TOKEN = 100  # characters: of a metric, statistic, unit or vendor
LARGEST_COUNT = 2**31 - 1  # of samples or devices
MARKED_BY_SOURCE = "the source"
MARKED_AT_THE_DOOR = "KernelIndex, at the door"


class Refused(Exception):
    """An entry is not taken. Caught where entries are consumed."""

    def __init__(self, *rejections: Rejected) -> None:
        super().__init__(rejections)
        self.rejections = rejections


@dataclass(slots=True)
class Document:
    """A document in its canonical form, from this input or from the registry."""

    kind: str
    digest: str
    text: str
    metadata_text: str
    manifest: Manifest
    locate: Locate
    breaches: tuple[coherence.Breach, ...] = ()

    @property
    def spec(self) -> dict[str, Any]:
        return self.manifest.spec

    @property
    def metadata(self) -> dict[str, Any]:
        return self.manifest.metadata

    def refuse(self, reason: str, message: str, *path: str | int) -> Refused:
        return Refused(Rejected(reason, self.locate(path), message))


@dataclass(slots=True)
class StagedRun:
    entry: RunEntry
    run: Document
    protocol: Document
    environment: Document
    identity: columns_from.GroupIdentity | None = None


@dataclass(frozen=True, slots=True)
class ImplementationRow:
    id: UUID
    project: str
    name: str
    operation_digest: str
    metadata_sha256: str


@dataclass(slots=True)
class Plan:
    """Finished rows, and the account of everything that was read.

    `rows` are in dependency order of models; `runs` come with the rows that belong to each (sightings, flags, files).
    """

    sources: dict[str, SourceEntry] = field(default_factory=dict)
    projects: dict[str, Row] = field(default_factory=dict)
    rows: dict[Model, list[Row]] = field(default_factory=lambda: defaultdict(list))
    groups: dict[UUID, Row] = field(default_factory=dict)
    runs: list[Row] = field(default_factory=list)
    beside_runs: dict[UUID, list[tuple[Model, Row]]] = field(default_factory=lambda: defaultdict(list))
    supersessions: list[Row] = field(default_factory=list)  # marks that name two runs: written when both stand
    coverage: list[Row] = field(default_factory=list)
    read: Counter[str] = field(default_factory=Counter)
    new: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    rejected: list[Rejected] = field(default_factory=list)
    metadata_differs: list[str] = field(default_factory=list)


def stage(
    entries: Iterable[Entry],
    *,
    source: SourceEntry,
    snapshot_id: UUID,
    snapshot_of: Mapping[str, UUID] | None = None,
    now: datetime,
    is_own_data: bool,
    progress: Callable[[int], None] = lambda count: None,
) -> Plan:
    """Read and resolve everything. `source` is where runs belong that name none.

    With `is_own_data` (a bundle) an incoherent run is refused; else it is an upstream's own publication, and is taken,
    flagged and left unranked.
    """
    reader = _Reader()
    for count, entry in enumerate(entries, start=1):
        reader.take(entry)
        progress(count)
    snapshots = _Snapshots(snapshot_id, snapshot_of or {})
    return _Resolver(reader, source=source, snapshots=snapshots, now=now, is_own_data=is_own_data).plan


@dataclass(frozen=True, slots=True)
class _Snapshots:
    """The snapshot that a place of the input is in: one for a single file, one a file for several bundles at once."""

    only: UUID
    by_file: Mapping[str, UUID]

    def of(self, file: str) -> UUID:
        return self.by_file.get(file, self.only)

    def all(self) -> set[UUID]:
        return {self.only, *self.by_file.values()}


class _Reader:
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
            entry.upstream_key, entry.claims, entry.flags, entry.withdrawn, entry.supersedes,
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
        if breaches and kind != "BenchmarkRun":  # a run's are judged where it is known whose data it is
            raise Refused(*(Rejected(b.rule, locate(b.path), b.message) for b in breaches))
        text, metadata_text = document_text(manifest.kind, manifest.spec), canonical(manifest.metadata)
        size = len(text.encode()) + len(metadata_text.encode())
        if size > DOCUMENT_LIMIT:
            message = f"is {size:,} bytes in its canonical form; one document has at most {DOCUMENT_LIMIT:,}"
            raise Refused(Rejected("TOO_LARGE", locate(()), message))
        return Document(manifest.kind, sha256(text), text, metadata_text, manifest, locate, tuple(breaches))


class _Resolver:
    """Turns what was read into rows, each reference resolved in the input first and in the registry second."""

    def __init__(
        self, reader: _Reader, *, source: SourceEntry, snapshots: "_Snapshots", now: datetime, is_own_data: bool
    ) -> None:
        self.reader, self.plan = reader, reader.plan
        self.default_source, self.snapshots, self.now, self.is_own_data = source, snapshots, now, is_own_data
        self.plan.sources.setdefault(source.slug, source)
        self.known: dict[str, Document] = {}  # by digest: operations, workloads, protocols, environments
        self.ids: dict[Model, dict[str, UUID]] = defaultdict(dict)
        self.project_names: dict[str, str] = {}
        self.implementations: dict[str, list[ImplementationRow]] = defaultdict(list)
        self.workload_breaches: dict[str, list[coherence.Breach]] = {}
        self.group_ids: dict[str, UUID] = {}
        self.correctness: dict[str, str] = {}
        self.noted: set[str] = set()
        self.taken = self._taken_ids()
        self._look_up()
        self._each("SoftwareProject", self._project)
        self._each("OperationSpec", self._operation)
        self._aliases()
        self._each("WorkloadCase", self._workload)
        self._each("WorkloadSuite", self._workload)
        self._each("ImplementationRevision", self._implementation)
        self._artifacts()
        self._runs()
        self._coverage()

    def _each(self, kind: str, make: Callable[[DocumentEntry, Document], None]) -> None:
        for entry, document in self.reader.documents[kind]:
            self._guarded(lambda entry=entry, document=document: make(entry, document))

    def _guarded(self, make: Callable[[], None]) -> None:
        try:
            make()
        except Refused as refused:
            self.plan.rejected += refused.rejections

    # --- what the registry already has

    def _taken_ids(self) -> dict[Model, set[UUID]]:
        """Of the ids that the input brings along, those that a row of the registry has already."""
        kinds = {
            Project: ("SoftwareProject",),
            Operation: ("OperationSpec",),
            Workload: ("WorkloadCase", "WorkloadSuite"),
            Implementation: ("ImplementationRevision",),
        }
        wanted: dict[Model, list[UUID | None]] = {
            model: [entry.id for kind in of_kind for entry, _ in self.reader.documents[kind]]
            for model, of_kind in kinds.items()
        }
        wanted[Artifact] = [entry.id for entry in self.reader.artifacts]
        wanted[Run] = [staged.entry.id for staged in self.reader.runs]
        taken: dict[Model, set[UUID]] = defaultdict(set)
        for model, ids in wanted.items():
            taken[model] = set(bulk.existing(model, "pk", filter(None, ids)))
        return taken

    def _look_up(self) -> None:
        """Load every row of the registry that this input holds or refers to: a constant number of queries per 500."""
        documents = self.reader.documents
        runs = self.reader.runs
        implementations = [d for _, d in documents["ImplementationRevision"]]
        workloads = [d for kind in ("WorkloadCase", "WorkloadSuite") for _, d in documents[kind]]
        run_specs = [staged.run.spec for staged in runs]
        self._load(Workload, {w.digest for w in workloads} | {s["workloadDigest"] for s in run_specs})
        held = {d.digest: d for d in workloads} | self.known
        self._load(
            Operation,
            {d.digest for _, d in documents["OperationSpec"]}
            | {d.spec["operation"]["specDigest"] for d in implementations}
            | {d.spec["operationSpecDigest"] for d in held.values() if d.kind.startswith("Workload")},
        )
        self._load(Protocol, {staged.protocol.digest for staged in runs})
        self._load(Environment, {staged.environment.digest for staged in runs})
        wanted = {d.digest for d in implementations} | {s["implementationDigest"] for s in run_specs}
        self.known_implementations = self._load_implementations(wanted)
        self.known_runs = bulk.existing(
            Run, "digest", (staged.run.digest for staged in runs),
            "id", "implementation_id", "metadata_sha256", "group_id", "name",
        )  # fmt: skip
        known_ids = [row[0] for row in self.known_runs.values()]
        self.seen_runs = self._seen_runs(known_ids)
        self.marked_runs = self._marked_runs(known_ids)
        self.hardware = dict(Hardware.objects.values_list("name", "id"))
        self.hardware_slugs = set(Hardware.objects.values_list("slug", flat=True))
        self.source_ids = dict(Source.objects.values_list("slug", "id"))
        self.operation_slugs = dict(Operation.objects.values_list("slug", "digest"))
        slugs = {entry.slug or slugify(d.metadata["name"]) for entry, d in documents["SoftwareProject"]}
        slugs |= {entry.project for entry, _ in documents["ImplementationRevision"] if entry.project}
        self.project_ids = dict(Project.objects.filter(slug__in=slugs).values_list("slug", "id"))
        self.project_names |= dict(Project.objects.filter(slug__in=slugs).values_list("slug", "name"))
        self.project_revisions = {
            (slug, digest): sha
            for slug, digest, sha in ProjectRevision.objects.filter(project__slug__in=slugs).values_list(
                "project__slug", "digest", "metadata_sha256"
            )
        }
        self.artifact_digests = set(bulk.existing(Artifact, "digest", (a.digest for a in self.reader.artifacts)))

    def _seen_runs(self, run_ids: list[UUID]) -> set[tuple[UUID, UUID]]:
        """(run, snapshot) of these runs in the snapshots of this very input."""
        seen: set[tuple[UUID, UUID]] = set()
        snapshots = self.snapshots.all()
        for start in range(0, len(run_ids), 500):
            found = Sighting.objects.filter(run__in=run_ids[start : start + 500], snapshot__in=snapshots)
            seen.update(found.values_list("run_id", "snapshot_id"))
        return seen

    def _marked_runs(self, run_ids: list[UUID]) -> set[tuple[UUID, str]]:
        """(run, kind) of what sources have said of these runs, whether or not it was cleared since."""
        marked: set[tuple[UUID, str]] = set()
        for start in range(0, len(run_ids), 500):
            marked.update(
                Mark.objects.filter(run__in=run_ids[start : start + 500], by=MARKED_BY_SOURCE).values_list(
                    "run_id", "kind"
                )
            )
        return marked

    def _load(self, model: Model, digests: Iterable[str]) -> None:
        found = bulk.existing(model, "digest", digests, "id", "canonical", "metadata")
        for digest, (row_id, text, metadata) in found.items():
            self.ids[model][digest] = row_id
            if text:  # a redacted document has none; nothing can be resolved against it
                document = json.loads(text)
                manifest = Manifest(document["kind"], document["spec"], json.loads(metadata))
                self.known[digest] = Document(manifest.kind, digest, text, metadata, manifest, _nowhere)

    def _load_implementations(self, digests: set[str]) -> set[tuple[str, str, str]]:
        rows = set()
        wanted = sorted(digests)
        for start in range(0, len(wanted), 500):
            query = Implementation.objects.filter(digest__in=wanted[start : start + 500]).values_list(
                "digest", "id", "project__slug", "name", "operation__digest", "metadata_sha256"
            )
            for digest, row_id, project, name, operation, metadata in query:
                self.implementations[digest].append(ImplementationRow(row_id, project, name, operation, metadata))
                rows.add((digest, project, name))
        return rows

    def _is_known(self, model: Model, document: Document) -> bool:
        """Whether the registry or an earlier entry holds this digest; other metadata is noted, nothing changes."""
        if document.digest not in self.ids[model]:
            return False
        self._note_beside(document)
        self.plan.known[document.kind] += 1
        return True

    def _note_beside(self, document: Document) -> None:
        held = self.known.get(document.digest)
        if held and held is not document and held.metadata_text:
            self._note_metadata(document, sha256(held.metadata_text))

    def _note_metadata(self, document: Document, held_sha256: str) -> None:
        told = f"{document.kind} {document.digest}"
        if held_sha256 != sha256(document.metadata_text) and told not in self.noted:
            self.noted.add(told)
            self.plan.metadata_differs.append(told)

    def _own_or(self, model: Model, wanted: UUID | None, seed: str, at: datetime | None = None) -> UUID:
        """The id that the input keeps for a new row, unless another row has it; else one made of the row itself."""
        row_id = wanted if wanted and wanted not in self.taken[model] else uuid7(at or self.now, seed)
        self.taken[model].add(row_id)
        return row_id

    def _admit(self, model: Model, document: Document, columns: Row, row_id: UUID | None = None) -> UUID:
        """Add a document's row to the plan, with what every document row has."""
        row_id = self._own_or(model, row_id, f"{model.__name__}:{document.digest}")
        self.ids[model][document.digest] = row_id
        self.known[document.digest] = document
        self.plan.rows[model].append(self._document_row(document, row_id) | columns)
        self.plan.new[document.kind] += 1
        return row_id

    def _document_row(self, document: Document, row_id: UUID) -> Row:
        return {
            "id": row_id,
            "digest": document.digest,
            "created_at": self.now,
            "canonical": document.text,
            "metadata": document.metadata_text,
            "metadata_sha256": sha256(document.metadata_text),
        }

    def _operation_of(self, document: Document, digest: str, *path: str) -> Document:
        operation = self.known.get(digest)
        if operation is None or operation.kind != "OperationSpec" or digest not in self.ids[Operation]:
            raise document.refuse("MISSING_DOCUMENT", f"no operation {digest} in this input or the registry", *path)
        return operation

    # --- one kind each

    def _project(self, entry: DocumentEntry, document: Document) -> None:
        slug = entry.slug or slugify(document.metadata["name"])
        if not slug:
            raise document.refuse("SHAPE", "the name gives no slug", "metadata", "name")
        if (slug, document.digest) in self.project_revisions:
            self._note_metadata(document, self.project_revisions[slug, document.digest])
            self.plan.known[document.kind] += 1
            return
        if slug not in self.project_ids:
            self.project_ids[slug] = self._own_or(Project, entry.id, f"project:{slug}")
        columns = columns_from.project_columns(document.spec)
        row_id = uuid7(self.now, f"{slug}:{document.digest}")
        self.plan.projects[slug] = {"id": self.project_ids[slug], "name": columns["name"], "newest_id": row_id}
        self.project_names[slug] = columns["name"]
        self.project_revisions[slug, document.digest] = sha256(document.metadata_text)
        row = self._document_row(document, row_id) | columns | {"project_id": self.project_ids[slug]}
        self.plan.rows[ProjectRevision].append(row)
        self.plan.new[document.kind] += 1

    def _operation(self, entry: DocumentEntry, document: Document) -> None:
        if self._is_known(Operation, document):
            if entry.id:
                self.ids[Operation][str(entry.id)] = self.ids[Operation][document.digest]
            return
        slug = entry.slug or slugify(document.metadata["name"]) or "operation"
        if slug in self.operation_slugs:
            slug = f"{slug}-{document.digest.removeprefix('sha256:')[:8]}"
        self.operation_slugs[slug] = document.digest
        columns = columns_from.operation_columns(document.spec, document.metadata)
        row_id = self._admit(Operation, document, columns | {"slug": slug}, entry.id)
        self.ids[Operation][str(row_id)] = row_id

    def _aliases(self) -> None:
        wanted = {(self.ids[Operation].get(str(a.operation_id)), a.alias[:200]): a for a in self.reader.aliases}
        held = set(
            OperationAlias.objects.filter(alias__in=[alias for _, alias in wanted]).values_list("operation_id", "alias")
        )
        for (operation_id, alias), entry in wanted.items():
            if operation_id is None:
                self.plan.rejected.append(
                    Rejected("MISSING_DOCUMENT", entry.place, f"alias of an unknown operation {entry.operation_id}")
                )
            elif (operation_id, alias) not in held:
                row_id = uuid7(self.now, f"alias:{operation_id}:{alias}")
                self.plan.rows[OperationAlias].append({"id": row_id, "operation_id": operation_id, "alias": alias})

    def _workload(self, entry: DocumentEntry, document: Document) -> None:
        if self._is_known(Workload, document):
            return
        spec = document.spec
        operation = self._operation_of(document, spec["operationSpecDigest"], "spec", "operationSpecDigest")
        breaches = self._breaches_of(document, operation)
        if breaches and self.is_own_data:
            raise Refused(*(Rejected(b.rule, document.locate(b.path), b.message) for b in breaches))
        columns = columns_from.workload_columns(document.kind, spec, document.metadata, operation.spec)
        columns["operation_id"] = self.ids[Operation][operation.digest]
        self._admit(Workload, document, columns, entry.id)

    def _breaches_of(self, workload: Document, operation: Document) -> list[coherence.Breach]:
        if workload.digest not in self.workload_breaches:
            self.workload_breaches[workload.digest] = coherence.workload_breaches(operation.spec, workload.manifest)
        return self.workload_breaches[workload.digest]

    def _implementation(self, entry: DocumentEntry, document: Document) -> None:
        spec, metadata = document.spec, document.metadata
        name = metadata["name"]
        project = entry.project
        if not project or project not in self.project_ids:
            raise document.refuse("MISSING_DOCUMENT", f"no project {project!r} in this input or the registry")
        held = _named(self.implementations[document.digest], project, name)
        if held:
            self._note_metadata(document, held.metadata_sha256)
            self.plan.known[document.kind] += 1
            return
        digest = spec["operation"]["specDigest"]
        operation = self._operation_of(document, digest, "spec", "operation", "specDigest")
        row_id = self._own_or(Implementation, entry.id, f"implementation:{document.digest}:{project}:{name}")
        columns = columns_from.implementation_columns(spec, metadata, operation.metadata, self.project_names[project])
        self.plan.rows[Implementation].append(
            self._document_row(document, row_id)
            | columns
            | {
                "project_id": self.project_ids[project],
                "operation_id": self.ids[Operation][digest],
                "slug": entry.slug or slugify(name) or "implementation",
            }
        )
        self.plan.new[document.kind] += 1
        self.implementations[document.digest].append(
            ImplementationRow(row_id, project, name, digest, sha256(document.metadata_text))
        )

    def _artifacts(self) -> None:
        for entry in self.reader.artifacts:
            if entry.digest in self.artifact_digests:
                self.plan.known["Artifact"] += 1
                continue
            self.artifact_digests.add(entry.digest)
            self.plan.new["Artifact"] += 1
            self.plan.rows[Artifact].append(
                {
                    "id": self._own_or(Artifact, entry.id, f"artifact:{entry.digest}"),
                    "digest": entry.digest,
                    "kind": entry.kind[:40],
                    "file_name": None,
                    "media_type": entry.media_type,
                    "size_bytes": entry.size_bytes,
                    "uri": entry.uri,
                    "licence": entry.licence,
                    "created_at": self.now,
                }
            )

    # --- runs

    def _runs(self) -> None:
        self._look_up_groups()
        self.by_upstream_key: dict[str, str] = {}  # to the digest of the run
        self.run_ids: dict[UUID, UUID] = {}  # the input's own ids to ours
        self.superseded: list[tuple[UUID, UUID]] = []
        for staged in self.reader.runs:
            self._guarded(lambda staged=staged: self._run(staged))
        self._supersede()

    def _look_up_groups(self) -> None:
        keys = []
        for staged in self.reader.runs:
            workload = self._workload_of(staged)
            if workload:
                keys.append(self._identity(staged, workload).key)
        self.group_ids = {key: row[0] for key, row in bulk.existing(ComparisonGroup, "key", keys, "id").items()}

    def _workload_of(self, staged: StagedRun) -> Document | None:
        digest = staged.run.spec["workloadDigest"]
        held = self.known.get(digest)
        return held if held and digest in self.ids[Workload] else None

    def _identity(self, staged: StagedRun, workload: Document) -> columns_from.GroupIdentity:
        """The run's comparison group, worked out once; the workload's correctness digest is shared by its runs."""
        if staged.identity is None:
            known = self.correctness.get(workload.digest)
            staged.identity = columns_from.group_identity(staged.run.spec, workload.spec, known)
            self.correctness[workload.digest] = staged.identity.correctness
        return staged.identity

    def _run(self, staged: StagedRun) -> None:
        entry, run = staged.entry, staged.run
        spec = run.spec
        workload = self._workload_of(staged)
        for beside in (staged.protocol, staged.environment):
            self._note_beside(beside)
        if run.digest in self.known_runs:  # also where what it refers to was redacted since
            self._check_key(run, entry, self._identity(staged, workload) if workload else None)
            self._see_again(run, entry)
            return
        candidates = self.implementations.get(spec["implementationDigest"], [])
        lacking = [
            f"{word} {spec[f'{word}Digest']}"
            for word, found in (("workload", workload), ("implementation", candidates))
            if not found
        ]
        if lacking or workload is None:
            raise run.refuse("MISSING_DOCUMENT", f"not in this input or the registry: {', '.join(lacking)}", "spec")
        implementation = self._choose(run, entry, candidates)
        identity = self._identity(staged, workload)
        self._check_key(run, entry, identity)
        operation = self.known.get(workload.spec["operationSpecDigest"])
        if operation is None:
            digest = workload.spec["operationSpecDigest"]
            raise run.refuse("MISSING_DOCUMENT", f"the operation {digest} of its workload is redacted", "spec")
        marks = self._door_flags(staged, workload, operation, implementation, identity)
        columns = columns_from.run_columns(spec, run.metadata)
        self._require_room(staged, identity, columns["sample_count"])
        operation_id = self.ids[Operation][operation.digest]
        published_at = entry.published_at or self.now
        run_id = self._own_or(Run, entry.id, run.digest, published_at)
        group_id = self._group(identity, staged, workload, operation_id)
        self.known_runs[run.digest] = (
            run_id, implementation.id, sha256(run.metadata_text), group_id, run.metadata["name"],
        )  # fmt: skip
        self.plan.runs.append(
            self._document_row(run, run_id)
            | columns
            | {
                "implementation_id": implementation.id,
                "operation_id": operation_id,
                "workload_id": self.ids[Workload][workload.digest],
                "protocol_id": self._protocol(staged.protocol),
                "environment_id": self._environment(staged.environment),
                "group_id": group_id,
                "source_id": self._source_id(run, entry.source or self.default_source.slug),
                "published_at": published_at,
            }
        )
        self.plan.new[run.kind] += 1
        self._sight(run_id, run, entry)
        for role, (digest, uri) in columns_from.run_artifacts(spec).items():
            row = {"id": uuid7(self.now, f"{run_id}:{role}"), "run_id": run_id, "role": role, "digest": digest}
            self.plan.beside_runs[run_id].append((RunArtifact, row | {"uri": uri[:2000]}))
        for rule, reason in marks:
            by = MARKED_BY_SOURCE if rule == "DISQUALIFIED_UPSTREAM" else MARKED_AT_THE_DOOR
            self._mark(run_id, MarkKind.FLAGGED, reason, by=by, rule=rule)
            self.plan.flagged[rule] += 1
        self._corrected_by_source(run_id, entry)

    def _choose(self, run: Document, entry: RunEntry, candidates: list[ImplementationRow]) -> ImplementationRow:
        """The implementation row that a run means, where its digest has several."""
        if entry.implementation:
            project, name = entry.implementation
            if row := _named(candidates, project, name):
                return row
            raise run.refuse("MISSING_DOCUMENT", f"no implementation {name} of project {project} has the run's digest")
        if len(candidates) > 1:
            rows = "; ".join(f"{row.name} of {row.project}" for row in candidates)
            raise run.refuse(
                "AMBIGUOUS_IMPLEMENTATION",
                f"the implementation digest has several rows; name one by implementation: {{project, name}}: {rows}",
                "spec",
                "implementationDigest",
            )
        return candidates[0]

    def _door_flags(
        self,
        staged: StagedRun,
        workload: Document,
        operation: Document,
        implementation: ImplementationRow,
        identity: columns_from.GroupIdentity,
    ) -> list[tuple[str, str]]:
        """The flags that a run of an upstream enters with. Raises Refused for what no upstream may publish here."""
        run = staged.run
        of_workload = self._breaches_of(workload, operation)
        implementation_spec = {"operation": {"specDigest": implementation.operation_digest}}
        breaches = [
            *run.breaches,
            *coherence.run_breaches(run.spec, implementation_spec, workload.manifest, staged.protocol.spec),
        ]
        refused = [
            *((b, b.path) for b in breaches if self._is_refused(b)),
            *((b, ("spec", "workloadDigest")) for b in of_workload if self._is_refused(b)),
        ]
        if refused:
            raise Refused(*(Rejected(b.rule, run.locate(path), b.message) for b, path in refused))
        found = {b.rule: b.message for b in (*breaches, *of_workload)}
        if identity.metric and ranking.direction(identity.metric, identity.unit or "") is None:
            found["UNKNOWN_DIRECTION"] = flags.RULES["UNKNOWN_DIRECTION"].text
        return [*found.items(), *staged.entry.flags]

    def _require_room(self, staged: StagedRun, identity: columns_from.GroupIdentity, samples: int | None) -> None:
        """Refuse what no column holds: tokens and counts have no cap of their own in the documents."""
        run, environment = staged.run, staged.environment
        hardware = environment.spec["hardware"]
        texts = (
            (run, "metric", identity.metric, ("spec",)),
            (run, "statistic", identity.statistic, ("spec",)),
            (run, "unit", identity.unit, ("spec",)),
            (environment, "vendor", hardware["vendor"], ("spec", "hardware", "vendor")),
        )
        counts = (
            (run, "sample count", samples, ("spec",)),
            (environment, "count", hardware.get("count"), ("spec", "hardware", "count")),
        )
        faults = [
            *((document, path, f"{word} has {len(text)} characters; the registry holds {LONGEST_TOKEN}")
              for document, word, text, path in texts if text and len(text) > LONGEST_TOKEN),
            *((document, path, f"{word} {count} is more than the registry holds, {LARGEST_COUNT}")
              for document, word, count, path in counts if count and count > LARGEST_COUNT),
        ]  # fmt: skip
        if faults:
            raise Refused(*(Rejected("TOO_LARGE", doc.locate(path), message) for doc, path, message in faults))

    def _is_refused(self, breach: coherence.Breach) -> bool:
        return self.is_own_data or breach.rule not in flags.RULES

    def _check_key(self, run: Document, entry: RunEntry, identity: columns_from.GroupIdentity | None) -> None:
        claimed = entry.claims.get("comparisonKey")
        if claimed and identity and claimed != identity.key:
            raise run.refuse("DIGEST_MISMATCH", f"comparisonKey states {claimed}, the documents give {identity.key}")

    def _see_again(self, run: Document, entry: RunEntry) -> None:
        """A run that is held already: the same implementation row, or a conflict; perhaps in another snapshot."""
        run_id, implementation_id, metadata_sha256, _, name = self.known_runs[run.digest]
        candidates = self.implementations.get(run.spec["implementationDigest"], [])
        named = self._choose(run, entry, candidates).id if entry.implementation else implementation_id
        if named != implementation_id:
            raise run.refuse(
                "CONFLICTING_IMPLEMENTATION",
                f"the run is held under implementation row {implementation_id}, this input names {named}",
                "spec",
                "implementationDigest",
            )
        self._note_metadata(run, metadata_sha256)
        self.plan.known[run.kind] += 1
        self._corrected_by_source(run_id, entry)
        self._sight(run_id, run, entry, is_redacted=name == REDACTED)

    def _corrected_by_source(self, run_id: UUID, entry: RunEntry) -> None:
        """What the source says of its own run now, once: a mark that staff cleared does not come back."""
        if entry.id:
            self.run_ids[entry.id] = run_id
        if entry.withdrawn and (run_id, MarkKind.WITHDRAWN) not in self.marked_runs:
            at, reason = entry.withdrawn
            self._mark(run_id, MarkKind.WITHDRAWN, reason, by=MARKED_BY_SOURCE, at=at)
        if entry.supersedes:
            self.superseded.append((entry.supersedes, run_id))

    def _sight(self, run_id: UUID, run: Document, entry: RunEntry, *, is_redacted: bool = False) -> None:
        key = entry.upstream_key or run.spec.get("sourceNative", {}).get("externalId")
        if key:
            self.by_upstream_key[key] = run.digest
        place = run.locate(())
        snapshot_id = self.snapshots.of(place.file)
        if (run_id, snapshot_id) in self.seen_runs:
            return
        self.seen_runs.add((run_id, snapshot_id))
        key = None if is_redacted else key
        row = {
            "id": sighting_id(self.now, run_id, snapshot_id, key),
            "run_id": run_id,
            "snapshot_id": snapshot_id,
            "upstream_key": key,
            "locator": str(place)[:200],
            "seen_at": self.now,
        }
        self.plan.beside_runs[run_id].append((Sighting, row))

    def _mark(
        self, run_id: UUID, kind: MarkKind, reason: str, *, by: str, rule: str | None = None, at: datetime | None = None
    ) -> None:
        self.marked_runs.add((run_id, kind))
        row = self._mark_row(run_id, kind, reason, by=by, rule=rule, at=at)
        self.plan.beside_runs[run_id].append((Mark, row))

    def _mark_row(
        self, run_id: UUID, kind: MarkKind, reason: str, *, by: str, rule: str | None = None,
        at: datetime | None = None, successor_id: UUID | None = None,
    ) -> Row:  # fmt: skip
        rule_kind = flags.RULES[rule].kind if rule else None
        return {
            "id": uuid7(self.now, f"mark:{run_id}:{kind}:{rule}"),
            "run_id": run_id,
            "kind": str(kind),
            "at": at or self.now,
            "rule": rule,
            "is_blocking": rule_kind is flags.Kind.BLOCKING,
            "successor_id": successor_id,
            "clears_id": None,
            "reason": reason,
            "by": by,
            "actor": None,
            "audit_id": None,
        }

    def _supersede(self) -> None:
        reason = "The source published a corrected run."
        for stated, successor in self.superseded:
            superseded = self.run_ids.get(stated)
            if superseded and superseded != successor and (superseded, MarkKind.SUPERSEDED) not in self.marked_runs:
                self.marked_runs.add((superseded, MarkKind.SUPERSEDED))
                self.plan.supersessions.append(
                    self._mark_row(superseded, MarkKind.SUPERSEDED, reason, by=MARKED_BY_SOURCE, successor_id=successor)
                )

    def _source_id(self, run: Document, slug: str) -> UUID:
        if slug not in self.source_ids:
            if slug not in self.plan.sources:
                raise run.refuse("UNKNOWN_SOURCE", f"no source {slug!r} in this input or the registry")
            self.source_ids[slug] = uuid7(self.now, f"source:{slug}")
        return self.source_ids[slug]

    def _protocol(self, protocol: Document) -> UUID:
        if protocol.digest not in self.ids[Protocol]:
            self._admit(Protocol, protocol, columns_from.protocol_columns(protocol.spec, protocol.metadata))
        return self.ids[Protocol][protocol.digest]

    def _environment(self, environment: Document) -> UUID:
        if environment.digest not in self.ids[Environment]:
            columns = columns_from.environment_columns(environment.spec, environment.metadata)
            columns["hardware_id"] = self._hardware(environment.spec)
            self._admit(Environment, environment, columns)
        return self.ids[Environment][environment.digest]

    def _hardware(self, spec: dict[str, Any]) -> UUID:
        columns = columns_from.hardware_columns(spec)
        name, slug = columns["name"], columns["slug"] or "hardware"
        if name not in self.hardware:
            if slug in self.hardware_slugs:  # two names that a slug can't tell apart are still two machines
                slug = f"{slug}-{sha256(name).removeprefix('sha256:')[:8]}"
            self.hardware_slugs.add(slug)
            self.hardware[name] = uuid7(self.now, f"hardware:{slug}")
            self.plan.rows[Hardware].append(columns | {"id": self.hardware[name], "slug": slug})
        return self.hardware[name]

    def _group(
        self, identity: columns_from.GroupIdentity, staged: StagedRun, workload: Document, operation_id: UUID
    ) -> UUID:
        if identity.key not in self.group_ids:
            group_id = self.group_ids[identity.key] = uuid7(self.now, f"group:{identity.key}")
            self.plan.groups[group_id] = {
                "id": group_id,
                "key": identity.key,
                "operation_id": operation_id,
                "workload_id": self.ids[Workload][workload.digest],
                "protocol_id": self._protocol(staged.protocol),
                "environment_id": self._environment(staged.environment),
                "correctness": identity.correctness,
                "metric": identity.metric,
                "statistic": identity.statistic,
                "unit": identity.unit,
                "created_at": self.now,
            }
        return self.group_ids[identity.key]

    def _coverage(self) -> None:
        groups = {digest: row[3] for digest, row in self.known_runs.items()}
        held = set(Coverage.objects.filter(snapshot_id=self.snapshots.only).values_list("group_id", flat=True))
        for entry in self.reader.coverage:
            taken = [groups.get(self.by_upstream_key.get(key)) for key in entry.run_external_ids]
            group_id = next((group for group in taken if group), None)
            if group_id and group_id not in held:
                held.add(group_id)
                self.plan.coverage.append(
                    {
                        "id": uuid7(self.now, f"coverage:{group_id}:{self.snapshots.only}"),
                        "group_id": group_id,
                        "snapshot_id": self.snapshots.only,
                        "offered": entry.offered,
                        "taken": sum(group == group_id for group in taken),
                        "rule": entry.rule[:300],
                        "at": self.now,
                    }
                )


def _named(rows: Iterable[ImplementationRow], project: str, name: str) -> ImplementationRow | None:
    """The row of this project and name; a redacted one has no name, and must not come back under its old one."""
    of_project = {row.name: row for row in rows if row.project == project}
    return of_project.get(name) or of_project.get(REDACTED)


def sighting_id(seen_at: datetime, run_id: UUID, snapshot_id: UUID, upstream_key: str | None) -> UUID:
    """Made of the key too, which a redaction may blank, so that a key that was altered is seen."""
    return uuid7(seen_at, f"{run_id}:{snapshot_id}:{upstream_key or ''}")


def _nowhere(path: object) -> Any:
    raise AssertionError("a document of the registry is never located in an input")
