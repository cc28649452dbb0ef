"""Protocol notes and successions: versions count from 1 without a gap, and each row stands with its audit event."""

from collections import Counter

from registry.core.protocol_notes import NoteError, sentences
from registry.models import AuditEvent, ProtocolNote, ProtocolSuccession
from registry.notes import SUCCEEDED, WRITTEN
from registry.verifying.findings import Findings, Model

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
    _acts_have_their_rows(findings, {row.audit_id for row in (*notes, *successions)})


def _with_its_act(findings: Findings, model: Model, row: object, stored: dict, derived: dict) -> None:  # type: ignore[type-arg]
    event: AuditEvent = row.audit  # type: ignore[attr-defined]
    derived |= {name: getattr(event, name) for name in ("at", "actor", "reason")}
    findings.compare("NOTE_AUDIT", model, row.pk, stored, derived, FROM_THE_ACT)  # type: ignore[attr-defined]


def _acts_have_their_rows(findings: Findings, told: set[object]) -> None:
    for event in AuditEvent.objects.filter(action__in=(WRITTEN, SUCCEEDED)).exclude(pk__in=told).order_by("pk"):
        text = f"says {event.action} of {event.target}, and there is no such row"
        findings.add("AUDIT_WITHOUT_NOTE", AuditEvent, event.pk, "", text)
