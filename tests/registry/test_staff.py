"""The staff's door: active, staff, and a second factor used in this session; again after a while, and before acts."""

import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.test import Client
from django.urls import reverse

from registry.models import Source
from tests.people import member, signed_in
from tests.registry.pages import shown

pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def code(secret: str = SECRET, step: int = 0) -> str:
    """What an authenticator app shows now, or so many steps of half a minute away."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + step))


def enrolled(user: Any) -> Any:
    TOTP.activate(user, SECRET)
    RecoveryCodes.activate(user)
    return user


def aged(client: Client, seconds: int) -> Client:
    """The same session, so many seconds later."""
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= seconds
    session.save()
    return client


def led_to(response: Any) -> tuple[str, str]:
    """The path that an answer leads to, and the way back that it names."""
    target = urlsplit(response["Location"])
    return target.path, parse_qs(target.query).get("next", [""])[0]


@pytest.mark.parametrize("path", ["/admin/", "/admin/registry/run/", "/admin/auth/user/"])
def test_a_superuser_without_a_factor_is_led_to_set_one_up(path: str) -> None:
    client = signed_in(member("root", is_superuser=True), factor=False)
    door = client.get(path)
    assert led_to(door) == ("/admin/login/", path)
    assert led_to(client.get(door["Location"])) == ("/accounts/2fa/totp/activate/", "")
    assert client.session["staff_way_in"] == path


def test_staff_with_a_factor_that_this_session_has_not_used_are_asked_for_a_code() -> None:
    client = signed_in(enrolled(member("root", is_superuser=True)), factor=False)
    door = client.get("/admin/registry/run/")
    assert led_to(client.get(door["Location"])) == ("/accounts/2fa/reauthenticate/", "/admin/registry/run/")
    used = client.post("/accounts/2fa/reauthenticate/", {"code": code(), "next": "/admin/registry/run/"})
    assert led_to(used) == ("/admin/registry/run/", "")
    assert client.get("/admin/registry/run/").status_code == 200


def test_a_wrong_code_opens_nothing() -> None:
    client = signed_in(enrolled(member("root", is_superuser=True)), factor=False)
    response = client.post("/accounts/2fa/reauthenticate/", {"code": code(step=9), "next": "/admin/"})
    assert response.status_code == 200
    assert client.get("/admin/").status_code == 302


def test_setting_a_factor_up_opens_the_staff_pages_and_gives_recovery_codes() -> None:
    client = signed_in(member("root", is_superuser=True), factor=False)
    client.get("/admin/login/?next=/admin/registry/run/")
    client.get("/accounts/2fa/totp/activate/")
    secret = client.session["mfa.totp.secret"]
    response = client.post("/accounts/2fa/totp/activate/", {"code": code(secret)})
    assert led_to(response) == ("/accounts/2fa/recovery-codes/", "")
    assert client.get("/admin/registry/run/").status_code == 200
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    assert len(codes) == 10
    assert [one for one in codes if one not in shown(client.get("/accounts/2fa/recovery-codes/"))] == []


def test_a_recovery_code_opens_them_once() -> None:
    user = enrolled(member("root", is_superuser=True))
    [recovery, *_] = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    for expected in (302, 200):
        client = signed_in(user, factor=False)
        response = client.post("/accounts/2fa/reauthenticate/", {"code": recovery, "next": "/admin/"})
        assert response.status_code == expected


def test_a_code_is_taken_once() -> None:
    user, once = enrolled(member("root", is_superuser=True)), code()
    for expected in (302, 200):
        client = signed_in(user, factor=False)
        assert client.post("/accounts/2fa/reauthenticate/", {"code": once, "next": "/"}).status_code == expected


def test_a_factor_that_is_taken_away_opens_nothing_any_more() -> None:
    user = enrolled(member("root", is_superuser=True))
    client = signed_in(user)
    assert client.get("/admin/").status_code == 200
    assert client.post("/accounts/2fa/totp/deactivate/").status_code == 302
    assert led_to(client.get("/admin/"))[0] == "/admin/login/"


def test_another_accounts_factor_counts_for_nothing() -> None:
    client = signed_in(member("root", is_superuser=True))
    session = client.session
    session["account_authentication_methods_user"] = str(member("other").pk)
    session.save()
    assert led_to(client.get("/admin/"))[0] == "/admin/login/"


@pytest.mark.parametrize(("seconds", "status"), [(29 * 60, 200), (31 * 60, 302)])
def test_the_factor_is_asked_for_again_after_half_an_hour(seconds: int, status: int) -> None:
    client = aged(signed_in(enrolled(member("root", is_superuser=True))), seconds)
    response = client.get("/admin/registry/run/?q=x")
    assert response.status_code == status
    if status == 302:
        assert led_to(response) == ("/accounts/2fa/reauthenticate/", "/admin/registry/run/?q=x")


@pytest.mark.parametrize(("seconds", "is_asked"), [(4 * 60, False), (6 * 60, True)])
def test_it_is_asked_for_again_before_an_act_of_weight(seconds: int, is_asked: bool) -> None:
    client = aged(signed_in(enrolled(member("root", is_superuser=True))), seconds)
    path = f"/admin/auth/user/{member('other').pk}/change/"
    assert client.get(path).status_code == 200
    response = client.post(path, {"username": ""})
    assert (response.status_code == 302 and led_to(response)[0] == "/accounts/2fa/reauthenticate/") is is_asked


def test_what_was_being_sent_is_sent_once_the_code_is_right() -> None:
    client = aged(signed_in(enrolled(member("root", is_superuser=True))), 31 * 60)
    path = reverse("admin:registry_source_add")
    form = {
        "name": "Acme", "slug": "acme", "kind": "benchmark", "schedule": "off", "size_cap_mib": 64,
        "reason": "Curated.",
    }  # fmt: skip
    held = client.post(path, form)
    assert led_to(held) == ("/accounts/2fa/reauthenticate/", path)
    assert not Source.objects.filter(slug="acme").exists()
    client.post("/accounts/2fa/reauthenticate/", {"code": code(), "next": path})
    assert Source.objects.filter(slug="acme").exists()


def test_the_desk_of_a_role_that_was_taken_away_closes_at_the_next_request() -> None:
    user = member("c", "curator")
    client = signed_in(user)
    assert client.get("/admin/registry/source/").status_code == 200
    user.groups.clear()
    assert client.get("/admin/registry/source/").status_code == 403
    user.is_staff = False
    user.save()
    assert client.get("/admin/").status_code == 302
    assert client.get("/admin/login/").status_code == 403


def test_a_deactivated_account_is_signed_out_at_the_next_request() -> None:
    user = member("c", "curator")
    client = signed_in(user)
    assert client.get("/admin/").status_code == 200
    user.is_active = False
    user.save()
    assert led_to(client.get("/admin/login/?next=/admin/")) == ("/accounts/login/", "/admin/")


def test_the_admin_changes_no_password_of_its_own() -> None:
    client = signed_in(member("root", is_superuser=True))
    assert led_to(client.get("/admin/password_change/")) == ("/accounts/password/change/", "")


def test_no_page_of_the_admin_shows_secrets_of_accounts() -> None:
    body = signed_in(member("root", is_superuser=True)).get("/admin/").content.decode()
    assert [name for name in ("authenticator", "usersession", "socialtoken", "socialapp") if name in body] == []


def test_a_reader_with_a_factor_is_no_staff() -> None:
    client = signed_in(member("reader"), factor=True)
    assert client.get("/admin/login/").status_code == 403
