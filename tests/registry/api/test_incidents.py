"""Incidents as JSON: in force and reversed, with nothing to page through but the runs."""

import pytest
from django.test import Client

from registry import incidents
from registry.models import Incident
from tests.conftest import NOW
from tests.registry.api.asking import ask, results
from tests.registry.pages import OTHER_STAFF, STAFF, publish_group

pytestmark = pytest.mark.django_db


@pytest.fixture
def slug(db: None) -> str:
    publish_group(101)
    return incidents.publish(
        title="Clock stood still", text="A text.", evidence_url="", criteria={"operations": ["scale"]}, effect="flag",
        reason="seen in the logs", actor=STAFF, now=NOW,
    ).slug  # fmt: skip


def test_the_list_is_empty_before_anything_was_found(client: Client) -> None:
    assert ask(client, "/api/v1/incidents/").json() == {"results": [], "next": None, "total": 0}


def test_an_incident_says_its_effect_its_criteria_and_its_history(client: Client, slug: str) -> None:
    incident = Incident.objects.get()
    incidents.reverse(incident, reason="it was right", actor=OTHER_STAFF, now=NOW)
    [line] = results(client, "/api/v1/incidents/")
    assert (line["incident"]["url"], line["effect"], line["run_count"], line["reversed_at"]) == (
        "/incidents/clock-stood-still/", "flag", 101, "2026-09-01T12:00:00Z",
    )  # fmt: skip
    body = ask(client, f"/api/v1/incidents/{slug}/").json()
    assert (body["evidence_url"], body["group_count"], body["later_count"]) == (None, 1, 0)
    assert [(fact["label"], fact["value"], fact["url"]) for fact in body["criteria"]] == [
        ("operation", "Scale", "/operations/scale/")
    ]
    assert [(act["what"], act["reason"]) for act in body["history"]] == [
        ("published", "seen in the logs"), ("reversed", "it was right"),
    ]  # fmt: skip


def test_the_runs_of_an_incident_come_a_page_at_a_time(client: Client, slug: str) -> None:
    first = ask(client, f"/api/v1/incidents/{slug}/").json()["runs"]
    assert (len(first["rows"]), first["page"]["total"]) == (100, 101)
    rest = ask(client, f"/api/v1/incidents/{slug}/?cursor={first['page']['next']}").json()["runs"]
    assert (len(rest["rows"]), rest["page"]["next"]) == (1, None)
    assert rest["rows"][0]["digest"] not in {row["digest"] for row in first["rows"]}


def test_an_unknown_incident_is_a_problem(client: Client, slug: str) -> None:
    assert ask(client, "/api/v1/incidents/none/").status_code == 404
