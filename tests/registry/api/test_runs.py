"""Runs as JSON: by id and digest, in pages, redacted."""

from typing import Any

import pytest
from django.test import Client

from registry import corrections
from registry.models import Run
from tests.conftest import NOW
from tests.factories import run_entry
from tests.registry.api.asking import ask, results
from tests.registry.pages import LIGER, LIGER_KEY, OTHER_STAFF, SOL, SOL_KEY, STAFF, publish, publish_group, timed

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("demo")
def test_a_run_says_the_facts_of_its_page(client: Client) -> None:
    run: dict[str, Any] = ask(client, f"/api/v1/runs/{LIGER}/").json()
    assert run["digest"] == LIGER
    assert run["primary"] == {"value": 126336.0, "unit": "ns", "number": "126.3", "display_unit": "µs"}
    assert (run["metric"], run["statistic"], run["statistic_in_full"]) == (
        "latency", "median", "median across samples; one case",
    )  # fmt: skip
    assert (run["standing"]["rank"], run["standing"]["run_count"], run["standing"]["policy"]) == (2, 2, "ranking-v2")
    assert run["spread"]["low"]["value"] == 125152.0
    assert run["spread"]["high"]["value"] == 127136.0
    assert (run["spread"]["name"], run["spread"]["is_interval"], run["interval"]) == ("p20 – p80", False, None)
    assert run["group"] == {"id": LIGER_KEY, "name": "sha256:f78db58cec2cc7ea…", "url": f"/groups/{LIGER_KEY}/"}
    assert run["observed_at"] == "2026-03-27T06:09:46Z"
    assert run["published_at"] == "2026-09-01T12:00:00Z"
    assert [warning["code"] for warning in run["warnings"]] == ["TIME_ZONE_NOT_STATED"]
    assert (run["revision"], run["sample_count"], run["runner"]) == (None, None, None)


@pytest.mark.usefixtures("demo")
def test_a_run_is_the_same_by_id_and_by_digest(client: Client) -> None:
    run = Run.objects.get(digest=SOL)
    assert client.get(f"/api/v1/runs/{run.pk}/").json() == ask(client, f"/api/v1/runs/{SOL}/").json()
    assert ask(client, f"/api/v1/runs/{SOL}/").json()["group"]["id"] == SOL_KEY


@pytest.mark.usefixtures("demo")
def test_the_list_has_every_run_newest_first(client: Client) -> None:
    body = ask(client, "/api/v1/runs/").json()
    assert (len(body["results"]), body["next"], body["total"]) == (52, None, 52)
    observed = [run["observed_at"] for run in body["results"]]
    assert observed == sorted(observed, reverse=True)
    assert body["results"][3]["digest"] == SOL


def test_the_pages_of_a_long_list_hold_each_run_once(client: Client) -> None:
    publish_group(103)
    first = ask(client, "/api/v1/runs/").json()
    assert (len(first["results"]), first["total"]) == (100, 103)
    found = [run["digest"] for run in results(client, "/api/v1/runs/")]
    assert (len(found), len(set(found))) == (103, 103)
    assert set(found) == set(Run.objects.values_list("digest", flat=True))


def test_the_entity_tag_of_a_long_list_is_the_same_at_any_time(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_group(101)
    tag = ask(client, "/api/v1/runs/")["ETag"]
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert ask(client, "/api/v1/runs/", **{"if-none-match": tag}).status_code == 304


def test_a_cursor_is_good_for_its_own_list_alone(client: Client) -> None:
    publish_group(101)
    cursor = ask(client, "/api/v1/runs/").json()["next"]
    response = ask(client, f"/api/v1/sources/community/?cursor={cursor}")
    assert response.json()["errors"] == {"cursor": ["the cursor belongs to another list or another filter"]}


def test_a_redacted_run_answers_with_its_tombstone(client: Client) -> None:
    [run] = publish(timed(1000))
    request = corrections.request_redaction(run, reason_class="personal_data", reason="r", actor=STAFF, now=NOW)
    corrections.approve_redaction(request, citation="As it was cited.", actor=OTHER_STAFF, now=NOW)
    tombstone = {"at": "2026-09-01T12:00:00Z", "reason_class": "personal data", "citation": "As it was cited."}
    assert ask(client, f"/api/v1/runs/{run.digest}/").json() == tombstone
    assert client.get(f"/api/v1/runs/{run.pk}/").json() == tombstone
    [row] = results(client, "/api/v1/runs/")
    assert (row["digest"], row["is_redacted"], row["rank"]) == (run.digest, True, 1)


def test_every_state_of_a_run_holds_to_the_schema(client: Client) -> None:
    old, new, flagged = publish(timed(1000), timed(1100), timed(1200))
    [failed] = publish(run_entry(status="compile_error", timing=None))
    corrections.supersede(old, successor=new, reason="Again.", actor=STAFF, now=NOW)
    corrections.flag([flagged], rule="IMPLAUSIBLE", reason="Below.", actor=STAFF, now=NOW)
    corrections.withdraw([failed], reason="Gone.", actor=STAFF, now=NOW)
    assert ask(client, f"/api/v1/runs/{old.digest}/").json()["notices"] == [
        {
            "state": "superseded", "word": "superseded", "code": None, "at": "2026-09-01T12:00:00Z",
            "by": "KernelIndex staff", "reason": "Again.", "is_cleared": False, "is_blocking": False,
            "other": {"id": new.digest, "name": f"{new.digest[:19]}…", "url": f"/runs/{new.digest}/"},
            "incident": None,
        }
    ]  # fmt: skip
    assert ask(client, f"/api/v1/runs/{new.digest}/").json()["notices"][0]["word"] == "supersedes"
    assert ask(client, f"/api/v1/runs/{flagged.digest}/").json()["standing"]["reasons"] == [
        {"code": "FLAGGED_IMPLAUSIBLE", "text": "The value is below a lower bound that the source itself states."}
    ]
    body = ask(client, f"/api/v1/runs/{failed.digest}/").json()
    assert (body["primary"], body["metric"], body["standing"]["rank"]) == (None, None, None)
    assert [reason["code"] for reason in body["standing"]["reasons"]] == [
        "STATUS_COMPILE_ERROR", "WITHDRAWN", "MISSING_PRIMARY_METRIC",
    ]  # fmt: skip
    assert ask(client, f"/api/v1/groups/{failed.group.key}/").json()["unit"] is None
