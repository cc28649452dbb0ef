"""Protocol notes and successions: versions count from 1 without a gap, and each row stands with its audit event."""

from collections import Counter
from typing import Any
from uuid import UUID

from registry.core.protocol_notes import NoteError, sentences
from registry.models import AuditEvent, ProtocolNote, ProtocolSuccession
from registry.notes import SUCCEEDED, WRITTEN
from registry.verifying.findings import Findings, Model, Row

FROM_THE_ACT = "is not what the act recorded in its audit event"


def notes_hold(findings: Findings) -> None:
    written: Counter[str] = Counter()
    notes = list(ProtocolNote.objects.select_related("audit").order_by("subject", "version"))
    findings.read(ProtocolNote, notes)
    for note in notes:
        written[note.subject] += 1
        if note.version != written[note.subject]:
            text = "does not follow the version before it"
            findings.add(
                "NOTE", ProtocolNote, note.pk, "version", text, stored=note.version, derived=written[note.subject]
            )
        try:
            sentences(note.sentences)
        except NoteError as error:
            findings.add("NOTE", ProtocolNote, note.pk, "sentences", str(error), stored=note.sentences)
        stored = {name: getattr(note, name) for name in ("subject", "version", "at", "actor", "reason")}
        derived = {"subject": note.audit.target, "version": note.audit.detail.get("version")}
        _with_its_act(findings, ProtocolNote, note, stored, derived)
    successions = list(ProtocolSuccession.objects.select_related("audit", "protocol", "successor").order_by("pk"))
    findings.read(ProtocolSuccession, successions)
    for said in successions:
        stored = {name: getattr(said, name) for name in ("at", "actor", "reason")}
        stored["protocol_id"] = said.protocol.digest
        stored["successor_id"] = said.successor.digest if said.successor else None
        derived = {"protocol_id": said.audit.target, "successor_id": said.audit.detail.get("successor")}
        _with_its_act(findings, ProtocolSuccession, said, stored, derived)
    _acts_have_their_rows(findings, Counter(row.audit_id for row in (*notes, *successions)))


def _with_its_act(findings: Findings, model: Model, row: Any, stored: Row, derived: Row) -> None:
    derived |= {name: getattr(row.audit, name) for name in ("at", "actor", "reason")}
    findings.compare("NOTE_AUDIT", model, row.pk, stored, derived, FROM_THE_ACT)


def _acts_have_their_rows(findings: Findings, told: Counter[UUID]) -> None:
    for event in AuditEvent.objects.filter(action__in=(WRITTEN, SUCCEEDED)).order_by("pk"):
        if told[event.pk] != 1:
            text = f"says {event.action} of {event.target}, and there are {told[event.pk]} such rows"
            findings.add("AUDIT_WITHOUT_NOTE", AuditEvent, event.pk, "", text)
