"""Rows that are identified by others: comparison groups by their key, snapshots by what they were taken of."""

from typing import Any
from uuid import UUID

from registry.core import comparability, json_text
from registry.core.ids import uuid7
from registry.models import ComparisonGroup, Environment, Operation, Protocol, Snapshot, Source, Workload
from registry.verifying.findings import UNDERIVABLE, Findings, Lookup, Model, Row, chunks


def digests(model: Model) -> Lookup:
    return Lookup(model, "digest", shape=lambda digest: digest)


def workload_lookup() -> Lookup:
    """Of a workload: its digest, its operation's id, and the digest of its correctness where it can be read."""

    def shape(digest: str, operation_id: UUID, text: str) -> tuple[str, UUID, str | None]:
        try:
            spec: Any = json_text.loads(text)["spec"]  # type: ignore[index]
            return digest, operation_id, comparability.correctness_digest(spec)
        except UNDERIVABLE:  # redacted, or broken and named by its own check
            return digest, operation_id, None

    return Lookup(Workload, "digest", "operation_id", "canonical", shape=shape)


def groups(findings: Findings) -> None:
    """A group's key is made of the digests of what it names, its correctness and its metric; and it has a run."""
    workloads = workload_lookup()
    parts = {name: digests(model) for name, model in PARTS.items()}
    for rows in chunks(ComparisonGroup.objects.all()):
        workloads.load(row["workload_id"] for row in rows)
        for name, lookup in parts.items():
            lookup.load(row[f"{name}_id"] for row in rows)
        for row in rows:
            held = {name: lookup.get(row[f"{name}_id"]) for name, lookup in parts.items()}
            if (workload := workloads.get(row["workload_id"])) and all(held.values()):
                _group(findings, row, workload, held)
    for key in ComparisonGroup.objects.filter(runs=None).values_list("key", flat=True).iterator():
        findings.add("EMPTY_GROUP", ComparisonGroup, key, "", "has no run")


PARTS: dict[str, Model] = {"operation": Operation, "protocol": Protocol, "environment": Environment}


def _group(findings: Findings, row: Row, workload: tuple[str, UUID, str | None], held: dict[str, str]) -> None:
    digest, operation_id, correctness = workload
    if operation_id != row["operation_id"]:
        text = "names another operation than its workload"
        findings.add(
            "REFERENCE",
            ComparisonGroup,
            row["key"],
            "operation_id",
            text,
            stored=row["operation_id"],
            derived=operation_id,
        )
    if correctness not in (None, row["correctness"]):
        text = "is not the digest of its workload's correctness"
        findings.add(
            "DERIVED", ComparisonGroup, row["key"], "correctness", text, stored=row["correctness"], derived=correctness
        )
    metric = f"{row['metric']}:{row['statistic']}:{row['unit']}" if row["metric"] else comparability.NO_METRIC
    key = comparability.comparison_key(**held, workload=digest, correctness=row["correctness"], metric=metric)
    if key != row["key"]:
        text = "does not follow from the digests, the correctness and the metric of the group"
        findings.add("GROUP_KEY", ComparisonGroup, row["key"], "key", text, stored=row["key"], derived=key)


def snapshots(findings: Findings) -> None:
    sources = Lookup(Source, "slug", shape=lambda slug: slug)
    for rows in chunks(Snapshot.objects.all()):
        findings.read(Snapshot, rows)
        sources.load(row["source_id"] for row in rows)
        for row in rows:
            slug = sources.get(row["source_id"])
            if slug and uuid7(row["taken_at"], f"snapshot:{slug}:{row['sha256']}") != row["id"]:
                text = f"was not made of source {slug}, its sha256 and its date"
                findings.add("ROW_ID", Snapshot, row["id"], "id", text)
