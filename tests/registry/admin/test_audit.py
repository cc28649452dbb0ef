"""The audit log: read-only, searched by what, on what, why and by whom, each by the name of today."""

from typing import Any

import pytest
from django.contrib import admin
from django.db import models
from django.test import Client

from attestations import people
from attestations.profiles import actor_of
from registry import auditing
from registry.admin.actors import COLUMNS
from registry.models import AuditEvent, Sync
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import queries_of, recorded_sync, shown

pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
LOG = "/admin/registry/auditevent/"


@pytest.fixture
def moderator(db: None) -> Client:
    return signed_in(member("moderator", "moderator"))


def event(user: Any = None, **fields: str) -> AuditEvent:
    told = {"action": "withdrawn", "target_kind": "run", "target": "sha256:abc", "reason": "Wrong clock."} | fields
    return auditing.record(**told, actor=actor_of(user) if user else None, now=NOW)


def found(client: Client, term: str) -> list[str]:
    return sorted(row.reason for row in client.get(LOG, {"q": term}).context["cl"].result_list)


def test_the_log_shows_who_did_it_by_the_name_of_today(moderator: Client) -> None:
    curator = member("curator", "curator")
    event(curator)
    assert "curator withdrawn run sha256:abc Wrong clock." in shown(moderator.get(LOG))
    curator.profile.handle = "renamed"
    curator.profile.save()
    assert "renamed withdrawn run" in shown(moderator.get(LOG))
    curator.delete()
    assert "deleted user withdrawn run" in shown(moderator.get(LOG))


def test_an_act_on_an_account_names_it(moderator: Client) -> None:
    reader = member("reader")
    people.deactivate(reader, reason="Spam.", by=member("root", is_superuser=True), now=NOW)
    assert f"root account deactivated account reader ({str(actor_of(reader))[:8]}…) Spam." in shown(moderator.get(LOG))


def test_the_log_is_searched_by_action_target_reason_actor_name_and_address(moderator: Client) -> None:
    curator = member("curator", "curator")
    event(curator, reason="one")
    event(action="flagged", target="sha256:def", reason="two")
    people.deactivate(curator, reason="three", by=member("root", is_superuser=True), now=NOW)
    for term, expected in (
        ("flagged", ["two"]), ("sha256:abc", ["one"]), ("two", ["two"]), (str(actor_of(curator)), ["one", "three"]),
        ("curator", ["one", "three"]), ("curator@example.org", ["one", "three"]), ("nobody", []), ("'%", []),
    ):  # fmt: skip
        assert found(moderator, term) == expected, term


def test_who_does_not_see_addresses_finds_nobody_by_one() -> None:
    curator = member("curator", "curator")
    event(curator, reason="one")
    client = signed_in(curator)
    assert found(client, "curator") == ["one"]
    assert found(client, "curator@example.org") == []


def test_the_log_takes_as_many_queries_for_1_event_as_for_20(moderator: Client) -> None:
    event(member("first"))
    few = queries_of(moderator, LOG)
    for number in range(20):
        event(member(f"staff-{number}"))
    assert queries_of(moderator, LOG) == few


def test_the_log_is_filtered_by_action_and_kind_and_leafed_through_by_day(moderator: Client) -> None:
    event()
    event(action="flagged", reason="two")
    for query, count in ((("action", "flagged"), 1), (("target_kind", "run"), 2), (("at__year", "2026"), 2)):
        assert moderator.get(LOG, dict([query])).context["cl"].result_count == count


def test_every_column_of_actors_shows_a_name() -> None:
    ids = {
        (model.__name__, field.name)
        for model in admin.site._registry
        for field in model._meta.concrete_fields
        if isinstance(field, models.UUIDField) and not field.primary_key
    }
    bare = {("RedactionRequest", "target_id"), ("Redaction", "target_id"), ("Sync", "lease")}
    assert {(model, column) for model, column in ids - bare if column not in COLUMNS} == set()


@pytest.mark.usefixtures("demo")
def test_who_asked_for_a_sync_is_named_on_its_page_and_in_the_list(moderator: Client) -> None:
    curator = member("curator", "curator")
    sync = recorded_sync()
    Sync.objects.filter(pk=sync.pk).update(requested_by=actor_of(curator))
    for path in ("/admin/registry/sync/", f"/admin/registry/sync/{sync.pk}/change/"):
        text = shown(moderator.get(path))
        assert "curator" in text
        assert str(actor_of(curator)) not in text
