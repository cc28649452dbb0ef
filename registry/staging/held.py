"""What the registry has already of what an input holds or refers to, looked up before anything is resolved."""

import json
from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from registry import bulk
from registry.core.kinds import Manifest
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
from registry.staging.plan import MARKED_BY_SOURCE, Document, ImplementationRow, Model, Snapshots, nowhere
from registry.staging.reader import Reader


class Held:
    """Rows by what the input may name them by. Resolving adds to it what the input itself brings."""

    def __init__(self, reader: Reader, snapshots: Snapshots) -> None:
        self.reader, self.snapshots = reader, snapshots
        self.known: dict[str, Document] = {}  # by digest: operations, workloads, protocols, environments
        self.ids: dict[Model, dict[str, UUID]] = defaultdict(dict)
        self.project_names: dict[str, str] = {}
        self.implementations: dict[str, list[ImplementationRow]] = defaultdict(list)
        self.taken = self._taken_ids()
        self._look_up()

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
        self._load_implementations(wanted)
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
                self.known[digest] = Document(manifest.kind, digest, text, metadata, manifest, nowhere)

    def _load_implementations(self, digests: set[str]) -> None:
        wanted = sorted(digests)
        for start in range(0, len(wanted), 500):
            query = Implementation.objects.filter(digest__in=wanted[start : start + 500]).values_list(
                "digest", "id", "project__slug", "name", "operation__digest", "metadata_sha256"
            )
            for digest, row_id, project, name, operation, metadata in query:
                self.implementations[digest].append(ImplementationRow(row_id, project, name, operation, metadata))


def named(rows: Iterable[ImplementationRow], project: str, name: str) -> ImplementationRow | None:
    """The row of this project and name; a redacted one has no name, and must not come back under its old one."""
    of_project = {row.name: row for row in rows if row.project == project}
    return of_project.get(name) or of_project.get(REDACTED)
