"""What runs refer to, as JSON: one list and one detail a noun."""

from typing import Any

import pytest
from django.test import Client

from registry import corrections
from registry.queries import keyset
from tests.conftest import NOW
from tests.registry.api.asking import ask, results
from tests.registry.pages import (
    OPERATION,
    OTHER_STAFF,
    SOL_OPERATION,
    STAFF,
    SUITE,
    TWINNED,
    publish,
    publish_group,
    timed,
)

pytestmark = pytest.mark.django_db
NOUNS = ("operations", "projects", "implementations", "hardware", "protocols", "environments", "workloads")


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("noun", "total"),
    [
        ("operations", 2), ("projects", 5), ("implementations", 6), ("hardware", 2), ("protocols", 5),
        ("environments", 3), ("workloads", 9),
    ],
)  # fmt: skip
def test_a_list_has_every_thing_with_its_runs_and_its_page(client: Client, noun: str, total: int) -> None:
    lines = results(client, f"/api/v1/{noun}/")
    assert len(lines) == total
    assert sum(line["run_count"] for line in lines) == 52
    for line in lines:
        assert set(line) == {"id", "name", "url", "digest", "note", "run_count"}
        assert ask(client, f"/api/v1{line['url']}").status_code == 200
        assert client.get(line["url"]).status_code == 200


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("noun", NOUNS)
def test_a_list_in_small_pages_is_the_whole_list(client: Client, noun: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = results(client, f"/api/v1/{noun}/")
    monkeypatch.setattr(keyset.page, "__kwdefaults__", {"limit": 1})
    assert results(client, f"/api/v1/{noun}/") == whole


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("path", "total"),
    [
        (f"implementations/?operation={OPERATION}", 2), ("implementations/?project=sol-user-ac4k", 2),
        (f"implementations/?project=pytorch&operation={SOL_OPERATION}", 0), ("operations/?family=relu-squared", 1),
        ("environments/?hardware=nvidia-b200", 2), (f"workloads/?operation={SOL_OPERATION}", 1),
    ],
)  # fmt: skip
def test_filters_are_those_of_the_pages(client: Client, path: str, total: int) -> None:
    body = ask(client, f"/api/v1/{path}").json()
    assert (body["total"], len(body["results"])) == (total, total)
    assert client.get(f"/{path}").context["list"].page.total == total


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("name", "kind", "runs", "groups"),
    [
        ("workload-detail", "workload", 4, 2), ("protocol-detail", "protocol", 16, 8),
        ("environment-detail", "environment", 48, 24), ("hardware-detail", "hardware", 48, 24),
        ("implementation-detail", "implementation", 24, 24), ("project-detail", "project", 24, 24),
    ],
)  # fmt: skip
def test_a_thing_says_its_facts_and_all_runs_under_it(
    client: Client, name: str, kind: str, runs: int, groups: int
) -> None:
    body: dict[str, Any] = ask(client, f"/api/v1{TWINNED[name]()}").json()
    assert (body["kind"], body["runs"]["page"]["total"], body["group_count"]) == (kind, runs, groups)
    assert len(body["runs"]["rows"]) == runs
    assert body["facts"]
    assert body["tombstone"] is None


@pytest.mark.usefixtures("demo")
def test_an_operation_says_its_matrix_and_its_scaling(client: Client) -> None:
    body = ask(client, f"/api/v1/operations/{OPERATION}/").json()
    assert (body["run_count"], body["group_count"], len(body["matrix"]["rows"])) == (48, 24, 8)
    assert body["matrix"]["rows"][0]["cells"][0][0]["value"]["number"] == "7.33"
    assert [panel["title"] for panel in body["scaling"]["panels"]] == ["forward", "backward", "full"]
    assert "plot" not in body["scaling"]


@pytest.mark.usefixtures("demo")
def test_a_suite_lists_its_cases(client: Client) -> None:
    body = ask(client, f"/api/v1/workloads/{SUITE}/").json()
    assert len(body["workload"]["cases"]) == 16
    assert body["workload"]["cases"][2] == {"number": 3, "axes": [1, 32, 1163, 1249], "external_id": "e3c9a6e3cc7a"}


def test_redacted_documents_say_so_and_hold_to_the_schema(client: Client) -> None:
    [run] = publish(timed(1000))
    for row in (run.workload, run.protocol, run.environment, run.implementation, run.operation):
        request = corrections.request_redaction(row, reason_class="legal", reason="r", actor=STAFF, now=NOW)
        corrections.approve_redaction(request, citation="Cited.", actor=OTHER_STAFF, now=NOW)
        body = ask(client, f"/api/v1{row.get_absolute_url()}").json()
        assert body["tombstone"] == {
            "at": "2026-09-01T12:00:00Z",
            "reason_class": "legal removal",
            "citation": "Cited.",
        }
        assert body["canonical_url"] is None
    for path in ("runs/", f"runs/{run.digest}/", f"groups/{run.group.key}/", "home/", "groups/", "implementations/"):
        assert ask(client, f"/api/v1/{path}").status_code == 200


def test_an_empty_list_is_an_empty_page(client: Client) -> None:
    for noun in (*NOUNS, "runs", "groups", "sources"):
        assert ask(client, f"/api/v1/{noun}/").json() == {"results": [], "next": None, "total": 0}


def test_the_runs_under_a_thing_come_in_pages_that_add_up(client: Client) -> None:
    runs = publish_group(103)
    path = f"/api/v1{runs[0].workload.get_absolute_url()}"
    first = ask(client, path).json()["runs"]
    second = ask(client, f"{path}?cursor={first['page']['next']}").json()["runs"]
    assert (len(first["rows"]), len(second["rows"]), second["page"]) == (100, 3, {"next": None, "total": 103})
