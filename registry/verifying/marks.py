"""Marks and redactions: each makes sense, and stands with the audit event of the act that made it, both ways."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from registry.core import flags
from registry.corrections import BY_STAFF, named_by, redactable_tables
from registry.models import AuditEvent, Mark, Redaction, RedactionRequest, Run
from registry.models.marks import MarkKind
from registry.staging import MARKED_AT_THE_DOOR, MARKED_BY_SOURCE
from registry.verifying.findings import Findings, Lookup, Row, chunks
from registry.verifying.incidents import known_incidents, mark_of_an_incident

ACTIONS = {str(MarkKind(kind).label): kind for kind in MarkKind.values}
REQUESTED, REDACTED = "redaction requested", "redacted"
EVENT_COLUMNS = ("at", "actor", "action", "target_kind", "target", "reason", "detail")
MARK_COLUMNS = ("run_id", "kind", "rule", "at")
FROM_THE_ACT = "is not what the act recorded in its audit event"


def _rows(*names: str) -> Any:
    return lambda *row: dict(zip(names, row, strict=True))


def marks_hold(findings: Findings) -> None:
    runs = Lookup(Run, "digest", shape=lambda digest: digest)
    events = Lookup(AuditEvent, *EVENT_COLUMNS, shape=_rows(*EVENT_COLUMNS))
    answered = Lookup(Mark, *MARK_COLUMNS, shape=_rows(*MARK_COLUMNS))
    incidents = known_incidents()
    for rows in chunks(Mark.objects.all()):
        runs.load(run_id for row in rows for run_id in (row["run_id"], row["successor_id"]) if run_id)
        events.load(row["audit_id"] for row in rows if row["audit_id"])
        answered.load(row["clears_id"] for row in rows if row["clears_id"])
        if any(row["batch_id"] is None for row in rows):
            findings.read(Mark, [row for row in rows if row["batch_id"] is None])
        for row in rows:
            for column, text in _nonsense(row, answered.get(row["clears_id"])):
                findings.add("MARK", Mark, row["id"], column, text, stored=row[column])
            if row["batch_id"]:
                _of_the_door(findings, row)
            elif row["incident_id"]:
                mark_of_an_incident(findings, row, incidents.get(row["incident_id"]))
            elif row["audit_id"] is None:
                findings.add("MARK_WITHOUT_AUDIT", Mark, row["id"], "audit_id", "came by no batch and by no act")
            elif event := events.get(row["audit_id"]):
                _of_an_act(findings, row, event, runs)


def _nonsense(mark: Row, answered: Row | None) -> Iterator[tuple[str, str]]:
    """Column and text of what makes no sense by itself. `answered` is the mark that this one clears."""
    kind, rule = mark["kind"], mark["rule"]
    if kind not in MarkKind.values:
        yield "kind", "is no kind of mark"
    if rule is not None and rule not in flags.RULES:
        yield "rule", "is no rule of this index"
    elif mark["is_blocking"] != (
        kind == MarkKind.FLAGGED and rule is not None and flags.RULES[rule].kind is flags.Kind.BLOCKING
    ):
        yield "is_blocking", "is not what the rule says"
    if kind == MarkKind.FLAGGED and (rule in flags.OF_INCIDENTS) is (mark["incident_id"] is None):
        yield "incident_id", "a flag by an incident, and no other, names it"
    if (rule is None and kind == MarkKind.FLAGGED) or (rule and kind in (MarkKind.WITHDRAWN, MarkKind.SUPERSEDED)):
        yield "rule", "a flag has a rule, and nothing else but its clearing"
    if (mark["successor_id"] is None) is (kind == MarkKind.SUPERSEDED) or mark["successor_id"] == mark["run_id"]:
        yield "successor_id", "a superseded run, and no other, has a successor, which is another run"
    if (mark["clears_id"] is None) is (kind == MarkKind.CLEARED):
        yield "clears_id", "a clearing, and no other mark, answers a mark"
    if answered and (answered["run_id"] != mark["run_id"] or answered["kind"] == MarkKind.CLEARED):
        yield "clears_id", "answers a mark of another run, or one that is a clearing itself"
    if answered and answered["rule"] != rule:
        yield "rule", "is not that of the mark that it clears"
    if answered and answered["at"] > mark["at"]:
        yield "at", "is earlier than the mark that it clears"


def _of_the_door(findings: Findings, mark: Row) -> None:
    for column in ("audit_id", "actor", "incident_id"):
        if mark[column] is not None:
            text = "came by a batch: no person made it"
            findings.add("MARK", Mark, mark["id"], column, text, stored=mark[column])
    if mark["by"] not in (MARKED_BY_SOURCE, MARKED_AT_THE_DOOR):
        findings.add("MARK", Mark, mark["id"], "by", "is no one who marks at the door", stored=mark["by"])


def _of_an_act(findings: Findings, mark: Row, event: Row, runs: Lookup) -> None:
    detail = event["detail"]
    derived = {
        "run_id": event["target"],
        "kind": ACTIONS.get(event["action"], event["action"]),
        "successor_id": detail.get("successor"),
        **{name: event[name] for name in ("at", "actor", "reason")},
        "rule": detail.get("rule"),
        "by": BY_STAFF,
    }
    told = {"run_id": runs.get(mark["run_id"]), "successor_id": runs.get(mark["successor_id"])}
    findings.compare("MARK_AUDIT", Mark, mark["id"], mark | told, derived, FROM_THE_ACT)
    if mark["actor"] is None:
        findings.add("MARK_AUDIT", Mark, mark["id"], "actor", "an act has someone who did it")


def events_have_their_marks(findings: Findings) -> None:
    for rows in chunks(AuditEvent.objects.all()):
        findings.read(AuditEvent, rows)
        marked = set(Mark.objects.filter(audit__in=[row["id"] for row in rows]).values_list("audit", flat=True))
        for row in rows:
            if row["action"] in ACTIONS and row["target_kind"] == "run" and row["id"] not in marked:
                text = f"says that run {row['target']} was {row['action']}, and there is no such mark"
                findings.add("AUDIT_WITHOUT_MARK", AuditEvent, row["id"], "", text)


def redactions_are_on_record(findings: Findings) -> None:
    """As many requests and redactions of one digest, instant, actor and reason as audit events that tell of them."""
    events: dict[tuple[Any, ...], list[UUID]] = defaultdict(list)
    for row in AuditEvent.objects.filter(action__in=(REQUESTED, REDACTED)).order_by("pk").values():
        why = row["reason"] if row["action"] == REQUESTED else row["detail"].get("request")
        events[row["action"], row["target"], row["at"], row["actor"], why].append(row["id"])
    acts: dict[tuple[Any, ...], list[UUID]] = defaultdict(list)
    for request in RedactionRequest.objects.order_by("pk"):
        acts[REQUESTED, request.digest, request.at, request.requested_by, request.reason].append(request.pk)
    for row in Redaction.objects.order_by("pk").values("id", "at", "approved_by", "request_id", "request__digest"):
        key = (REDACTED, row["request__digest"], row["at"], row["approved_by"], str(row["request_id"]))
        acts[key].append(row["id"])
    for key in acts.keys() | events.keys():
        model = RedactionRequest if key[0] == REQUESTED else Redaction
        for row_id in acts[key][len(events[key]) :]:
            findings.add("REDACTION_WITHOUT_AUDIT", model, row_id, "", "no audit event tells of it")
        for row_id in events[key][len(acts[key]) :]:
            text = f"says {key[0]} of {key[1]}, and there is no such row"
            findings.add("AUDIT_WITHOUT_REDACTION", AuditEvent, row_id, "", text)


def redactions_hold(findings: Findings) -> None:
    """A redaction answers a request of another actor, for a row that is there and can be redacted."""
    columns = ("target_table", "target_id", "digest", "requested_by", "at")
    findings.read(RedactionRequest, RedactionRequest.objects.values_list("pk"))
    requests = Lookup(RedactionRequest, *columns, shape=_rows(*columns))
    for rows in chunks(Redaction.objects.all()):
        findings.read(Redaction, rows)
        requests.load(row["request_id"] for row in rows)
        for row in rows:
            request = requests.get(row["request_id"])
            for column, text in _wrong(row, request):
                findings.add("REDACTION", Redaction, row["id"], column, text, stored=row[column])


def _wrong(redaction: Row, request: Row | None) -> Iterator[tuple[str, str]]:
    if request is None:
        yield "request_id", "nobody requested it"
        return
    if redaction["approved_by"] == request["requested_by"]:
        yield "approved_by", "a redaction takes two: the one who asked also approved"
    if redaction["at"] < request["at"]:
        yield "at", "is earlier than its request"
    for column in ("target_table", "target_id"):
        if redaction[column] != request[column]:
            yield column, "is not what was requested"
    model = redactable_tables().get(redaction["target_table"])
    if model is None:
        yield "target_table", "has nothing to redact"
        return
    target = model._default_manager.filter(pk=redaction["target_id"]).first()
    if target is None or named_by(target) != request["digest"]:
        yield "target_id", f"is no row with the digest {request['digest']}"
