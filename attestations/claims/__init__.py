"""Claims of projects and sources, and what they allow: an author's note, a request to withdraw.

A claim gives a voice beside a run. It edits nothing, ranks nothing and raises no level. Each act reads the right to it
anew, in its own transaction.
"""

from attestations.claims.asking import claim, drop, want_check
from attestations.claims.checking import check, check_due
from attestations.claims.deciding import grant, refuse, revoke
from attestations.claims.errors import ClaimError
from attestations.claims.speaking import retract_note, write_note
from attestations.claims.telling import tell_claimants
from attestations.claims.withdrawals import answer_request, request_withdrawal

__all__ = [
    "ClaimError",
    "answer_request",
    "check",
    "check_due",
    "claim",
    "drop",
    "grant",
    "refuse",
    "request_withdrawal",
    "retract_note",
    "revoke",
    "tell_claimants",
    "want_check",
    "write_note",
]
