"""Staff's acts on published runs: withdraw, supersede, flag, clear, redact. Each is a dated mark and an audit event.

Every act is one transaction that also derives the group's standings anew, and raises CorrectionError, having changed
nothing, where it makes no sense.
"""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.apps import apps
from django.db import models, transaction

from registry import auditing, evidence, standings
from registry.core import flags
from registry.guards import REDACTED
from registry.models import (
    AuditEvent,
    Environment,
    Implementation,
    Mark,
    Operation,
    Project,
    ProjectRevision,
    Protocol,
    Redaction,
    RedactionRequest,
    Run,
    RunArtifact,
    Sighting,
    Workload,
)
from registry.models.audit import ReasonClass
from registry.models.marks import MarkKind

BY_STAFF = "KernelIndex staff"
Led = Mapping[str, str]  # {"report": its id}
DOCUMENTS = (Run, Implementation, Workload, Operation, Protocol, Environment, ProjectRevision)


class CorrectionError(ValueError):
    """The act does not apply; its text says why, for the one who tried."""


def withdraw(
    runs: Sequence[Run], *, reason: str, actor: uuid.UUID, now: datetime, led_by: Led | None = None
) -> list[Mark]:
    """Take runs back: they stay readable, marked, and leave the ranking. `led_by`: what led to it, for the audit."""
    return _mark_each(runs, MarkKind.WITHDRAWN, reason=reason, actor=actor, now=now, led_by=led_by)


def supersede(
    run: Run, *, successor: Run, reason: str, actor: uuid.UUID, now: datetime, led_by: Led | None = None
) -> Mark:
    """Say that `successor` corrects `run`. Both must measure the same operation, and no circle may come of it."""
    if run.pk == successor.pk:
        raise CorrectionError("A run cannot supersede itself.")
    if run.operation_id != successor.operation_id:
        raise CorrectionError("The successor measures another operation.")
    seen, at = {run.pk}, successor.pk
    while at is not None:
        if at in seen:
            raise CorrectionError("The successor is itself superseded by this run.")
        seen.add(at)
        at = (
            Mark.objects.filter(run_id=at, kind=MarkKind.SUPERSEDED, cleared_by=None)
            .values_list("successor_id", flat=True)
            .first()
        )
    [mark] = _mark_each(
        [run], MarkKind.SUPERSEDED, reason=reason, actor=actor, now=now, successor=successor, led_by=led_by
    )
    return mark


LEFT = "correction left"


def leave(run: Run, *, successor: Run, reason: str, actor: uuid.UUID, now: datetime) -> None:
    """Decide that a correction which an upstream's row proposes is none: both runs stand as they are."""
    _require(reason)
    pair = correction_pair(run.digest, successor.digest)
    if AuditEvent.objects.filter(action=LEFT, target=pair).exists():
        raise CorrectionError("This correction was left already.")
    auditing.record(LEFT, "run", pair, reason, actor, now)


def correction_pair(corrected: str, correcting: str) -> str:
    """What a decision on a proposed correction names: it holds whenever a later sync proposes the same."""
    return f"{corrected} {correcting}"


def flag(
    runs: Sequence[Run], *, rule: str, reason: str, actor: uuid.UUID, now: datetime, led_by: Led | None = None
) -> list[Mark]:
    """Flag runs by a rule of core.flags; a blocking one unranks."""
    if rule not in flags.RULES:
        raise CorrectionError(f"Unknown rule {rule}; known are {', '.join(flags.BY_HAND)}.")
    if rule in flags.OF_INCIDENTS:
        raise CorrectionError(f"{rule} is set by an incident: publish one that covers the run.")
    return _mark_each(runs, MarkKind.FLAGGED, reason=reason, actor=actor, now=now, rule=rule, led_by=led_by)


def clear(marks: Sequence[Mark], *, reason: str, actor: uuid.UUID, now: datetime) -> list[Mark]:
    """Answer flags (or a mistaken withdrawal or supersession) by a later mark; the earlier one stays on record."""
    for mark in marks:
        if mark.kind == MarkKind.CLEARED:
            raise CorrectionError("A clearing cannot be cleared; flag the run again.")
        if mark.incident:
            raise CorrectionError(f"The incident “{mark.incident.title}” set this mark: reverse it to clear the mark.")
        if Mark.objects.filter(clears=mark).exists():
            raise CorrectionError(f"{mark.get_kind_display()} of {mark.at:%Y-%m-%d} is cleared already.")
    with transaction.atomic():
        made = [
            _mark(mark.run, MarkKind.CLEARED, reason=reason, actor=actor, now=now, rule=mark.rule, clears=mark)
            for mark in marks
        ]
        _refresh([mark.run for mark in marks])
    return made


def redactable_tables() -> dict[str, type[models.Model]]:
    """Table -> model: the documents, and what another app's configuration names as redactable."""
    also = [config.get_model(name) for config in apps.get_app_configs() for name in getattr(config, "redactable", ())]
    return {model._meta.db_table: model for model in (*DOCUMENTS, *also)}


def named_by(row: models.Model) -> str:
    """What a redaction names a row by: its digest, or that of its table and id.

    A digest of words that are to go would let short ones be guessed.
    """
    own: str | None = getattr(row, "digest", None)
    return own or f"sha256:{hashlib.sha256(f'{row._meta.db_table} {row.pk}'.encode()).hexdigest()}"


def request_redaction(
    target: models.Model, *, reason_class: str, reason: str, actor: uuid.UUID, now: datetime
) -> RedactionRequest:
    """The first of two staff asks that the bytes and names of a document go. Changes nothing yet."""
    if target._meta.db_table not in redactable_tables():
        raise CorrectionError(f"{target._meta.verbose_name} rows have nothing to redact.")
    if reason_class not in ReasonClass.values:
        raise CorrectionError(f"A redaction is for one of: {', '.join(ReasonClass.values)}.")
    _require(reason)
    digest = named_by(target)
    with transaction.atomic():
        request = RedactionRequest.objects.create(
            id=auditing.new_id(now),
            at=now,
            target_table=target._meta.db_table,
            target_id=target.pk,
            digest=digest,
            reason_class=reason_class,
            reason=reason,
            requested_by=actor,
        )
        auditing.record("redaction requested", target._meta.model_name or "", digest, reason, actor, now)
    return request


def approve_redaction(request: RedactionRequest, *, citation: str, actor: uuid.UUID, now: datetime) -> Redaction:
    """The second of two staff agrees: text columns go to the empty marker; digest, key, value and dates stay.

    `citation` is frozen as the row was cited before. Raises CorrectionError for the same person or a second time.
    """
    if actor == request.requested_by:
        raise CorrectionError("A redaction takes two: the one who asked cannot also approve.")
    if Redaction.objects.filter(target_table=request.target_table, target_id=request.target_id).exists():
        raise CorrectionError("This row is redacted already.")
    model = redactable_tables()[request.target_table]
    with transaction.atomic():
        redaction = Redaction.objects.create(
            id=auditing.new_id(now),
            request=request,
            at=now,
            target_table=request.target_table,
            target_id=request.target_id,
            approved_by=actor,
            citation=citation,
        )
        _blank(model, pk=request.target_id)
        if model is Run:
            _blank(Sighting, run_id=request.target_id)
            _blank(RunArtifact, run_id=request.target_id)
        if model is ProjectRevision:
            Project.objects.filter(newest=request.target_id).update(name=REDACTED)
        _rederive(model, request.target_id)
        auditing.record(
            "redacted",
            model._meta.model_name or "",
            request.digest,
            f"{request.reason_class}: {request.reason}",
            actor,
            now,
            {"request": str(request.id)},
        )
    return redaction


def _rederive(model: type[models.Model], target_id: uuid.UUID) -> None:
    """Standings and levels quote labels, authors and repositories of what they rest on: let them follow."""
    touched = {Run: {"pk": target_id}, Implementation: {"implementation": target_id}}
    if model in touched:
        runs = list(Run.objects.filter(**touched[model]))
        _refresh(runs)
        evidence.refresh([run.pk for run in runs])


def _blank(model: type[models.Model], **which: uuid.UUID) -> None:
    columns: tuple[str, ...] = model.REDACTABLE  # type: ignore[attr-defined]
    nullable = {field.name for field in model._meta.concrete_fields if field.null}
    # What the source never stated stays unstated: only a text that is there is blanked.
    for column in columns:
        rows = model._default_manager.filter(**which)
        (rows.exclude(**{column: None}) if column in nullable else rows).update(**{column: REDACTED})


def _mark_each(
    runs: Sequence[Run], kind: MarkKind, *, reason: str, actor: uuid.UUID, now: datetime, rule: str | None = None,
    successor: Run | None = None, led_by: Led | None = None,
) -> list[Mark]:  # fmt: skip
    for run in runs:
        open_marks = Mark.objects.filter(run=run, kind=kind, rule=rule, cleared_by=None)
        if open_marks.exists():
            raise CorrectionError(f"Run {run.digest[:19]}… is {MarkKind(kind).label} already.")
    with transaction.atomic():
        marks = [
            _mark(run, kind, reason=reason, actor=actor, now=now, rule=rule, successor=successor, led_by=led_by)
            for run in runs
        ]
        _refresh(runs)
    return marks


def _mark(
    run: Run, kind: MarkKind, *, reason: str, actor: uuid.UUID, now: datetime, rule: str | None = None,
    successor: Run | None = None, clears: Mark | None = None, led_by: Led | None = None,
) -> Mark:  # fmt: skip
    _require(reason)
    detail = {**(led_by or {}), **({"rule": rule} if rule else {})}
    if successor:
        detail["successor"] = successor.digest
    event = auditing.record(kind.label, "run", run.digest, reason, actor, now, detail)
    return Mark.objects.create(
        id=auditing.new_id(now),
        run=run,
        kind=kind,
        at=now,
        rule=rule,
        is_blocking=kind == MarkKind.FLAGGED and bool(rule) and flags.RULES[rule].kind is flags.Kind.BLOCKING,
        successor=successor,
        clears=clears,
        reason=reason,
        by=BY_STAFF,
        actor=actor,
        audit=event,
    )


def _require(reason: str) -> None:
    if not reason.strip():
        raise CorrectionError("State a reason: it is shown on the page and kept.")


def _refresh(runs: Sequence[Run]) -> None:
    standings.refresh(list(dict.fromkeys(run.group_id for run in runs)))
