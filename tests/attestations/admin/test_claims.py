"""The queue of claims and withdrawal requests: what waits first, decided with a reason by whoever has no part in it."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client

from attestations.models import AuthorNote, Claim, ClaimState, WithdrawalRequest
from attestations.profiles import actor_of
from registry.models import AuditEvent, Mark
from tests.attestations.claiming import claimed_run, granted
from tests.conftest import NOW
from tests.people import member, signed_in

# Django's own admin templates use variables that they do not set.
pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
CLAIMS, REQUESTS = "/admin/attestations/claim/", "/admin/attestations/withdrawalrequest/"


@pytest.fixture
def run(db: None) -> Any:
    return claimed_run()


@pytest.fixture
def moderator(db: None) -> Any:
    return member("moderator", "moderator")


@pytest.fixture
def desk(moderator: Any) -> Client:
    return signed_in(moderator)


def pending(name: str) -> Claim:
    return granted(member(name), state=ClaimState.PENDING, basis="", method="staff", message="I run it.")


def open_request(name: str, run: Any) -> WithdrawalRequest:
    return WithdrawalRequest.objects.create(
        id=uuid.uuid4(), claim=granted(member(name)), run=run, at=NOW, reason="By mistake."
    )


def pressed(client: Client, path: str, action: str, row: Any, **answers: str) -> str:
    """What the admin says after an action on a row, asked and confirmed."""
    asked = client.post(path, {"action": action, "_selected_action": [row.pk]})
    assert asked.status_code in (200, 302)
    confirmed = {"action": action, "_selected_action": [row.pk], "confirmed": "1", **answers}
    return client.post(path, confirmed, follow=True).content.decode()


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        ("grant_claim", "pending", "granted"),
        ("refuse_claim", "pending", "refused"),
        ("revoke_claim", "granted", "revoked"),
    ],
)
def test_a_claim_is_decided_with_a_reason(
    run: Any, desk: Client, moderator: Any, action: str, before: str, after: str
) -> None:
    claim = granted(member("author"), state=before)
    pressed(desk, CLAIMS, action, claim)
    claim.refresh_from_db()
    assert claim.state == before
    pressed(desk, CLAIMS, action, claim, reason="Seen.")
    claim.refresh_from_db()
    assert (claim.state, claim.decided_by, claim.reason) == (after, actor_of(moderator), "Seen.")
    assert AuditEvent.objects.filter(action=f"claim {after}", actor=actor_of(moderator)).count() == 1


def test_a_request_is_accepted_and_the_run_withdrawn(run: Any, desk: Client) -> None:
    request = open_request("author", run)
    pressed(desk, REQUESTS, "accept_request", request, answer="another kernel")
    request.refresh_from_db()
    assert request.state == "accepted"
    assert Mark.objects.get().reason == "withdrawn at the author's request: another kernel"


def test_a_request_is_refused_with_an_answer(run: Any, desk: Client) -> None:
    request = open_request("author", run)
    pressed(desk, REQUESTS, "refuse_request", request, answer="It is cited.")
    request.refresh_from_db()
    assert (request.state, request.answer) == ("refused", "It is cited.")
    assert not Mark.objects.exists()


def test_staff_are_told_that_their_own_claim_is_for_another(run: Any, desk: Client, moderator: Any) -> None:
    own = granted(moderator, state=ClaimState.PENDING)
    assert "another member of staff decides" in pressed(desk, CLAIMS, "grant_claim", own, reason="Mine.")
    own.refresh_from_db()
    assert own.state == "pending"


@pytest.mark.parametrize("group", ["curator", "rerunner"])
def test_who_may_not_decide_changes_nothing(run: Any, group: str) -> None:
    client, claim, request = signed_in(member(group, group)), pending("author"), open_request("other", run)
    pressed(client, CLAIMS, "grant_claim", claim, reason="Seen.")
    pressed(client, REQUESTS, "accept_request", request, answer="Yes.")
    claim.refresh_from_db()
    request.refresh_from_db()
    assert (claim.state, request.state) == ("pending", "open")
    assert not Mark.objects.exists()


def test_what_waits_stands_first(run: Any, desk: Client) -> None:
    waiting = pending("author")
    for name in ("a", "b"):
        granted(member(name))
    body = desk.get(CLAIMS).content.decode()
    assert re.findall(r"_selected_action\" value=\"([0-9a-f-]+)", body)[0] == str(waiting.pk)


def test_nothing_is_added_edited_or_deleted_by_hand(run: Any) -> None:
    client = signed_in(member("root", is_superuser=True))
    claim, request = pending("author"), open_request("other", run)
    note = AuthorNote.objects.create(id=uuid.uuid4(), claim=claim, run=run, number=1, at=NOW, text="Said.")
    for path, row in ((CLAIMS, claim), (REQUESTS, request), ("/admin/attestations/authornote/", note)):
        assert client.get(f"{path}{row.pk}/change/").status_code == 200
        assert client.post(f"{path}{row.pk}/change/", {"state": "granted", "text": "x"}).status_code == 403
        assert client.post(f"{path}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert client.get(f"{path}add/").status_code == 403
    claim.refresh_from_db()
    assert claim.state == "pending"
