"""Tries are counted for each address, each account and the whole site; every limit ends by itself."""

import time
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from django.test import Client

from kernelindex import accounts
from tests.people import PASSWORD, member
from tests.registry.pages import shown

pytestmark = pytest.mark.django_db
WAIT = "Too many tries failed."


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What has to be added to the time of the limits' own clock."""
    later, now = [0.0], time.time
    monkeypatch.setattr("allauth.core.internal.ratelimit.time.time", lambda: now() + later[0])
    return later


def sign_in(address: str, password: str = "", ip: str = "192.0.2.1", client: Client | None = None) -> Any:
    client = client or Client()
    return client.post("/accounts/login/", {"login": address, "password": password or "wrong"}, REMOTE_ADDR=ip)


def is_in(response: Any) -> bool:
    return bool(response.status_code == 302)


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses whose password was looked at."""
    seen: list[str] = []
    looked_at = accounts.AccountAdapter.authentication_failed

    def noted(self: Any, request: Any, **credentials: Any) -> None:
        seen.append(credentials["email"])
        looked_at(self, request, **credentials)

    monkeypatch.setattr(accounts.AccountAdapter, "authentication_failed", noted)
    return seen


def test_a_spray_over_500_accounts_from_one_address_has_ten_tries_evaluated(evaluated: list[str]) -> None:
    member("victim")
    statuses = set()
    for number in range(1000):
        statuses.add(sign_in(f"someone{number % 500}@example.org").status_code)
    assert len(evaluated) == 10
    assert statuses == {200, 429}
    assert is_in(sign_in("victim@example.org", PASSWORD, ip="198.51.100.7"))


def test_one_address_can_not_lock_an_account() -> None:
    member("victim")
    for _ in range(60):
        last = sign_in("victim@example.org")
    assert last.status_code == 429
    assert is_in(sign_in("victim@example.org", PASSWORD, ip="198.51.100.7"))


def test_an_account_is_tried_from_many_addresses_twenty_times_in_five_minutes(
    evaluated: list[str], clock: list[float]
) -> None:
    member("victim")
    for number in range(40):
        last = sign_in("victim@example.org", ip=f"198.51.100.{number}")
    assert len(evaluated) == 20
    assert WAIT in shown(last)
    assert WAIT in shown(sign_in("victim@example.org", PASSWORD, ip="203.0.113.9"))
    clock[0] = 301
    assert is_in(sign_in("victim@example.org", PASSWORD, ip="203.0.113.9"))


def test_an_unknown_account_is_limited_in_the_same_words() -> None:
    texts = []
    for name in ("victim", "nobody"):
        if name == "victim":
            member("victim")
        for number in range(21):
            last = sign_in(f"{name}@example.org", ip=f"198.51.100.{number}")
        texts.append(shown(last))
    assert texts[0] == texts[1]
    assert WAIT in texts[0]


def test_addresses_of_one_ipv6_network_are_one(evaluated: list[str]) -> None:
    for number in range(20):
        sign_in(f"someone{number}@example.org", ip=f"2001:db8:1:2::{number:x}")
    assert len(evaluated) == 10


def test_the_whole_site_evaluates_so_many_tries(settings: Any, evaluated: list[str]) -> None:
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"login_anywhere": "30/5m/key"}
    for number in range(40):
        last = sign_in(f"someone{number}@example.org", ip=f"198.51.{number}.1")
    assert len(evaluated) == 30
    assert WAIT in shown(last)


def test_the_forwarded_address_counts_only_where_a_proxy_is_said_to_be_there(
    settings: Any, evaluated: list[str]
) -> None:
    def try_from(number: int) -> Any:
        form = {"login": f"someone{number}@example.org", "password": "wrong"}
        return Client().post("/accounts/login/", form, headers={"X-Forwarded-For": f"6.6.6.6, 198.51.100.{number}"})

    for number in range(20):
        try_from(number)
    assert len(evaluated) == 10
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(20):
        try_from(number + 20)
    assert len(evaluated) == 30


def at_the_second_step(ip: str = "192.0.2.1") -> Client:
    client = Client()
    assert sign_in("victim@example.org", PASSWORD, ip, client)["Location"] == "/accounts/2fa/authenticate/"
    return client


def test_codes_are_tried_five_times_in_five_minutes_whoever_asks(clock: list[float]) -> None:
    TOTP.activate(member("victim"), "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    answers = []
    for number in range(7):
        client = at_the_second_step(f"198.51.100.{number}")
        form = {"code": f"00000{number}"}
        answers.append(shown(client.post("/accounts/2fa/authenticate/", form, REMOTE_ADDR=f"198.51.100.{number}")))
    assert ["Too many codes were tried." in text for text in answers] == [False] * 5 + [True] * 2
    clock[0] = 301
    response = at_the_second_step("203.0.113.1").post("/accounts/2fa/authenticate/", {"code": "000008"})
    assert "This code is wrong" in shown(response)


def test_mails_to_reset_a_password_go_to_one_address_five_times_a_day(mailoutbox: list[Any]) -> None:
    member("victim")
    for name in ("victim", "nobody"):
        statuses = [
            Client().post(
                "/accounts/password/reset/", {"email": f"{name}@example.org"}, REMOTE_ADDR=f"198.51.{number}.1"
            ).status_code
            for number in range(7)
        ]  # fmt: skip
        assert statuses == [302] * 5 + [429] * 2
    assert len(mailoutbox) == 10


def test_sign_ups_from_one_address_are_twenty_an_hour() -> None:
    form = {"password1": "a phrase of words", "password2": "a phrase of words"}
    statuses = [
        Client().post("/accounts/signup/", form | {"email": f"r{number}@example.org"}).status_code
        for number in range(22)
    ]  # fmt: skip
    assert statuses == [302] * 20 + [429] * 2


def test_every_limit_that_allauth_knows_is_set_here() -> None:
    expected = {
        "login", "login_failed", "login_anywhere", "second_factor", "signup", "confirm_email", "reset_password",
        "reset_password_from_key", "change_password", "manage_email", "reauthenticate",
    }  # fmt: skip
    assert set(settings.ACCOUNT_RATE_LIMITS) == expected
    assert settings.CACHES["default"]["OPTIONS"]["MAX_ENTRIES"] >= 100_000


def test_the_counts_name_neither_addresses_nor_accounts() -> None:
    member("victim")
    sign_in("victim@example.org", ip="198.51.100.77")
    with connection.cursor() as cursor:
        cursor.execute("SELECT cache_key, value FROM django_cache")
        rows = cursor.fetchall()
    assert rows
    assert [row for row in rows if "198.51" in str(row) or "victim" in str(row)] == []
