"""The page of what one follows, the toggle, the way out of mail."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from attestations import follows
from attestations.models import Follow, Thing
from attestations.models.profiles import Digest
from attestations.profiles import profile_of
from attestations.queries.news import SETTLE
from registry import corrections
from registry.models import ComparisonGroup, Run
from tests.attestations.test_follows import THINGS
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import LIGER, LIGER_KEY, OPERATION, STAFF, lacks, queries_of, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
HOUR = timedelta(hours=1)
PAGES = {
    Thing.GROUP: f"/groups/{LIGER_KEY}/",
    Thing.OPERATION: f"/operations/{OPERATION}/",
    Thing.PROJECT: "/projects/pytorch/",
    Thing.HARDWARE: "/hardware/nvidia-h100-80gb-hbm3/",
    Thing.SOURCE: "/sources/sol-execbench/",
    Thing.RUN: f"/runs/{LIGER}/",
}


@pytest.fixture
def ada() -> Any:
    return member("ada")


@pytest.fixture
def client(ada: Any) -> Client:
    return signed_in(ada)


def button(response: Any) -> tuple[str, str, str]:
    """Wanted state, pressed, and text of the toggle."""
    [found] = re.findall(
        r'<button class="toggle" type="submit" name="wanted" value="(\w+)" aria-pressed="(\w+)">(.*?)</button>',
        response.content.decode(),
    )
    return found[0], found[1], re.sub(r"<[^>]+>", "", found[2]).strip()


def flag(*runs: Run, reason: str = "Wrong clock.", at: Any = None) -> None:
    flagged = runs or [Run.objects.get(digest=LIGER)]
    corrections.flag(flagged, rule="IMPLAUSIBLE", reason=reason, actor=STAFF, now=at or timezone.now())


def follow(user: Any, thing: str = Thing.GROUP, target: str = LIGER_KEY, at: Any = NOW) -> None:
    follows.follow(user, thing=thing, target=target, now=at)


@pytest.mark.parametrize("thing", PAGES)
def test_a_page_has_a_toggle_that_sends_the_wanted_state(client: Client, thing: str) -> None:
    assert button(client.get(PAGES[thing])) == ("yes", "false", "Follow")
    sent = {"thing": thing, "target": THINGS[Thing(thing)], "next": PAGES[thing], "wanted": "yes"}
    for _ in range(2):
        response = client.post("/follows/toggle/", sent)
        assert (response.status_code, response["Location"]) == (302, PAGES[thing])
        assert button(client.get(PAGES[thing])) == ("no", "true", "Following")
    for _ in range(2):
        client.post("/follows/toggle/", sent | {"wanted": "no"})
        assert button(client.get(PAGES[thing])) == ("yes", "false", "Follow")


@pytest.mark.parametrize("thing", PAGES)
def test_the_toggle_sends_what_the_page_is_about(client: Client, thing: str) -> None:
    body = client.get(PAGES[thing]).content.decode()
    form = re.search(r'<form class="follow".*?</form>', body, re.S)
    assert form
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[0]))
    del fields["csrfmiddlewaretoken"]
    assert fields == {"thing": thing, "target": THINGS[Thing(thing)], "next": PAGES[thing]}


@pytest.mark.parametrize("thing", PAGES)
def test_signed_out_the_page_leads_to_sign_in_and_back_and_nothing_is_followed(thing: str) -> None:
    client = Client()
    body = client.get(PAGES[thing]).content.decode()
    [way] = re.findall(r'<a class="follow" href="([^"]*)">Sign in to follow</a>', body)
    assert way.startswith("/accounts/login/?next=/")
    assert client.get(way).status_code == 200
    assert not Follow.objects.exists()


def test_a_press_after_the_session_ended_leads_to_sign_in_and_back(ada: Any) -> None:
    response = Client().post("/follows/toggle/", {"thing": "run", "target": LIGER, "wanted": "yes", "next": "/runs/"})
    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=%2Fruns%2F")
    assert not Follow.objects.exists()


@pytest.mark.parametrize("next_page", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:x"])
def test_a_press_never_leads_off_the_site(client: Client, next_page: str) -> None:
    response = client.post("/follows/toggle/", {"thing": "run", "target": LIGER, "wanted": "yes", "next": next_page})
    assert response["Location"] == "/follows/"


def test_what_is_not_there_is_told_and_not_followed(client: Client) -> None:
    response = client.post("/follows/toggle/", {"thing": "run", "target": "sha256:0", "wanted": "yes"}, follow=True)
    assert response.status_code == 200
    assert not Follow.objects.exists()


@pytest.mark.parametrize("path", ["/follows/toggle/", "/follows/read/"])
def test_an_act_is_a_post_with_a_token(ada: Any, path: str) -> None:
    strict = signed_in(ada, client=Client(enforce_csrf_checks=True))
    assert strict.post(path, {"thing": "run", "target": LIGER, "wanted": "yes"}).status_code == 403
    assert strict.get(path).status_code == 405
    assert not Follow.objects.exists()


def test_the_page_is_for_its_reader_alone(ada: Any, client: Client) -> None:
    follow(member("bea"), Thing.RUN, LIGER)
    assert "You follow nothing yet." in shown(client.get("/follows/"))
    response = Client().get("/follows/")
    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=%2Ffollows%2F")


def test_it_is_kept_by_nobody(client: Client) -> None:
    control = client.get("/follows/")["Cache-Control"]
    assert {"private", "no-store"} <= {part.strip() for part in control.split(",")}


def test_nothing_followed_says_how_to(client: Client) -> None:
    response = client.get("/follows/")
    assert lacks(response, "Nothing yet.", "Press “Follow” on the page of a run") == []
    assert "Mark all as read" not in shown(response)


def test_nothing_new_says_so(ada: Any, client: Client) -> None:
    follow(ada)
    assert lacks(client.get("/follows/"), "1 thing.", "Nothing new.", "Comparison group") == []
    follows.mark_read(ada, until=NOW + HOUR, now=NOW + HOUR)
    assert lacks(client.get("/follows/"), "Nothing new since 2026-09-01 13:00 UTC") == []


def test_what_is_new_stands_under_its_thing(ada: Any, client: Client) -> None:
    follow(ada, at=NOW - HOUR)
    follow(ada, Thing.OPERATION, OPERATION, at=NOW - HOUR)
    flag(reason="Below <b>the bound</b>.")
    response = client.get("/follows/")
    assert lacks(
        response,
        "1 run flagged IMPLAUSIBLE by KernelIndex staff.",
        "Below <b>the bound</b>.",
        "48 new runs of Liger-Kernel benchmarks, imported 2026-09-01; 4 took the lead.",
        "2 new runs of Liger-Kernel benchmarks, imported 2026-09-01",
    ) == []  # fmt: skip
    assert "<b>the bound" not in response.content.decode()


def test_reading_it_changes_nothing(ada: Any, client: Client) -> None:
    follow(ada)
    flag()
    before = shown(client.get("/follows/"))
    assert shown(client.get("/follows/")) == before
    assert profile_of(ada).read_at is None


def until_of(response: Any) -> str:
    [until] = re.findall(r'name="until" value="([^"]*)"', response.content.decode())
    return str(until)


def test_marked_read_is_what_was_shown_and_not_what_came_in_between(ada: Any, client: Client) -> None:
    follow(ada)
    at = timezone.now()
    flag(at=at - HOUR)
    page = client.get("/follows/")
    corrections.withdraw([Run.objects.get(digest=LIGER)], reason="Wrong run.", actor=STAFF, now=timezone.now())
    assert client.post("/follows/read/", {"until": until_of(page)})["Location"] == "/follows/"
    after = client.get("/follows/")
    assert lacks(after, "1 run withdrawn by KernelIndex staff") == []
    assert "flagged IMPLAUSIBLE" not in shown(after)


def test_what_was_still_being_written_when_the_page_was_made_stays_new(ada: Any, client: Client) -> None:
    follow(ada)
    flag(at=timezone.now() - HOUR)
    page = client.get("/follows/")
    corrections.withdraw(  # begun before the page, committed after it
        [Run.objects.get(digest=LIGER)], reason="Wrong run.", actor=STAFF, now=timezone.now() - SETTLE / 2
    )
    client.post("/follows/read/", {"until": until_of(page)})
    assert lacks(client.get("/follows/"), "1 run withdrawn by KernelIndex staff") == []


@pytest.mark.parametrize(
    "until", ["", "yesterday", "2026-13-45T00:00:00Z", "2026-09-01T00:00:00", "2999-01-01T00:00:00Z"]
)
def test_an_instant_that_is_none_marks_nothing(ada: Any, client: Client, until: str) -> None:
    assert client.post("/follows/read/", {"until": until}).status_code == 302
    assert profile_of(ada).read_at is None


def test_a_long_list_of_news_is_cut_and_says_so(ada: Any, client: Client) -> None:
    follow(ada, Thing.OPERATION, OPERATION)
    for number, run in enumerate(Run.objects.filter(operation__slug=OPERATION).order_by("digest")[:13]):
        flag(run, at=NOW + (number + 1) * HOUR)
    response = client.get("/follows/")
    assert shown(response).count("1 run flagged IMPLAUSIBLE") == 10
    assert lacks(response, "3 earlier, on its page") == []


def test_more_follows_and_more_news_take_no_more_queries(ada: Any, client: Client) -> None:
    follow(ada)
    follow(ada, Thing.RUN, LIGER)
    flag()
    one = queries_of(client, "/follows/")
    for key in ComparisonGroup.objects.exclude(key=LIGER_KEY).values_list("key", flat=True)[:20]:
        follow(ada, Thing.GROUP, key, at=NOW - HOUR)
    for run in Run.objects.exclude(digest=LIGER).order_by("digest")[:20]:
        follow(ada, Thing.RUN, run.digest, at=NOW - HOUR)
        flag(run)
    assert queries_of(client, "/follows/") == one


@pytest.mark.parametrize("thing", PAGES)
def test_the_toggle_costs_a_reader_one_query_and_others_none(ada: Any, client: Client, thing: str) -> None:
    def asked(client: Client) -> list[str]:
        client.get(PAGES[thing])
        with CaptureQueriesContext(connection) as captured:
            client.get(PAGES[thing])
        return [query["sql"] for query in captured if "attestations_follow" in query["sql"]]

    assert (len(asked(client)), len(asked(Client()))) == (1, 0)


# The way out of mail.


def way_out(user: Any, kind: str = "digest") -> str:
    return f"/mail/{profile_of(user).mail_key}/off/?kind={kind}"


def choice(user: Any) -> tuple[str, bool]:
    profile = profile_of(user)
    return profile.digest, profile.has_urgent_mail


def test_opening_the_link_changes_nothing(ada: Any) -> None:
    for method in ("get", "head"):
        assert getattr(Client(), method)(way_out(ada)).status_code == 200
    assert choice(ada) == (Digest.WEEKLY, True)
    assert lacks(Client().get(way_out(ada)), "Stop the weekly digest", "Stop all mail about what you follow") == []


def test_a_mail_program_ends_it_with_one_post_and_no_page_before(ada: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    response = strict.post(way_out(ada), {"List-Unsubscribe": "One-Click"})
    assert (response.status_code, response.content) == (200, b"Done.\n")
    assert choice(ada) == (Digest.OFF, True)
    assert strict.post(way_out(ada), {"List-Unsubscribe": "One-Click"}).status_code == 200


def test_a_person_presses_a_button(ada: Any) -> None:
    client = Client()
    response = client.post(way_out(ada, "urgent"), {"kind": "urgent"}, follow=True)
    assert lacks(response, "Stopped. You get no more of mail at once about runs that you follow or speak for.") == []
    assert choice(ada) == (Digest.WEEKLY, False)
    client.post(way_out(ada, "urgent"), {"kind": "all"})
    assert choice(ada) == (Digest.OFF, False)


def test_another_s_key_tells_nothing_of_anybody(ada: Any) -> None:
    assert "ada" not in Client().get(way_out(ada)).content.decode()
    for method in ("get", "post"):
        assert getattr(Client(), method)(f"/mail/{uuid.uuid4()}/off/").status_code == 404
        assert getattr(Client(), method)(f"/mail/{profile_of(ada).mail_key}/off/?kind=account").status_code == 404
    assert choice(ada) == (Digest.WEEKLY, True)


def test_the_key_is_no_other_id_of_the_account(ada: Any) -> None:
    assert Client().get(f"/mail/{profile_of(ada).actor}/off/").status_code == 404
