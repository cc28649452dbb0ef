"""The only door in: entries to rows, in batches that are each one transaction, with an account of everything read.

Nothing is written before the whole input has been read and checked. A batch holds documents, or runs with their groups,
marks, levels and standings, so an import that is killed leaves whole batches with consistent ranks, and doing it again
completes it.
"""

import gc
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction

from registry import bulk, evidence, incidents, standings
from registry.core import evidence as rules
from registry.core.digest import sha256
from registry.core.ids import uuid7
from registry.importers.base import Entry, Rejected, SourceEntry
from registry.models import (
    Artifact,
    Batch,
    ComparisonGroup,
    Coverage,
    Environment,
    EvidenceLevel,
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
    Snapshot,
    Source,
    StoredObject,
    Workload,
)
from registry.staging import Plan, stage

Row = dict[str, Any]
Model = type[models.Model]
# In order of dependence.
DOCUMENTS: tuple[Model, ...] = (
    ProjectRevision,
    Operation,
    OperationAlias,
    Workload,
    Protocol,
    Hardware,
    Environment,
    Implementation,
    Artifact,
)
FIRST_BATCH = 250  # rows; later ones follow the clock
# SQLite has one writer: a batch may keep others out for a quarter of a second at most, so it aims below that.
SECONDS_A_BATCH = {"sqlite": 0.12, "postgresql": 1.0}
SHOWN_PLACES = 20
OBJECTS_A_COLLECTION = 100_000
# Redactable texts that follow from no document: only `contents` tells that they are as they were.
UNVOUCHED: dict[Model, tuple[str, ...]] = {Implementation: ("slug",), Artifact: ("file_name", "uri")}


class Refusal(ValueError):
    """A whole input was refused: nothing was written. The report says why."""

    def __init__(self, report: "IngestReport") -> None:
        super().__init__(f"refused: {len(report.rejected)} faults")
        self.report = report


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """The bytes that an import reads from, as far as they are recorded."""

    file_name: str
    sha256: str
    size_bytes: int
    url: str | None = None
    revision: str | None = None


@dataclass(slots=True)
class IngestReport:
    """What was read, and what became of it. Counts are by document kind, rejections by reason with their places."""

    source: str
    snapshot: str
    is_dry_run: bool
    read: dict[str, int]
    new: dict[str, int]
    known: dict[str, int]
    flagged: dict[str, int]
    skipped: dict[str, int]
    rejected: list[Rejected]
    metadata_differs: list[str]
    groups_touched: int = 0
    batches: int = 0
    rejected_by_reason: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.rejected_by_reason = dict(Counter(r.reason for r in self.rejected).most_common())

    @property
    def has_changes(self) -> bool:
        return bool(self.batches)

    def as_json(self) -> dict[str, Any]:
        """The report for programs; places are given for every rejection."""
        return {
            "source": self.source,
            "snapshot": self.snapshot,
            "dry_run": self.is_dry_run,
            "read": self.read,
            "new": self.new,
            "known": self.known,
            "flagged": self.flagged,
            "not_indexed": self.skipped,
            "rejected": self.rejected_by_reason,
            "rejections": [
                {
                    "reason": r.reason,
                    "file": r.place.file,
                    "line": r.place.line,
                    "path": r.place.path,
                    "text": r.message,
                }
                for r in self.rejected
            ],
            "metadata_differs": self.metadata_differs,
            "groups_touched": self.groups_touched,
            "batches": self.batches,
        }

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield f"{self.source}, snapshot {self.snapshot[:19]}…{' (dry run: nothing was written)' * self.is_dry_run}"
        for title, counts in (
            ("new", self.new),
            ("known", self.known),
            ("flagged", self.flagged),
            ("not indexed", self.skipped),
            ("rejected", self.rejected_by_reason),
        ):
            told = ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"
            yield f"  {title + ':':<13}{told}"
        if self.metadata_differs:
            yield f"  {len(self.metadata_differs):,} known documents came with other metadata; the first seen stands"
        for rejected in self.rejected[:SHOWN_PLACES]:
            yield f"  {rejected.reason} {rejected.place}: {rejected.message}"
        if len(self.rejected) > SHOWN_PLACES:
            yield f"  … {len(self.rejected) - SHOWN_PLACES:,} more rejections; --json lists them all"


def ingest(
    entries: Iterable[Entry],
    *,
    source: SourceEntry,
    snapshot: SnapshotFile,
    more: Sequence[SnapshotFile] = (),
    now: datetime,
    is_all_or_nothing: bool = False,
    is_dry_run: bool = False,
    keep: Callable[[], object] = lambda: None,
    on_read: Callable[[int], None] = lambda count: None,
    on_write: Callable[[int, int], None] = lambda done, total: None,
) -> IngestReport:
    """Take in everything that holds. Raises Refusal where `is_all_or_nothing` and anything does not.

    `more` are the other files of an input of several; a run was seen in the one that its place names. `keep` stores the
    input's bytes: it is called before the first row is written, and only then.
    """
    with bulk.one_import_at_a_time(), _few_collections():
        taken = [(_snapshot_id(source, file, now), file) for file in (snapshot, *more)]
        snapshots = dict(taken)  # files of equal bytes are one snapshot
        snapshot_id = taken[0][0]
        plan = stage(
            entries,
            source=source,
            snapshot_id=snapshot_id,
            snapshot_of={file.file_name: row_id for row_id, file in taken},
            now=now,
            is_own_data=is_all_or_nothing,
            progress=on_read,
        )
        report = _report(plan, source, snapshot, is_dry_run)
        if plan.rejected and is_all_or_nothing:
            raise Refusal(report)
        if not is_dry_run:
            writer = _Writer(plan, source, snapshots, now, keep, on_write)
            writer.write()
            report.groups_touched, report.batches = len(writer.touched), writer.batches
    return report


@contextmanager
def _few_collections() -> Iterator[None]:
    """An import holds millions of objects and hardly a cycle: the collector would walk them all, time and again."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], OBJECTS_A_COLLECTION), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _snapshot_id(source: SourceEntry, file: SnapshotFile, now: datetime) -> UUID:
    """The id of a file's snapshot: the one that is held, or the one that it will have."""
    held = Snapshot.objects.filter(source__slug=source.slug, sha256=file.sha256).values_list("id", flat=True).first()
    return held or uuid7(now, f"snapshot:{source.slug}:{file.sha256}")


def _report(plan: Plan, source: SourceEntry, snapshot: SnapshotFile, is_dry_run: bool) -> IngestReport:
    return IngestReport(
        source=source.slug,
        snapshot=snapshot.sha256,
        is_dry_run=is_dry_run,
        read=dict(plan.read),
        new=dict(plan.new),
        known=dict(plan.known),
        flagged=dict(plan.flagged),
        skipped=dict(plan.skipped),
        rejected=plan.rejected,
        metadata_differs=plan.metadata_differs,
    )


class _Writer:
    """Writes a plan batch by batch, each as long as the clock allows."""

    def __init__(
        self,
        plan: Plan,
        source: SourceEntry,
        snapshots: dict[UUID, SnapshotFile],
        now: datetime,
        keep: Callable[[], object],
        on_write: Callable[[int, int], None],
    ) -> None:
        self.plan, self.source, self.snapshots, self.snapshot_id = plan, source, snapshots, next(iter(snapshots))
        self.now, self.keep, self.on_write = now, keep, on_write
        self.size, self.batches, self.done = FIRST_BATCH, 0, 0
        self.touched: set[UUID] = set()
        self.total = sum(map(len, plan.rows.values())) + len(plan.runs)
        self.newly_levelled = {row["id"]: row for row in plan.rows[Implementation]}

    def write(self) -> None:
        plan = self.plan
        new_runs = {run["id"] for run in plan.runs}
        beside_known = [run_id for run_id in plan.beside_runs if run_id not in new_runs]
        if not (self.total or beside_known or plan.supersessions or plan.coverage):
            return
        self.keep()
        self._open()
        for model in DOCUMENTS:
            for chunk in self._chunks(plan.rows[model]):
                self._batch({model: chunk}, projects=model is ProjectRevision)
        # A batch ranks its groups anew, so a group cut into many small batches would be ranked as many times.
        largest = max(Counter(run["group_id"] for run in plan.runs).values(), default=0)
        for runs in self._chunks(sorted(plan.runs, key=lambda run: (run["group_id"], run["id"])), largest // 8):
            self._run_batch(runs)
        for run_ids in self._chunks(beside_known):
            self._beside_batch([pair for run_id in run_ids for pair in plan.beside_runs.pop(run_id)])
        # What is said of several runs at once comes last, when each of them stands.
        for rows in self._chunks([(Mark, row) for row in plan.supersessions]):
            self._beside_batch(rows)
        for rows in self._chunks([(Coverage, row) for row in plan.coverage]):
            self._beside_batch(rows)

    def _open(self) -> None:
        """Make the sources and the snapshot that everything of this import names."""
        with transaction.atomic():
            for entry in self.plan.sources.values():
                Source.objects.get_or_create(slug=entry.slug, defaults=_source_row(entry, self.now))
            self.source_id = Source.objects.get(slug=self.source.slug).id
            for row_id, file in self.snapshots.items():
                Snapshot.objects.get_or_create(
                    id=row_id,
                    defaults={
                        "source_id": self.source_id,
                        "sha256": file.sha256,
                        "file_name": file.file_name[:255],
                        "url": file.url,
                        "revision": file.revision,
                        "size_bytes": file.size_bytes,
                        "taken_at": self.now,
                    },
                )

    def _chunks(self, rows: list[Any], at_least: int = 0) -> Iterator[list[Any]]:
        start = 0
        while start < len(rows):
            chunk = rows[start : start + max(self.size, at_least)]
            start += len(chunk)
            began = time.monotonic()
            yield chunk
            target = SECONDS_A_BATCH[connection.vendor]
            faster = target / max(time.monotonic() - began, 1e-3)
            self.size = int(min(max(self.size * min(max(faster, 0.3), 2.0), 20), 20_000))
            self.done += len(chunk)
            self.on_write(min(self.done, self.total), self.total)

    def _batch(self, rows: dict[Model, list[Row]], *, projects: bool = False) -> None:
        with transaction.atomic():
            if projects:
                self._make_projects(rows[ProjectRevision])
            self._insert(rows)
        self.batches += 1

    def _make_projects(self, revisions: list[Row]) -> None:
        """Insert the projects that these revisions are the first of; foreign keys are judged when the batch ends."""
        newest = {row["project_id"]: row for row in revisions}
        known = set(bulk.existing(Project, "pk", newest))
        bulk.insert(
            Project,
            [
                {
                    "id": row["id"],
                    "slug": slug,
                    "name": newest[row["id"]]["name"],
                    "newest_id": newest[row["id"]]["id"],
                    "created_at": self.now,
                }
                for slug, row in self.plan.projects.items()
                if row["id"] in newest.keys() - known
            ],
        )
        held = list(Project.objects.filter(pk__in=known))
        for project in held:
            project.newest_id, project.name = newest[project.id]["id"], newest[project.id]["name"]
        Project.objects.bulk_update(held, ["newest", "name"], batch_size=200)

    def _run_batch(self, runs: list[Row]) -> None:
        group_ids = list(dict.fromkeys(run["group_id"] for run in runs))
        groups = [self.plan.groups.pop(group_id) for group_id in group_ids if group_id in self.plan.groups]
        rows: dict[Model, list[Row]] = {ComparisonGroup: groups, Run: runs}
        for run in runs:
            for model, row in self.plan.beside_runs.pop(run["id"], []):
                rows.setdefault(model, []).append(row)
        with transaction.atomic():
            self._insert(rows)
            bulk.insert(EvidenceLevel, [self._level(run) for run in runs])
            digests = (row["digest"] for row in rows.get(RunArtifact, ()))
            evidence.record_stored(bulk.existing(StoredObject, "digest", digests), now=self.now)
            incidents.cover([run["id"] for run in runs], now=self.now)
            standings.refresh(group_ids)
        self.touched.update(group_ids)
        self.batches += 1

    def _beside_batch(self, pairs: list[tuple[Model, Row]]) -> None:
        """Sightings, marks and coverage of runs that are held already."""
        rows: dict[Model, list[Row]] = {}
        for model, row in pairs:
            rows.setdefault(model, []).append(row)
        marked = [row["run_id"] for row in rows.get(Mark, [])]
        group_ids = list(dict.fromkeys(row[0] for row in bulk.existing(Run, "pk", marked, "group_id").values()))
        with transaction.atomic():
            self._insert(rows)
            standings.refresh(group_ids)
        self.touched.update(group_ids)
        self.batches += 1

    def _level(self, run: Row) -> Row:
        implementation = self.newly_levelled.get(run["implementation_id"])
        if implementation is None:
            columns = ("repository", "revision", "source_digest")
            values = Implementation.objects.values_list(*columns).get(pk=run["implementation_id"])
            implementation = dict(zip(columns, values, strict=True))
            self.newly_levelled[run["implementation_id"]] = implementation
        is_reachable = rules.is_reachable(
            implementation["repository"], implementation["revision"], implementation["source_digest"]
        )
        return {"run_id": run["id"], **_level_without_raw_bytes(is_reachable)}

    def _insert(self, rows: dict[Model, list[Row]]) -> None:
        """Write the batch's own row, then its rows, each of which names it."""
        lines = sorted(contents_line(model, row) for model, of_model in rows.items() for row in of_model)
        batch = {
            "id": uuid7(self.now, f"batch:{self.snapshot_id}:{lines[0]}:{len(lines)}"),
            "at": self.now,
            "source_id": self.source_id,
            "snapshot_id": self.snapshot_id,
            "counts": {model._meta.db_table: len(of_model) for model, of_model in rows.items() if of_model},
            "contents": sha256("\n".join(lines)),
        }
        bulk.insert(Batch, [batch])
        for model, of_model in rows.items():
            for row in of_model:
                row["batch_id"] = batch["id"]
            bulk.insert(model, of_model)


@cache
def _level_without_raw_bytes(is_reachable: bool) -> Row:
    """A level as a run enters with it, before any of its files are known to be held here."""
    level = rules.level(evidence.facts(is_reachable=is_reachable, raw_stored=False))
    return {"level": str(level), "policy": rules.POLICY}


def contents_line(model: Model, row: Row) -> str:
    """A row as its batch's `contents` digests it: table, id, and a digest of its columns.

    Left out, so that a batch can be recomputed after a redaction too, are the texts that one may blank and that
    something else vouches for: bytes by their digest, names by the bytes that they follow from, the key of a sighting
    by the id that is made of it.
    """
    told = _TELLER.encode([row[name] for name in _told_columns(model)])
    return f"{model._meta.db_table} {row['id']} {sha256(told)}"


@cache
def _told_columns(model: Model) -> tuple[str, ...]:
    left_out = {"batch_id", *getattr(model, "REDACTABLE", ())} - set(UNVOUCHED.get(model, ()))
    return tuple(field.attname for field in model._meta.concrete_fields if field.attname not in left_out)


def _told(value: datetime | UUID) -> str:
    """What JSON has no word for."""
    return value.hex if isinstance(value, UUID) else value.astimezone(UTC).isoformat()


_TELLER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=_told)


def _source_row(entry: SourceEntry, now: datetime) -> Row:
    return {
        "id": uuid7(now, f"source:{entry.slug}"),
        "name": entry.name,
        "kind": entry.kind,
        "homepage": entry.homepage,
        "licence": entry.licence,
        "terms": entry.terms,
        "attribution": entry.attribution,
        "contact": entry.contact,
        "importer": entry.importer,
        "location": entry.location,
        "hosts": "\n".join(entry.hosts),
        "schedule": entry.schedule,
        "may_store": entry.may_store,
        "created_at": now,
    }
