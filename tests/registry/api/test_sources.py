"""Sources, the front page and search as JSON."""

import pytest
from django.test import Client

from tests.registry.api.asking import ask, results
from tests.registry.pages import LIGER, SOL

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("demo")
def test_a_source_says_its_terms_what_was_read_and_its_runs(client: Client) -> None:
    body = ask(client, "/api/v1/sources/sol-execbench/").json()
    assert (body["run_count"], body["ranked_count"], body["operation_count"]) == (4, 4, 1)
    assert [snapshot["run_count"] for snapshot in body["snapshots"]] == [3, 1]
    assert [row["digest"] for row in body["runs"]["rows"]][-1] == SOL
    assert {fact["label"]: fact["absent"] for fact in body["facts"]}["licence"] == "not stated"


@pytest.mark.usefixtures("demo")
def test_the_list_of_sources_has_their_counts(client: Client) -> None:
    lines = results(client, "/api/v1/sources/")
    assert [(line["source"]["id"], line["run_count"], line["licence"]) for line in lines] == [
        ("liger-kernel-bench", 48, "BSD-2-Clause"), ("sol-execbench", 4, None),
    ]  # fmt: skip


@pytest.mark.usefixtures("demo")
def test_home_says_live_counts_and_newest_records(client: Client) -> None:
    body = ask(client, "/api/v1/home/").json()
    assert (body["run_count"], body["group_count"], body["rerun_count"]) == (52, 26, 0)
    assert body["records"][0]["previous"]["number"] == "209.4"
    assert body["newest_published_at"] == "2026-09-01T12:00:00Z"


def test_an_empty_registry_has_an_honest_home(client: Client) -> None:
    body = ask(client, "/api/v1/home/").json()
    assert (body["run_count"], body["newest_published_at"], body["records"]) == (0, None, [])


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("query", "hits", "groups", "runs"),
    [
        ("relu", ["operations", "implementations"], 24, 0), ("submission/16893", [], 0, 1), (LIGER[:19], ["run"], 0, 0),
        ("nothing", [], 0, 0), ("", [], 0, 0),
    ],
)  # fmt: skip
def test_search_answers_programs_as_it_answers_people(
    client: Client, query: str, hits: list[str], groups: int, runs: int
) -> None:
    body = ask(client, f"/api/v1/search/?q={query}").json()
    assert ([hit["kind"] for hit in body["hits"]], body["group_total"], body["run_total"]) == (hits, groups, runs)


@pytest.mark.usefixtures("demo")
def test_nothing_found_names_the_word_that_excludes_most(client: Client) -> None:
    body = ask(client, "/api/v1/search/?q=relu+b200").json()
    assert (body["dropped"], len(body["without_dropped"])) == ("b200", 20)
    assert ask(client, "/api/v1/search/").json()["words"] == []
