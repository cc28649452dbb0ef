"""Nothing that a stranger wrote runs: hostile text in every text column, on every page, JSON, feed and staff page.

The policy that would stop a script anyway is switched off for this; what is tested is that there is nothing to stop.
`make strangers` asks each payload alone in each column; the suite asks all of them at once, and addresses in rounds.
"""

import os
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Error as PlaywrightError

from attestations import letters
from attestations.models import Profile
from registry.queries import notes, parts
from registry.views import runs as run_views
from tests.browser.strangers import ADDRESSES, HEARD, LEFT, PAYLOADS, columns, is_address, poison
from tests.permissions.cast import ID, Cast, make_cast, make_world
from tests.registry.pages import LIGER, LIGER_KEY, PAGES, TWINNED

pytestmark = [pytest.mark.browser, pytest.mark.ignore_template_errors]
# Which payload is where, in turn: one whole pass in the suite, each payload in each column in the campaign.
ROUNDS = range(len(PAYLOADS)) if os.environ.get("KI_EACH_PAYLOAD") == "1" else range(0, len(ADDRESSES), 9)


@pytest.fixture
def world(site: str) -> Cast:
    """The bundled registry, and something by people in every table of theirs."""
    if connection.vendor == "postgresql":
        pytest.skip("PostgreSQL holds a column to its length, which cuts the texts short; the pages are the same")
    cast = make_cast()
    make_world(cast)
    return cast


def forget() -> None:
    """What the process keeps by digest was made of other bytes."""
    parts._kept._things.clear()
    notes._kept._things.clear()
    run_views._html._things.clear()


def public_pages() -> list[str]:
    pages = [address() for address in PAGES.values()]
    twins = [f"/api/v1{address()}" for name, address in TWINNED.items() if name != "home"]
    said, report = ID["attestation"], ID["report"]
    handle = Profile.objects.get(user__pk=Profile.objects.order_by("pk").values_list("user", flat=True)[3]).handle
    people = [
        f"/attestations/{said}/", f"/api/v1/attestations/{said}/", f"/runs/{LIGER}/attestations/",
        f"/runs/{LIGER}/attest/", f"/runs/{LIGER}/report/", "/reports/", f"/reports/{report}/",
        f"/api/v1/reports/{report}/", "/api/v1/reports/", "/disputes/", f"/people/{handle}/",
        f"/runs/{LIGER}/cite.bib", f"/runs/{LIGER}/cite.ris", f"/runs/{LIGER}/cite.csl.json",
    ]  # fmt: skip
    feeds = [f"/feeds/{thing}/{target}.atom" for thing, target in (
        ("run", LIGER), ("group", LIGER_KEY), ("operation", "liger-relu-squared"), ("project", "liger-kernel"),
        ("hardware", "nvidia-h100-80gb-hbm3"), ("source", "liger-kernel-bench"),
    )]  # fmt: skip
    return [*pages, *twins, *people, *feeds]


PRIVATE = ["/me/", "/me/delete/", "/follows/", "/claims/", f"/claims/{ID['claim']}/", f"/runs/{LIGER}/note/",
           f"/runs/{LIGER}/withdrawal/", "/projects/liger-kernel/claim/", "/sources/liger-kernel-bench/claim/",
           f"/attestations/{ID['attestation']}/withdraw/", "/accounts/email/", "/accounts/sessions/",
           "/accounts/2fa/", "/accounts/password/change/"]  # fmt: skip


def staff_pages() -> list[str]:
    found = ["/admin/"]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(reverse(f"{name}_changelist"))
        row = model._default_manager.order_by("pk").first()
        if row is not None:
            found.append(reverse(f"{name}_change", args=[row.pk]))
    return found


def visited(watched: Any, paths: list[str]) -> list[str]:
    """What strangers' text did or left on these pages."""
    left = []
    for path in paths:
        try:
            answer = watched.page.goto(f"{watched.origin}{path}", wait_until="load")
        except PlaywrightError as error:
            if "Download is starting" not in str(error):
                raise
            continue  # nothing runs in a file
        if answer.status >= 500:  # a page that breaks shows nothing of what was to be looked at
            left.append(f"{path}: {answer.status}")
        left += [f"{path}: {what}" for what in watched.page.evaluate(LEFT)]
    return left


@pytest.mark.parametrize("start", ROUNDS)
def test_nothing_of_strangers_runs_or_becomes_markup(watch: Any, world: Cast, start: int) -> None:
    paths = public_pages()
    assert poison(start, is_whole=os.environ.get("KI_EACH_PAYLOAD") != "1") > 1000
    forget()
    left: list[str] = []
    hear = lambda dialog: left.append(f"a dialog: {dialog.message}")  # noqa: E731
    for account, theirs in (
        (None, paths),
        (world.accounts["author"], PRIVATE),
        (world.accounts["superuser"], staff_pages()),
    ):
        watched = watch(of=account, bypass_csp=True)
        watched.page.add_init_script(HEARD)
        watched.page.on("dialog", hear)
        left += visited(watched, theirs)
    assert left == []


def test_the_corpus_is_large_and_every_table_is_in_it(db: None) -> None:
    assert len(set(PAYLOADS)) >= 100
    found = {f"{model.__name__}.{field.name}" for model, field in columns()}
    assert {
        "AttestationVersion.text", "AttestationVersion.environment_text", "Report.text", "Report.public_note",
        "AuthorNote.text", "Claim.message", "Run.title", "Implementation.display_name",
        "Source.name", "Source.terms", "Incident.text", "Mark.reason", "User.email",
    } <= found  # fmt: skip
    assert len([field for _, field in columns() if is_address(field.name)]) >= 8


def test_the_eye_sees_what_runs(watch: Any, world: Cast) -> None:
    """The control: the same payloads, let in as markup, are seen."""
    watched = watch(bypass_csp=True)
    watched.page.add_init_script(HEARD)
    seen = 0
    for payload in PAYLOADS[:40]:
        watched.page.goto(f"{watched.origin}/disputes/")
        watched.page.evaluate("text => { document.querySelector('main').innerHTML = text; }", payload)
        seen += bool(watched.page.evaluate(LEFT))
    assert seen >= 25


def test_mail_is_plain_text_and_one_header_a_line(world: Cast, client: Client) -> None:
    poison(0, is_whole=False)
    author = world.accounts["author"]
    EmailAddress.objects.filter(user=author).update(email="author@example.org")  # mail goes to a real address alone
    type(author).objects.filter(pk=author.pk).update(email="author@example.org")
    letters.send_due(now=timezone.now())
    assert mail.outbox
    for message in mail.outbox:
        sent = message.message()
        assert sent.get_content_type() == "text/plain"
        assert "\n" not in str(sent["Subject"])
        assert not sent.is_multipart()
