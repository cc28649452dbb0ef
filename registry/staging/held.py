"""What the registry has already of what an input holds or refers to, looked up before anything is resolved."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from uuid import UUID

from django.db.models import Q

from registry import bulk
from registry.core.naming import slugify
from registry.guards import REDACTED
from registry.models import (
    Artifact,
    Environment,
    Hardware,
    Implementation,
    Mark,
    Operation,
    Project,
    ProjectRevision,
    Protocol,
    Run,
    Sighting,
    Source,
    Workload,
)
from registry.models.marks import MarkKind
from registry.staging.plan import (
    MARKED_AT_THE_DOOR,
    MARKED_BY_SOURCE,
    Document,
    ImplementationRow,
    KnownRun,
    Model,
    Snapshots,
    nowhere,
)
from registry.staging.reader import Reader

WORKLOADS = ("WorkloadCase", "WorkloadSuite")
OWN_IDS: dict[Model, tuple[str, ...]] = {  # kinds whose entries may bring an id along
    Project: ("SoftwareProject",),
    Operation: ("OperationSpec",),
    Workload: WORKLOADS,
    Implementation: ("ImplementationRevision",),
}
BY_KIND: dict[str, Model] = {"OperationSpec": Operation, **dict.fromkeys(WORKLOADS, Workload)}
RUN_COLUMNS = (
    "id", "implementation_id", "metadata_sha256", "group_id", "name", "group__key",
    "implementation__project__slug", "implementation__name",
)  # fmt: skip


class Held:
    """Rows by what the input may name them by. Resolving adds to it what the input itself brings.

    It lasts for a whole import. What was written can be looked up again, so `forget` keeps its size within a window's;
    a dry run writes nothing, and so forgets nothing.
    """

    def __init__(self, snapshots: Snapshots) -> None:
        self.snapshots = snapshots
        self.hardware = dict(Hardware.objects.values_list("name", "id"))
        self.hardware_slugs = set(Hardware.objects.values_list("slug", flat=True))
        self.source_ids = dict(Source.objects.values_list("slug", "id"))
        self.operation_slugs = dict(Operation.objects.values_list("slug", "digest"))
        self.forget()

    def forget(self) -> None:
        self.known: dict[str, Document] = {}  # by digest: operations, workloads, protocols, environments
        self.ids: dict[Model, dict[str, UUID]] = defaultdict(dict)
        self.metadata_sha256: dict[str, str] = {}  # of what `ids` holds
        self.project_ids: dict[str, UUID] = {}
        self.project_names: dict[str, str] = {}
        self.project_revisions: dict[tuple[str, str], str] = {}
        self.implementations: dict[str, list[ImplementationRow]] = {}
        self.artifact_digests: set[str] = set()
        self.taken: dict[Model, set[UUID]] = defaultdict(set)  # ids that a row has already
        self.known_runs: dict[str, KnownRun] = {}
        self.seen_runs: set[tuple[UUID, UUID]] = set()  # (run, snapshot) of this very input
        self.seen_before: set[UUID] = set()  # of which these stood there when the import began
        self.marked: set[tuple[UUID, str, str | None]] = set()  # (run, kind, rule)
        self._asked_runs: set[str] = set()

    # --- before anything is read

    def look_up_plain(self, digests: Mapping[str, set[str]]) -> None:
        """Find which documents are held, by what they hash to as they stand in the input."""
        self._load_runs(digests.get("BenchmarkRun", set()))
        self._load_implementations(digests.get("ImplementationRevision", set()))
        for model in (Operation, Workload):
            kinds = [kind for kind, of_model in BY_KIND.items() if of_model is model]
            self._load_ids(model, set().union(*(digests.get(kind, ()) for kind in kinds)))

    def is_held(self, kind: str, digest: str, metadata_sha256: str) -> bool:
        """Whether a row has both digests, so that the document need not be judged again."""
        if kind == "BenchmarkRun":
            run = self.known_runs.get(digest)
            return run is not None and run.metadata_sha256 == metadata_sha256
        if kind == "ImplementationRevision":
            rows = self.implementations.get(digest, ())
            return any(row.metadata_sha256 == metadata_sha256 for row in rows)
        model = BY_KIND.get(kind)
        return model is not None and digest in self.ids[model] and self.metadata_sha256[digest] == metadata_sha256

    # --- once everything is read

    def look_up(self, reader: Reader) -> None:
        """Load every row of the registry that this window holds or refers to: a constant number of queries."""
        documents, runs = reader.documents, reader.runs
        self._load_runs({staged.run.digest for staged in runs})
        new_runs = [staged.run.spec for staged in runs if staged.run.digest not in self.known_runs]
        workloads = [d for kind in WORKLOADS for _, d in documents[kind]]
        implementations = [d for _, d in documents["ImplementationRevision"]]
        self._load_implementations(
            {d.digest for d in implementations} | {spec["implementationDigest"] for spec in new_runs}
        )
        self._load_ids(Workload, {w.digest for w in workloads})
        self._load_ids(Operation, {d.digest for _, d in documents["OperationSpec"]})
        named = {spec["workloadDigest"] for spec in new_runs}
        self._load(Workload, named)
        of_workloads = [w for w in workloads if w.digest not in self.ids[Workload]]
        of_workloads += [self.known[digest] for digest in named & self.known.keys()]
        self._load(
            Operation,
            {d.spec["operation"]["specDigest"] for d in implementations if self._is_new_implementation(d)}
            | {workload.spec["operationSpecDigest"] for workload in of_workloads},
        )
        self._load_ids(Protocol, {staged.protocol.digest for staged in runs})
        self._load_ids(Environment, {staged.environment.digest for staged in runs})
        self._load_projects(reader)
        self.artifact_digests |= bulk.existing(
            Artifact, "digest", (e.digest for e in (*reader.artifacts, *reader.files))
        ).keys()
        self._load_taken(reader)
        self._load_of_known_runs(reader)

    def _is_new_implementation(self, document: Document) -> bool:
        rows = self.implementations.get(document.digest, ())
        return all(row.metadata_sha256 != document.metadata_sha256 for row in rows)

    def _load_runs(self, digests: Iterable[str]) -> None:
        wanted = set(digests) - self._asked_runs
        self._asked_runs |= wanted
        for digest, row in bulk.existing(Run, "digest", wanted - self.known_runs.keys(), *RUN_COLUMNS).items():
            self.known_runs[digest] = KnownRun(*row)

    def _load_ids(self, model: Model, digests: Iterable[str]) -> None:
        """Of documents that the input only holds, that they are there is enough."""
        wanted = set(digests) - self.ids[model].keys()
        for digest, (row_id, metadata_sha256) in bulk.existing(
            model, "digest", wanted, "id", "metadata_sha256"
        ).items():
            self.ids[model][digest], self.metadata_sha256[digest] = row_id, metadata_sha256

    def _load(self, model: Model, digests: Iterable[str]) -> None:
        """Documents that new rows are resolved against, with what they say; a redacted one says nothing."""
        found = bulk.existing(
            model, "digest", set(digests) - self.known.keys(), "id", "metadata_sha256", "canonical", "metadata"
        )
        for digest, (row_id, metadata_sha256, text, metadata) in found.items():
            self.ids[model][digest], self.metadata_sha256[digest] = row_id, metadata_sha256
            if text:
                kind = _kind(model, text)
                self.known[digest] = Document(kind, digest, text, metadata, metadata_sha256, nowhere)

    def _load_implementations(self, digests: Iterable[str]) -> None:
        wanted = sorted(set(digests) - self.implementations.keys())
        if wanted:
            self.implementations.update((digest, []) for digest in wanted)
            query = Implementation.objects.filter(digest__among=wanted).values_list(
                "digest", "id", "project__slug", "name", "operation__digest", "metadata_sha256"
            )
            for digest, *row in query:
                self.implementations[digest].append(ImplementationRow(*row))

    def rows_of(self, implementation_digest: str) -> list[ImplementationRow]:
        """The rows of an implementation; of a known run's they are looked up only if somebody asks."""
        if implementation_digest not in self.implementations:
            self._load_implementations({implementation_digest})
        return self.implementations[implementation_digest]

    def _load_projects(self, reader: Reader) -> None:
        slugs = {entry.slug or slugify(d.metadata["name"]) for entry, d in reader.documents["SoftwareProject"]}
        slugs |= {entry.project for entry, _ in reader.documents["ImplementationRevision"] if entry.project}
        slugs -= self.project_ids.keys()
        for slug, row_id, name in Project.objects.filter(slug__in=slugs).values_list("slug", "id", "name"):
            self.project_ids[slug], self.project_names[slug] = row_id, name
        revisions = ProjectRevision.objects.filter(project__slug__in=slugs)
        for slug, digest, sha in revisions.values_list("project__slug", "digest", "metadata_sha256"):
            self.project_revisions[slug, digest] = sha

    def _load_taken(self, reader: Reader) -> None:
        """Of the ids that the input brings along, those that a row of the registry has already."""
        wanted: dict[Model, list[UUID | None]] = {
            model: [entry.id for kind in of_kind for entry, _ in reader.documents[kind]]
            for model, of_kind in OWN_IDS.items()
        }
        wanted[Artifact] = [entry.id for entry in reader.artifacts]
        wanted[Run] = [staged.entry.id for staged in reader.runs if staged.run.digest not in self.known_runs]
        for model, ids in wanted.items():
            self.taken[model] |= bulk.existing(model, "pk", filter(None, ids)).keys()

    def _load_of_known_runs(self, reader: Reader) -> None:
        """Where the known runs of this window were seen in this very input, and what sources said of them."""
        known = {s.run.digest for s in reader.runs} & self.known_runs.keys()
        ids = [self.known_runs[digest].id for digest in known]
        here = Sighting.objects.filter(run__among=ids, snapshot__in=self.snapshots.all())
        found = set(here.values_list("run_id", "snapshot_id")) if ids else set()
        self.seen_before.update(run_id for run_id, _ in found)
        self.seen_runs |= found
        spoken_of = [
            self.known_runs[s.run.digest].id
            for s in reader.runs
            if s.run.digest in self.known_runs and (s.entry.flags or s.entry.withdrawn)
        ]
        self.look_up_marks(spoken_of)

    def look_up_marks(self, run_ids: list[UUID]) -> None:
        """What sources said of these runs, whether or not it was cleared since; staff's own marks are none of it."""
        by = Q(by=MARKED_BY_SOURCE) | Q(by=MARKED_AT_THE_DOOR, kind=MarkKind.FLAGGED)
        if run_ids:
            marks = Mark.objects.filter(by, run__among=run_ids)
            self.marked.update(marks.values_list("run_id", "kind", "rule"))


def _kind(model: Model, text: str) -> str:
    """The kind of a held document: canonical texts begin {"apiVersion":…,"kind":"…"."""
    if model is Workload:
        return "WorkloadSuite" if '"kind":"WorkloadSuite"' in text[:100] else "WorkloadCase"
    return {Operation: "OperationSpec", Protocol: "BenchmarkProtocol", Environment: "ExecutionEnvironment"}[model]


def named(rows: Iterable[ImplementationRow], project: str, name: str) -> ImplementationRow | None:
    """The row of this project and name; a redacted one has no name, and must not come back under its old one."""
    of_project = {row.name: row for row in rows if row.project == project}
    return of_project.get(name) or of_project.get(REDACTED)
