"""Incidents: each stands with the acts that made and reversed it, and marks the runs that its criteria select."""

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from registry.core.incident_criteria import CriteriaError, parse
from registry.corrections import BY_STAFF
from registry.incidents import PUBLISHED, REVERSED, RULES, select
from registry.models import AuditEvent, Implementation, Incident, IncidentReversal, Mark, Run
from registry.models.incidents import Effect
from registry.models.marks import MarkKind
from registry.verifying.findings import Findings, Row

FROM_THE_INCIDENT = "is not what follows from its incident"
FROM_THE_ACT = "is not what the act recorded in its audit event"


def known_incidents() -> dict[UUID, Incident]:
    """All of them, each with its reversal where it has one: incidents are few, whatever they cover."""
    found = Incident.objects.select_related("audit", "reversal__audit").order_by("pk")
    return {incident.pk: incident for incident in found}


def reversal_of(incident: Incident) -> IncidentReversal | None:
    return getattr(incident, "reversal", None)


def mark_of_an_incident(findings: Findings, mark: Row, incident: Incident | None) -> None:
    """A mark that names an incident: set by its publication, or cleared by its reversal, and otherwise as it says."""
    if incident is None or incident.effect not in Effect.values:
        return  # a dangling reference, or an effect that there is not: each is named by its own check
    reversal = reversal_of(incident)
    derived: Row = {"rule": RULES[Effect(incident.effect)], "by": BY_STAFF}
    if mark["kind"] == MarkKind.CLEARED and reversal:
        derived |= {name: getattr(reversal, name) for name in ("at", "actor", "reason", "audit_id")}
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
    findings.read(IncidentReversal, [incident for incident in found if reversal_of(incident)])
    for incident in found:
        _with_its_acts(findings, incident, reversal_of(incident))
        _covers_what_it_says(findings, incident, reversal_of(incident))
    _acts_have_their_rows(findings, {incident.slug: reversal_of(incident) is not None for incident in found})


def _with_its_acts(findings: Findings, incident: Incident, reversal: IncidentReversal | None) -> None:
    detail = incident.audit.detail
    stored = {name: getattr(incident, name) for name in ("at", "actor", "reason", "slug", "effect", "criteria")}
    derived = _told_by(incident.audit, PUBLISHED) | {name: detail.get(name) for name in ("effect", "criteria")}
    findings.compare("INCIDENT_AUDIT", Incident, incident.pk, stored, derived, FROM_THE_ACT)
    if reversal:
        stored = {name: getattr(reversal, name) for name in ("at", "actor", "reason")} | {"slug": incident.slug}
        derived = _told_by(reversal.audit, REVERSED)
        findings.compare("INCIDENT_AUDIT", IncidentReversal, reversal.pk, stored, derived, FROM_THE_ACT)
        if reversal.at < incident.at:
            findings.add("INCIDENT", IncidentReversal, reversal.pk, "at", "is earlier than its incident")


def _told_by(event: AuditEvent, action: str) -> Row:
    """What an event says of its incident; of another kind of act, it says nothing of any."""
    is_its_own = (event.action, event.target_kind) == (action, "incident")
    told = {name: getattr(event, name) for name in ("at", "actor", "reason")}
    return told | {"slug": event.target if is_its_own else event.action}


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
    for run_id, times in Counter(run for run, *_ in marks).items():
        if times > 1:
            findings.add("INCIDENT_COVER", Run, run_id, "", f"bears {times} marks of the incident {incident.slug}")
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
