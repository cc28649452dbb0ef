"""The registry's tables. Fact and mark tables are insert-only; guards.py makes the database refuse the rest."""

from registry.models.artifacts import Artifact, StoredObject
from registry.models.audit import AuditEvent, Batch, Redaction, RedactionRequest
from registry.models.documents import (
    Environment,
    Hardware,
    Implementation,
    Operation,
    OperationAlias,
    Protocol,
    Workload,
)
from registry.models.evidence import EvidenceFact, EvidenceLevel
from registry.models.groups import ComparisonGroup, Coverage, GroupStanding, Record, Standing
from registry.models.marks import Mark
from registry.models.projects import Project, ProjectRevision
from registry.models.runs import Run, RunArtifact, Sighting
from registry.models.sources import Snapshot, Source

__all__ = [
    "Artifact",
    "AuditEvent",
    "Batch",
    "ComparisonGroup",
    "Coverage",
    "Environment",
    "EvidenceFact",
    "EvidenceLevel",
    "GroupStanding",
    "Hardware",
    "Implementation",
    "Mark",
    "Operation",
    "OperationAlias",
    "Project",
    "ProjectRevision",
    "Protocol",
    "Record",
    "Redaction",
    "RedactionRequest",
    "Run",
    "RunArtifact",
    "Sighting",
    "Snapshot",
    "Source",
    "Standing",
    "StoredObject",
    "Workload",
]
