"""How claims end: granted, refused, revoked; by staff or, where a check shows it, by the site. Each is audited."""

import uuid
from datetime import datetime

from django.db import transaction

from attestations.claims import telling
from attestations.claims.errors import ClaimError, stated
from attestations.models import Claim, ClaimState, Method
from registry import auditing
from registry.models import AuditEvent


def grant(claim: Claim, *, reason: str, actor: uuid.UUID, now: datetime) -> None:
    """Staff are satisfied that the claimant is in charge. Raises ClaimError."""
    fields = {"method": Method.STAFF, "basis": ""}
    _decide(claim, ClaimState.PENDING, ClaimState.GRANTED, reason=reason, actor=actor, now=now, **fields)


def refuse(claim: Claim, *, reason: str, actor: uuid.UUID, now: datetime) -> None:
    """Staff are not satisfied; the claimant may try again. Raises ClaimError."""
    _decide(claim, ClaimState.PENDING, ClaimState.REFUSED, reason=reason, actor=actor, now=now)


def revoke(claim: Claim, *, reason: str, actor: uuid.UUID, now: datetime) -> None:
    """Take a grant back: rights end with this transaction, notes stay and say so. Raises ClaimError."""
    _decide(claim, ClaimState.GRANTED, ClaimState.REVOKED, reason=reason, actor=actor, now=now)


def settle_by_site(claim: Claim, *, method: Method, basis: str, reason: str, now: datetime, **held: object) -> bool:
    """Grant what a check has shown, in the caller's transaction, unless the claim has changed from what was held."""
    fields = {"method": method, "basis": basis, "checked_at": now}
    return _settle(claim, ClaimState.PENDING, ClaimState.GRANTED, reason, None, now, fields, held)


def lapse(claim: Claim, *, reason: str, now: datetime) -> None:
    """End a grant whose basis is gone, in the caller's transaction."""
    _settle(claim, ClaimState.GRANTED, ClaimState.REVOKED, reason, None, now, {}, {})


def record(
    action: str, claim: Claim, reason: str, actor: uuid.UUID | None, now: datetime, run_digest: str = ""
) -> AuditEvent:
    """One audit event about a claim; its target is the project or source, or a run."""
    detail = {"claim": str(claim.pk)}
    if run_digest:
        return auditing.record(action, "run", run_digest, reason, actor, now, detail)
    kind, thing = ("project", claim.project) if claim.project else ("source", claim.source)
    return auditing.record(action, kind, thing.slug, reason, actor, now, detail)


def _decide(
    claim: Claim, before: ClaimState, after: ClaimState, *, reason: str, actor: uuid.UUID, now: datetime,
    **fields: object,
) -> None:  # fmt: skip
    reason = stated(reason, "a reason: the claimant reads it, and it is kept")
    if actor == claim.actor:
        raise ClaimError("This claim is your own: another member of staff decides on it.")
    with transaction.atomic():
        if not _settle(claim, before, after, reason, actor, now, fields, {}):
            claim.refresh_from_db(fields=["state"])
            raise ClaimError(f"The claim is {claim.get_state_display()}: it cannot be {after.label}.")


def _settle(
    claim: Claim, before: ClaimState, after: ClaimState, reason: str, actor: uuid.UUID | None, now: datetime,
    fields: dict[str, object], held: dict[str, object],
) -> bool:  # fmt: skip
    """One conditional change of state, with its audit event and its letter; False where another came first."""
    changed = Claim.objects.filter(pk=claim.pk, state=before, **held).update(
        state=after, decided_at=now, decided_by=actor, reason=reason, check_wanted_at=None, **fields
    )
    if changed:
        record(f"claim {after.label}", claim, reason, actor, now)
        telling.decided(claim, after, reason, now)
    return bool(changed)
