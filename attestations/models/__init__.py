"""People's and machines' statements, and who they are in public."""

from attestations.models.attestations import (
    Attestation,
    AttestationMark,
    AttestationMarkKind,
    AttestationVersion,
    Kind,
    Relation,
    Setup,
)
from attestations.models.claims import AuthorNote, Claim, ClaimState, Method, RequestState, WithdrawalRequest
from attestations.models.follows import Follow, Thing
from attestations.models.letters import Letter, LetterState, Watermark
from attestations.models.limits import Count
from attestations.models.profiles import Digest, Profile, RetiredHandle
from attestations.models.reports import Outcome, Reason, Report, ReportEvent, ReportEventKind, ReportState

__all__ = [
    "Attestation",
    "AttestationMark",
    "AttestationMarkKind",
    "AttestationVersion",
    "AuthorNote",
    "Claim",
    "ClaimState",
    "Count",
    "Digest",
    "Follow",
    "Kind",
    "Letter",
    "LetterState",
    "Method",
    "Outcome",
    "Profile",
    "Reason",
    "Relation",
    "Report",
    "ReportEvent",
    "ReportEventKind",
    "ReportState",
    "RequestState",
    "RetiredHandle",
    "Setup",
    "Thing",
    "Watermark",
    "WithdrawalRequest",
]
