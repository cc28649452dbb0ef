"""The registry's tables. Fact and mark tables are insert-only; guards.py makes the database refuse the rest."""

from registry.models.artifacts import Artifact, StoredObject
from registry.models.audit import AuditEvent, Batch, Redaction, RedactionRequest
from registry.models.checks import Link, Verification
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
from registry.models.incidents import Incident, IncidentReversal
from registry.models.marks import Mark
from registry.models.names import NameAlias, UnmappedName
from registry.models.notes import ProtocolNote, ProtocolSuccession
from registry.models.projects import Project, ProjectRevision
from registry.models.runs import Run, RunArtifact, Sighting
from registry.models.sources import Snapshot, Source
from registry.models.syncs import Sync, SyncFile, SyncRow

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
    "Incident",
    "IncidentReversal",
    "Link",
    "Mark",
    "NameAlias",
    "Operation",
    "OperationAlias",
    "Project",
    "ProjectRevision",
    "Protocol",
    "ProtocolNote",
    "ProtocolSuccession",
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
    "Sync",
    "SyncFile",
    "SyncRow",
    "UnmappedName",
    "Verification",
    "Workload",
]
