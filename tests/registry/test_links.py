"""Links that pages show are found, asked, and told as dead after a week of failures."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from registry import artifacts, auditing, links
from registry.fetching import Network
from registry.models import Implementation, Link, Protocol, ProtocolNote, Run, Source
from registry.queries.links import DeadLink, dead_links
from tests.conftest import NOW
from tests.factories import (
    bundle_of,
    ingest_bundle,
    project_document,
    run_entry,
)
from tests.registry.upstreams import HOST, Reached, Upstream, answer

pytestmark = pytest.mark.django_db
HELLO = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
WEEK = timedelta(days=7)


def at(path: str) -> str:
    return f"https://{HOST}{path}"


def source(slug: str, homepage: str = "", terms_url: str = "") -> Source:
    return Source.objects.create(
        id=uuid4(), slug=slug, name=slug, kind="benchmark", homepage=homepage, terms_url=terms_url, created_at=NOW
    )


def held() -> dict[str, str]:
    return dict(Link.objects.values_list("url", "shown_on"))


def told(link: str) -> tuple[str, object, object]:
    row = Link.objects.get(url=link)
    return row.status, row.failing_since, row.checked_at


def note(subject: str, version: int, *urls: str | None) -> None:
    event = auditing.record("note", "protocol", subject, "known now", None, NOW)
    ProtocolNote.objects.create(
        id=uuid4(), at=NOW, subject=subject, version=version, reason="known now", audit=event,
        sentences=[{"topic": "timing", "text": "Events.", "url": url, "chip": None} for url in urls],
    )  # fmt: skip


def registry_with_links() -> None:
    """One run whose project, implementation and files all lie elsewhere; one file is held here too."""
    ingest_bundle(
        bundle_of(
            run_entry(
                evidence={
                    "logs": {"uri": at("/log"), "digest": HELLO},
                    "rawSamples": {"uri": at("/raw"), "digest": "sha256:" + "7" * 64},
                }
            ),
            projects=[project_document(repository=at("/repository"))],
        )
    )
    artifacts.store_bytes(b"hello", now=NOW)


def test_links_are_collected_from_the_pages_that_show_them(outside: Network) -> None:
    registry_with_links()
    run, row, protocol = Run.objects.get(), Implementation.objects.get(), Protocol.objects.get()
    source("one", at("/home"), at("/terms"))
    source("two", at("/home"), "http://plain.example.org/")  # can't be asked
    note(protocol.digest, 1, at("/old"))
    note(protocol.digest, 2, at("/evidence#L3"), None)
    note("family:acme", 1, at("/family"))
    assert links.check(now=NOW, limit=0, network=outside) == links.Checked(shown=7, gone=0, asked=0, failing=())
    assert held() == {
        at("/home"): "/sources/one/",
        at("/terms"): "/sources/one/",
        at("/evidence#L3"): f"/protocols/{protocol.digest}/",
        at("/family"): "family:acme",
        at("/repository"): "/projects/acme/",
        "https://example.org/acme": f"/implementations/{row.id}/",
        at("/raw"): f"/runs/{run.digest}/",
    }


def test_a_link_goes_with_the_last_page_that_shows_it(outside: Network) -> None:
    one, two = source("one", at("/a"), at("/b")), source("two", at("/a"))
    links.check(now=NOW, limit=0, network=outside)
    one.delete()
    assert links.check(now=NOW, limit=0, network=outside).gone == 1
    assert held() == {at("/a"): "/sources/two/"}
    two.delete()
    links.check(now=NOW, limit=0, network=outside)
    assert held() == {}


def test_what_answers_is_told_by_its_status_and_what_does_not_since_when(upstream: Upstream, outside: Network) -> None:
    source("one", at("/a"), at("/b"))
    upstream.scripts |= {"/a": OK, "/b": answer(b"", "404 Not Found")}
    assert links.check(now=NOW, network=outside) == links.Checked(2, 0, 2, (at("/b"),))
    assert told(at("/a")) == ("200", None, NOW)
    assert told(at("/b")) == ("404", NOW, NOW)


def test_the_first_failure_is_kept_until_it_answers_again(upstream: Upstream, outside: Network) -> None:
    source("one", at("/a"))
    for state, status in (("404 Not Found", "404"), ("500 Oops", "500"), ("410 Gone", "410")):
        upstream.scripts["/a"] = answer(b"", state)
        links.check(now=NOW + timedelta(days=int(status[0])), network=outside)
        assert told(at("/a"))[:2] == (status, NOW + timedelta(days=4))
    upstream.scripts["/a"] = answer(b"", "403 Forbidden")  # refused to machines; a reader may get through
    links.check(now=NOW + WEEK, network=outside)
    assert told(at("/a")) == ("403", None, NOW + WEEK)


def test_why_there_was_no_answer_is_told(outside: Network) -> None:
    reasons = {
        "https://127.0.0.1/": "no-host-name",
        "https://localhost/": "no-host-name",
        "https://user@example.org/": "user-in-url",
        "https://private.example.org/": "not-public",
    }
    for number, url in enumerate(reasons):
        source(f"s{number}", url)
    private = replace(outside, resolve=lambda host: ["10.0.0.1"])
    links.check(now=NOW, network=private)
    assert dict(Link.objects.values_list("url", "status")) == reasons


def test_the_longest_unchecked_come_first(upstream: Upstream, outside: Network) -> None:
    source("one", at("/a"), at("/b"))
    upstream.scripts |= dict.fromkeys(("/a", "/b", "/c"), OK)
    links.check(now=NOW, limit=1, network=outside)
    links.check(now=NOW + WEEK, limit=1, network=outside)
    source("two", at("/c"))
    links.check(now=NOW + 2 * WEEK, limit=2, network=outside)
    assert [asked.target for asked in upstream.asked] == ["/a", "/b", "/c", "/a"]


def test_hosts_are_asked_a_second_apart_and_a_run_ends(upstream: Upstream, outside: Network, reached: Reached) -> None:
    source("one", at("/a"), at("/b"))
    upstream.scripts |= {"/a": OK, "/b": OK}
    still = replace(outside, seconds=lambda: reached.time)
    links.check(now=NOW, network=still)
    assert reached.slept == [1]
    ticks = iter([0.0, 0.0])
    late = replace(outside, seconds=lambda: next(ticks, links.LONGEST_RUN + 1.0))
    assert links.check(now=NOW, network=late).asked == 1


def test_dead_links_are_those_that_failed_for_a_week(
    upstream: Upstream, outside: Network, django_assert_num_queries: Any
) -> None:
    source("one", at("/a"), at("/b"))
    upstream.scripts |= {"/a": answer(b"", "404 Not Found"), "/b": OK}
    links.check(now=NOW, network=outside)
    assert dead_links() == ()
    links.check(now=NOW + WEEK, network=outside)
    with django_assert_num_queries(1):
        assert dead_links() == (DeadLink(at("/a"), "/sources/one/", "404", NOW, NOW + WEEK),)
