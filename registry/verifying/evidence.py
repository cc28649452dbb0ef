"""Evidence facts: each rests on a file that the run names and whose bytes are held, and none that is due is missing."""

from collections import defaultdict
from uuid import UUID

from registry.evidence import fact_id
from registry.models import EvidenceFact, RunArtifact, StoredObject
from registry.models.evidence import RAW_STORED
from registry.verifying.findings import Findings, Row, chunks


def facts_are_backed(findings: Findings) -> None:
    for rows in chunks(EvidenceFact.objects.all()):
        findings.read(EvidenceFact, rows)
        due = _due([row["run_id"] for row in rows])
        for row in rows:
            if row["kind"] != RAW_STORED:
                findings.add("UNKNOWN_KIND", EvidenceFact, row["id"], "kind", "is no kind of fact", stored=row["kind"])
            elif _told(row) not in due[row["run_id"]]:
                text = "no file that its run names is held here under this digest and role"
                findings.add("UNBACKED_FACT", EvidenceFact, row["id"], "detail", text, stored=row["detail"])
            elif fact_id(row["at"], row["run_id"], row["detail"]["role"], row["detail"]["digest"]) != row["id"]:
                findings.add(
                    "ROW_ID", EvidenceFact, row["id"], "id", "was not made of its run, its file and its instant"
                )
    for rows in chunks(RunArtifact.objects.filter(digest__in=StoredObject.objects.values("digest"))):
        facts = EvidenceFact.objects.filter(kind=RAW_STORED, run__in={row["run_id"] for row in rows})
        recorded = {(fact["run_id"], *_told(fact)) for fact in facts.values("run_id", "detail")}
        for row in rows:
            if (row["run_id"], row["digest"], row["role"]) not in recorded:
                text = f"its bytes are held as {row['role']}, and no fact records it"
                findings.add("MISSING", EvidenceFact, row["run_id"], "run_id", text, derived=row["digest"])


def _due(run_ids: list[UUID]) -> dict[UUID, set[tuple[str, str]]]:
    due: dict[UUID, set[tuple[str, str]]] = defaultdict(set)
    files = RunArtifact.objects.filter(run__in=run_ids, digest__in=StoredObject.objects.values("digest"))
    for run_id, digest, role in files.values_list("run_id", "digest", "role"):
        due[run_id].add((digest, role))
    return due


def _told(fact: Row) -> tuple[str, str]:
    return fact["detail"].get("digest"), fact["detail"].get("role")
