"""A page and its JSON say the same, because both are written from one object."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import NoReverseMatch, get_resolver, reverse
from rest_framework.renderers import JSONRenderer

from registry.api.base import serializer_of
from registry.queries.lists import ListPage
from registry.queries.shapes import Page
from tests.registry.pages import ALONE, TWINNED, publish_divided, publish_group, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
WITHOUT_TWIN = {
    "docs": "prose and tables of the code's own rules",
    "me": "private",
    "me-delete": "private",
    "report": "a form",
    "report-answer": "a form",
    "disputes": "prose",
    "artifact": "bytes",
    "source-rows": "a file of the rows that the twin of the sync holds",
    "sync-rows": "a file of the rows that the twin of the sync holds",
    "run-canonical": "bytes",
    "follow-list": "one reader's own, behind a sign-in that the API has not",
    "follow-toggle": "an act, by POST only",
    "follows-read": "an act, by POST only",
    "feed": "a twin itself: Atom, of a thing's news",
    "unsubscribe": "an act, from a mail's own link",
    "run-citation": "a file",
    "run-prefix": "leads to the whole digest",
    "group-prefix": "leads to the whole digest",
    "implementation-slug": "leads to the id; the list by slug is /api/v1/implementations/",
    "workloads-prefix": "leads to the whole digest",
    "protocols-prefix": "leads to the whole digest",
    "environments-prefix": "leads to the whole digest",
    **dict.fromkeys(
        ("project-claim", "source-claim", "claim-list", "claim-detail", "author-note", "withdrawal-request"),
        "a form, or for one's own eyes; who speaks is in the twins of projects, sources and runs",
    ),
    **dict.fromkeys(("attest", "attestation-edit", "attestation-withdraw"), "a form"),
    "attestation-samples": "a file of the samples that the verdict in the twin is of",
    **{f"{kind}-canonical": "bytes" for kind in (
        "operations", "workloads", "protocols", "environments", "implementations", "projects",
    )},
}  # fmt: skip


def twin_path(name: str) -> str:
    return "/api/v1/home/" if name == "home" else f"/api/v1{TWINNED[name]()}"


def written(value: Any) -> Any:
    """A page's object as the API writes it."""
    return json.loads(JSONRenderer().render(serializer_of(type(value))(value).data))


def listed(rows: Any, page: Page) -> dict[str, Any]:
    return {"results": [written(row) for row in rows], "next": page.next, "total": page.total}


def expected(context: Any) -> Any:
    """What the twin of a page must answer, from the object that the page was made of."""
    if "lines" in context:
        return listed(context["lines"], Page(None, len(context["lines"])))
    if "list" in context:
        shown_list = context["list"]
        rows = shown_list.lines if isinstance(shown_list, ListPage) else shown_list.rows
        return listed(rows, shown_list.page)
    return written(context["page"])


def numbers(text: str) -> set[str]:
    """The figures with a unit that a reader sees."""
    return set(re.findall(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s?(?:ns|µs|ms|s)(?!\w)", text))


@pytest.mark.parametrize("name", TWINNED)
def test_the_json_is_the_pages_own_object(client: Client, name: str) -> None:
    page = client.get(TWINNED[name]())
    assert client.get(twin_path(name)).json() == expected(page.context)


@pytest.mark.parametrize("name", TWINNED)
def test_the_page_names_its_json(client: Client, name: str) -> None:
    body = client.get(TWINNED[name]()).content.decode()
    [address] = re.findall(r'<link rel="alternate" type="application/json" href="([^"]+)">', body)
    assert client.get(address.replace("&amp;", "&")).json() == client.get(twin_path(name)).json()


@pytest.mark.parametrize("name", TWINNED)
def test_every_figure_rank_and_count_on_the_page_is_in_its_json(client: Client, name: str) -> None:
    text = shown(client.get(TWINNED[name]()))
    answer = json.dumps(client.get(twin_path(name)).json(), ensure_ascii=False)
    assert [figure for figure in numbers(text) if figure not in answer] == []
    for rank in re.findall(r"\brank (\d+)", text, re.I):
        assert f'"rank": {rank}' in answer or f"Rank {rank}" in answer
    for count in re.findall(r"\b([\d,]+) runs?\b", text):
        assert re.search(rf"(?<![\d.]){count.replace(',', '')}(?![\d.])", answer.replace(",", "")), count


def test_a_later_page_of_a_list_has_the_same_cursor_in_both(client: Client) -> None:
    publish_group(103)
    page = client.get("/runs/")
    cursor = client.get("/api/v1/runs/").json()["next"]
    assert page.context["list"].page.next == cursor
    assert client.get("/api/v1/runs/", {"cursor": cursor}).json() == expected(
        client.get("/runs/", {"cursor": cursor}).context
    )


def test_a_divided_group_a_history_and_a_companion_are_the_same_in_both(client: Client) -> None:
    run, other, *_ = publish_divided()
    for path in (
        f"/groups/{run.group.key}/",
        f"/groups/{run.group.key}/why-not/{run.group.key}/",
        f"/runs/{run.digest}/",
    ):
        page = client.get(path)
        assert client.get(f"/api/v1{path}").json() == expected(page.context), path
    answer = client.get(f"/api/v1/groups/{other.group.key}/").json()
    assert [part["name"] for part in answer["variants"]] == ["sequence", "token"]
    assert len(client.get(f"/api/v1/runs/{run.digest}/").json()["history"]["observations"]) == 3


def names(resolver: Any) -> set[str]:
    return {pattern.name for pattern in resolver.url_patterns if getattr(pattern, "name", None)}


def test_every_page_has_a_twin_or_a_reason_for_none() -> None:
    pages: set[str] = set()
    api: set[str] = set()
    for resolver in get_resolver().url_patterns:
        if getattr(resolver, "namespace", None) == "v1":
            api = names(resolver)
        elif not getattr(resolver, "namespace", None) and str(resolver.pattern) == "":
            pages |= names(resolver)
    assert pages - api == set(WITHOUT_TWIN)
    assert set(TWINNED) | set(WITHOUT_TWIN) == pages
    assert api - pages == {"root", "openapi", "not-found"}


@pytest.mark.parametrize("name", sorted(set(TWINNED)))
def test_page_and_twin_are_at_the_same_path(name: str) -> None:
    page, twin = reverse_of(name), reverse_of(f"v1:{name}")
    assert twin == ("/api/v1/home/" if name == "home" else f"/api/v1{page}")


def reverse_of(name: str) -> str:
    digest = "sha256:" + "a" * 64
    candidates: list[list[object]] = [
        [],
        ["slug"],
        [digest],
        ["01a0352b-0000-7000-8000-000000000001"],
        [digest, digest],
    ]
    for arguments in candidates:
        try:
            return reverse(name, args=arguments)
        except NoReverseMatch:
            continue
    raise AssertionError(name)


def test_the_kinds_of_pages_are_all_named() -> None:
    assert set(ALONE) == {"docs", "login", "attest", "report", "disputes", "project-claim"}
