"""What staging works with: documents as they were read, and the plan of rows that comes of them."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import models

from registry.core import coherence
from registry.core import columns as columns_from
from registry.core.ids import uuid7
from registry.core.kinds import Manifest
from registry.importers.base import BytesEntry, Locate, Rejected, RunEntry, SourceEntry
from registry.models import Mark

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
    """A document in its canonical form, from this input or from the registry.

    `stated` is what it says; of a row of the registry it is read from the text when somebody asks.
    """

    kind: str
    digest: str
    text: str
    metadata_text: str
    metadata_sha256: str
    locate: Locate
    stated: Manifest | None = None
    breaches: tuple[coherence.Breach, ...] = ()

    @property
    def manifest(self) -> Manifest:
        if self.stated is None:
            self.stated = Manifest(self.kind, json.loads(self.text)["spec"], json.loads(self.metadata_text))
        return self.stated

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


class KnownRun(NamedTuple):
    """A run that the registry holds, or that an earlier entry brought."""

    id: UUID
    implementation_id: UUID
    metadata_sha256: str
    group_id: UUID
    name: str
    group_key: str
    project: str
    implementation: str


@dataclass(slots=True)
class Plan:
    """The finished rows of one window.

    `rows` are in dependency order of models; `runs` come with the rows that belong to each (sightings, flags, files).
    """

    sources: dict[str, SourceEntry] = field(default_factory=dict)
    projects: dict[str, Row] = field(default_factory=dict)
    files: list[BytesEntry] = field(default_factory=list)  # whose bytes are to be stored before any row names them
    rows: dict[Model, list[Row]] = field(default_factory=lambda: defaultdict(list))
    groups: dict[UUID, Row] = field(default_factory=dict)
    runs: list[Row] = field(default_factory=list)
    beside_runs: dict[UUID, list[tuple[Model, Row]]] = field(default_factory=lambda: defaultdict(list))
    supersessions: list[Row] = field(default_factory=list)  # marks that name two runs: written when both stand
    coverage: list[Row] = field(default_factory=list)

    def said_by_source(self) -> "Plan":
        """What the source says of its runs that are published already: their marks, and nothing else."""
        new = {run["id"] for run in self.runs}
        said = {
            run_id: [(model, row) for model, row in beside if model is Mark and row["by"] == MARKED_BY_SOURCE]
            for run_id, beside in self.beside_runs.items()
            if run_id not in new
        }
        return Plan(sources=self.sources, beside_runs={run_id: marks for run_id, marks in said.items() if marks})


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The snapshot that a place of the input is in: one for a single file, one a file for several bundles at once."""

    only: UUID
    by_file: Mapping[str, UUID]

    def of(self, file: str) -> UUID:
        return self.by_file.get(file, self.only)

    def all(self) -> set[UUID]:
        return {self.only, *self.by_file.values()}


def sighting_id(
    seen_at: datetime, run_id: UUID, snapshot_id: UUID, upstream_key: str | None, lasting_key: str | None
) -> UUID:
    """Made of the keys too, which a redaction may blank, so that a key that was altered is seen."""
    return uuid7(seen_at, f"{run_id}:{snapshot_id}:{upstream_key or ''}{f':{lasting_key}' if lasting_key else ''}")


def nowhere(path: object) -> Any:
    raise AssertionError("a document of the registry is never located in an input")
