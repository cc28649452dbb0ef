"""Atom feeds: valid, stable, cheap to ask for again, and safe whatever a stranger wrote."""

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from typing import Any

import feedparser
import pytest
from django.test import Client

from attestations.models import Thing
from attestations.queries import feeds
from registry import corrections
from registry.auditing import new_id
from registry.models import Hardware, Mark, Run, Source
from tests.attestations.test_follows import THINGS
from tests.attestations.views.test_follows import PAGES
from tests.conftest import NOW
from tests.registry.pages import LIGER, LIGER_KEY, OPERATION, STAFF, queries_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
HOUR = timedelta(hours=1)
ATOM = "{http://www.w3.org/2005/Atom}"
SITE = "http://localhost:8000"


def address(thing: str, target: str | None = None) -> str:
    return f"/feeds/{thing}/{target or THINGS[Thing(thing)]}.atom"


def feed(client: Client, thing: str = Thing.OPERATION, target: str | None = None) -> Any:
    response = client.get(address(thing, target))
    assert response.status_code == 200
    read = feedparser.parse(response.content)
    assert not read.bozo
    return read


def parsed(text: bytes | str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  our own


def flag(reason: str = "Wrong clock.", at: datetime = NOW + HOUR) -> None:
    corrections.flag([Run.objects.get(digest=LIGER)], rule="IMPLAUSIBLE", reason=reason, actor=STAFF, now=at)


@pytest.mark.parametrize("thing", PAGES)
def test_each_thing_has_a_feed_that_its_page_names(client: Client, thing: str) -> None:
    head = client.get(PAGES[thing]).content.decode().partition("</head>")[0]
    [named] = re.findall(r'<link rel="alternate" type="application/atom\+xml" title="[^"]+" href="([^"]+)">', head)
    assert named == address(thing)
    response = client.get(named)
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    read = feedparser.parse(response.content)
    assert (read.bozo, read.version) == (False, "atom10")
    assert read.feed.id == f"{SITE}{named}"
    assert {link.rel: link.href for link in read.feed.links} == {
        "alternate": f"{SITE}{PAGES[thing]}",
        "self": f"{SITE}{named}",
    }
    assert read.feed.author == "KernelIndex"


@pytest.mark.parametrize("thing", PAGES)
def test_a_feed_is_what_rfc_4287_asks_for(client: Client, thing: str) -> None:
    flag()
    root = parsed(client.get(address(thing)).content)
    assert root.tag == f"{ATOM}feed"
    for element in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
        assert datetime.fromisoformat(element.findtext(f"{ATOM}updated") or "").tzinfo
        assert [link.get("rel") for link in element.findall(f"{ATOM}link")].count("alternate") == 1
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    ids = [entry.findtext(f"{ATOM}id") for entry in root.findall(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))


def test_an_entry_is_an_act(client: Client) -> None:
    flag("Below the bound.")
    flagged, imported = feed(client).entries
    assert flagged.title == "1 run flagged IMPLAUSIBLE by KernelIndex staff"
    assert flagged.link == f"{SITE}/runs/{LIGER}/"
    assert "<p>Below the bound.</p>" in flagged.summary
    assert f'href="{SITE}/runs/{LIGER}/"' in flagged.summary
    assert imported.title == "48 new runs of Liger-Kernel benchmarks, imported 2026-09-01; 4 took the lead"
    assert imported.id == f"tag:localhost,2026:/operations/{OPERATION}/runs:liger-kernel-bench:2026-09-01"
    assert imported.link == f"{SITE}/operations/{OPERATION}/"


def test_ids_and_instants_are_of_the_rows(client: Client) -> None:
    flag()
    first, second = feed(client), feed(Client())
    assert [(one.id, one.updated) for one in first.entries] == [(one.id, one.updated) for one in second.entries]
    assert first.feed.updated == first.entries[0].updated == "2026-09-01T13:00:00+00:00"


def test_addresses_are_the_site_s_whatever_host_was_asked(client: Client, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    body = client.get(address(Thing.RUN), headers={"host": "evil.example", "x-forwarded-host": "evil.example"})
    assert b"evil" not in body.content


def test_a_feed_that_did_not_change_is_not_sent_again(client: Client) -> None:
    first = client.get(address(Thing.GROUP))
    assert first["Last-Modified"] == "Tue, 01 Sep 2026 12:00:00 GMT"
    for header, value in (("if-none-match", first["ETag"]), ("if-modified-since", first["Last-Modified"])):
        again = client.get(address(Thing.GROUP), headers={header: value})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    flag()
    changed = client.get(address(Thing.GROUP), headers={"if-none-match": first["ETag"]})
    assert (changed.status_code, changed["Last-Modified"]) == (200, "Tue, 01 Sep 2026 13:00:00 GMT")


def test_a_feed_is_anybody_s_to_keep(client: Client) -> None:
    response = client.get(address(Thing.GROUP))
    assert response["Cache-Control"] == "public, max-age=300"
    assert "Cookie" not in response.get("Vary", "")
    assert not response.cookies


@pytest.mark.parametrize(
    "path",
    [
        "/feeds/run/sha256:0.atom",
        f"/feeds/run/{LIGER_KEY}.atom",
        "/feeds/user/ada.atom",
        "/feeds/source/nothing.atom",
        "/feeds/source/%00.atom",
    ],
)
def test_what_is_not_there_has_no_feed(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_feed_is_only_read(client: Client) -> None:
    assert client.post(address(Thing.RUN)).status_code == 405
    assert client.head(address(Thing.RUN)).status_code == 200


def test_a_thing_of_which_nothing_is_told_has_an_empty_feed(client: Client) -> None:
    Source.objects.create(id=new_id(NOW), slug="silent", name="Silent", kind="benchmark", created_at=NOW)
    read = feed(client, Thing.SOURCE, "silent")
    assert (read.entries, read.feed.updated) == ([], "1970-01-01T00:00:00+00:00")


def test_a_feed_reaches_back_from_its_newest_entry(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "REACH", timedelta(days=1))
    flag(at=NOW + timedelta(days=2))
    assert [entry.title for entry in feed(client).entries] == ["1 run flagged IMPLAUSIBLE by KernelIndex staff"]


HOSTILE = [
    "<script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<!--",
    "<![CDATA[",
    "javascript:alert(1)",
    "a\x0bb\x0c\x1b[31m",
    "right \u202e to left",
    "not a character \ufffe\uffff",
    "x\r\n<entry><title>second</title></entry>",
    "&amp;amp; &#0; &#x1F; &nbsp;",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", ["reason", "by", "hardware", "source"])
def test_what_a_stranger_wrote_is_text(client: Client, text: str, field: str) -> None:
    columns = {field: text} if field in ("reason", "by") else {}
    Mark.objects.create(
        id=new_id(NOW + HOUR), run=Run.objects.get(digest=LIGER), kind="withdrawn", at=NOW + HOUR,
        **({"reason": "x", "by": "y"} | columns),
    )  # fmt: skip
    if field == "source":
        Source.objects.filter(slug="liger-kernel-bench").update(name=text)
    thing = {"source": Thing.SOURCE, "hardware": Thing.HARDWARE}.get(field, Thing.OPERATION)
    target = {"source": "liger-kernel-bench", "hardware": Hardware.objects.order_by("slug")[0].slug}.get(field)
    body = client.get(address(thing, target)).content
    root = parsed(body)
    assert {element.tag for element in root.iter()} <= {
        f"{ATOM}{name}"
        for name in ("feed", "title", "subtitle", "link", "id", "updated", "published", "author", "name", "entry",
                     "summary", "category")
    }  # fmt: skip
    for summary in root.iter(f"{ATOM}summary"):
        marked = parsed(f"<div>{(summary.text or '')}</div>")  # what the reader's program will draw
        assert {element.tag for element in marked.iter()} <= {"div", "p", "a", "ul", "li"}
        assert {name for element in marked.iter() for name in element.attrib} <= {"href"}
        assert all((a.get("href") or "").startswith(f"{SITE}/") for a in marked.iter("a"))


@pytest.mark.parametrize("thing", [Thing.GROUP, Thing.RUN])
def test_more_entries_take_no_more_queries(client: Client, thing: str) -> None:
    flag()
    one = queries_of(client, address(thing))
    for number in range(20):
        Mark.objects.create(
            id=new_id(NOW), run=Run.objects.get(digest=LIGER), kind="flagged", rule="IMPLAUSIBLE", reason="x", by="y",
            at=NOW + (number + 2) * HOUR,
        )  # fmt: skip
    assert queries_of(client, address(thing)) == one


def test_no_entry_is_of_the_time_of_asking(client: Client) -> None:
    assert feed(client).feed.updated == NOW.astimezone(UTC).isoformat()
