"""Recompute everything in the registry that follows from something else, and name each difference. Reads only."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from registry.verifying import (
    batches,
    caches,
    documents,
    evidence,
    incidents,
    marks,
    notes,
    objects,
    references,
    runs,
    tables,
)
from registry.verifying.findings import Difference, Findings

__all__ = ["Difference", "VerifyReport", "verify"]

CHECKS: tuple[Callable[[Findings], None], ...] = (
    tables.guards_stand,
    tables.references_resolve,
    tables.rows_are_unique,
    documents.projects,
    documents.operations,
    documents.workloads,
    documents.protocols,
    documents.environments,
    documents.implementations,
    references.groups,
    references.snapshots,
    runs.runs,
    batches.batches,
    caches.standings_follow,
    caches.levels_follow,
    evidence.facts_are_backed,
    marks.marks_hold,
    marks.events_have_their_marks,
    incidents.incidents_hold,
    notes.notes_hold,
    marks.redactions_hold,
    marks.redactions_are_on_record,
    objects.bytes_are_held,
)


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """`rows` counts what was checked by table; `redacted` rows are blank by right and are no difference."""

    rows: dict[str, int]
    redacted: dict[str, int]
    unrecomputable_batches: int
    differences: tuple[Difference, ...]
    seconds: float

    @property
    def holds(self) -> bool:
        return not self.differences

    def as_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "rows": self.rows,
            "redacted": self.redacted,
            "unrecomputable_batches": self.unrecomputable_batches,
            "seconds": round(self.seconds, 2),
            "differences": [
                {name: getattr(difference, name) for name in Difference.__slots__} for difference in self.differences
            ],
        }

    def lines(self) -> Iterator[str]:
        """The report for people: each difference, then the counts."""
        yield from map(str, self.differences)
        for table, count in self.rows.items():
            redacted = f", {self.redacted[table]:,} redacted" if table in self.redacted else ""
            yield f"  {table}: {count:,}{redacted}"
        if self.unrecomputable_batches:
            yield f"  {self.unrecomputable_batches:,} batches hold a redacted implementation: rows were only counted"
        verdict = "all holds" if self.holds else f"{len(self.differences):,} differences"
        yield f"{verdict}: {sum(self.rows.values()):,} rows checked in {self.seconds:.1f} s"


def verify(*, on_progress: Callable[[int], None] = lambda count: None) -> VerifyReport:
    """Check the registry as it stands at one moment. `on_progress` is told how many rows were checked so far."""
    began = time.monotonic()
    with _one_moment():
        findings = Findings(on_progress)
        failed = [name for check in CHECKS if (name := _failure(check, findings))]
        if failed:
            tables.values_are_readable(findings)
    return VerifyReport(
        rows=dict(sorted(findings.rows.items())),
        redacted=dict(findings.redacted),
        unrecomputable_batches=findings.unrecomputable_batches,
        differences=tuple(findings.differences),
        seconds=time.monotonic() - began,
    )


def _failure(check: Callable[[Findings], None], findings: Findings) -> str | None:
    """A value that can't be read ends one check, never the verification; its row is looked for afterwards."""
    try:
        check(findings)
    except Exception as error:
        findings.add("CHECK_FAILED", "", "", "", f"{check.__name__} did not finish: {type(error).__name__}: {error}")
        return check.__name__
    return None


@contextmanager
def _one_moment() -> Iterator[None]:
    """Read one state of the database, whatever is written meanwhile, and keep no writer waiting."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django's own transactions take SQLite's write lock at once
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
