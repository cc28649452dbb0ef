"""Nobody learns here whether an address has an account: same text, same work, on both branches.

Time is not asserted: what takes it is counted instead, password hashings and queries.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.people import member

pytestmark = pytest.mark.django_db
KNOWN, UNKNOWN = "known@example.org", "other@example.org"


def login(client: Client, address: str) -> Any:
    return client.post("/accounts/login/", {"login": address, "password": "not the password"})


def register(client: Client, address: str) -> Any:
    form = {"email": address, "password1": "a phrase of words", "password2": "a phrase of words"}
    return client.post("/accounts/signup/?next=/docs/", form, follow=True)


def reset(client: Client, address: str) -> Any:
    return client.post("/accounts/password/reset/", {"email": address}, follow=True)


def masked(response: Any, address: str) -> str:
    """What is shown, without the address that the reader gave and tokens made for the form."""
    body = response.content.decode().replace(address, "ADDRESS")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", body)


@pytest.fixture
def hashings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each time that a password was hashed."""
    made: list[str] = []
    encode = PBKDF2PasswordHasher.encode

    def counted(self: Any, password: str, salt: str, iterations: int | None = None) -> str:
        made.append(salt)
        return encode(self, password, salt, iterations)

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", counted)
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 1)
    return made


def told(queries: CaptureQueriesContext) -> list[str]:
    """What was asked and written, but savepoints: whether the rate limits' cache culls differs from call to call."""
    return [one["sql"][:60] for one in queries.captured_queries if "SAVEPOINT" not in one["sql"]]


@pytest.mark.parametrize("ask", [login, register, reset], ids=lambda ask: ask.__name__)
def test_both_branches_say_and_do_the_same(
    ask: Callable[[Client, str], Any], hashings: list[str], mailoutbox: list[Any]
) -> None:
    member("known")
    seen = {}
    for address in (UNKNOWN, KNOWN):
        ask(Client(), address)  # the first use of a branch warms what the process keeps
    for address in (KNOWN, UNKNOWN.replace("other", "another")):
        cache.clear()
        hashings.clear()
        mailoutbox.clear()
        client = Client()
        with CaptureQueriesContext(connection) as queries:
            response = ask(client, address)
        seen[address] = (
            response.status_code,
            response.redirect_chain if hasattr(response, "redirect_chain") else [],
            masked(response, address),
            len(hashings),
            len(mailoutbox),
            told(queries),
        )
    known, unknown = seen.values()
    assert known[:5] == unknown[:5]
    assert len(known[5]) == len(unknown[5]), [*known[5], "---", *unknown[5]]
