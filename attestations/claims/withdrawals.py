"""A claimed author asks that a run be withdrawn, and staff answer. The request is between them until it is accepted."""

import uuid
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from attestations import limits
from attestations.claims import deciding, telling
from attestations.claims.errors import ClaimError, stated
from attestations.claims.speaking import require_right
from attestations.models import Claim, RequestState, WithdrawalRequest
from attestations.queries.claims import is_claimant, is_withdrawn
from registry import auditing, corrections
from registry.models import Run

REQUESTS_A_DAY = limits.Limit("withdrawal request", 20, timedelta(days=1))


def request_withdrawal(
    *, claim: Claim, run: Run, reason: str, actor: uuid.UUID, now: datetime
) -> WithdrawalRequest:  # fmt: skip
    """Ask that a run be withdrawn. Nothing changes on the run until staff answer. Raises ClaimError."""
    reason = stated(reason, "why it should be withdrawn")
    if not limits.take(REQUESTS_A_DAY, str(actor), now=now):
        raise ClaimError(f"{REQUESTS_A_DAY.most} requests today: ask again tomorrow.")
    try:
        with transaction.atomic():
            held = require_right(claim, run, actor)
            if not run.name or is_withdrawn(run):
                raise ClaimError("This run is withdrawn or redacted already.")
            return WithdrawalRequest.objects.create(
                id=auditing.new_id(now), claim=held, run=run, at=now, reason=reason
            )  # fmt: skip
    except IntegrityError as error:
        raise ClaimError("You asked for this already; staff have not answered yet.") from error


def answer_request(
    request: WithdrawalRequest, *, is_accepted: bool, answer: str, actor: uuid.UUID, now: datetime
) -> None:
    """Staff's answer. Accepting withdraws the run in the same transaction, with the answer as its public reason.

    Raises ClaimError; CorrectionError where the run cannot be withdrawn.
    """
    answer = stated(answer, "an answer: the author reads it, and it is kept")
    claim, run = request.claim, request.run
    if claim.actor == actor or is_claimant(actor, run):
        raise ClaimError("You speak for this run yourself: another member of staff answers.")
    state = RequestState.ACCEPTED if is_accepted else RequestState.REFUSED
    with transaction.atomic():
        if is_accepted and not is_claimant(claim.actor, run):
            raise ClaimError("The claim behind this request is not in force any more: refuse it, with a word on that.")
        answered = WithdrawalRequest.objects.filter(pk=request.pk, state=RequestState.OPEN).update(
            state=state, decided_at=now, decided_by=actor, answer=answer
        )
        if not answered:
            raise ClaimError("This request is answered already.")
        if is_accepted:
            corrections.withdraw([run], reason=f"withdrawn at the author's request: {answer}", actor=actor, now=now)
        deciding.record(f"withdrawal request {state.label}", claim, answer, actor, now, run_digest=run.digest)
        telling.answered(request, state, answer, now)
