"""Public names: chosen, changed, given up; and what is left of an account that was deleted."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import get_user_model
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection, connections
from django.test import Client

from attestations.models import Follow, Letter, Profile, RetiredHandle
from attestations.profiles import (
    TAKEN,
    ProfileError,
    actor_of,
    choose_handle,
    delete_account,
    name_may_change_at,
    name_of,
    profile_of,
)
from attestations.queries.names import DELETED, names
from tests.conftest import NOW
from tests.people import PASSWORD, member

pytestmark = pytest.mark.django_db
MONTH = timedelta(days=30)


def chosen(user: Any, text: str, days: int = 0) -> str | None:
    return choose_handle(user=user, text=text, now=NOW + timedelta(days=days)).handle


def test_the_first_name_is_free_and_the_next_one_waits_a_month() -> None:
    user = member("reader", handle=None)
    assert chosen(user, "anna") == "anna"
    assert name_may_change_at(profile_of(user)) is None
    assert chosen(user, "berta") == "berta"
    assert name_may_change_at(profile_of(user)) == NOW + MONTH
    with pytest.raises(ProfileError, match="once in 30 days: again from 2026-10-01 on"):
        chosen(user, "clara", days=29)
    assert chosen(user, "clara", days=30) == "clara"


def test_a_name_or_one_that_looks_like_it_is_given_once() -> None:
    chosen(member("one", handle=None), "anna")
    other = member("two", handle=None)
    for text in ("anna", "Anna", "ANNA"):
        with pytest.raises(ProfileError, match=TAKEN[:20]):
            chosen(other, text)
    assert name_of(other) is None


def test_a_name_that_was_given_up_goes_to_nobody_else_and_back_to_its_owner() -> None:
    owner, other = member("one", handle=None), member("two", handle=None)
    chosen(owner, "anna")
    chosen(owner, "berta")
    with pytest.raises(ProfileError, match=TAKEN[:20]):
        chosen(other, "anna", days=400)
    assert chosen(owner, "anna", days=31) == "anna"
    with pytest.raises(ProfileError, match=TAKEN[:20]):
        chosen(other, "berta", days=400)


def test_the_same_name_in_other_capitals_is_no_change_of_name() -> None:
    user = member("reader", handle=None)
    chosen(user, "anna")
    assert chosen(user, "Anna") == "Anna"
    assert chosen(user, "Anna") == "Anna"
    assert not RetiredHandle.objects.exists()


@pytest.mark.parametrize("text", ["", "x", "admin", "a\u202eb", "a b", "a@b.example", "\u0430nna"])
def test_a_name_that_can_not_be_had_is_told_why(text: str) -> None:
    user = member("reader", handle=None)
    with pytest.raises(ProfileError) as caught:
        chosen(user, text)
    assert len(str(caught.value)) > 20
    assert name_of(user) is None


def everything() -> list[tuple[str, str]]:
    """Every row of every table, with sessions read: what is packed counts too."""
    rows = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            quoted = connection.ops.quote_name(table)
            cursor.execute(f"SELECT * FROM {quoted}")
            for row in cursor.fetchall():
                rows.append((table, json.dumps(row, default=str)))
                if table == "django_session":
                    rows.append((table, json.dumps(read_session(row))))
    return rows


def read_session(row: Any) -> Any:
    data = next(value for value in row if isinstance(value, str) and ":" in value)
    return SessionStore().decode(data)


def test_a_deleted_account_leaves_neither_its_name_nor_its_address_nor_its_id_in_any_table() -> None:
    number = 918273645
    get_user_model().objects.create(pk=number, username="f" * 32, email="anna.private@example.org")
    user = get_user_model().objects.get(pk=number)
    user.set_password(PASSWORD)
    user.save()
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    chosen(user, "annaprivate")
    chosen(user, "annasecret")
    actor = actor_of(user)
    Follow.objects.create(user=user, thing="operation", target="relu", at=NOW)
    Letter.objects.create(
        id=actor, key="k", user=user, kind="k", subject="To annasecret", at=NOW, next_attempt_at=NOW
    )  # fmt: skip
    client = Client()
    sign_in = client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    assert sign_in.status_code == 302
    TOTP.activate(user, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(user)
    SocialAccount.objects.create(user=user, provider="github", uid="77", extra_data={"login": "annagithub"})
    sought = ("annasecret", "annaprivate", "anna.private", "annagithub", str(number), "f" * 32)
    before = {word for word in sought for _, row in everything() if word in row}
    assert before == set(sought) - {"annaprivate"}  # given up already: only its key is kept

    delete_account(user=user, now=NOW)
    assert [(table, word) for table, row in everything() for word in sought if word in row] == []
    assert names([actor]) == {actor: DELETED}
    assert client.get("/me/").status_code == 302
    with pytest.raises(ProfileError, match=TAKEN[:20]):
        chosen(member("impostor", handle=None), "annasecret", days=4000)


def test_deleting_an_account_that_chose_no_name_retires_none() -> None:
    delete_account(user=member("reader", handle=None), now=NOW)
    assert not Profile.objects.exists()
    assert not RetiredHandle.objects.exists()


@pytest.mark.postgres  # SQLite's test database is one in memory, which threads do not share as they do a file
@pytest.mark.django_db(transaction=True)
def test_of_eight_who_want_one_name_at_once_one_gets_it() -> None:
    users = [member(f"reader{number}", handle=None) for number in range(8)]
    start, outcomes = threading.Barrier(8), []

    def want(user: Any) -> None:
        start.wait()
        try:
            outcomes.append(chosen(user, "anna"))
        except ProfileError:
            outcomes.append(None)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=want, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["None"] * 7 + ["anna"]
    assert list(Profile.objects.exclude(handle=None).values_list("handle", flat=True)) == ["anna"]
