"""No page needs anything but this site itself: no inline script or style, no foreign origin, and it says so."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from tests.people import member, signed_in
from tests.registry.pages import PAGES, publish, timed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
POLICY = {
    "default-src": {"'none'"},
    "script-src": {"'self'"},
    "style-src": {"'self'"},
    "img-src": {"'self'", "data:"},
    "connect-src": {"'self'"},
    "font-src": {"'self'"},
    "form-action": {"'self'"},
    "base-uri": {"'none'"},
    "frame-ancestors": {"'none'"},
}
OTHERS = {
    "not-found": "/nothing/",
    "bad-cursor": "/runs/?cursor=x",
    "api": "/api/v1/home/",
    "api-404": "/api/v1/nothing",
}
LOADED = re.compile(r'<(?:script|img|iframe|embed|object|audio|video|source|link)\b[^>]*?\b(?:src|href|data)="([^"]*)"')
INLINE = {
    "inline script": re.compile(r"<script(?![^>]*\bsrc=)", re.I),
    "inline style": re.compile(r"<style\b|\sstyle=", re.I),
    "event handler": re.compile(r"<[^>]*\son[a-z]+=", re.I),
    "script address": re.compile(r'(?:href|src|action)="\s*javascript:', re.I),
    "frame": re.compile(r"<(?:iframe|object|embed|base)\b", re.I),
}


def policy_of(response: Any) -> dict[str, set[str]]:
    parts = [part.split() for part in response["Content-Security-Policy"].split(";")]
    return {name: set(values) for name, *values in parts}


def path_of(name: str) -> str:
    return OTHERS[name] if name in OTHERS else PAGES[name]()


@pytest.mark.parametrize("name", [*PAGES, *OTHERS])
def test_every_answer_says_that_nothing_foreign_may_be_loaded(client: Client, name: str) -> None:
    response = client.get(path_of(name))
    assert policy_of(response) == POLICY
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("name", [*PAGES, "not-found", "bad-cursor"])
def test_a_page_works_without_script_and_has_neither_script_nor_style_in_it(client: Client, name: str) -> None:
    body = client.get(path_of(name)).content.decode()
    assert [fault for fault, pattern in INLINE.items() if pattern.search(body)] == []
    loaded = LOADED.findall(body)
    assert [url for url in loaded if urlsplit(url).netloc and not url.startswith(settings.SITE_URL)] == []
    assert re.findall(r'<form[^>]*action="([^"]*)"', body) != []
    assert [url for url in re.findall(r'<form[^>]*action="([^"]*)"', body) if not url.startswith("/")] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_its_language_its_title_once_and_one_heading(client: Client, name: str) -> None:
    body = client.get(path_of(name)).content.decode()
    assert body.startswith('<!doctype html>\n<html lang="en">')
    [title] = re.findall(r"<title>(.*?)</title>", body.partition("</head>")[0])
    assert title.endswith(" · KernelIndex") or title == "KernelIndex: GPU kernel benchmark runs"
    assert len(re.findall(r"<h1[ >]", body)) == 1
    ids = re.findall(r'\bid="([^"]+)"', body)
    assert len(ids) == len(set(ids))
    for reference in re.findall(r'aria-labelledby="([^"]+)"', body):
        assert reference in ids


@pytest.mark.parametrize("name", PAGES)
def test_every_table_has_a_caption_and_every_link_an_address(client: Client, name: str) -> None:
    body = client.get(path_of(name)).content.decode()
    for table in re.findall(r"<table\b.*?</table>", body, re.S):
        assert "<caption" in table or "aria-labelledby=" in table.partition(">")[0]
    assert [tag for tag in re.findall(r"<a\b[^>]*>", body) if 'href="' not in tag or 'href=""' in tag] == []


def test_no_page_shows_a_value_that_was_not_filled_in(client: Client) -> None:
    publish(timed(1000))
    for name in PAGES:
        body = client.get(path_of(name)).content.decode()
        text = re.sub(r"<[^>]+>", " ", body)
        assert re.findall(r"\bNone\b(?! (?:yet|with))|\bnan\b|\{%", text) == [], name


@pytest.mark.parametrize(
    "path",
    ["signup/", "password/reset/", "password/reset/done/", "password/reset/key/1-set-password/", "inactive/",
     "confirm-email/", "confirm-email/key/"],
)  # fmt: skip
def test_the_account_pages_keep_the_policy_too(client: Client, path: str) -> None:
    response = client.get(f"/accounts/{path}")
    assert response.status_code == 200
    assert policy_of(response) == POLICY
    assert [fault for fault, pattern in INLINE.items() if pattern.search(response.content.decode())] == []


@pytest.mark.parametrize("path", ["/", "/accounts/logout/", "/accounts/password/change/", "/accounts/email/"])
def test_a_page_for_someone_signed_in_keeps_it_and_offers_to_sign_out(path: str) -> None:
    client = signed_in(member("reader"))
    body = client.get(path).content.decode()
    assert [fault for fault, pattern in INLINE.items() if pattern.search(body)] == []
    assert '<form action="/accounts/logout/" method="post">' in body
    assert client.post("/accounts/logout/").status_code == 302
    assert 'href="/accounts/login/' in client.get("/").content.decode()


@pytest.mark.ignore_template_errors  # Django's own templates use variables that they do not set
def test_the_admin_works_under_the_same_policy() -> None:
    response = signed_in(member("root", is_superuser=True)).get("/admin/")
    assert response.status_code == 200
    assert policy_of(response) == POLICY
    assert not INLINE["inline script"].search(response.content.decode())


def test_the_page_of_a_500_stands_on_its_own(client: Client) -> None:
    body = (settings.BASE_DIR / "templates/500.html").read_text()
    assert "{%" not in body
    assert [fault for fault, pattern in INLINE.items() if pattern.search(body)] == []
    assert re.findall(r'(?:href|src)="(?!/)[^"]*"', body) == []
