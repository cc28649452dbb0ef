"""The public page of a name: what it attested, and nothing of whose account it is."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client

from attestations.core.handles import check_handle
from attestations.profiles import actor_of
from tests.attestations.stating import attested
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import lacks, publish, publish_group, queries_of, shown, timed

pytestmark = pytest.mark.django_db
PATH = "/people/reader/"


def test_a_name_s_page_lists_what_it_attested_newest_first(client: Client) -> None:
    reader = member("reader")
    first, second = publish(timed(1000), timed(1100))
    attested(reader, first, verdict="slower")
    attested(reader, second, kind="environment_note", verdict=None, at=NOW + timedelta(days=1))
    attested(member("other"), first)
    page = client.get(PATH)
    assert lacks(page, "2 attestations", "Reproduced", "slower", "Environment note", "nothing measured") == []
    assert [said.verdict for said in page.context["page"].attested] == [None, "slower"]


def test_the_page_names_no_account(client: Client) -> None:
    reader = member("reader")
    attested(reader, publish(timed(1000))[0])
    for path in (PATH, f"/api/v1{PATH}"):
        body = client.get(path).content.decode()
        assert reader.email not in body
        assert str(actor_of(reader)) not in body


def test_what_was_hidden_is_left_out_and_what_was_withdrawn_says_so(client: Client) -> None:
    reader = member("reader")
    first, second = publish(timed(1000), timed(1100))
    attested(reader, first, hidden_at=NOW)
    attested(reader, second, verdict="slower", withdrawn_at=NOW)
    page = client.get(PATH)
    assert lacks(page, "1 attestation.", "withdrawn by its author") == []
    assert "slower" not in shown(page)


def test_a_deactivated_account_keeps_its_page_which_says_so(client: Client) -> None:
    attested(member("reader", is_active=False), publish(timed(1000))[0])
    assert lacks(client.get(PATH), "1 attestation.", "This account was deactivated") == []


@pytest.mark.parametrize(
    "handle", ["nobody", "re-ader", "readers", "reader@example.org", "%20", "none", "%00", "reader%00", "a" * 999]
)
def test_a_name_that_nobody_has_is_not_found(client: Client, handle: str) -> None:
    member("reader")
    member("nameless", handle=None)
    assert client.get(f"/people/{handle}/").status_code == 404
    assert client.get(f"/api/v1/people/{handle}/").status_code == 404


@pytest.mark.parametrize(
    ("handle", "asked"),
    [
        ("reader", ["READER", "Reader"]),
        ("Jos\u00e9", ["jos\u00e9", "JOS\u00c9", "Jose\u0301"]),
        ("\u0412\u0435\u0440\u0430", ["\u0432\u0435\u0440\u0430", "\u0412\u0415\u0420\u0410"]),
        ("\u7b97\u5b50\u5de5\u574a", []),
        ("\u0633\u0627\u0631\u0629", []),
        ("\ud55c\uae00", ["\u1112\u1161\u11ab\u1100\u1173\u11af"]),
        ("a.b", ["A.B"]),
    ],
)
def test_a_name_of_any_script_has_its_page_and_other_spellings_lead_there(
    client: Client, handle: str, asked: list[str]
) -> None:
    assert check_handle(handle).text == handle
    member("reader", handle=handle)
    path = f"/people/{quote(handle)}/"
    assert lacks(client.get(path), handle, "No attestations yet") == []
    assert client.get(f"/api/v1{path}").json()["url"] == path
    answers = [client.get(f"/people/{quote(other)}/") for other in asked]
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, path)] * len(asked)


@pytest.mark.parametrize("lookalike", ["reader", "rea-der", "READER"])
def test_a_name_that_only_looks_like_another_leads_nowhere(client: Client, lookalike: str) -> None:
    member("reader", handle="\u0433\u0435\u0430\u0501\u0435\u0433")
    assert client.get(f"/people/{lookalike}/").status_code == 404


def test_the_page_goes_with_the_account(client: Client) -> None:
    reader = member("reader")
    attested(reader, publish(timed(1000))[0])
    assert client.get(PATH).status_code == 200
    reader.delete()
    assert client.get(PATH).status_code == 404


def test_the_page_takes_as_many_queries_for_1_attestation_as_for_20(client: Client) -> None:
    reader = member("reader")
    runs = publish_group(21)
    attested(reader, runs[0])
    few = queries_of(client, PATH)
    for run in runs[1:]:
        attested(reader, run)
    assert queries_of(client, PATH) == few


def test_a_long_list_goes_on_by_a_cursor_that_is_of_this_name_alone(client: Client) -> None:
    reader, other = member("reader"), member("other")
    for number, run in enumerate(publish_group(102)):
        attested(reader, run, at=NOW + timedelta(minutes=number))
        attested(other, run, at=NOW + timedelta(minutes=number))
    cursor = client.get(PATH).context["page"].page.next
    rest = client.get(PATH, {"cursor": cursor}).context["page"]
    assert (len(rest.attested), rest.page.next, rest.page.total) == (2, None, 102)
    assert client.get("/people/other/", {"cursor": cursor}).status_code == 400
    assert client.get(PATH, {"cursor": "nonsense"}).status_code == 400
