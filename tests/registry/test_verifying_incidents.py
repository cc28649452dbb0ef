"""verify_registry knows incidents and protocol notes: what their acts left holds, what was altered is named."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection, models, transaction

from registry import corrections, guards, incidents, notes
from registry.models import AuditEvent, ProtocolNote, Run
from registry.verifying import verify
from tests.conftest import NOW
from tests.factories import bundle_of, ingest_bundle, protocol_document, run_entry

ADA, BOB = uuid.UUID(int=1), uuid.UUID(int=2)
LATER = NOW + timedelta(days=1)
Cast = SimpleNamespace


def put(row: models.Model, **columns: Any) -> None:
    assert type(row)._default_manager.filter(pk=row.pk).update(**columns) == 1


def lose(row: models.Model) -> None:
    rows = type(row)._default_manager.filter(pk=row.pk)
    assert rows._raw_delete(rows.db)


def twice(row: models.Model) -> None:
    row.pk = uuid.UUID(int=99)
    row.save(force_insert=True)


@pytest.fixture
def cast(db: None) -> Cast:
    """A run under an incident in force, one under a reversed one, a note in two versions, a succession."""
    newer = protocol_document("newer", harness__name="newer")
    ingest_bundle(
        bundle_of(
            run_entry(metadata={"name": "held", "labels": {"worker": "w1"}}),
            run_entry(metadata={"name": "free", "labels": {"worker": "w2"}}, protocol=newer),
        )
    )
    told: dict[str, Any] = {"text": "A text.", "evidence_url": "", "reason": "seen", "now": NOW, "actor": ADA}
    worker: Callable[[str], dict[str, Any]] = lambda name: {"labels": {"worker": [name]}}  # noqa: E731
    held = incidents.publish(title="In force", criteria=worker("w1"), effect="unrank", **told)
    gone = incidents.publish(title="Reversed", criteria=worker("w2"), effect="flag", **told)
    reversal = incidents.reverse(gone, reason="a mistake", actor=BOB, now=LATER)
    notes.load_bundled(now=NOW)
    newest = notes.bundled()["family:nvbench"]
    sentences = [sentence.as_json() for sentence in newest]
    note = notes.write(subject="family:nvbench", sentences=sentences, reason="again", actor=ADA, now=LATER)
    protocols = {run.name: run.protocol for run in Run.objects.select_related("protocol")}
    succession = notes.succeed(protocols["held"], successor=protocols["free"], reason="continued", actor=ADA, now=LATER)
    return Cast(
        held=held, gone=gone, reversal=reversal, note=note, succession=succession,
        mark=held.marks.get(), cleared=gone.marks.get(kind="cleared"), flag=gone.marks.get(kind="flagged"),
        run=Run.objects.get(name="held"), other=Run.objects.get(name="free"),
    )  # fmt: skip


def test_incidents_notes_and_successions_hold(cast: Cast) -> None:
    report = verify()
    assert report.differences == ()
    assert (report.rows["registry_incident"], report.rows["registry_incidentreversal"]) == (2, 1)
    assert report.rows["registry_protocolnote"] == ProtocolNote.objects.count() > 10
    assert report.rows["registry_protocolsuccession"] == 1


# What is altered, the check that finds it, and the column or the words that it is named by.
CORRUPTIONS: list[tuple[str, Callable[[Cast], Any], str, str]] = [
    ("other criteria", lambda c: put(c.held, criteria={"everything": True}), "INCIDENT_AUDIT", "criteria"),
    ("criteria that can't be read", lambda c: put(c.held, criteria={"gpus": []}), "INCIDENT", "criteria"),
    ("another effect", lambda c: put(c.held, effect="note"), "INCIDENT_AUDIT", "effect"),
    ("an effect that there is not", lambda c: put(c.held, effect="delete"), "INCIDENT", "effect"),
    ("another reason", lambda c: put(c.held, reason="none"), "INCIDENT_AUDIT", "reason"),
    ("another address", lambda c: put(c.held, slug="elsewhere"), "INCIDENT_AUDIT", "slug"),
    ("a title that the marks do not quote", lambda c: put(c.held, title="Another"), "MARK_INCIDENT", "reason"),
    ("an act of another kind", lambda c: put(c.held.audit, action="withdrawn"), "INCIDENT_AUDIT", "slug"),
    ("a reversal's actor", lambda c: put(c.reversal, actor=ADA), "INCIDENT_AUDIT", "actor"),
    ("a reversal before its incident", lambda c: put(c.reversal, at=NOW - timedelta(1)), "INCIDENT", "at"),
    ("a covered run without its mark", lambda c: lose(c.mark), "INCIDENT_COVER", "bears no mark"),
    ("a mark on a run that is not covered", lambda c: put(c.mark, run=c.other), "INCIDENT_COVER", "does not cover"),
    ("two marks on one run", lambda c: twice(c.mark), "INCIDENT_COVER", "bears 2 marks"),
    ("a reversed incident's mark still open", lambda c: lose(c.cleared), "INCIDENT_COVER", "is open"),
    ("a clearing of another mark", lambda c: put(c.cleared, clears=c.mark, run=c.run), "INCIDENT_COVER", "is cleared"),
    ("a mark of another rule", lambda c: put(c.mark, rule="INCIDENT_NOTE", is_blocking=False), "MARK_INCIDENT", "rule"),
    ("a mark by another", lambda c: put(c.mark, by="the source"), "MARK_INCIDENT", "by"),
    ("a mark before its incident", lambda c: put(c.mark, at=NOW - timedelta(1)), "MARK_INCIDENT", "at"),
    ("a mark of another act", lambda c: put(c.mark, audit=c.gone.audit), "MARK_INCIDENT", "audit_id"),
    ("a clearing of another reason", lambda c: put(c.cleared, reason="none"), "MARK_INCIDENT", "reason"),
    ("a flag by an incident that names none", lambda c: put(c.mark, incident=None), "MARK", "incident_id"),
    ("a blocking mark that does not block", lambda c: put(c.mark, is_blocking=False), "MARK", "is_blocking"),
    ("a reversal that is gone", lambda c: lose(c.reversal), "AUDIT_WITHOUT_INCIDENT", "incident rev"),
    ("a note's sentences", lambda c: put(c.note, sentences=[]), "NOTE", "sentences"),
    ("a version left out", lambda c: put(c.note, version=3), "NOTE", "version"),
    ("a note's reason", lambda c: put(c.note, reason="none"), "NOTE_AUDIT", "reason"),
    ("a note of another subject", lambda c: put(c.note, subject="family:else"), "NOTE_AUDIT", "subject"),
    ("a note that is gone", lambda c: lose(c.note), "AUDIT_WITHOUT_NOTE", "there are 0"),
    ("a succession turned around", lambda c: put(c.succession, successor=None), "NOTE_AUDIT", "successor_id"),
    ("a succession told twice", lambda c: twice(c.succession), "AUDIT_WITHOUT_NOTE", "there are 2"),
]  # fmt: skip


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda corruption: corruption[0])
def test_what_was_altered_is_named(cast: Cast, corruption: tuple[str, Callable[[Cast], Any], str, str]) -> None:
    _, corrupt, check, named = corruption
    with transaction.atomic():
        guards.remove(connection)
        corrupt(cast)
        found = [difference for difference in verify().differences if difference.check != "GUARD"]
        transaction.set_rollback(True)
    assert any(d.check == check and (d.column == named or named in d.text) for d in found), "\n".join(map(str, found))
    assert all(difference.check != "CHECK_FAILED" for difference in found), "\n".join(map(str, found))


def test_an_event_of_an_incident_that_was_never_made_is_named(db: None) -> None:
    AuditEvent.objects.create(
        id=uuid.UUID(int=5), at=NOW, actor=ADA, action="incident published", target_kind="incident", target="none",
        reason="none",
    )  # fmt: skip
    assert [(d.check, d.text) for d in verify().differences] == [
        ("AUDIT_WITHOUT_INCIDENT", "says incident published of none, and there is no such row")
    ]


def test_a_redacted_run_keeps_its_mark_and_is_no_difference(cast: Cast) -> None:
    request = corrections.request_redaction(cast.run, reason_class="legal", reason="a court", actor=ADA, now=LATER)
    corrections.approve_redaction(request, citation="as cited", actor=BOB, now=LATER)
    assert cast.run.marks.count() == 1
    assert verify().differences == ()
