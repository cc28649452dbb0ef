"""The only writer of evidence facts and of levels. A level is a pure function of what is recorded (core.evidence)."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from registry import bulk
from registry.core import evidence
from registry.core.ids import uuid7
from registry.models import EvidenceFact, EvidenceLevel, Run, RunArtifact, StoredObject
from registry.models.evidence import RAW_STORED

CHUNK = 400
Row = dict[str, Any]


def level_row(run_id: UUID, facts: evidence.Facts) -> Row:
    return {"run_id": run_id, "level": str(evidence.level(facts)), "policy": evidence.POLICY}


def facts_of(run_ids: Sequence[UUID]) -> dict[UUID, evidence.Facts]:
    """What is recorded of these runs, read anew. Two queries, whatever the number of runs."""
    raw = set(EvidenceFact.objects.filter(run__in=run_ids, kind=RAW_STORED).values_list("run_id", flat=True))
    rows = Run.objects.filter(pk__in=run_ids).values_list(
        "id", "implementation__repository", "implementation__revision", "implementation__source_digest",
    )  # fmt: skip
    return {
        run_id: facts(is_reachable=evidence.is_reachable(repository, revision, source_digest), raw_stored=run_id in raw)
        for run_id, repository, revision, source_digest in rows
    }


def facts(*, is_reachable: bool, raw_stored: bool) -> evidence.Facts:
    """The facts of a run that is in the registry: its source is named and its documents are held, by foreign key."""
    return evidence.Facts(
        source_named=True, source_reachable=is_reachable, raw_stored=raw_stored, documents_held=True, reruns=()
    )


def refresh(run_ids: Sequence[UUID]) -> None:
    """Replace the levels of these runs by what their facts give."""
    for start in range(0, len(run_ids), CHUNK):
        chunk = run_ids[start : start + CHUNK]
        rows = [level_row(run_id, found) for run_id, found in facts_of(chunk).items()]
        with transaction.atomic():
            EvidenceLevel.objects.filter(run__in=chunk).delete()
            bulk.insert(EvidenceLevel, rows)


def record_stored(digests: Iterable[str], *, now: datetime) -> list[UUID]:
    """Append the fact that raw samples or a log of a run are held here, for each run that names these bytes."""
    wanted = list(digests)
    held = set(StoredObject.objects.filter(digest__in=wanted).values_list("digest", flat=True))
    touched: list[UUID] = []
    for run_id, digest, role in RunArtifact.objects.filter(digest__in=held).values_list("run_id", "digest", "role"):
        _, is_new = EvidenceFact.objects.get_or_create(
            run_id=run_id,
            kind=RAW_STORED,
            detail={"digest": digest, "role": role},
            defaults={"id": fact_id(now, run_id, role, digest), "at": now},
        )
        if is_new:
            touched.append(run_id)
    refresh(touched)
    return touched


def fact_id(at: datetime, run_id: UUID, role: str, digest: str) -> UUID:
    """Made of what it tells, so that the same fact twice, or one that was altered, is seen."""
    return uuid7(at, f"{RAW_STORED}:{run_id}:{role}:{digest}")
