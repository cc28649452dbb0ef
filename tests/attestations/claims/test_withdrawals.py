"""A claimed author asks that a run be withdrawn; staff who have no part in it answer, and one act does all of it."""

import uuid
from typing import Any

import pytest

from attestations import claims
from attestations.claims import ClaimError
from attestations.models import Letter, WithdrawalRequest
from attestations.profiles import actor_of
from registry import corrections
from registry.corrections import CorrectionError
from registry.models import AuditEvent, Mark, Standing
from tests.attestations.claiming import claimed_run, granted
from tests.conftest import NOW
from tests.people import member

pytestmark = pytest.mark.django_db
STAFF = uuid.UUID(int=1)


@pytest.fixture
def run() -> Any:
    return claimed_run()


@pytest.fixture
def author(run: Any) -> Any:
    return member("author")


def asked(user: Any, run: Any, *, claim: Any = None) -> WithdrawalRequest:
    claim = claim or granted(user)
    return claims.request_withdrawal(claim=claim, run=run, reason="By mistake.", actor=actor_of(user), now=NOW)


def test_a_request_changes_nothing_until_it_is_answered(run: Any, author: Any) -> None:
    request = asked(author, run)
    assert (request.state, request.reason) == ("open", "By mistake.")
    assert not Mark.objects.exists()
    assert Standing.objects.get(run=run).rank == 1


def test_accepting_withdraws_the_run_with_the_answer_as_its_public_reason(run: Any, author: Any) -> None:
    request = asked(author, run)
    claims.answer_request(request, is_accepted=True, answer="measured another kernel", actor=STAFF, now=NOW)
    request.refresh_from_db()
    assert (request.state, request.decided_by, request.decided_at) == ("accepted", STAFF, NOW)
    mark = Mark.objects.get()
    assert (mark.kind, mark.reason) == ("withdrawn", "withdrawn at the author's request: measured another kernel")
    assert Standing.objects.get(run=run).rank is None
    event = AuditEvent.objects.get(action="withdrawal request accepted")
    assert (event.actor, event.target_kind, event.target) == (STAFF, "run", run.digest)
    assert event.detail == {"claim": str(request.claim_id)}
    assert Letter.objects.get().subject == "Your request to withdraw a run was accepted"


def test_refusing_leaves_the_run_and_tells_why(run: Any, author: Any) -> None:
    request = asked(author, run)
    claims.answer_request(request, is_accepted=False, answer="Others cite it.", actor=STAFF, now=NOW)
    assert not Mark.objects.exists()
    assert "Others cite it." in Letter.objects.get().body
    with pytest.raises(ClaimError, match="answered already"):
        claims.answer_request(request, is_accepted=True, answer="Yes.", actor=STAFF, now=NOW)
    assert asked(author, run, claim=request.claim).state == "open"


def test_one_request_is_open_at_a_time(run: Any, author: Any) -> None:
    request = asked(author, run)
    with pytest.raises(ClaimError, match="already"):
        asked(author, run, claim=request.claim)
    assert WithdrawalRequest.objects.count() == 1


def test_a_run_that_is_withdrawn_is_not_asked_for(run: Any, author: Any) -> None:
    corrections.withdraw([run], reason="Clock.", actor=STAFF, now=NOW)
    with pytest.raises(ClaimError, match="withdrawn"):
        asked(author, run)


def test_accepting_what_was_withdrawn_meanwhile_changes_nothing(run: Any, author: Any) -> None:
    request = asked(author, run)
    corrections.withdraw([run], reason="Clock.", actor=STAFF, now=NOW)
    with pytest.raises(CorrectionError):
        claims.answer_request(request, is_accepted=True, answer="Yes.", actor=STAFF, now=NOW)
    request.refresh_from_db()
    assert request.state == "open"
    assert not Letter.objects.exists()


def test_staff_do_not_answer_their_own_request_nor_one_on_a_run_that_they_claim(run: Any, author: Any) -> None:
    staff, colleague = member("staff", "moderator"), member("colleague", "moderator")
    own = asked(staff, run)
    granted(colleague)
    for request, actor in ((own, actor_of(staff)), (own, actor_of(colleague))):
        for is_accepted in (True, False):
            with pytest.raises(ClaimError, match="another member of staff"):
                claims.answer_request(request, is_accepted=is_accepted, answer="Yes.", actor=actor, now=NOW)
    assert not Mark.objects.exists()


def test_a_request_of_a_revoked_claim_can_only_be_refused(run: Any, author: Any) -> None:
    request = asked(author, run)
    claims.revoke(request.claim, reason="Not the owner.", actor=STAFF, now=NOW)
    with pytest.raises(ClaimError, match="not in force"):
        claims.answer_request(request, is_accepted=True, answer="Yes.", actor=STAFF, now=NOW)
    claims.answer_request(request, is_accepted=False, answer="No.", actor=STAFF, now=NOW)
    assert not Mark.objects.exists()


@pytest.mark.parametrize("is_accepted", [True, False])
def test_an_answer_has_words(run: Any, author: Any, is_accepted: bool) -> None:
    with pytest.raises(ClaimError, match="Write an answer"):
        claims.answer_request(asked(author, run), is_accepted=is_accepted, answer=" ", actor=STAFF, now=NOW)
