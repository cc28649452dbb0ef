"""Runs: what each document says of its columns, of the rows it names, of its group and of its files."""

from collections import defaultdict
from typing import Any
from uuid import UUID

from registry.core import columns
from registry.core.kinds import Manifest
from registry.guards import REDACTED
from registry.models import (
    ComparisonGroup,
    Environment,
    Implementation,
    Operation,
    Protocol,
    Run,
    RunArtifact,
)
from registry.verifying.documents import FOLLOWS, read
from registry.verifying.findings import Findings, Lookup, Model, Row, chunks
from registry.verifying.references import digests, workload_lookup

IN_GROUP = ("operation_id", "workload_id", "protocol_id", "environment_id")
GROUP_COLUMNS = ("key", *IN_GROUP, "correctness", "metric", "statistic", "unit")
NAMED: dict[str, Model] = {"implementation": Implementation, "protocol": Protocol, "environment": Environment}


def runs(findings: Findings) -> None:
    lookups = _Lookups()
    for rows in chunks(Run.objects.all()):
        lookups.load(rows)
        files: dict[UUID, dict[str, Row]] = defaultdict(dict)
        for row in RunArtifact.objects.filter(run__in=[row["id"] for row in rows]).values():
            files[row["run_id"]][row["role"]] = row
        for row in rows:
            manifest = read(findings, Run, row)
            with findings.deriving(Run, row["digest"]):
                _refers(findings, row, manifest, lookups)
                if manifest:
                    derived = columns.run_columns(manifest.spec, manifest.metadata)
                    findings.compare("DERIVED", Run, row["digest"], row, derived, FOLLOWS)
                    _files(findings, row, manifest, files[row["id"]])
            if not manifest and findings.is_redacted(Run, row["id"]):
                _blank_files(findings, files[row["id"]])


class _Lookups:
    """What the rows of one chunk name."""

    def __init__(self) -> None:
        self.workload = workload_lookup()
        self.operation = digests(Operation)
        self.named = {name: digests(model) for name, model in NAMED.items()}
        self.group = Lookup(
            ComparisonGroup, *GROUP_COLUMNS, shape=lambda *row: dict(zip(GROUP_COLUMNS, row, strict=True))
        )

    def load(self, rows: list[Row]) -> None:
        self.workload.load(row["workload_id"] for row in rows)
        self.operation.load(row["operation_id"] for row in rows)
        self.group.load(row["group_id"] for row in rows)
        for name, lookup in self.named.items():
            lookup.load(row[f"{name}_id"] for row in rows)


def _refers(findings: Findings, row: Row, manifest: Manifest | None, lookups: _Lookups) -> None:
    """The run's references are to the rows that its document names, and its group is that of its key."""
    workload, group = lookups.workload.get(row["workload_id"]), lookups.group.get(row["group_id"])
    held = {name: lookup.get(row[f"{name}_id"]) for name, lookup in lookups.named.items()}
    held["workload"] = workload and workload[0]
    if manifest:
        for name, digest in held.items():
            if digest not in (None, stated := manifest.spec[f"{name}Digest"]):
                text = f"names another {name} than its document"
                findings.add("REFERENCE", Run, row["digest"], f"{name}_id", text, stored=digest, derived=stated)
    if workload and workload[1] != row["operation_id"]:
        text = "names another operation than its workload"
        findings.add(
            "REFERENCE", Run, row["digest"], "operation_id", text, stored=row["operation_id"], derived=workload[1]
        )
    if not group:
        return
    for column in IN_GROUP:
        if group[column] != row[column]:
            text = f"its group has another {column.removesuffix('_id')} than the run"
            findings.add("GROUP_MEMBER", Run, row["digest"], column, text, stored=row[column], derived=group[column])
    operation = lookups.operation.get(row["operation_id"])
    if manifest and workload and operation:
        _is_in_group(findings, row, manifest, operation, workload[2] or group["correctness"], group)


def _is_in_group(
    findings: Findings, row: Row, manifest: Manifest, operation: str, correctness: str, group: dict[str, Any]
) -> None:
    identity = columns.group_identity(manifest.spec, {"operationSpecDigest": operation}, correctness)
    if identity.key != group["key"]:
        text = "stands in another group than that of its comparison key"
        findings.add("GROUP_KEY", Run, row["digest"], "group_id", text, stored=group["key"], derived=identity.key)
        return
    of_identity = {name: getattr(identity, name) for name in ("metric", "statistic", "unit")}
    text = f"is not that of its run {row['digest']}"
    findings.compare("DERIVED", ComparisonGroup, group["key"], group, of_identity, text)


def _files(findings: Findings, row: Row, manifest: Manifest, held: dict[str, Row]) -> None:
    stated = columns.run_artifacts(manifest.spec)
    for role in stated.keys() - held.keys():
        findings.add(
            "MISSING", RunArtifact, row["digest"], "role", f"the run's document names a file as {role}, no row does"
        )
    for role in held.keys() - stated.keys():
        text = f"the document of run {row['digest']} names no file as {role}"
        findings.add("EXTRA", RunArtifact, held[role]["id"], "role", text)
    for role in stated.keys() & held.keys():
        digest, uri = stated[role]
        text = f"is not what the document of run {row['digest']} says"
        findings.compare(
            "DERIVED", RunArtifact, held[role]["id"], held[role], {"digest": digest, "uri": uri[:2000]}, text
        )


def _blank_files(findings: Findings, held: dict[str, Row]) -> None:
    for row in held.values():
        findings.redacted[RunArtifact._meta.db_table] += 1
        if row["uri"] not in (REDACTED, None):
            text = "its run is redacted, and the text is still there"
            findings.add("REDACTION_INCOMPLETE", RunArtifact, row["id"], "uri", text)
