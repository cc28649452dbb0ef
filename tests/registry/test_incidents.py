"""Incidents: one act marks many runs and the ranks follow, later imports are covered, a reversal gives all back."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Max

from registry import corrections, incidents
from registry.corrections import CorrectionError
from registry.incidents import IncidentError
from registry.models import AuditEvent, EvidenceLevel, Incident, IncidentReversal, Mark, Operation, Run, Standing
from registry.verifying import verify
from tests.conftest import NOW
from tests.factories import (
    bundle_of,
    changed,
    everything,
    implementation_document,
    ingest_bundle,
    operation_document,
    run_entry,
    workload_document,
)

ADA, BOB = uuid.UUID(int=1), uuid.UUID(int=2)
LATER, LATEST = NOW + timedelta(days=1), NOW + timedelta(days=2)
ALL = {"everything": True}
SLOW, FAST, LABELLED = {"worker": "w1"}, {"worker": "w2"}, {"labels": {"worker": ["w2"]}}


def timed(name: str, median: int, labels: dict[str, str], **fields: Any) -> dict[str, Any]:
    return run_entry(metadata={"name": name, "labels": labels}, timing__latencyNs__median=median, **fields)


@pytest.fixture
def runs(db: None) -> dict[str, Run]:
    """`fast` (worker w2, July) leads `slow` (w1, August) in one group; `other` is of another operation."""
    operation = operation_document("shift", family="shift")
    workload = workload_document("shift-8", operation=operation)
    implementation = implementation_document("acme-shift", operation=operation)
    ingest_bundle(
        bundle_of(
            timed("slow", 2000, SLOW, observedAt="2026-08-01T00:00:00Z"),
            timed("fast", 1000, FAST),
            run_entry(metadata={"name": "other"}, implementation=implementation, workload=workload),
            operations=[operation_document(), operation],
            workloads=[workload_document(), workload],
            implementations=[
                {"projectSlug": "acme", "manifest": one} for one in (implementation_document(), implementation)
            ],
        )
    )
    return {run.name: run for run in Run.objects.select_related("implementation", "protocol", "environment")}


def publish(criteria: Any, effect: str = "unrank", **fields: Any) -> Incident:
    told = {
        "title": "A broken timer",
        "text": "The timer of these runs stood still.",
        "evidence_url": "https://example.org/timer",
        "reason": "seen in the logs",
        "actor": ADA,
        "now": LATER,
    }
    return incidents.publish(criteria=criteria, effect=effect, **{**told, **fields})


def ranks() -> dict[str, tuple[int | None, list[str], list[str]]]:
    rows = Standing.objects.order_by("run__name").values_list("run__name", "rank", "reasons", "warnings")
    return {name: (rank, reasons, warnings) for name, rank, reasons, warnings in rows}


# Criteria


@pytest.mark.parametrize(
    ("criteria", "covered"),
    [
        (ALL, {"slow", "fast", "other"}),
        ({"sources": ["community"]}, {"slow", "fast", "other"}),
        ({"operations": ["scale"]}, {"slow", "fast"}),
        ({"implementations": ["acme-shift"]}, {"other"}),
        (LABELLED, {"fast"}),
        ({"labels": {"worker": ["w1", "w2"]}}, {"slow", "fast"}),
        ({"labels": {"worker": ["w3"]}}, set()),
        ({"labels": {'it\'s 50% "off"': ["w1"]}}, set()),
        ({"observed_from": "2026-07-01", "observed_to": "2026-08-01"}, {"fast", "other"}),
        ({"observed_from": "2026-08-01"}, {"slow"}),
        ({"operations": ["scale"], "observed_from": "2026-08-01"}, {"slow"}),
        ({"operations": ["scale", "shift"], **LABELLED}, {"fast"}),
    ],
    ids=str,
)
def test_a_run_is_covered_where_it_meets_all_that_is_stated(
    runs: dict[str, Run], criteria: dict[str, Any], covered: set[str]
) -> None:
    assert set(incidents.select(incidents.parse(criteria)).values_list("name", flat=True)) == covered
    assert incidents.preview(criteria).runs == len(covered)


def test_documents_are_named_by_digest_slug_or_row_id(runs: dict[str, Run]) -> None:
    other = runs["other"]
    for criteria in (
        {"implementations": [str(other.implementation_id)]},
        {"implementations": [other.implementation.digest]},
        {"operations": [other.implementation.operation.digest]},
    ):
        assert incidents.preview(criteria).runs == 1, criteria
    assert incidents.preview({"protocols": [other.protocol.digest]}).runs == 3
    assert incidents.preview({"environments": [other.environment.digest]}).runs == 3


def test_a_redacted_run_has_no_label_to_be_found_by(runs: dict[str, Run]) -> None:
    request = corrections.request_redaction(runs["fast"], reason_class="legal", reason="a court", actor=ADA, now=NOW)
    corrections.approve_redaction(request, citation="as cited", actor=BOB, now=NOW)
    assert incidents.preview({"labels": {"worker": ["w1", "w2"]}}).runs == 1


@pytest.mark.parametrize(
    ("criteria", "fault"),
    [
        ({}, "Nothing is selected by."),
        ({"gpus": ["h100"]}, "Unknown criterion 'gpus'"),
        ({"sources": ["comunity"]}, "sources: nothing here is called 'comunity'."),
        ({"operations": ["scale", "shft"]}, "operations: nothing here is called 'shft'."),
        ({"protocols": ["sha256:" + "0" * 64]}, "protocols: nothing here is called 'sha256:000"),
        ({"implementations": [str(uuid.UUID(int=7))]}, "implementations: nothing here is called '00000000-"),
    ],
)
def test_an_unknown_name_or_an_empty_selection_is_refused(
    runs: dict[str, Run], criteria: dict[str, Any], fault: str
) -> None:
    before = everything()
    for act in (incidents.preview, publish):
        with pytest.raises(IncidentError) as refused:
            act(criteria)
        assert fault in str(refused.value)
    assert everything() == before


# Preview


def test_a_preview_says_what_would_lose_its_rank_and_where_the_lead_would_change(runs: dict[str, Run]) -> None:
    before = everything()
    found = incidents.preview(LABELLED)
    assert (found.runs, found.groups, found.ranked, found.leaders) == (1, 1, 1, 1)
    assert [(example.digest, example.operation, example.rank) for example in found.examples] == [
        (runs["fast"].digest, "Scale", 1)
    ]
    assert everything() == before
    assert (incidents.preview(ALL).groups, incidents.preview(ALL).leaders) == (2, 2)
    assert incidents.preview({"labels": {"worker": ["w1"]}}).leaders == 0


def test_what_is_unranked_already_loses_no_rank(runs: dict[str, Run]) -> None:
    corrections.withdraw([runs["fast"]], reason="typo", actor=ADA, now=NOW)
    found = incidents.preview(LABELLED)
    assert (found.runs, found.ranked, found.leaders) == (1, 0, 0)


# Publish


def test_an_incident_is_one_event_with_a_mark_on_each_run_that_it_covers(runs: dict[str, Run]) -> None:
    levels = list(EvidenceLevel.objects.order_by("pk").values())
    incident = publish({"operations": ["scale"]})
    assert (incident.slug, incident.effect, incident.criteria) == (
        "a-broken-timer", "unrank", {"operations": ["scale"]},
    )  # fmt: skip
    event = AuditEvent.objects.get()
    assert (event.action, event.target_kind, event.target, event.actor, event.at) == (
        "incident published", "incident", "a-broken-timer", ADA, LATER,
    )  # fmt: skip
    assert event.detail == {"effect": "unrank", "criteria": {"operations": ["scale"]}, "runs": 2}
    marks = list(Mark.objects.order_by("run__name"))
    assert [(m.run.name, m.kind, m.rule, m.is_blocking, m.by, m.actor, m.at) for m in marks] == [
        (name, "flagged", "INCIDENT", True, "KernelIndex staff", ADA, LATER) for name in ("fast", "slow")
    ]
    assert {(m.reason, m.incident_id, m.audit_id) for m in marks} == {("A broken timer", incident.pk, event.pk)}
    assert list(EvidenceLevel.objects.order_by("pk").values()) == levels
    assert verify().differences == ()


@pytest.mark.parametrize(
    ("effect", "fast"),
    [
        ("unrank", (None, ["FLAGGED_INCIDENT"], [])),
        ("flag", (1, [], ["INCIDENT_FLAG"])),
        ("note", (1, [], [])),
    ],
)
def test_the_effect_decides_between_a_lost_rank_a_warning_and_a_word(
    runs: dict[str, Run], effect: str, fast: tuple[int | None, list[str], list[str]]
) -> None:
    publish(LABELLED, effect)
    assert ranks() == {"fast": fast, "slow": (1 if effect == "unrank" else 2, [], []), "other": (1, [], [])}
    assert Standing.objects.get(run=runs["fast"]).has_marks
    assert verify().differences == ()


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"title": " "}, "State a title and a text"),
        ({"text": ""}, "State a title and a text"),
        ({"reason": "\n"}, "State a reason"),
        ({"effect": "delete"}, "An effect is one of: note, flag, unrank."),
        ({"evidence_url": "http://example.org/"}, "The evidence is an https address, or none."),
    ],
)
def test_an_incident_is_told_in_full(runs: dict[str, Run], fields: dict[str, str], fault: str) -> None:
    before = everything()
    with pytest.raises(IncidentError) as refused:
        publish(LABELLED, **fields)
    assert fault in str(refused.value)
    assert everything() == before


def test_two_incidents_of_one_title_have_two_addresses(runs: dict[str, Run]) -> None:
    assert [publish(ALL, "note").slug, publish(ALL, "note").slug, publish(ALL, "note", title="?").slug] == [
        "a-broken-timer", "a-broken-timer-2", "incident",
    ]  # fmt: skip
    assert verify().differences == ()


# Reverse


@pytest.mark.parametrize("effect", ["unrank", "flag", "note"])
def test_a_reversal_clears_each_mark_and_stays_on_record(runs: dict[str, Run], effect: str) -> None:
    before = ranks()
    incident = publish({"operations": ["scale"]}, effect)
    reversal = incidents.reverse(incident, reason="the logs were wrong", actor=BOB, now=LATEST)
    assert ranks() == before
    cleared = list(Mark.objects.filter(kind="cleared"))
    assert {(m.rule, m.reason, m.actor, m.at, m.incident_id) for m in cleared} == {
        (incidents.RULES[effect], "the logs were wrong", BOB, LATEST, incident.pk)  # type: ignore[index]
    }
    assert {m.clears_id for m in cleared} == set(Mark.objects.filter(kind="flagged").values_list("pk", flat=True))
    assert (reversal.incident, AuditEvent.objects.order_by("at").last().action) == (incident, "incident reversed")  # type: ignore[union-attr]
    assert Incident.objects.count() == 1
    assert verify().differences == ()


def test_an_incident_is_reversed_once_and_with_a_reason(runs: dict[str, Run]) -> None:
    incident = publish(LABELLED)
    with pytest.raises(IncidentError, match="State a reason"):
        incidents.reverse(incident, reason=" ", actor=BOB, now=LATEST)
    incidents.reverse(incident, reason="a mistake", actor=BOB, now=LATEST)
    before = everything()
    with pytest.raises(IncidentError, match="reversed already"):
        incidents.reverse(incident, reason="a mistake", actor=BOB, now=LATEST)
    assert everything() == before


def test_a_run_under_two_incidents_is_unranked_until_both_are_reversed(runs: dict[str, Run]) -> None:
    first, second = publish(LABELLED), publish({"operations": ["scale"]}, title="A hot machine")
    incidents.reverse(first, reason="a mistake", actor=BOB, now=LATEST)
    assert ranks()["fast"] == (None, ["FLAGGED_INCIDENT"], [])
    assert verify().differences == ()
    incidents.reverse(second, reason="a mistake", actor=BOB, now=LATEST)
    assert ranks()["fast"] == (1, [], [])
    assert verify().differences == ()


def test_a_single_mark_of_an_incident_is_not_cleared_by_itself(runs: dict[str, Run]) -> None:
    incident = publish(LABELLED)
    before = everything()
    with pytest.raises(CorrectionError, match="The incident “A broken timer” set this mark: reverse it"):
        corrections.clear(list(incident.marks.all()), reason="not this one", actor=BOB, now=LATEST)
    assert everything() == before


def test_nobody_flags_a_run_by_an_incident_s_rule_by_hand(runs: dict[str, Run]) -> None:
    for rule in incidents.RULES.values():
        with pytest.raises(CorrectionError, match=f"{rule} is set by an incident: publish one"):
            corrections.flag([runs["fast"]], rule=rule, reason="because", actor=ADA, now=NOW)


def test_other_marks_of_a_covered_run_stand_beside_it(runs: dict[str, Run]) -> None:
    [flag] = corrections.flag([runs["fast"]], rule="IMPLAUSIBLE", reason="below the bound", actor=ADA, now=NOW)
    incident = publish(LABELLED)
    assert ranks()["fast"][1] == ["FLAGGED_IMPLAUSIBLE", "FLAGGED_INCIDENT"]
    corrections.clear([flag], reason="it was right", actor=BOB, now=LATEST)
    assert ranks()["fast"][1] == ["FLAGGED_INCIDENT"]
    incidents.reverse(incident, reason="a mistake", actor=BOB, now=LATEST)
    assert ranks()["fast"] == (1, [], [])


# Later imports


def more(name: str, labels: dict[str, str], *, median: int = 500) -> None:
    ingest_bundle(bundle_of(timed(name, median, labels)), now=LATEST)


def test_an_incident_covers_what_is_imported_later_before_it_is_ranked(runs: dict[str, Run]) -> None:
    incident = publish(LABELLED)
    more("covered", FAST)
    more("free", {"worker": "w9"}, median=600)
    assert (ranks()["covered"], ranks()["free"][0]) == ((None, ["FLAGGED_INCIDENT"], []), 1)
    mark = incident.marks.get(run__name="covered")
    assert (mark.at, mark.audit_id, mark.by, mark.actor) == (LATEST, incident.audit_id, "KernelIndex staff", ADA)
    assert AuditEvent.objects.count() == 1
    assert verify().differences == ()


def test_a_second_import_marks_nothing_again(runs: dict[str, Run]) -> None:
    publish(LABELLED)
    more("covered", FAST)
    before = everything()
    more("covered", FAST)
    assert everything() == before


def test_later_imports_are_free_of_a_reversed_incident(runs: dict[str, Run]) -> None:
    incidents.reverse(publish(LABELLED), reason="a mistake", actor=BOB, now=LATER)
    more("free", FAST)
    assert ranks()["free"] == (1, [], [])
    assert verify().differences == ()


def test_an_import_under_two_incidents_bears_a_mark_of_each(runs: dict[str, Run]) -> None:
    publish(LABELLED)
    second = publish(ALL, "flag", title="A hot machine")
    more("covered", FAST)
    assert ranks()["covered"] == (None, ["FLAGGED_INCIDENT"], ["INCIDENT_FLAG"])
    incidents.reverse(second, reason="a mistake", actor=BOB, now=LATEST)
    assert ranks()["covered"] == (None, ["FLAGGED_INCIDENT"], [])
    assert verify().differences == ()


def test_new_operations_come_under_an_incident_that_covers_everything(runs: dict[str, Run]) -> None:
    publish(ALL)
    operation = changed(operation_document("spin", family="spin"))
    workload = workload_document("spin-8", operation=operation)
    made = implementation_document("acme-spin", operation=operation)
    ingest_bundle(
        bundle_of(
            run_entry(metadata={"name": "spun"}, implementation=made, workload=workload),
            operations=[operation], workloads=[workload],
            implementations=[{"projectSlug": "acme", "manifest": made}],
        ),
        now=LATEST,
    )  # fmt: skip
    assert Operation.objects.filter(slug="spin").exists()
    assert ranks()["spun"] == (None, ["FLAGGED_INCIDENT"], [])


def test_the_newest_act_on_an_incident_is_its_reversal(runs: dict[str, Run]) -> None:
    incident = publish(LABELLED)
    incidents.reverse(incident, reason="a mistake", actor=BOB, now=LATEST)
    assert IncidentReversal.objects.aggregate(newest=Max("at"))["newest"] == LATEST
