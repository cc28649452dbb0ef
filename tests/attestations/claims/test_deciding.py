"""Staff decide on claims: once, with a reason, audited, and never on their own."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attestations import claims
from attestations.claims import ClaimError
from attestations.models import Claim, ClaimState, Letter
from attestations.profiles import actor_of
from attestations.queries.claims import is_claimant
from registry.models import AuditEvent
from tests.attestations.claiming import BASIS, acme, claimed_run, granted
from tests.conftest import NOW
from tests.people import member
from tests.simultaneous import at_once

pytestmark = pytest.mark.django_db
STAFF = uuid.UUID(int=1)
ACTS: dict[str, tuple[Callable[..., None], ClaimState, ClaimState]] = {
    "grant": (claims.grant, ClaimState.PENDING, ClaimState.GRANTED),
    "refuse": (claims.refuse, ClaimState.PENDING, ClaimState.REFUSED),
    "revoke": (claims.revoke, ClaimState.GRANTED, ClaimState.REVOKED),
}
every_act = pytest.mark.parametrize(("act", "before", "after"), ACTS.values(), ids=ACTS)


@every_act
def test_a_decision_changes_the_state_once_is_audited_and_told(act: Any, before: Any, after: Any) -> None:
    claimed_run()
    claim = granted(member("author"), state=before)
    act(claim, reason=" Seen. ", actor=STAFF, now=NOW)
    claim.refresh_from_db()
    assert (claim.state, claim.reason, claim.decided_by, claim.decided_at) == (after, "Seen.", STAFF, NOW)
    event = AuditEvent.objects.get(action=f"claim {after.label}")
    assert (event.actor, event.reason, event.target) == (STAFF, "Seen.", "acme")
    letter = Letter.objects.get()
    assert letter.subject == f"Your claim of Acme Kernels was {after.label}"
    assert f"/claims/{claim.pk}/" in letter.body
    with pytest.raises(ClaimError, match=f"The claim is {after.label}"):
        act(claim, reason="Again.", actor=STAFF, now=NOW)
    assert Letter.objects.count() == 1


@every_act
@pytest.mark.parametrize("state", ClaimState.values)
def test_a_decision_applies_to_one_state_alone(act: Any, before: Any, after: Any, state: str) -> None:
    claimed_run()
    claim = granted(member("author"), state=state)
    if state == before:
        act(claim, reason="Seen.", actor=STAFF, now=NOW)
    else:
        with pytest.raises(ClaimError, match="cannot be"):
            act(claim, reason="Seen.", actor=STAFF, now=NOW)
        assert not AuditEvent.objects.filter(action=f"claim {after.label}").exists()


@every_act
def test_staff_do_not_decide_on_their_own_claim(act: Any, before: Any, after: Any) -> None:
    claimed_run()
    user = member("staff", "moderator")
    claim = granted(user, state=before)
    with pytest.raises(ClaimError, match="your own"):
        act(claim, reason="Seen.", actor=actor_of(user), now=NOW)
    claim.refresh_from_db()
    assert claim.state == before


@every_act
def test_a_decision_states_a_reason(act: Any, before: Any, after: Any) -> None:
    claimed_run()
    with pytest.raises(ClaimError, match="Write a reason"):
        act(granted(member("author"), state=before), reason=" ", actor=STAFF, now=NOW)


def test_a_grant_by_staff_rests_on_their_judgement() -> None:
    run = claimed_run()
    claim = granted(member("author"), state=ClaimState.PENDING, basis="")
    claims.grant(claim, reason="They run the domain.", actor=STAFF, now=NOW)
    claim.refresh_from_db()
    assert (claim.method, claim.basis) == ("staff", "")
    assert is_claimant(claim.actor, run)


@pytest.mark.django_db(transaction=True)
def test_of_simultaneous_decisions_one_counts(tmp_path: Path) -> None:
    claimed_run()
    claim = granted(member("author"), state=ClaimState.PENDING, basis=BASIS)
    staff = [claims.grant, claims.refuse] * 4

    def decide(number: int) -> str:
        own = Claim.objects.select_related("project").get(pk=claim.pk)
        staff[number](own, reason="Seen.", actor=uuid.UUID(int=number + 1), now=NOW)
        return "decided"

    results = at_once(decide, 8, tmp_path)
    assert results.count("decided") == 1
    assert sum(isinstance(result, ClaimError) for result in results) == 7
    assert AuditEvent.objects.filter(action__in=("claim granted", "claim refused")).count() == 1
    assert Letter.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_simultaneous_claims_of_one_person_are_one(tmp_path: Path) -> None:
    claimed_run()
    actor, project = actor_of(member("author")), acme()
    made = at_once(lambda number: claims.claim(project=project, actor=actor, method="token", now=NOW).pk, 8, tmp_path)
    assert len(set(made)) == 1
    assert Claim.objects.count() == 1
