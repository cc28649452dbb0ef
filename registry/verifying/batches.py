"""Batches: the rows that name each are those it was written with, so a row that is missing, extra or altered shows."""

from collections import defaultdict
from datetime import datetime
from uuid import UUID

from django.db.models import Count

from registry.core.digest import sha256
from registry.core.ids import uuid7
from registry.guards import REDACTED, guarded_models
from registry.ingest import contents_line
from registry.models import Artifact, Batch, Implementation, Run, Sighting, Snapshot
from registry.staging import sighting_id
from registry.verifying.findings import Findings, Lookup, Model, Row, chunks, table_of


def batches(findings: Findings) -> None:
    models = [model for model in guarded_models() if any(f.name == "batch" for f in model._meta.concrete_fields)]
    counts: dict[UUID, dict[Model, int]] = defaultdict(dict)
    for model in models:
        for batch_id, count in model._default_manager.order_by().values_list("batch").annotate(Count("pk")):
            if batch_id:
                counts[batch_id][model] = count
    snapshots = Lookup(Snapshot, "source_id", shape=lambda source_id: source_id)
    for rows in chunks(Batch.objects.all()):
        findings.read(Batch, rows)
        snapshots.load(row["snapshot_id"] for row in rows)
        for row in rows:
            if (source_id := snapshots.get(row["snapshot_id"])) not in (None, row["source_id"]):
                text = "names another source than its snapshot"
                findings.add(
                    "REFERENCE", Batch, row["id"], "source_id", text, stored=row["source_id"], derived=source_id
                )
            _batch(findings, row, counts[row["id"]])
    for row_id in Artifact.objects.filter(batch=None).values_list("pk", flat=True):
        findings.add("NO_BATCH", Artifact, row_id, "batch_id", "came in by no batch")


def _batch(findings: Findings, batch: Row, counts: dict[Model, int]) -> None:
    stated = batch["counts"]
    found = {table_of(model): count for model, count in counts.items()}
    for table in sorted(stated.keys() | found.keys()):
        if stated.get(table, 0) != found.get(table, 0):
            kind = "missing" if found.get(table, 0) < stated.get(table, 0) else "extra"
            text = f"rows of batch {batch['id']} are {kind}"
            findings.add(
                "BATCH_COUNT", table, batch["id"], "", text, stored=found.get(table, 0), derived=stated.get(table, 0)
            )
    lines, instants, has_redacted_slug = _lines(findings, batch["id"], counts)
    if has_redacted_slug:
        findings.unrecomputable_batches += 1
        return
    contents = sha256("\n".join(lines))
    if contents != batch["contents"]:
        text = f"its rows ({', '.join(found) or 'none'}) are not as they were written: one is missing, extra or altered"
        findings.add("BATCH_CONTENTS", Batch, batch["id"], "contents", text, stored=batch["contents"], derived=contents)
    elif uuid7(batch["at"], f"batch:{batch['snapshot_id']}:{lines[0]}:{len(lines)}") != batch["id"]:
        findings.add("ROW_ID", Batch, batch["id"], "id", "was not made of its instant, its snapshot and its rows")
    elif instants - {batch["at"]}:
        text = "its rows were written at another instant"
        findings.add("BATCH_DATE", Batch, batch["id"], "at", text, stored=batch["at"], derived=min(instants))


def _lines(findings: Findings, batch_id: UUID, counts: dict[Model, int]) -> tuple[list[str], set[datetime], bool]:
    """The lines of a batch's rows, in order; the instants that they state; whether a line can't be made any more."""
    lines: list[str] = []
    instants: set[datetime] = set()
    has_redacted_slug = False
    for model in counts:
        for rows in chunks(model._default_manager.filter(batch=batch_id)):
            findings.read(model, rows)
            for row in rows:
                lines.append(contents_line(model, row))
                instants.update(row[name] for name in ("created_at", "seen_at") if name in row)
                has_redacted_slug |= model is Implementation and findings.is_redacted(model, row["id"])
            if model is Sighting:
                _keys(findings, rows)
    return sorted(lines), instants, has_redacted_slug


def _keys(findings: Findings, rows: list[Row]) -> None:
    """A sighting's key is no part of the line, but of the id."""
    for row in rows:
        if findings.is_redacted(Run, row["run_id"]):
            findings.redacted[table_of(Sighting)] += 1
            if {row["upstream_key"], row["lasting_key"]} - {REDACTED, None}:
                text = "its run is redacted, and the text is still there"
                findings.add("REDACTION_INCOMPLETE", Sighting, row["id"], "upstream_key", text)
        elif row["id"] != sighting_id(
            row["seen_at"], row["run_id"], row["snapshot_id"], row["upstream_key"], row["lasting_key"]
        ):
            text = "the id was not made of this run, snapshot and upstream key"
            findings.add("ROW_ID", Sighting, row["id"], "upstream_key", text, stored=row["upstream_key"])
