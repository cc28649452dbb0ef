"""Accounts in the admin: who sees them, what is shown, which acts there are. No password, no way to be somebody."""

import uuid
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from attestations.models import Attestation
from attestations.profiles import actor_of
from registry.models import AuditEvent
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import publish, queries_of, shown, timed

# Django's own admin templates use variables that they do not set.
pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
LIST = "/admin/auth/user/"


def page(user: Any, name: str = "change") -> str:
    return f"/admin/auth/user/{user.pk}/{name}/"


def attestation(user: Any) -> Attestation:
    [run] = publish(timed(1000))
    return Attestation.objects.create(id=uuid.uuid4(), run=run, actor=actor_of(user), kind="reproduced", at=NOW)


@pytest.fixture
def moderator(db: None) -> Client:
    return signed_in(member("moderator", "moderator"))


def test_the_list_shows_names_not_addresses_and_what_each_has_said(moderator: Client) -> None:
    reader = member("reader", is_verified=False)
    member("nameless", handle=None)
    attestation(reader)
    text = shown(moderator.get(LIST))
    for words in ("reader", "no name yet", "moderator"):
        assert words in text
    assert "@example.org" not in text


@pytest.mark.parametrize("query", ["reader@example.org", "reader", "the actor"])
def test_an_account_is_found_by_address_name_and_actor_id(moderator: Client, query: str) -> None:
    reader = member("reader")
    member("other")
    term = str(actor_of(reader)) if query == "the actor" else query
    listed = moderator.get(LIST, {"q": term}).context["cl"].result_list
    assert [user.pk for user in listed] == [reader.pk]


def test_the_list_takes_as_many_queries_for_1_account_as_for_20(moderator: Client) -> None:
    attestation(member("first"))
    few = queries_of(moderator, LIST)
    for number in range(20):
        member(f"reader-{number}", "curator")
    assert queries_of(moderator, LIST) == few


def test_an_account_s_page_has_its_addresses_and_no_password(moderator: Client) -> None:
    reader = member("reader", is_verified=False)
    attestation(reader)
    response = moderator.get(page(reader))
    text = shown(response)
    for words in ("reader@example.org (not confirmed)", str(actor_of(reader)), "Deactivate", "Acts by it and on it"):
        assert words in text
    body = response.content.decode()
    assert reader.password not in body
    assert 'type="password"' not in body
    assert "Change the role" not in text


@pytest.mark.parametrize("path", ["password/", "../../user/{pk}/password/", "loginas/", "hijack/"])
def test_there_is_no_page_to_set_a_password_or_to_be_somebody(path: str) -> None:
    root, reader = signed_in(member("root", is_superuser=True)), member("reader")
    response = root.get(f"/admin/auth/user/{reader.pk}/{path.format(pk=reader.pk)}")
    assert response.status_code in (302, 404)
    assert reverse("admin:index") in response.headers.get("Location", reverse("admin:index"))


@pytest.mark.parametrize("name", ["deactivate", "restore"])
def test_a_button_asks_for_a_reason_and_acts_once(moderator: Client, name: str) -> None:
    reader = member("reader", is_active=name == "deactivate")
    path = page(reader, name)
    assert 'name="reason"' in moderator.get(path).content.decode()
    assert "This field is required." in moderator.post(path, {"reason": " "}).content.decode()
    assert not AuditEvent.objects.exists()
    assert moderator.post(path, {"reason": "Sells shoes."}).status_code == 302
    reader.refresh_from_db()
    assert reader.is_active == (name == "restore")
    again = moderator.post(path, {"reason": "Sells shoes."})
    assert "already" in shown(again)
    assert [event.reason for event in AuditEvent.objects.all()] == ["Sells shoes."]


def test_several_accounts_are_deactivated_from_the_list_with_an_event_each(moderator: Client) -> None:
    readers = [member("one"), member("two")]
    form = {"action": "deactivate", "_selected_action": [str(user.pk) for user in readers]}
    assert 'name="reason"' in moderator.post(LIST, form).content.decode()
    moderator.post(LIST, form | {"confirmed": "1", "reason": "Spam."})
    for user in readers:
        user.refresh_from_db()
    assert [user.is_active for user in readers] == [False, False]
    assert [e.action for e in AuditEvent.objects.all()] == ["account deactivated"] * 2


def test_a_list_with_one_of_staff_in_it_is_refused_whole(moderator: Client) -> None:
    reader, curator = member("aa"), member("curator", "curator")
    form = {"action": "deactivate", "_selected_action": [str(reader.pk), str(curator.pk)], "confirmed": "1"}
    assert "of staff" in shown(moderator.post(LIST, form | {"reason": "r"}, follow=True))
    reader.refresh_from_db()
    assert reader.is_active
    assert not AuditEvent.objects.exists()


def test_a_superuser_changes_a_role_with_a_reason() -> None:
    root, reader = signed_in(member("root", is_superuser=True)), member("reader")
    curator = Group.objects.get(name="curator")
    path = page(reader, "role")
    assert "This field is required." in shown(root.post(path, {"is_staff": "on", "groups": [curator.pk]}))
    root.post(path, {"is_staff": "on", "groups": [curator.pk], "reason": "New hand."})
    reader.refresh_from_db()
    assert (reader.is_staff, [group.name for group in reader.groups.all()]) == (True, ["curator"])
    assert AuditEvent.objects.get().action == "role changed"
    assert "curator" in shown(root.get(page(reader)))


def test_a_role_is_no_moderator_s_matter_and_the_try_is_on_record(moderator: Client) -> None:
    reader = member("reader")
    path = page(reader, "role")
    assert moderator.get(path).status_code == 403
    assert moderator.post(path, {"is_staff": "on", "reason": "r"}).status_code == 403
    event = AuditEvent.objects.get()
    assert (event.action, event.target) == ("denied: auth_user_role", path)


def test_a_group_s_permissions_are_changed_by_a_superuser_with_a_reason(moderator: Client) -> None:
    root, group = signed_in(member("root", is_superuser=True)), Group.objects.get(name="rerunner")
    path = f"/admin/auth/group/{group.pk}/may/"
    assert "rerunner" in shown(moderator.get("/admin/auth/group/"))
    assert moderator.post(path, {"reason": "r"}).status_code == 403
    assert root.post(path, {"permissions": [], "reason": "They read nothing."}).status_code == 302
    assert group.permissions.count() == 0
    assert AuditEvent.objects.filter(action="group changed", reason="They read nothing.").count() == 1


def test_nobody_adds_edits_or_deletes_an_account_or_a_group() -> None:
    root, reader, group = signed_in(member("root", is_superuser=True)), member("reader"), Group.objects.first()
    assert group
    for table, row in (("user", reader), ("group", group)):
        for path in (f"/admin/auth/{table}/add/", f"/admin/auth/{table}/{row.pk}/delete/"):
            assert (root.get(path).status_code, root.post(path, {"post": "yes"}).status_code) == (403, 403)
        assert root.post(f"/admin/auth/{table}/{row.pk}/change/", {"is_superuser": "on"}).status_code == 403
    reader.refresh_from_db()
    assert not reader.is_superuser


def test_no_other_page_of_the_admin_shows_accounts_or_their_secrets() -> None:
    others = ("account", "socialaccount", "mfa", "usersessions", "sessions")
    assert [m for m in admin.site._registry if m._meta.app_label in others] == []
    assert {m.__name__ for m in admin.site._registry if m._meta.app_label == "auth"} == {"User", "Group"}


# --- stale rights


def test_whose_role_is_taken_is_out_of_the_admin_at_the_next_request() -> None:
    user = member("moderator", "moderator")
    client = signed_in(user)
    assert client.get(LIST).status_code == 200
    user.groups.clear()
    assert client.get(LIST).status_code == 403
    user.is_staff = False
    user.save()
    assert client.get(LIST).status_code in (302, 403)
    assert client.get("/admin/", follow=True).request["PATH_INFO"] != "/admin/"


def test_whose_account_is_deactivated_is_out_of_the_admin_at_the_next_request() -> None:
    client = signed_in(user := member("moderator", "moderator"))
    user.is_active = False
    user.save()
    response = client.get(LIST)
    assert response.status_code == 302
    assert "/admin/login/" in response["Location"]
    assert not response.wsgi_request.user.is_authenticated
