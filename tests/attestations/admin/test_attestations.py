"""Attestations in the admin: read with every wording, hidden and shown again with a reason, never edited."""

from typing import Any

import pytest
from django.test import Client

from attestations.models import Attestation
from registry.models import AuditEvent
from tests.attestations.people import crowd, kept, statement
from tests.people import member, signed_in
from tests.registry.pages import queries_of, shown

# Django's own admin templates use variables that they do not set.
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo"), pytest.mark.ignore_template_errors]
LIST = "/admin/attestations/attestation/"


@pytest.fixture
def moderator(db: None) -> Client:
    return signed_in(member("moderator", "moderator"))


def act(client: Client, name: str, *rows: Attestation, **fields: Any) -> Any:
    return client.post(
        LIST, {"action": name, "_selected_action": [str(row.pk) for row in rows], "confirmed": "1", **fields}
    )


def test_a_moderator_reads_every_wording_and_finds_it_by_its_words(moderator: Client) -> None:
    made = kept(member("ann"), statement(text="Buy cheap GPUs."))
    assert "ann" in shown(moderator.get(LIST))
    assert [row.pk for row in moderator.get(LIST, {"q": "cheap"}).context["cl"].result_list] == [made.pk]
    text = shown(moderator.get(f"{LIST}{made.pk}/change/"))
    assert "Buy cheap GPUs." in text
    assert "agrees" in text


def test_hiding_asks_for_a_reason_and_is_on_record(moderator: Client) -> None:
    made = kept(member("ann"))
    asked = moderator.post(LIST, {"action": "hide", "_selected_action": [str(made.pk)]})
    assert "the reason is shown in their place" in shown(asked)
    assert act(moderator, "hide", made, reason="").status_code == 200
    made.refresh_from_db()
    assert made.hidden_at is None
    act(moderator, "hide", made, reason="advertising")
    made.refresh_from_db()
    assert made.hidden_at is not None
    act(moderator, "unhide", made, reason="it was none")
    made.refresh_from_db()
    assert made.hidden_at is None
    actions = AuditEvent.objects.filter(target=str(made.pk)).order_by("at", "id").values_list("action", "reason")
    assert list(actions) == [("attestation hidden", "advertising"), ("attestation unhidden", "it was none")]


def test_what_does_not_apply_is_said_and_changes_nothing(moderator: Client) -> None:
    made, other = kept(member("ann")), kept(member("bob"))
    act(moderator, "hide", made, reason="advertising")
    response = moderator.post(
        LIST,
        {"action": "hide", "_selected_action": [str(made.pk), str(other.pk)], "confirmed": "1", "reason": "again"},
        follow=True,
    )
    assert "is hidden already" in shown(response)
    other.refresh_from_db()
    assert other.hidden_at is None


@pytest.mark.parametrize("group", ["curator", "rerunner"])
def test_nobody_without_the_permission_hides(group: str) -> None:
    made = kept(member("ann"))
    act(signed_in(member("staff", group)), "hide", made, reason="advertising")
    made.refresh_from_db()
    assert made.hidden_at is None


def test_nobody_edits_adds_or_deletes_by_hand() -> None:
    made = kept(member("ann"))
    root = signed_in(member("root", is_superuser=True))
    assert root.get(f"{LIST}add/").status_code == 403
    assert root.post(f"{LIST}{made.pk}/change/", {"kind": "regression"}).status_code == 403
    assert root.post(f"{LIST}{made.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Attestation.objects.get().kind == "reproduced"


def test_the_list_takes_as_many_queries_for_1_as_for_20(moderator: Client) -> None:
    kept(member("first"))
    few = queries_of(moderator, LIST)
    crowd(20)
    assert queries_of(moderator, LIST) == few
