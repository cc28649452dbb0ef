"""Pages of claims: what anyone may read, what only the claimant sees, what a press does."""

import re
from typing import Any

import pytest
from django.test import Client

from attestations.claims import bell
from attestations.models import Claim, ClaimState
from attestations.profiles import actor_of
from tests.attestations.claiming import RAW, acme, claimed_run, granted, moved_to, speakers, upstream
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import lacks, queries_of, shown

pytestmark = pytest.mark.django_db
PROJECT, SOURCE = "/projects/acme/claim/", "/sources/upstream/claim/"


@pytest.fixture
def run(db: None) -> Any:
    return claimed_run()


@pytest.fixture
def author(run: Any) -> Any:
    return member("author")


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    heard: list[Any] = []
    monkeypatch.setattr(bell, "ring", heard.append)
    return heard


def is_private(response: Any) -> bool:
    return {"private", "no-store"} <= set(re.split(r",\s*", response["Cache-Control"]))


@pytest.mark.parametrize("path", [PROJECT, SOURCE])
def test_anyone_reads_the_three_ways_and_is_led_to_sign_in(run: Any, client: Client, path: str) -> None:
    page = client.get(path)
    assert lacks(page, "By GitHub login", "By a token file", "By staff", "raises no evidence level", "Sign in") == []
    assert 'method="post" action="/projects' not in page.content.decode()
    assert is_private(page)
    sent = client.post(path, {"method": "token"})
    assert (sent.status_code, sent["Location"]) == (302, f"/accounts/login/?next={path.replace('/', '%2F')}")
    assert not Claim.objects.exists()


def test_a_project_without_a_repository_on_github_is_for_staff(client: Client) -> None:
    claimed_run(repository=None)
    assert lacks(client.get(PROJECT), "no repository on GitHub is named", "By staff") == []


def test_a_source_of_many_others_says_so(run: Any, client: Client) -> None:
    upstream().__class__.objects.update(kind="channel")
    page = client.get(SOURCE)
    assert lacks(page, "nobody speaks for all of them") == []
    assert "By staff" not in shown(page)
    assert "Claim it" not in shown(client.get("/sources/upstream/"))


def test_a_member_gets_a_token_and_sees_where_to_put_it(author: Any, rung: list[Any]) -> None:
    client = signed_in(author)
    sent = client.post(PROJECT, {"method": "token", "state": "granted", "actor": "x", "basis": ""})
    claim = Claim.objects.get()
    assert (sent.status_code, sent["Location"]) == (302, f"/claims/{claim.pk}/")
    assert (claim.state, claim.actor) == ("pending", actor_of(author))
    page = client.get(sent["Location"])
    assert lacks(page, claim.token, RAW, ".well-known/kernelindex-claim.txt", "Not looked for yet", "waiting") == []
    assert is_private(page)
    checked = client.post(sent["Location"], {"action": "check"})
    assert (checked.status_code, rung) == (302, [claim.pk])
    assert lacks(client.get(sent["Location"]), "A check is asked for") == []


def test_what_a_check_found_is_told_in_words(author: Any) -> None:
    claim = granted(author, state=ClaimState.PENDING, checked_at=NOW, found=f"{RAW}: no such file there (404).")
    page = signed_in(author).get(f"/claims/{claim.pk}/")
    assert lacks(page, "Last check", "no such file there (404)") == []


@pytest.mark.parametrize("name", ["other", "staff"])
def test_nobody_else_sees_a_claim_or_presses_its_buttons(author: Any, rung: list[Any], name: str) -> None:
    claim = granted(author, state=ClaimState.PENDING)
    client = signed_in(member(name, *(["moderator"] if name == "staff" else [])))
    path = f"/claims/{claim.pk}/"
    assert client.get(path).status_code == 404
    for action in ("check", "drop"):
        assert client.post(path, {"action": action}).status_code == 404
    claim.refresh_from_db()
    assert (claim.state, rung) == ("pending", [])
    assert client.get("/claims/01a0352b-0000-7000-8000-000000000001/").status_code == 404
    assert "Acme" not in shown(client.get("/claims/"))


def test_a_stranger_is_led_to_sign_in(run: Any, client: Client, author: Any) -> None:
    claim = granted(author)
    for path in ("/claims/", f"/claims/{claim.pk}/"):
        assert client.get(path)["Location"].startswith("/accounts/login/?next=%2Fclaims%2F")
    assert client.post(f"/claims/{claim.pk}/", {"action": "drop"}).status_code == 302
    claim.refresh_from_db()
    assert claim.state == "granted"


def test_who_has_no_public_name_or_no_confirmed_address_is_led_there_first(run: Any) -> None:
    for user in (member("unnamed", handle=None), member("unsure", is_verified=False)):
        client = signed_in(user)
        try:
            assert client.post(PROJECT, {"method": "token"}).status_code == 302
        except Exception as error:  # the page of the public name may not be there yet
            assert "'me'" in str(error)  # noqa: PT017
        assert not Claim.objects.exists()


def test_a_refused_press_says_why_and_keeps_the_text(author: Any) -> None:
    client = signed_in(author)
    page = client.post(PROJECT, {"method": "github"})
    assert page.status_code == 400
    assert lacks(page, "Not claimed.", "the repository's owner is Acme") == []
    page = client.post(PROJECT, {"method": "staff", "message": "x" * 2001})
    assert lacks(page, "2,001 characters", "x" * 2001) == []
    assert 'aria-invalid="true"' in page.content.decode()
    assert not Claim.objects.exists()


def test_ones_own_claims_are_listed(author: Any) -> None:
    client = signed_in(author)
    assert lacks(client.get("/claims/"), "You have claimed nothing yet") == []
    granted(author)
    granted(author, source=upstream(), basis="", method="staff", state=ClaimState.REFUSED)
    page = client.get("/claims/")
    assert lacks(page, "Acme Kernels", "granted", "An upstream", "refused") == []
    few = queries_of(client, "/claims/")
    for _ in range(20):
        granted(author, state=ClaimState.DROPPED)
    assert queries_of(client, "/claims/") == few


def test_a_claim_that_is_not_in_force_says_why(author: Any) -> None:
    claim = granted(author)
    moved_to("https://github.com/else/kernels")
    client = signed_in(author)
    assert lacks(client.get(f"/claims/{claim.pk}/"), "Not in force.", "Claim it anew") == []
    assert lacks(client.get("/claims/"), "granted, not in force") == []
    assert "Claimed by" not in shown(client.get("/projects/acme/"))


def test_a_claim_is_given_up_by_its_claimant(author: Any) -> None:
    claim = granted(author)
    client = signed_in(author)
    assert client.post(f"/claims/{claim.pk}/", {"action": "drop"}).status_code == 302
    assert lacks(client.get(f"/claims/{claim.pk}/"), "given up by the claimant", "Claim it anew") == []
    again = client.post(f"/claims/{claim.pk}/", {"action": "drop"})
    assert (again.status_code, lacks(again, "This claim is over already.")) == (400, [])


def test_project_and_source_say_who_speaks_for_them_and_their_json_too(author: Any, client: Client) -> None:
    for path in ("/projects/acme/", "/sources/upstream/"):
        assert lacks(client.get(path), "Is this yours? Claim it") == []
        assert client.get(f"/api/v1{path}").json()["speakers"] == []
    granted(author)
    granted(author, source=upstream(), basis="bench.example.org")
    assert (
        lacks(
            client.get("/projects/acme/"),
            "Claimed by author since 2026-09-01 , checked by a token file in the repository.",
        )
        == []
    )
    assert lacks(client.get("/sources/upstream/"), "checked by a token file on bench.example.org.") == []
    assert client.get("/api/v1/projects/acme/").json()["speakers"] == [
        {"name": "author", "since": "2026-09-01T12:00:00Z", "checked_by": "a token file in the repository"}
    ]
    few = queries_of(client, "/projects/acme/")
    speakers(20)
    assert queries_of(client, "/projects/acme/") == few
    assert "author@example.org" not in client.get("/projects/acme/").content.decode()


def test_a_post_needs_its_csrf_token(author: Any) -> None:
    client = signed_in(author, client=Client(enforce_csrf_checks=True))
    claim = granted(author)
    for path in (PROJECT, SOURCE, f"/claims/{claim.pk}/"):
        assert client.post(path, {"method": "token", "action": "drop"}).status_code == 403
    claim.refresh_from_db()
    assert (Claim.objects.count(), claim.state) == (1, "granted")


@pytest.mark.parametrize("path", ["/projects/none/claim/", "/sources/none/claim/"])
def test_what_is_not_there_is_not_claimed(run: Any, client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_nothing_is_sent_by_other_methods(author: Any) -> None:
    client = signed_in(author)
    for path in (PROJECT, SOURCE, "/claims/"):
        assert client.put(path).status_code == 405
    assert client.post("/claims/").status_code == 405
    assert acme().claims.count() == 0
