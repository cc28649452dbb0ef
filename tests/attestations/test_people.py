"""What staff may do about accounts: who may, to whom, and what is kept of it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.models import Session

from attestations import people
from attestations.people import PeopleError
from attestations.profiles import actor_of
from registry.models import AuditEvent
from tests.conftest import NOW
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db
WHY = "Sells shoes."


LATER = NOW + timedelta(minutes=1)


def does(act: Any, user: Any, by: Any, reason: str = WHY, now: datetime = NOW) -> None:
    act(user, reason=reason, by=by, now=now)


def recorded() -> list[tuple[Any, ...]]:
    return [(e.action, e.target_kind, e.target, e.reason, e.actor) for e in AuditEvent.objects.order_by("at", "id")]


def test_a_deactivated_account_is_out_at_once_and_a_restored_one_signs_in_anew() -> None:
    reader, moderator = member("reader"), member("moderator", "moderator")
    browser, telephone, other = signed_in(reader), signed_in(reader), signed_in(moderator)
    does(people.deactivate, reader, moderator)
    assert not reader.is_active
    assert Session.objects.count() == 1
    for client in (browser, telephone):
        assert not client.get("/").wsgi_request.user.is_authenticated
    does(people.restore, reader, moderator)
    assert reader.is_active
    assert not browser.get("/").wsgi_request.user.is_authenticated
    assert other.get("/").wsgi_request.user == moderator


def test_each_act_on_an_account_leaves_one_event_that_names_no_address() -> None:
    reader, moderator = member("reader"), member("moderator", "moderator")
    does(people.deactivate, reader, moderator)
    does(people.restore, reader, moderator, "A mistake.", LATER)
    target, actor = str(actor_of(reader)), actor_of(moderator)
    assert recorded() == [
        ("account deactivated", "account", target, WHY, actor),
        ("account restored", "account", target, "A mistake.", actor),
    ]


@pytest.mark.parametrize("act", [people.deactivate, people.restore])
def test_a_second_press_is_told_that_it_is_done_already(act: Any) -> None:
    reader, moderator = member("reader", is_active=act is people.deactivate), member("moderator", "moderator")
    does(act, reader, moderator)
    with pytest.raises(PeopleError, match="already"):
        does(act, reader, moderator)
    assert len(recorded()) == 1


@pytest.mark.parametrize("act", [people.deactivate, people.restore])
@pytest.mark.parametrize("reason", ["", "   ", "\n"])
def test_an_act_without_a_reason_changes_nothing(act: Any, reason: str) -> None:
    reader, moderator = member("reader"), member("moderator", "moderator")
    with pytest.raises(PeopleError, match="State a reason"):
        does(act, reader, moderator, reason)
    reader.refresh_from_db()
    assert (reader.is_active, recorded()) == (True, [])


@pytest.mark.parametrize("target", ["curator", "root"])
def test_a_moderator_cannot_touch_staff(target: str) -> None:
    moderator = member("moderator", "moderator")
    staff = member("curator", "curator") if target == "curator" else member("root", is_superuser=True)
    with pytest.raises(PeopleError, match="of staff"):
        does(people.deactivate, staff, moderator)
    staff.refresh_from_db()
    assert (staff.is_active, recorded()) == (True, [])
    does(people.deactivate, member("curator2", "curator"), member("root2", is_superuser=True))
    assert len(recorded()) == 1


@pytest.mark.parametrize("is_superuser", [False, True])
def test_nobody_deactivates_their_own_account(is_superuser: bool) -> None:
    user = member("own", "moderator", is_superuser=is_superuser)
    with pytest.raises(PeopleError, match="their own account"):
        does(people.deactivate, user, user)
    assert recorded() == []


# --- roles


def gives(
    user: Any, by: Any, *groups: str, is_staff: bool = True, reason: str = "New hand.", now: datetime = NOW
) -> None:
    chosen = Group.objects.filter(name__in=groups)
    people.set_role(user, is_staff=is_staff, groups=chosen, reason=reason, by=by, now=now)


def test_a_role_is_given_and_taken_with_a_trace_and_ends_the_sessions_of_before() -> None:
    reader, root = member("reader"), member("root", is_superuser=True)
    client = signed_in(reader)
    gives(reader, root, "curator", "moderator")
    reader.refresh_from_db()
    assert reader.is_staff
    assert reader.has_perm("attestations.manage_people")
    assert not client.get("/").wsgi_request.user.is_authenticated
    gives(reader, root, is_staff=False, reason="Left.", now=LATER)
    reader.refresh_from_db()
    assert (reader.is_staff, list(reader.groups.all())) == (False, [])
    first, second = AuditEvent.objects.order_by("at", "id")
    assert (first.action, first.target, first.reason) == ("role changed", str(actor_of(reader)), "New hand.")
    assert first.detail == {"is_staff": True, "groups": ["curator", "moderator"], "groups_before": []}
    assert second.detail == {"is_staff": False, "groups": [], "groups_before": ["curator", "moderator"]}


def test_a_role_is_for_superusers_to_give() -> None:
    reader, moderator = member("reader"), member("moderator", "moderator")
    with pytest.raises(PeopleError, match="Only a superuser"):
        gives(reader, moderator, "moderator")
    assert (reader.groups.count(), recorded()) == (0, [])


def test_nobody_gives_themselves_a_role() -> None:
    root = member("root", is_superuser=True)
    with pytest.raises(PeopleError, match="their own account"):
        gives(root, root, "curator")
    assert recorded() == []


def test_a_group_without_staff_and_a_role_that_is_held_are_refused() -> None:
    reader, curator, root = member("reader"), member("curator", "curator"), member("root", is_superuser=True)
    with pytest.raises(PeopleError, match="Groups are for staff"):
        gives(reader, root, "curator", is_staff=False)
    with pytest.raises(PeopleError, match="has already"):
        gives(curator, root, "curator")
    assert recorded() == []


def test_what_a_group_may_do_is_changed_by_superusers_and_told() -> None:
    root, moderator = member("root", is_superuser=True), member("moderator", "moderator")
    group = Group.objects.get(name="rerunner")
    mark = Permission.objects.get(codename="add_mark")
    kept = list(group.permissions.all())[1:]
    dropped = group.permissions.first()
    with pytest.raises(PeopleError, match="Only a superuser"):
        people.change_group(group, permissions=[mark], reason="r", by=moderator, now=NOW)
    people.change_group(group, permissions=[*kept, mark], reason="They mark.", by=root, now=NOW)
    event = AuditEvent.objects.get()
    label = f"{dropped.content_type.app_label}.{dropped.codename}"
    assert (event.action, event.target, event.reason) == ("group changed", "rerunner", "They mark.")
    assert event.detail == {"added": ["registry.add_mark"], "removed": [label]}
    with pytest.raises(PeopleError, match="already"):
        people.change_group(group, permissions=[*kept, mark], reason="r", by=root, now=NOW)
