"""Incidents: each stands with the acts that made and reversed it, and marks the runs that its criteria select."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from registry.core.incident_criteria import CriteriaError, parse
from registry.corrections import BY_STAFF
from registry.incidents import PUBLISHED, REVERSED, RULES, select
from registry.models import AuditEvent, Implementation, Incident, IncidentReversal, Mark, Run
from registry.models.incidents import Effect
from registry.models.marks import MarkKind
from registry.verifying.findings import Findings, Row

FROM_THE_INCIDENT = "is not what follows from its incident"


@dataclass(frozen=True, slots=True)
class Known:
    """An incident with the reversal that it has, and the event of it."""

    incident: Incident
    reversal: IncidentReversal | None
    reversed_by: UUID | None


def known_incidents() -> dict[UUID, Known]:
    """All of them: incidents are few, whatever they cover."""
    events = dict(AuditEvent.objects.filter(action=REVERSED).values_list("target", "pk"))
    return {
        incident.pk: Known(incident, getattr(incident, "reversal", None), events.get(incident.slug))
        for incident in Incident.objects.select_related("reversal", "audit").order_by("pk")
    }


def mark_of_an_incident(findings: Findings, mark: Row, known: Known | None) -> None:
    """A mark that names an incident: set by its publication, or cleared by its reversal, and otherwise as it says."""
    if known is None or known.incident.effect not in Effect.values:
        return  # a dangling reference, or an effect that there is not: each is named by its own check
    incident, reversal = known.incident, known.reversal
    derived: Row = {"rule": RULES[Effect(incident.effect)], "by": BY_STAFF}
    if mark["kind"] == MarkKind.CLEARED and reversal:
        derived |= {name: getattr(reversal, name) for name in ("at", "actor", "reason")}
        derived["audit_id"] = known.reversed_by
    else:
        derived |= {"kind": str(MarkKind.FLAGGED), "actor": incident.actor, "reason": incident.title}
        derived["audit_id"] = incident.audit_id
        if mark["at"] < incident.at or (reversal and mark["at"] > reversal.at):
            text = "is at an instant at which its incident was not in force"
            findings.add("MARK_INCIDENT", Mark, mark["id"], "at", text, stored=mark["at"], derived=incident.at)
    findings.compare("MARK_INCIDENT", Mark, mark["id"], mark, derived, FROM_THE_INCIDENT)


def incidents_hold(findings: Findings) -> None:
    found = list(known_incidents().values())
    findings.read(Incident, found)
    findings.read(IncidentReversal, [known for known in found if known.reversal])
    for known in found:
        _with_its_acts(findings, known.incident, known.reversal)
        _covers_what_it_says(findings, known.incident, known.reversal)
    _acts_have_their_rows(findings, {known.incident.slug: known.reversal is not None for known in found})


def _with_its_acts(findings: Findings, incident: Incident, reversal: IncidentReversal | None) -> None:
    detail = incident.audit.detail
    stored = {name: getattr(incident, name) for name in ("slug", "at", "actor", "reason", "effect", "criteria")}
    event = incident.audit
    derived = {
        "slug": event.target if event.action == PUBLISHED and event.target_kind == "incident" else event.action,
        **{name: getattr(event, name) for name in ("at", "actor", "reason")},
        "effect": detail.get("effect"),
        "criteria": detail.get("criteria"),
    }
    text = "is not what the act recorded in its audit event"
    findings.compare("INCIDENT_AUDIT", Incident, incident.pk, stored, derived, text)
    if reversal:
        act = AuditEvent.objects.filter(action=REVERSED, target=incident.slug).values("at", "actor", "reason").first()
        told = {name: getattr(reversal, name) for name in ("at", "actor", "reason")}
        findings.compare("INCIDENT_AUDIT", IncidentReversal, reversal.pk, told, act or dict.fromkeys(told), text)
        if reversal.at < incident.at:
            findings.add("INCIDENT", IncidentReversal, reversal.pk, "at", "is earlier than its incident")


def _covers_what_it_says(findings: Findings, incident: Incident, reversal: IncidentReversal | None) -> None:
    if incident.effect not in Effect.values:
        findings.add("INCIDENT", Incident, incident.pk, "effect", "is no effect", stored=incident.effect)
    try:
        selected = set(select(parse(incident.criteria)).values_list("pk", flat=True))
    except CriteriaError as error:
        findings.add("INCIDENT", Incident, incident.pk, "criteria", str(error), stored=incident.criteria)
        return
    marks = list(incident.marks.filter(kind=MarkKind.FLAGGED).values_list("run", "pk", "cleared_by"))
    if reversal is None:  # runs that came after a reversal are free of the incident
        for run_id in sorted(selected - {run for run, *_ in marks}):
            text = f"is covered by the incident {incident.slug}, and bears no mark of it"
            findings.add("INCIDENT_COVER", Run, run_id, "", text)
    known = set(_redacted(findings, [run for run, *_ in marks]))
    for run_id, mark_id, cleared_by in marks:
        if run_id not in selected and run_id not in known:
            text = f"marks a run that the incident {incident.slug} does not cover"
            findings.add("INCIDENT_COVER", Mark, mark_id, "run_id", text, stored=run_id)
        if (cleared_by is None) is (reversal is not None):
            text = "is open, and its incident is reversed" if reversal else "is cleared, and its incident is in force"
            findings.add("INCIDENT_COVER", Mark, mark_id, "", text)


def _redacted(findings: Findings, run_ids: list[UUID]) -> Iterator[UUID]:
    """Of these runs, those whose labels or implementation's slug are gone, so that nothing selects them any more."""
    if not findings.redactions:
        return
    for run_id, implementation_id in Run.objects.filter(pk__in=run_ids).values_list("pk", "implementation"):
        if findings.is_redacted(Run, run_id) or findings.is_redacted(Implementation, implementation_id):
            yield run_id


def _acts_have_their_rows(findings: Findings, is_reversed: dict[str, bool]) -> None:
    for event in AuditEvent.objects.filter(action__in=(PUBLISHED, REVERSED)).order_by("pk"):
        if event.target not in is_reversed or (event.action == REVERSED and not is_reversed[event.target]):
            text = f"says {event.action} of {event.target}, and there is no such row"
            findings.add("AUDIT_WITHOUT_INCIDENT", AuditEvent, event.pk, "", text)
