"""Accounts from the first visit to the last: sign-up, sign-in and back, passwords, addresses, sessions, the way out."""

import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.sessions.models import Session
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from attestations.models import Profile
from attestations.profiles import name_of, profile_of
from tests.people import PASSWORD, member, signed_in
from tests.registry.pages import queries_of, shown

pytestmark = pytest.mark.django_db
PHRASE = "a phrase of words"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
MAILS = sorted(
    str(path.relative_to(settings.BASE_DIR / "templates")).removesuffix("_message.txt")
    for path in (settings.BASE_DIR / "templates").rglob("*_message.txt")
    if path.parent.name == "email" and not path.name.startswith("base")
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 1)


def link_in(mail: Any) -> str:
    found = re.search(r"http://testserver(/\S+)", mail.body)
    assert found, mail.body
    return found[1]


def sign_in(client: Client, address: str, password: str = "", back: str = "") -> Any:
    form = {"login": address, "password": password or PASSWORD, **({"next": back} if back else {})}
    return client.post("/accounts/login/", form)


def sign_up(client: Client, address: str, **more: str) -> Any:
    form = {"email": address, "password1": PHRASE, "password2": PHRASE, **more}
    return client.post("/accounts/signup/", form)


# --- in


def test_who_signs_up_shows_that_the_address_is_theirs_and_is_back_where_they_were(
    client: Client, mailoutbox: list[Any]
) -> None:
    page = client.get("/accounts/signup/?next=/docs/")
    assert 'name="next" value="/docs/"' in page.content.decode()
    asked = sign_up(client, "anna@example.org", next="/docs/")
    assert asked["Location"] == "/accounts/confirm-email/"
    assert "_auth_user_id" not in client.session
    [mail] = mailoutbox
    assert (mail.subject, mail.to) == ("KernelIndex: Confirm your address", ["anna@example.org"])
    path = link_in(mail)
    assert "anna@example.org" in shown(client.get(path))
    assert not EmailAddress.objects.get().verified, "a mail reader that looks at the link confirms nothing"
    assert client.post(path)["Location"] == "/docs/"
    assert EmailAddress.objects.get().verified
    assert "_auth_user_id" in client.session


def test_confirming_in_another_browser_signs_nobody_in(client: Client, mailoutbox: list[Any]) -> None:
    sign_up(client, "anna@example.org")
    other = Client()
    assert other.post(link_in(mailoutbox[0]))["Location"] == "/accounts/login/"
    assert "_auth_user_id" not in other.session


def test_djangos_name_of_an_account_and_its_public_name_hold_nothing_of_the_address(client: Client) -> None:
    sign_up(client, "anna.private@example.org")
    user = get_user_model().objects.get()
    assert re.fullmatch(r"[0-9a-f]{32}", user.username)
    assert (user.first_name, user.last_name) == ("", "")
    assert profile_of(user).handle is None


def test_an_address_that_is_not_confirmed_opens_nothing(client: Client, mailoutbox: list[Any]) -> None:
    member("reader", is_verified=False)
    assert sign_in(client, "reader@example.org")["Location"] == "/accounts/confirm-email/"
    assert "_auth_user_id" not in client.session
    assert len(mailoutbox) == 1


@pytest.mark.parametrize("back", ["/docs/", "/search/?q=relu&page=2", "/runs/sha256:" + "a" * 64 + "/#reports"])
def test_sign_in_leads_back_to_where_the_reader_was(client: Client, back: str) -> None:
    member("reader")
    assert sign_in(client, "reader@example.org", back=back)["Location"] == back


def test_the_header_leads_to_sign_in_and_back_with_all_of_the_address(client: Client) -> None:
    body = client.get("/search/?q=relu&dtype=bf16").content.decode()
    assert 'href="/accounts/login/?next=%2Fsearch%2F%3Fq%3Drelu%26dtype%3Dbf16"' in body


def test_the_header_shows_the_public_name_or_that_there_is_an_account() -> None:
    named, unnamed = signed_in(member("anna")), signed_in(member("berta", handle=None))
    assert '<a href="/me/"><bdi>anna</bdi></a>' in named.get("/docs/").content.decode()
    assert '<a href="/me/"><bdi>Your account</bdi></a>' in unnamed.get("/docs/").content.decode()
    assert "anna@example.org" not in named.get("/docs/").content.decode()


def test_a_second_factor_is_asked_for_at_sign_in(client: Client) -> None:
    TOTP.activate(member("reader"), SECRET)
    assert sign_in(client, "reader@example.org", back="/docs/")["Location"] == "/accounts/2fa/authenticate/"
    assert "_auth_user_id" not in client.session
    assert "One more step" in shown(client.get("/accounts/2fa/authenticate/"))


def test_the_session_is_another_one_after_sign_in(client: Client) -> None:
    member("reader")
    client.get("/accounts/login/")
    session = client.session
    session["planted"] = "by somebody else"
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    sign_in(client, "reader@example.org")
    assert client.session.session_key != session.session_key
    assert not Session.objects.filter(session_key=session.session_key).exists()


def test_an_account_that_was_switched_off_can_not_sign_in_and_its_session_ends(client: Client) -> None:
    user = member("reader")
    sign_in(client, "reader@example.org")
    assert client.get("/me/").status_code == 200
    user.is_active = False
    user.save()
    assert client.get("/me/")["Location"] == "/accounts/login/?next=%2Fme%2F"
    assert sign_in(Client(), "reader@example.org")["Location"] == "/accounts/inactive/"
    assert "switched off" in shown(client.get("/accounts/inactive/"))


def test_without_githubs_keys_there_is_no_trace_of_it(client: Client) -> None:
    for path in ("/accounts/login/", "/accounts/signup/"):
        assert "github" not in client.get(path).content.decode().lower()
    assert "github" not in signed_in(member("reader")).get("/accounts/3rdparty/").content.decode().lower()
    assert client.get("/accounts/github/login/").status_code == 404
    assert client.get("/accounts/github/login/callback/").status_code == 404


# --- passwords and sessions


def test_a_forgotten_password_is_replaced_by_a_link_that_works_once(client: Client, mailoutbox: list[Any]) -> None:
    member("reader")
    signed = Client()
    sign_in(signed, "reader@example.org")
    client.post("/accounts/password/reset/", {"email": "reader@example.org"})
    path = link_in(mailoutbox[0])
    form = client.get(path)["Location"]
    assert form.endswith("-set-password/")
    assert path != form, "the key is not in the address of the page with the form"
    new = {"password1": PHRASE, "password2": PHRASE}
    assert client.post(form, new)["Location"] == "/accounts/password/reset/key/done/"
    assert signed.get("/me/").status_code == 302, "every session has ended"
    assert "_auth_user_id" not in client.session
    assert "does not work any more" in shown(Client().get(path))
    assert sign_in(Client(), "reader@example.org").status_code == 200
    assert sign_in(Client(), "reader@example.org", PHRASE).status_code == 302
    assert mailoutbox[1].subject == "KernelIndex: Your password was changed"


def test_a_changed_password_ends_the_other_sessions(client: Client) -> None:
    member("reader")
    other = Client()
    for one in (client, other):
        sign_in(one, "reader@example.org")
    new = {"oldpassword": PASSWORD, "password1": PHRASE, "password2": PHRASE}
    assert client.post("/accounts/password/change/", new).status_code == 302
    assert client.get("/me/").status_code == 200
    assert other.get("/me/").status_code == 302


def test_sessions_are_listed_and_the_others_are_signed_out(client: Client) -> None:
    user, other = member("reader"), Client(headers={"User-Agent": "Elsewhere/1.0"})
    for one in (client, other):
        sign_in(one, "reader@example.org")
    page = shown(client.get("/accounts/sessions/"))
    assert "Elsewhere/1.0" in page
    assert "◂ this session" in page
    client.post("/accounts/sessions/")
    assert UserSession.objects.filter(user=user).count() == 1
    assert (client.get("/me/").status_code, other.get("/me/").status_code) == (200, 302)


@pytest.mark.parametrize("password", ["short", "password12", "reader@example.org", "1234567890"])
def test_a_weak_password_is_refused(client: Client, password: str) -> None:
    form = {"email": "reader@example.org", "password1": password, "password2": password}
    response = client.post("/accounts/signup/", form)
    assert "No account was made." in shown(response)
    assert not get_user_model().objects.exists()


# --- asked again


def later(client: Client, seconds: int = 301) -> Client:
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] = time.time() - seconds
    session.save()
    return client


ACTS: dict[str, tuple[str, dict[str, str]]] = {
    "add an address": ("/accounts/email/", {"action_add": "", "email": "new@example.org"}),
    "remove an address": ("/accounts/email/", {"action_remove": "", "email": "second@example.org"}),
    "write to another": ("/accounts/email/", {"action_primary": "", "email": "second@example.org"}),
    "set a factor up": ("/accounts/2fa/totp/activate/", {"code": "000000"}),
    "leave": ("/me/delete/", {"sure": "on"}),
}


@pytest.mark.parametrize("name", ACTS)
def test_before_what_matters_the_account_asks_again_who_is_there(name: str) -> None:
    path, form = ACTS[name]
    user = member("reader")
    EmailAddress.objects.create(user=user, email="second@example.org", verified=True)
    client = later(signed_in(user))
    held = client.post(path, form)
    assert urlsplit(held["Location"]).path == "/accounts/reauthenticate/"
    assert "This is not your password." in shown(client.post(held["Location"], {"password": "wrong"}))
    assert get_user_model().objects.filter(pk=user.pk).exists()
    assert set(EmailAddress.objects.values_list("email", "primary")) == {
        ("reader@example.org", True),
        ("second@example.org", False),
    }


def test_what_was_sent_before_the_question_is_done_after_the_answer() -> None:
    user = member("reader")
    client = later(signed_in(user))
    path, form = ACTS["add an address"]
    held = client.post(path, form)
    client.post(held["Location"], {"password": PASSWORD, "next": path})
    assert EmailAddress.objects.filter(user=user, email="new@example.org", verified=False).exists()


# --- one's own page


def test_a_public_name_is_chosen_and_the_reader_goes_on_to_where_they_were() -> None:
    user = member("reader", handle=None)
    client = signed_in(user)
    assert 'name="next" value="/docs/"' in client.get("/me/?next=/docs/").content.decode()
    assert client.post("/me/", {"form": "name", "handle": "anna", "next": "/docs/"})["Location"] == "/docs/"
    assert name_of(user) == "anna"


def test_a_name_that_can_not_be_had_is_told_at_the_field_and_kept_in_it() -> None:
    client = signed_in(member("reader", handle=None))
    body = client.post("/me/", {"form": "name", "handle": "a b"}).content.decode()
    assert "The name was not saved." in body
    assert 'value="a b"' in body
    assert 'aria-describedby="id_handle_helptext id_handle_error"' in body
    assert 'href="#id_handle"' in body


def test_ones_own_page_leads_to_everything_that_is_ones_own() -> None:
    body = signed_in(member("anna")).get("/me/").content.decode()
    ways = (
        "/people/anna/", "/follows/", "/claims/", "/accounts/email/", "/accounts/password/change/", "/accounts/2fa/",
        "/accounts/sessions/", "/accounts/3rdparty/", "/me/delete/",
    )  # fmt: skip
    assert [way for way in ways if f'href="{way}"' not in body] == []


def test_mail_settings_are_saved() -> None:
    user = member("reader")
    signed_in(user).post("/me/", {"form": "mail", "digest": "off"})
    profile = Profile.objects.get(user=user)
    assert (profile.digest, profile.has_urgent_mail) == ("off", False)


def test_strangers_are_led_to_sign_in_and_back(client: Client) -> None:
    for path in ("/me/", "/me/delete/"):
        assert client.get(path)["Location"] == f"/accounts/login/?next={path.replace('/', '%2F')}"


def test_an_account_is_deleted_after_a_tick() -> None:
    user = member("reader")
    client = signed_in(user)
    assert "Nothing was deleted." in shown(client.post("/me/delete/", {}))
    assert get_user_model().objects.filter(pk=user.pk).exists()
    gone = client.post("/me/delete/", {"sure": "on"}, follow=True)
    assert gone.redirect_chain == [("/", 302)]
    assert "Your account is gone." in shown(gone)
    assert not get_user_model().objects.filter(pk=user.pk).exists()
    assert 'href="/accounts/login/' in client.get("/").content.decode()


def test_the_page_asks_as_much_with_one_address_as_with_many() -> None:
    user = member("reader")
    client = signed_in(user)
    few = queries_of(client, "/me/")
    for number in range(20):
        EmailAddress.objects.create(user=user, email=f"r{number}@example.org")
    assert queries_of(client, "/me/") == few


def test_no_form_sets_more_than_its_fields(client: Client) -> None:
    """Every column of an account and its profile is sent along with every form."""
    power = {"is_staff": "on", "is_superuser": "on", "is_active": "", "groups": "1", "user_permissions": "1"}
    own = {
        "username": "chosen", "first_name": "x", "last_name": "x", "date_joined": "2001-01-01", "pk": "1", "id": "1",
        "user": "1", "actor": "0" * 32, "handle_skeleton": "x", "mail_key": "0" * 32, "read_at": "2001-01-01",
        "verified": "on", "primary": "on",
    }  # fmt: skip
    sign_up(client, "new@example.org", **power, **own)
    made = get_user_model().objects.get(email="new@example.org")
    assert (made.is_staff, made.is_superuser, made.is_active, made.username == "chosen") == (False, False, True, False)
    assert not EmailAddress.objects.get(user=made).verified
    user = member("reader")
    before = Profile.objects.filter(user=user).values().get()
    reader = signed_in(user)
    for form in ("name", "mail"):
        reader.post(
            "/me/", {"form": form, "handle": "reader", "digest": "weekly", "has_urgent_mail": "on"} | power | own
        )
    user.refresh_from_db()
    assert (user.is_staff, user.is_superuser, user.is_active, user.username) == (False, False, True, "reader")
    assert Profile.objects.filter(user=user).values().get() == before


# --- every page


def kept_private(response: Any) -> bool:
    return {"no-store", "private"} <= set(response["Cache-Control"].replace(" ", "").split(","))


OUT = ("login", "signup", "password/reset", "password/reset/done", "confirm-email", "inactive", "3rdparty/login/error")
IN = ("email", "password/change", "2fa", "2fa/totp/activate", "sessions", "3rdparty", "logout", "reauthenticate")


@pytest.mark.parametrize("path", OUT)
def test_a_page_for_strangers_is_kept_nowhere_and_in_our_words(client: Client, path: str) -> None:
    response = client.get(f"/accounts/{path}/")
    assert response.status_code == (401 if path.endswith("error") else 200)
    assert kept_private(response)
    assert "account/page.html" in [template.name for template in response.templates]


@pytest.mark.parametrize("path", IN)
def test_a_page_of_an_account_is_kept_nowhere_and_in_our_words(path: str) -> None:
    client = signed_in(member("reader"))
    response = client.get(f"/accounts/{path}/")
    assert response.status_code == 200
    assert kept_private(response)
    assert "account/page.html" in [template.name for template in response.templates]
    assert urlsplit(Client().get(f"/accounts/{path}/").headers.get("Location", "/accounts/login/")).path in (
        "/accounts/login/",
        "/",
    )


@pytest.mark.parametrize(
    "path", ["/me/", "/me/delete/", *(f"/accounts/{path}/" for path in (*OUT[:3], *IN, "signup")), "/accounts/logout/"]
)
def test_nothing_is_taken_without_the_token_of_the_form(path: str) -> None:
    client = signed_in(member("reader"), client=Client(enforce_csrf_checks=True))
    assert client.post(path, {"sure": "on", "form": "name", "handle": "x"}).status_code == 403
    assert client.post(path, {}, headers={"Origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("prefix", MAILS)
def test_every_mail_is_plain_text_in_our_words(prefix: str) -> None:
    class Provider:
        name = "GitHub"

    context = {
        "site_url": "https://index.example", "activate_url": "https://index.example/a?b=1&c=2", "code": "1234",
        "password_reset_url": "https://index.example/r?b=1&c=2", "signup_url": "https://index.example/s",
        "timestamp": profile_of(member("reader")).user.date_joined, "ip": "192.0.2.1", "user_agent": "A & B <c>",
        "deleted_email": "o'neill@example.org", "from_email": "a@example.org", "to_email": "b@example.org",
        "provider": Provider,
    }  # fmt: skip
    body = render_to_string(f"{prefix}_message.txt", context)
    subject = render_to_string(f"{prefix}_subject.txt", context)
    assert [sign for sign in ("&amp;", "&lt;", "&#x27;", "{{", "{%") if sign in body + subject] == []
    assert "https://index.example" in body
    assert len(subject.strip().splitlines()) == 1
    assert max(map(len, body.splitlines())) <= 120


def test_mails_are_sent_as_plain_text_alone(client: Client, mailoutbox: list[Any]) -> None:
    sign_up(client, "anna@example.org")
    assert mailoutbox[0].content_subtype == "plain"
    assert mailoutbox[0].alternatives == []


HOSTILE = [
    "https://evil.example", "//evil.example", "///evil.example", "////evil.example", "/\\evil.example",
    "\\/evil.example", "\\\\evil.example", "/\\/evil.example", "http:evil.example", "https:evil.example",
    "http:/evil.example", "https:///evil.example", "HTTPS://EVIL.EXAMPLE", "hTTp://evil.example", "ftp://evil.example",
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "java\nscript:alert(1)",
    " javascript:alert(1)", "\x01javascript:alert(1)", "javascript://%0aalert(1)", "data:text/html,<script>", "data:,x",
    "vbscript:msgbox(1)", "blob:https://evil.example/x", "file:///etc/passwd", "mailto:a@evil.example",
    "http://testserver.evil.example", "http://testserver@evil.example", "http://evil.example#testserver",
    "http://evil.example/testserver", "http://evil.example?testserver", "http://evil.example\\@testserver",
    "http://testserver:80@evil.example", "http://testserver%2eevil.example", "http://testserver\\.evil.example",
    "http://testserver", "http://testserver/docs/", "//testserver/docs/", "//testserver\\@evil.example",
    "http://localhost:9999/", "http://127.0.0.1/", "//localhost/", "http://[::1]/", "http://2130706433/",
    "\t//evil.example", "\n//evil.example", " //evil.example", "\x00//evil.example", "/\t/evil.example",
    "/\n/evil.example", "/\r/evil.example", "/\x00/evil.example", "%2f%2fevil.example", "evil.example",
    "docs/", "?x", "#x", ".", "..", "\u3000//evil.example", "//evil\u3002example", "http://evil.example\x0b",
]  # fmt: skip


def via_login(target: str) -> Any:
    return sign_in(Client(), "reader@example.org", back=target)


def via_login_when_in(target: str) -> Any:
    return signed_in(reader()).get("/accounts/login/", {"next": target})


def via_signup_when_in(target: str) -> Any:
    return signed_in(reader()).get("/accounts/signup/", {"next": target})


def via_logout(target: str) -> Any:
    return signed_in(reader()).post("/accounts/logout/", {"next": target})


def via_password_again(target: str) -> Any:
    return signed_in(reader()).post("/accounts/reauthenticate/", {"password": PASSWORD, "next": target})


def via_name(target: str) -> Any:
    return signed_in(reader()).post("/me/", {"form": "name", "handle": "reader", "next": target})


def via_reset(target: str) -> Any:
    return Client().post("/accounts/password/reset/", {"email": "nobody@example.org", "next": target})


def via_staff_door(target: str) -> Any:
    return signed_in(staff()).get("/admin/login/", {"next": target})


def reader() -> Any:
    return get_user_model().objects.get(username="reader")


def staff() -> Any:
    return get_user_model().objects.filter(username="root").first() or member("root", is_superuser=True)


@pytest.mark.parametrize(
    "view",
    [via_login, via_login_when_in, via_signup_when_in, via_logout, via_password_again, via_name, via_reset,
     via_staff_door],
    ids=lambda view: view.__name__,
)  # fmt: skip
def test_no_account_page_leads_to_another_site(settings: Any, view: Callable[[str], Any]) -> None:
    settings.ACCOUNT_RATE_LIMITS = False
    member("reader")
    assert len(HOSTILE) >= 60
    faults = []
    for target in HOSTILE:
        response = view(target)
        location = response.headers.get("Location", "")
        if response.status_code not in (301, 302) or not re.fullmatch(r"/[a-z]*/?[\w/?=%.-]*", location):
            faults.append((target, response.status_code, location))
    assert faults == []
    assert view("/docs/").headers["Location"] == "/docs/"


@pytest.mark.parametrize("name", ["login", "signup"])
def test_a_hostile_way_back_is_shown_as_text_alone(client: Client, name: str) -> None:
    body = client.get(reverse(f"account_{name}"), {"next": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in body
