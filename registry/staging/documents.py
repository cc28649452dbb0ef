"""Documents become rows, each reference resolved in the input first and in the registry second."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from registry.core import coherence, flags
from registry.core import columns as columns_from
from registry.core.digest import sha256
from registry.core.ids import uuid7
from registry.core.naming import slugify
from registry.importers.base import ArtifactEntry, BytesEntry, DocumentEntry, Rejected
from registry.models import (
    Artifact,
    Environment,
    Hardware,
    Implementation,
    Operation,
    OperationAlias,
    Project,
    ProjectRevision,
    Protocol,
    Workload,
)
from registry.staging.held import Held, named
from registry.staging.plan import Document, ImplementationRow, Model, Plan, Refused, Row
from registry.staging.reader import Reader


class Documents:
    """Rows of everything but runs, in the order of their dependence. It lasts for a whole import."""

    def __init__(self, reader: Reader, held: Held, *, now: datetime, is_own_data: bool) -> None:
        self.reader, self.held, self.account = reader, held, reader.account
        self.now, self.is_own_data = now, is_own_data
        self.plan = Plan()
        self.operation_ids: dict[UUID, UUID] = {}  # the input's own to ours
        self.workload_breaches: dict[str, list[coherence.Breach]] = {}

    def resolve(self, plan: Plan) -> None:
        self.plan = plan
        self._each("SoftwareProject", self._project)
        self._each("OperationSpec", self._operation)
        self._aliases()
        self._each("WorkloadCase", self._workload)
        self._each("WorkloadSuite", self._workload)
        self._each("ImplementationRevision", self._implementation)
        for _, document in self.reader.documents["ImplementationRevision"]:
            document.stated = None  # nothing is resolved against what it says; its text is kept
        self._artifacts()
        self._files()

    def forget(self) -> None:
        self.workload_breaches.clear()

    def _each(self, kind: str, make: Callable[[DocumentEntry, Document], None]) -> None:
        for entry, document in self.reader.documents[kind]:
            try:
                make(entry, document)
            except Refused as refused:
                self.account.reject(*refused.rejections)

    def _is_known(self, model: Model, document: Document) -> bool:
        """Whether the registry or an earlier entry holds this digest; other metadata is noted, nothing changes."""
        if document.digest not in self.held.ids[model]:
            return False
        self.note_beside(document)
        self.account.known[document.kind] += 1
        return True

    def note_beside(self, document: Document) -> None:
        held_sha256 = self.held.metadata_sha256.get(document.digest)
        if held_sha256:
            self.note_metadata(document, held_sha256)

    def note_metadata(self, document: Document, held_sha256: str) -> None:
        if held_sha256 != document.metadata_sha256:
            self.account.note_metadata(f"{document.kind} {document.digest}")

    def own_or(self, model: Model, wanted: UUID | None, seed: str, at: datetime | None = None) -> UUID:
        """The id that the input keeps for a new row, unless another row has it; else one made of the row itself."""
        row_id = wanted if wanted and wanted not in self.held.taken[model] else uuid7(at or self.now, seed)
        self.held.taken[model].add(row_id)
        return row_id

    def _admit(self, model: Model, document: Document, columns: Row, row_id: UUID | None = None) -> UUID:
        """Add a document's row to the plan, with what every document row has."""
        row_id = self.own_or(model, row_id, f"{model.__name__}:{document.digest}")
        self.held.ids[model][document.digest] = row_id
        self.held.metadata_sha256[document.digest] = document.metadata_sha256
        self.held.known[document.digest] = document
        self.plan.rows[model].append(self.document_row(document, row_id) | columns)
        self.account.new[document.kind] += 1
        return row_id

    def document_row(self, document: Document, row_id: UUID) -> Row:
        return {
            "id": row_id,
            "digest": document.digest,
            "created_at": self.now,
            "canonical": document.text,
            "metadata": document.metadata_text,
            "metadata_sha256": document.metadata_sha256,
        }

    def _operation_of(self, document: Document, digest: str, *path: str) -> Document:
        operation = self.held.known.get(digest)
        if operation is None or operation.kind != "OperationSpec" or digest not in self.held.ids[Operation]:
            raise document.refuse("MISSING_DOCUMENT", f"no operation {digest} in this input or the registry", *path)
        return operation

    def _project(self, entry: DocumentEntry, document: Document) -> None:
        slug = entry.slug or slugify(document.metadata["name"])
        if not slug:
            raise document.refuse("SHAPE", "the name gives no slug", "metadata", "name")
        if (slug, document.digest) in self.held.project_revisions:
            self.note_metadata(document, self.held.project_revisions[slug, document.digest])
            self.account.known[document.kind] += 1
            return
        if slug not in self.held.project_ids:
            self.held.project_ids[slug] = self.own_or(Project, entry.id, f"project:{slug}")
        columns = columns_from.project_columns(document.spec)
        row_id = uuid7(self.now, f"{slug}:{document.digest}")
        self.plan.projects[slug] = {"id": self.held.project_ids[slug], "name": columns["name"], "newest_id": row_id}
        self.held.project_names[slug] = columns["name"]
        self.held.project_revisions[slug, document.digest] = document.metadata_sha256
        row = self.document_row(document, row_id) | columns | {"project_id": self.held.project_ids[slug]}
        self.plan.rows[ProjectRevision].append(row)
        self.account.new[document.kind] += 1

    def _operation(self, entry: DocumentEntry, document: Document) -> None:
        if self._is_known(Operation, document):
            if entry.id:
                self.operation_ids[entry.id] = self.held.ids[Operation][document.digest]
            return
        if refused := [breach for breach in document.breaches if self.is_refused(breach)]:
            raise Refused(*(Rejected(b.rule, document.locate(b.path), b.message) for b in refused))
        slug = entry.slug or slugify(document.metadata["name"]) or "operation"
        if slug in self.held.operation_slugs:
            slug = f"{slug}-{document.digest.removeprefix('sha256:')[:8]}"
        self.held.operation_slugs[slug] = document.digest
        columns = columns_from.operation_columns(document.spec, document.metadata)
        row_id = self._admit(Operation, document, columns | {"slug": slug}, entry.id)
        self.operation_ids[row_id] = row_id

    def _aliases(self) -> None:
        wanted = {(self.operation_ids.get(a.operation_id), a.alias[:200]): a for a in self.reader.aliases}
        held = set(
            OperationAlias.objects.filter(alias__in=[alias for _, alias in wanted]).values_list("operation_id", "alias")
        )
        for (operation_id, alias), entry in wanted.items():
            if operation_id is None:
                message = f"alias of an unknown operation {entry.operation_id}"
                self.account.reject(Rejected("MISSING_DOCUMENT", entry.place, message))
            elif (operation_id, alias) not in held:
                row_id = uuid7(self.now, f"alias:{operation_id}:{alias}")
                self.plan.rows[OperationAlias].append({"id": row_id, "operation_id": operation_id, "alias": alias})

    def _workload(self, entry: DocumentEntry, document: Document) -> None:
        if self._is_known(Workload, document):
            return
        spec = document.spec
        operation = self._operation_of(document, spec["operationSpecDigest"], "spec", "operationSpecDigest")
        breaches = self.breaches_of(document, operation)
        if breaches and self.is_own_data:
            raise Refused(*(Rejected(b.rule, document.locate(b.path), b.message) for b in breaches))
        columns = columns_from.workload_columns(document.kind, spec, document.metadata, operation.spec)
        columns["operation_id"] = self.held.ids[Operation][operation.digest]
        self._admit(Workload, document, columns, entry.id)

    def breaches_of(self, workload: Document, operation: Document) -> list[coherence.Breach]:
        """What is wrong with a workload, its operation's own faults among it."""
        if workload.digest not in self.workload_breaches:
            self.workload_breaches[workload.digest] = [
                *coherence.document_breaches(operation.manifest),
                *coherence.workload_breaches(operation.spec, workload.manifest),
            ]
        return self.workload_breaches[workload.digest]

    def is_refused(self, breach: coherence.Breach) -> bool:
        """Whether it keeps a document out. What an upstream has published is taken, and its runs are flagged."""
        return self.is_own_data or breach.rule not in flags.RULES

    def _implementation(self, entry: DocumentEntry, document: Document) -> None:
        spec, metadata = document.spec, document.metadata
        name = metadata["name"]
        project = entry.project
        if not project or project not in self.held.project_ids:
            raise document.refuse("MISSING_DOCUMENT", f"no project {project!r} in this input or the registry")
        rows = self.held.implementations[document.digest]
        held = named(rows, project, name)
        if held:
            self.note_metadata(document, held.metadata_sha256)
            self.account.known[document.kind] += 1
            return
        digest = spec["operation"]["specDigest"]
        operation = self._operation_of(document, digest, "spec", "operation", "specDigest")
        row_id = self.own_or(Implementation, entry.id, f"implementation:{document.digest}:{project}:{name}")
        columns = columns_from.implementation_columns(
            spec, metadata, operation.metadata, self.held.project_names[project]
        )
        self.plan.rows[Implementation].append(
            self.document_row(document, row_id)
            | columns
            | {
                "project_id": self.held.project_ids[project],
                "operation_id": self.held.ids[Operation][digest],
                "slug": entry.slug or slugify(name) or "implementation",
            }
        )
        self.account.new[document.kind] += 1
        rows.append(ImplementationRow(row_id, project, name, digest, document.metadata_sha256))

    def _artifacts(self) -> None:
        for entry in self.reader.artifacts:
            if self._is_new_artifact(entry):
                row_id = self.own_or(Artifact, entry.id, f"artifact:{entry.digest}")
                columns = {"file_name": None, "uri": entry.uri, "licence": entry.licence}
                self._artifact(entry, row_id, columns | {"size_bytes": entry.size_bytes})

    def _files(self) -> None:
        """Files whose bytes came along: their rows, and the bytes themselves for whoever writes the plan."""
        for entry in self.reader.files:
            self.plan.files.append(entry)
            if self._is_new_artifact(entry):
                row_id = self.own_or(Artifact, None, f"artifact:{entry.digest}")
                columns = {"file_name": entry.file_name and entry.file_name[:255], "uri": None, "licence": None}
                self._artifact(entry, row_id, columns | {"size_bytes": len(entry.data)})

    def _is_new_artifact(self, entry: ArtifactEntry | BytesEntry) -> bool:
        is_new = entry.digest not in self.held.artifact_digests
        self.held.artifact_digests.add(entry.digest)
        counts = self.account.new if is_new else self.account.known
        counts["Artifact"] += 1
        return is_new

    def _artifact(self, entry: ArtifactEntry | BytesEntry, row_id: UUID, columns: Row) -> None:
        described = {"kind": entry.kind[:40], "media_type": entry.media_type and entry.media_type[:100]}
        self.plan.rows[Artifact].append(
            {"id": row_id, "digest": entry.digest, "created_at": self.now, **described, **columns}
        )

    def protocol(self, protocol: Document) -> UUID:
        if protocol.digest not in self.held.ids[Protocol]:
            self._admit(Protocol, protocol, columns_from.protocol_columns(protocol.spec, protocol.metadata))
        return self.held.ids[Protocol][protocol.digest]

    def environment(self, environment: Document) -> UUID:
        if environment.digest not in self.held.ids[Environment]:
            columns = columns_from.environment_columns(environment.spec, environment.metadata)
            columns["hardware_id"] = self._hardware(environment.spec)
            self._admit(Environment, environment, columns)
        return self.held.ids[Environment][environment.digest]

    def _hardware(self, spec: dict[str, Any]) -> UUID:
        columns = columns_from.hardware_columns(spec)
        name, slug = columns["name"], columns["slug"] or "hardware"
        if name not in self.held.hardware:
            if slug in self.held.hardware_slugs:  # two names that a slug can't tell apart are still two machines
                slug = f"{slug}-{sha256(name).removeprefix('sha256:')[:8]}"
            self.held.hardware_slugs.add(slug)
            self.held.hardware[name] = uuid7(self.now, f"hardware:{slug}")
            self.plan.rows[Hardware].append(columns | {"id": self.held.hardware[name], "slug": slug})
        return self.held.hardware[name]
