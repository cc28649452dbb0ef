"""Documents: their bytes hash to their digest and are canonical, and each column is what follows from the bytes."""

from collections import defaultdict
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from registry.core import columns, json_text
from registry.core.digest import canonical, document_text, sha256
from registry.core.ids import uuid7
from registry.core.kinds import KindError, Manifest, parse
from registry.core.located import ReadingError
from registry.guards import REDACTED
from registry.models import (
    Environment,
    Hardware,
    Implementation,
    Operation,
    Project,
    ProjectRevision,
    Protocol,
    Run,
    Workload,
)
from registry.verifying.findings import UNDERIVABLE, Findings, Lookup, Model, Row, chunks, name_column

KINDS: dict[Model, tuple[str, ...]] = {
    Environment: ("ExecutionEnvironment",),
    Implementation: ("ImplementationRevision",),
    Operation: ("OperationSpec",),
    ProjectRevision: ("SoftwareProject",),
    Protocol: ("BenchmarkProtocol",),
    Run: ("BenchmarkRun",),
    Workload: ("WorkloadCase", "WorkloadSuite"),
}
FOLLOWS = "is not what follows from the document"


def read(findings: Findings, model: Model, row: Row) -> Manifest | None:
    """Check a document's bytes and give what they say; None where they are redacted or say nothing."""
    name = row[name_column(model)]
    if findings.is_redacted(model, row["id"]):
        _redacted(findings, model, name, row)
        return None
    for column in ("canonical", "metadata"):
        if row[column] == REDACTED:
            findings.add("BLANK_WITHOUT_REDACTION", model, name, column, "is blank, and no redaction stands for it")
    if REDACTED in (row["canonical"], row["metadata"]):
        return None
    for check, column, digest in (
        ("DIGEST", "canonical", "digest"),
        ("METADATA_DIGEST", "metadata", "metadata_sha256"),
    ):
        hashed = sha256(row[column])
        if hashed != row[digest]:
            text = f"its text does not hash to its {digest}"
            findings.add(check, model, name, column, text, stored=row[digest], derived=hashed)
    return _parsed(findings, model, name, row)


def _redacted(findings: Findings, model: Model, name: str, row: Row) -> None:
    findings.redacted[model._meta.db_table] += 1
    for column in model.REDACTABLE:  # type: ignore[attr-defined]  # every document has it
        if row[column] not in (REDACTED, None):
            findings.add("REDACTION_INCOMPLETE", model, name, column, "a redaction stands, and the text is still there")


def _parsed(findings: Findings, model: Model, name: str, row: Row) -> Manifest | None:
    try:
        document, metadata = json_text.loads(row["canonical"]), json_text.loads(row["metadata"])
        if not isinstance(document, dict):
            raise ReadingError("SYNTAX", "is no object")
        manifest = parse({**document, "metadata": metadata})
    except ReadingError as error:
        findings.add("NOT_JSON", model, name, "canonical, metadata", f"can't be read: {error}")
        return None
    except KindError as error:
        findings.add("SHAPE", model, name, "canonical, metadata", f"is no document of this index: {error}")
        return None
    if manifest.kind not in KINDS[model]:
        findings.add("KIND", model, name, "canonical", f"is a {manifest.kind}, which has another table")
        return None
    for column, text in (
        ("canonical", document_text(manifest.kind, manifest.spec)),
        ("metadata", canonical(manifest.metadata)),
    ):
        if text != row[column]:
            findings.add(
                "NOT_CANONICAL", model, name, column, "is not its own canonical form", stored=row[column], derived=text
            )
    return manifest


# --- documents that stand alone


def operations(findings: Findings) -> None:
    for rows in chunks(Operation.objects.all()):
        for row in rows:
            if manifest := read(findings, Operation, row):
                with findings.deriving(Operation, row["digest"]):
                    derived = columns.operation_columns(manifest.spec, manifest.metadata)
                    findings.compare("DERIVED", Operation, row["digest"], row, derived, FOLLOWS)


def protocols(findings: Findings) -> None:
    for rows in chunks(Protocol.objects.all()):
        for row in rows:
            if manifest := read(findings, Protocol, row):
                with findings.deriving(Protocol, row["digest"]):
                    derived = columns.protocol_columns(manifest.spec, manifest.metadata)
                    findings.compare("DERIVED", Protocol, row["digest"], row, derived, FOLLOWS)


def environments(findings: Findings) -> None:
    """With the hardware that each names: a row of its own that follows from the environment."""
    hardware = Lookup(Hardware, *HARDWARE_COLUMNS, shape=lambda *row: dict(zip(HARDWARE_COLUMNS, row, strict=True)))
    for rows in chunks(Environment.objects.all()):
        hardware.load(row["hardware_id"] for row in rows)
        for row in rows:
            if manifest := read(findings, Environment, row):
                with findings.deriving(Environment, row["digest"]):
                    derived = columns.environment_columns(manifest.spec, manifest.metadata)
                    findings.compare("DERIVED", Environment, row["digest"], row, derived, FOLLOWS)
                    if held := hardware.get(row["hardware_id"]):
                        _is_of_hardware(findings, row, manifest, held)


HARDWARE_COLUMNS = ("name", "slug", "vendor", "product", "form_factor", "count")


def _is_of_hardware(findings: Findings, row: Row, manifest: Manifest, held: Row) -> None:
    derived = columns.hardware_columns(manifest.spec)
    if derived["slug"] != held["slug"]:
        text = "names other hardware than its document"
        findings.add(
            "REFERENCE", Environment, row["digest"], "hardware_id", text, stored=held["slug"], derived=derived["slug"]
        )
    else:
        text = f"is not what follows from environment {row['digest']}"
        findings.compare("DERIVED", Hardware, row["hardware_id"], held, derived, text)


# --- projects and their revisions


def projects(findings: Findings) -> None:
    """Each revision is a document of its project; the project's name and newest are those of its newest revision."""
    for rows in chunks(Project.objects.all()):
        findings.read(Project, rows)
        slugs = {row["id"]: row["slug"] for row in rows}
        revisions: dict[UUID, list[Row]] = defaultdict(list)
        for of_chunk in chunks(ProjectRevision.objects.filter(project__in=list(slugs))):
            for row in of_chunk:
                revisions[row["project_id"]].append({name: row[name] for name in ("id", "name", "created_at")})
                _revision(findings, row, slugs[row["project_id"]])
        for row in rows:
            _newest(findings, row, revisions[row["id"]])


def _revision(findings: Findings, row: Row, slug: str) -> None:
    if uuid7(row["created_at"], f"{slug}:{row['digest']}") != row["id"]:
        findings.add(
            "ROW_ID", ProjectRevision, row["id"], "id", f"was not made of project {slug}, its digest and its date"
        )
    if manifest := read(findings, ProjectRevision, row):
        with findings.deriving(ProjectRevision, row["id"]):
            derived = columns.project_columns(manifest.spec)
            findings.compare("DERIVED", ProjectRevision, row["id"], row, derived, FOLLOWS)


def _newest(findings: Findings, project: Row, revisions: list[Row]) -> None:
    if not revisions:
        findings.add("NO_REVISION", Project, project["id"], "newest_id", f"project {project['slug']} has no revision")
        return
    date = max(row["created_at"] for row in revisions)
    latest = {row["id"]: row for row in revisions if row["created_at"] == date}
    if project["newest_id"] not in latest:
        text = f"project {project['slug']} does not point to its newest revision"
        findings.add(
            "NEWEST",
            Project,
            project["id"],
            "newest_id",
            text,
            stored=project["newest_id"],
            derived=", ".join(map(str, latest)),
        )
        return
    name = latest[project["newest_id"]]["name"]
    if name not in (REDACTED, project["name"]):
        text = "is not the name of its newest revision"
        findings.add("NEWEST", Project, project["id"], "name", text, stored=project["name"], derived=name)


# --- documents that name an operation


def operation_lookup() -> Lookup:
    """Of an operation: its digest, and its manifest where it can be read."""

    def shape(digest: str, text: str, metadata: str) -> tuple[str, Manifest | None]:
        try:
            return digest, parse({**json_text.loads(text), "metadata": json_text.loads(metadata)})  # type: ignore[dict-item]
        except UNDERIVABLE:  # redacted, or broken and named by its own check
            return digest, None

    return Lookup(Operation, "digest", "canonical", "metadata", shape=shape)


def workloads(findings: Findings) -> None:
    operations = operation_lookup()
    for rows in chunks(Workload.objects.all()):
        operations.load(row["operation_id"] for row in rows)
        for row in rows:
            manifest, held = read(findings, Workload, row), operations.get(row["operation_id"])
            if manifest and held:
                with findings.deriving(Workload, row["digest"]):
                    _names_operation(findings, Workload, row["digest"], held[0], manifest.spec["operationSpecDigest"])
                    findings.compare("DERIVED", Workload, row["digest"], row, _of_workload(manifest, held[1]), FOLLOWS)


def _of_workload(manifest: Manifest, operation: Manifest | None) -> dict[str, Any]:
    """Its title is told in the operation's words, which may be redacted."""
    if operation is None:
        return {"name": manifest.metadata["name"]}
    return columns.workload_columns(manifest.kind, manifest.spec, manifest.metadata, operation.spec)


def _names_operation(findings: Findings, model: Model, name: Any, stored: str, stated: str) -> None:
    if stored != stated:
        text = "names another operation than its document"
        findings.add("REFERENCE", model, name, "operation_id", text, stored=stored, derived=stated)


def implementations(findings: Findings) -> None:
    operations = operation_lookup()
    for rows in chunks(Implementation.objects.all()):
        operations.load(row["operation_id"] for row in rows)
        names = _project_names(ProjectRevision.objects.filter(project__in={row["project_id"] for row in rows}))
        for row in rows:
            manifest, held = read(findings, Implementation, row), operations.get(row["operation_id"])
            if manifest and held:
                with findings.deriving(Implementation, row["id"]):
                    stated = manifest.spec["operation"]["specDigest"]
                    _names_operation(findings, Implementation, row["id"], held[0], stated)
                    derived = _of_implementation(row, manifest, held[1], names[row["project_id"]])
                    findings.compare("DERIVED", Implementation, row["id"], row, derived, FOLLOWS)


def _project_names(revisions: "QuerySet[ProjectRevision]") -> dict[UUID, list[str]]:
    names: dict[UUID, list[str]] = defaultdict(list)
    for project_id, name in revisions.order_by("-created_at").values_list("project_id", "name"):
        names[project_id].append(name)
    return names


def _of_implementation(row: Row, manifest: Manifest, operation: Manifest | None, names: list[str]) -> dict[str, Any]:
    """Its author may be its project's name of the time: any revision's. Its title leaves out the operation's."""
    of_operation = operation.metadata if operation else {"name": ""}
    derived = [columns.implementation_columns(manifest.spec, manifest.metadata, of_operation, n) for n in names or [""]]
    same = next((d for d in derived if d["author"] == row["author"]), derived[0])
    if operation is None:
        del same["display_name"]
    if REDACTED in names and row["author"] not in {d["author"] for d in derived}:
        del same["author"]
    return same
