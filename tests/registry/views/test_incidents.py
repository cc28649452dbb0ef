"""Incident pages: what was found, which runs it covers, that nothing leaves the list; and the runs' own notices."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from registry import incidents
from registry.core.citation import Citation
from registry.models import Incident, Run
from registry.queries import runs as run_queries
from tests.conftest import NOW
from tests.registry.pages import OTHER_STAFF, STAFF, lacks, publish, publish_group, queries_of, shown, timed

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=1)


def covering(criteria: dict[str, Any], effect: str = "unrank", **fields: Any) -> Incident:
    told = {"title": "Clock stood still", "text": "First.\n\nSecond.", "evidence_url": "https://example.org/clock"}
    staff = {"reason": "seen in the logs", "actor": STAFF, "now": NOW}
    return incidents.publish(criteria=criteria, effect=effect, **{**told, **staff, **fields})


@pytest.fixture
def runs(db: None) -> list[Run]:
    return publish(timed(100), timed(101))


def test_a_registry_without_incidents_says_what_would_stand_here(client: Client) -> None:
    assert lacks(client.get("/incidents/"), "0 incidents.", "No incident has been published.") == []


def test_the_list_says_effect_runs_and_state_and_keeps_what_was_reversed(client: Client, runs: list[Run]) -> None:
    covering({"everything": True})
    gone = covering({"operations": ["scale"]}, "flag", title="Wrong GPU")
    incidents.reverse(gone, reason="it was right", actor=OTHER_STAFF, now=LATER)
    page = client.get("/incidents/")
    assert lacks(
        page,
        "2 incidents.",
        "Clock stood still each run is taken out of ranking in force runs 2 2026-09-01",
        "Wrong GPU each run is flagged and stays ranked reversed 2026-09-02 runs 2 2026-09-01",
    ) == []  # fmt: skip
    assert "No incident has been published" not in shown(page)
    assert queries_of(client, "/incidents/") <= 2


def test_a_page_tells_what_is_covered_in_words_with_links(client: Client, runs: list[Run]) -> None:
    protocol = runs[0].protocol
    incident = covering(
        {
            "sources": ["community"], "operations": ["scale"], "protocols": [protocol.digest],
            "environments": [runs[0].environment.digest], "implementations": ["acme-scale"],
            "observed_from": "2026-07-01", "observed_to": "2026-07-02T12:00:00+02:00",
        }
    )  # fmt: skip
    page = client.get(incident.get_absolute_url())
    assert lacks(
        page,
        "Clock stood still",
        "2 runs in 1 comparison group: each run is taken out of ranking",
        "in force since 2026-09-01",
        "First. Second. Evidence",
        "operation Scale",
        "implementation acme-scale",
        f"protocol {protocol.label}",
        "observed from 2026-07-01 00:00 UTC, before 2026-07-02 10:00 UTC",
        "imported since no run that it covers",
        "published 2026-09-01 by KernelIndex staff: seen in the logs.",
        "FLAGGED_INCIDENT",
    ) == []  # fmt: skip
    body = page.content.decode()
    for url in (
        "/operations/scale/",
        "/sources/community/",
        f"/protocols/{protocol.digest}/",
        runs[0].get_absolute_url(),
    ):
        assert f'href="{url}"' in body
    assert queries_of(client, incident.get_absolute_url()) <= 10


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        ({"everything": True}, "every run nothing is left out"),
        ({"labels": {"worker": ["w2", "w1"]}}, "label worker w1 or w2"),
        ({"observed_from": "2026-01-01"}, "observed from 2026-01-01 00:00 UTC"),
    ],
)
def test_each_criterion_has_its_words(client: Client, runs: list[Run], criteria: dict[str, Any], words: str) -> None:
    assert lacks(client.get(covering(criteria).get_absolute_url()), words) == []


def test_a_name_that_several_rows_share_stands_as_it_was_written(client: Client, runs: list[Run]) -> None:
    incident = covering({"operations": [runs[0].operation.digest]})
    assert lacks(client.get(incident.get_absolute_url()), "operation Scale") == []
    none_yet = covering({"labels": {"worker": ["w9"]}}, evidence_url="")
    page = client.get(none_yet.get_absolute_url())
    assert lacks(page, "0 runs", "No evidence is linked.", "No run meets the criteria so far") == []


def test_a_reversed_incident_says_so_and_still_lists_its_runs(client: Client, runs: list[Run]) -> None:
    incident = covering({"everything": True})
    incidents.reverse(incident, reason="the clock was right", actor=OTHER_STAFF, now=LATER)
    page = client.get(incident.get_absolute_url())
    assert lacks(
        page,
        "2 runs in 1 comparison group: each run is taken out of ranking, until it was reversed",
        "reversed on 2026-09-02 . No run bears it any more; it is kept for the record.",
        "reversed 2026-09-02 by KernelIndex staff: the clock was right.",
        "100 ns",
    ) == []  # fmt: skip


def test_runs_that_came_later_are_counted_apart(client: Client, runs: list[Run]) -> None:
    incident = covering({"everything": True}, now=NOW - timedelta(days=1))
    publish(timed(300))
    assert lacks(client.get(incident.get_absolute_url()), "3 runs", "1 run came after it was published") == []


def test_affected_runs_come_a_page_at_a_time(client: Client) -> None:
    publish_group(120)
    incident = covering({"everything": True}, "note")
    page = client.get(incident.get_absolute_url())
    following = page.context["page"].runs.page.next
    assert (len(page.context["page"].runs.rows), following is not None) == (100, True)
    rest = client.get(incident.get_absolute_url(), {"cursor": following})
    assert (len(rest.context["page"].runs.rows), rest.context["page"].runs.page.next) == (20, None)
    assert client.get(incident.get_absolute_url(), {"cursor": "wrong"}).status_code == 400


def test_a_page_takes_as_many_queries_for_2_runs_as_for_42(client: Client, runs: list[Run]) -> None:
    incident = covering({"everything": True})
    few = queries_of(client, incident.get_absolute_url())
    publish_group(40)
    assert queries_of(client, incident.get_absolute_url()) == few


def test_an_unknown_incident_is_not_found(client: Client) -> None:
    assert client.get("/incidents/none/").status_code == 404


def test_the_footer_of_every_page_leads_to_the_list(client: Client) -> None:
    assert '<li><a href="/incidents/">Incidents</a></li>' in client.get("/docs/").content.decode()


# On the run


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        ("unrank", ("flagged FLAGGED_INCIDENT on 2026-09-01", "Not ranked while the incident is in force.")),
        ("flag", ("flagged FLAGGED_INCIDENT_FLAG on 2026-09-01", "The run is ranked all the same.")),
        ("note", ("noted FLAGGED_INCIDENT_NOTE on 2026-09-01", "The run is ranked all the same.")),
    ],
)
def test_a_run_links_the_incident_that_it_is_under(
    client: Client, runs: list[Run], effect: str, words: tuple[str, str]
) -> None:
    incident = covering({"everything": True}, effect)
    page = client.get(runs[0].get_absolute_url())
    assert lacks(page, *words, "by KernelIndex staff: incident Clock stood still") == []
    assert f'href="{incident.get_absolute_url()}"' in page.content.decode()
    assert shown(page).partition("Primary measurement")[0].count("Clock stood still") == 1
    assert page.context["page"].warnings == ()


def test_a_run_of_a_reversed_incident_keeps_the_notice_as_history(client: Client, runs: list[Run]) -> None:
    incidents.reverse(covering({"everything": True}), reason="it was right", actor=OTHER_STAFF, now=LATER)
    page = client.get(runs[0].get_absolute_url())
    assert lacks(page, "incident Clock stood still . Cleared since ; kept for the record.", "Rank 1") == []


@pytest.mark.parametrize(
    ("effect", "states"),
    [
        ("unrank", ("flagged FLAGGED_INCIDENT 2026-09-01: incident Clock stood still",)),
        ("flag", ("flagged FLAGGED_INCIDENT_FLAG 2026-09-01: incident Clock stood still",)),
        ("note", ()),
    ],
)
def test_a_citation_carries_an_incident_that_casts_doubt(
    client: Client, runs: list[Run], effect: str, states: tuple[str, ...]
) -> None:
    covering({"everything": True}, effect)
    found = run_queries.find(runs[0].digest)
    cited = run_queries.citation_of(found, site_url="https://kernelindex.test", today=NOW.date())
    assert isinstance(cited, Citation)
    assert cited.states == states
