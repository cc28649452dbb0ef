"""Plans into rows: batches that are each one transaction, as long as the clock allows, with what follows from them."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction

from registry import artifacts, bulk, evidence, incidents, standings
from registry.core import evidence as rules
from registry.core.digest import sha256
from registry.core.ids import uuid7
from registry.importers.base import SourceEntry
from registry.ingest.contents import contents_line
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
    Sighting,
    Snapshot,
    Source,
    StoredObject,
    Workload,
)
from registry.staging import Plan

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
SECONDS_A_BATCH = {"sqlite": 0.15, "postgresql": 1.0}


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """The bytes that an import reads from, as far as they are recorded."""

    file_name: str
    sha256: str
    size_bytes: int
    url: str | None = None
    revision: str | None = None


class Writer:
    """Writes plans batch by batch, each as long as the clock allows."""

    def __init__(
        self,
        source: SourceEntry,
        snapshots: dict[UUID, SnapshotFile],
        now: datetime,
        keep: Callable[[], object],
        on_write: Callable[[int, int], None],
    ) -> None:
        self.source, self.snapshots, self.snapshot_id = source, snapshots, next(iter(snapshots))
        self.now, self.keep, self.on_write = now, keep, on_write
        self.sizes: dict[Model, int] = defaultdict(lambda: FIRST_BATCH)
        self.batches, self.done, self.total = 0, 0, 0
        self.touched: set[UUID] = set()
        self.opened: set[str] = set()

    def write(self, plan: Plan) -> None:
        self.plan = plan
        count = sum(map(len, plan.rows.values())) + len(plan.runs)
        new_runs = {run["id"] for run in plan.runs}
        beside_known = [run_id for run_id in plan.beside_runs if run_id not in new_runs]
        if not (count or beside_known or plan.supersessions or plan.coverage):
            return
        self.total += count
        if not self.opened:
            self.keep()
        self._open()
        self._store_files()
        for model in DOCUMENTS:
            for chunk in self._chunks(model, plan.rows[model]):
                self._batch({model: chunk}, projects=model is ProjectRevision)
        # A batch ranks its groups anew, so a group cut into many small batches would be ranked as many times.
        largest = max(Counter(run["group_id"] for run in plan.runs).values(), default=0)
        for runs in self._chunks(Run, sorted(plan.runs, key=lambda run: (run["group_id"], run["id"])), largest // 8):
            self._run_batch(runs)
        for run_ids in self._chunks(Sighting, beside_known):
            self._beside_batch([pair for run_id in run_ids for pair in plan.beside_runs.pop(run_id)])
        # What is said of several runs at once comes last, when each of them stands.
        for rows in self._chunks(Mark, [(Mark, row) for row in plan.supersessions]):
            self._beside_batch(rows)
        for rows in self._chunks(Coverage, [(Coverage, row) for row in plan.coverage]):
            self._beside_batch(rows)

    def _open(self) -> None:
        """Make the sources and the snapshots that what is written from now on names."""
        lacking = self.plan.sources.keys() - self.opened
        if not lacking:
            return
        with transaction.atomic():
            for slug in sorted(lacking):
                entry = self.plan.sources[slug]
                Source.objects.get_or_create(slug=slug, defaults=source_row(entry, self.now))
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

        self.opened |= lacking

    def _store_files(self) -> None:
        """Store bytes before a row names them; of a source that lets nothing be stored, files are only described."""
        if self.plan.files and Source.objects.get(pk=self.source_id).may_store:
            for file in self.plan.files:
                artifacts.store_bytes(file.data, now=self.now)

    def _chunks(self, kind: Model, rows: list[Any], at_least: int = 0) -> Iterator[list[Any]]:
        """Rows in batches as long as the clock allows: what a row of one kind takes says nothing of another's."""
        start = 0
        while start < len(rows):
            size = max(self.sizes[kind], at_least)
            chunk = rows[start : start + size]
            start += len(chunk)
            began = time.monotonic()
            yield chunk
            faster = SECONDS_A_BATCH[connection.vendor] / max(time.monotonic() - began, 1e-3)
            if len(chunk) == size or faster < 1:  # how fast a shorter one was tells nothing of a full one
                self.sizes[kind] = int(min(max(len(chunk) * min(max(faster, 0.3), 2.0), 60), 20_000))
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
            implementations = self._implementations(runs)
            bulk.insert(EvidenceLevel, _levels(runs, implementations))
            digests = (row["digest"] for row in rows.get(RunArtifact, ()))
            evidence.record_stored(bulk.existing(StoredObject, "digest", digests), now=self.now)
            marks = [*rows.get(Mark, ()), *incidents.cover([run["id"] for run in runs], now=self.now)]
            made = {group["id"] for group in groups}
            authors = {row_id: author for row_id, (author, *_) in implementations.items()}
            standings.place_new(groups, [run for run in runs if run["group_id"] in made], marks, authors)
            standings.refresh([group_id for group_id in group_ids if group_id not in made])
        self.touched.update(group_ids)
        self.batches += 1

    def _implementations(self, runs: list[Row]) -> dict[UUID, tuple[Any, ...]]:
        """What levels and standings need of the implementations of runs, which stand by now."""
        wanted = (run["implementation_id"] for run in runs)
        return bulk.existing(Implementation, "pk", wanted, "author", "repository", "revision", "source_digest")

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


def _levels(runs: list[Row], implementations: dict[UUID, tuple[Any, ...]]) -> list[Row]:
    """The levels that runs enter with."""
    reachable = {row_id: rules.is_reachable(*source) for row_id, (_, *source) in implementations.items()}
    return [{"run_id": run["id"], **_level_without_raw_bytes(reachable[run["implementation_id"]])} for run in runs]


@cache
def _level_without_raw_bytes(is_reachable: bool) -> Row:
    """A level as a run enters with it, before any of its files are known to be held here."""
    level = rules.level(evidence.facts(is_reachable=is_reachable, raw_stored=False))
    return {"level": str(level), "policy": rules.POLICY}


def source_row(entry: SourceEntry, now: datetime) -> Row:
    """The row that a source begins with; staff edit it from then on."""
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
