"""Incidents: what was found wrong with many runs at once. Published, reversed, and applied to what is imported later.

An incident's effect is a mark on each run that it covers, so the ranks follow as from any other mark. A run under two
incidents has a mark of each, and stays unranked until both are reversed.
"""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F, JSONField, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, NullIf
from django.utils.text import slugify

from registry import auditing, bulk, standings
from registry.core import flags
from registry.core.incident_criteria import DIGEST, Criteria, CriteriaError, parse
from registry.corrections import BY_STAFF
from registry.models import (
    AuditEvent,
    ComparisonGroup,
    Environment,
    Implementation,
    Incident,
    IncidentReversal,
    Mark,
    Operation,
    Protocol,
    Run,
    Source,
)
from registry.models.incidents import Effect
from registry.models.marks import MarkKind

RULES = {Effect.NOTE: "INCIDENT_NOTE", Effect.FLAG: "INCIDENT_FLAG", Effect.UNRANK: "INCIDENT"}
PUBLISHED, REVERSED = "incident published", "incident reversed"
EXAMPLES = 10
CHUNK = 500  # runs that are asked for by id at a time
LOCK = 0x696E6364  # "incd": the advisory lock between a publication and the batches of an import
UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class IncidentError(ValueError):
    """The act does not apply; its text says why, for the one who tried."""


@dataclass(frozen=True, slots=True)
class Example:
    """A run that would be covered."""

    digest: str
    implementation: str
    operation: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What an incident of these criteria would cover. `ranked` and `leaders` are what it would unrank, if it unranks.

    `leaders` counts the groups whose best run is covered.
    """

    runs: int
    groups: int
    ranked: int
    leaders: int
    examples: tuple[Example, ...]


def preview(criteria: Any) -> Preview:
    """What would be covered, read only. Raises IncidentError."""
    covered = select(_judged(criteria))
    shown = covered.order_by("standing__rank", "group", "id")[:EXAMPLES].values_list(
        "digest", "implementation__display_name", "operation__display_name", "standing__rank"
    )
    return Preview(
        runs=covered.count(),
        groups=covered.order_by().values("group").distinct().count(),
        ranked=covered.exclude(standing__rank=None).count(),
        leaders=ComparisonGroup.objects.filter(standing__best__in=covered.values("pk")).count(),
        examples=tuple(Example(*row) for row in shown),
    )


def publish(
    *, title: str, text: str, evidence_url: str, criteria: Any, effect: str, reason: str, actor: uuid.UUID,
    now: datetime,
) -> Incident:  # fmt: skip
    """Publish an incident and mark each run that it covers: one event, one transaction. Raises IncidentError."""
    judged = _judged(criteria)
    title, text = title.strip(), text.strip()
    if not title or not text:
        raise IncidentError("State a title and a text: they are what is known of it in public.")
    if effect not in Effect.values:
        raise IncidentError(f"An effect is one of: {', '.join(Effect.values)}.")
    if evidence_url and not evidence_url.startswith("https://"):
        raise IncidentError("The evidence is an https address, or none.")
    _require(reason)
    with transaction.atomic():
        _in_turn(is_publication=True)
        covered = list(select(judged).values_list("pk", flat=True))
        slug = _free_slug(title)
        detail = {"effect": effect, "criteria": judged.as_json(), "runs": len(covered)}
        event = auditing.record(PUBLISHED, "incident", slug, reason, actor, now, detail)
        incident = Incident.objects.create(
            id=auditing.new_id(now), slug=slug, at=now, title=title, text=text, evidence_url=evidence_url,
            criteria=judged.as_json(), effect=effect, reason=reason, actor=actor, audit=event,
        )  # fmt: skip
        _mark(incident, covered, now=now)
        _rank_anew(covered)
    return incident


def reverse(incident: Incident, *, reason: str, actor: uuid.UUID, now: datetime) -> IncidentReversal:
    """Take an incident back: its marks are cleared, later imports are free of it, and it stays on record."""
    _require(reason)
    with transaction.atomic():
        _in_turn(is_publication=True)
        if IncidentReversal.objects.filter(incident=incident).exists():
            raise IncidentError("This incident is reversed already.")
        event = auditing.record(REVERSED, "incident", incident.slug, reason, actor, now)
        reversal = IncidentReversal.objects.create(
            id=auditing.new_id(now), incident=incident, at=now, reason=reason, actor=actor, audit=event
        )
        standing = list(incident.marks.filter(kind=MarkKind.FLAGGED, cleared_by=None))
        rows = [
            _row(incident, mark.run_id, now, MarkKind.CLEARED, clears=mark.pk, reason=reason, actor=actor, audit=event)
            for mark in standing
        ]
        bulk.insert(Mark, rows)
        _rank_anew([mark.run_id for mark in standing])
    return reversal


def cover(run_ids: Sequence[uuid.UUID], *, now: datetime) -> list[dict[str, Any]]:
    """Mark those of these new runs that an incident in force covers; ranks are the caller's, in its transaction.

    Gives the marks.
    """
    _in_turn(is_publication=False)
    marks: list[dict[str, Any]] = []
    for incident in Incident.objects.filter(reversal=None).select_related("audit").order_by("at", "id"):
        covered = select(parse(incident.criteria)).exclude(pk__in=incident.marks.values("run"))
        for start in range(0, len(run_ids), CHUNK):
            among = covered.filter(pk__in=run_ids[start : start + CHUNK])
            marks += _mark(incident, list(among.values_list("pk", flat=True)), now=now)
    return marks


def select(criteria: Criteria) -> QuerySet[Run]:
    """The runs that meet all that is stated, as one queryset."""
    runs = Run.objects.all()
    stated = (
        Q(source__slug__in=criteria.sources),
        Q(protocol__digest__in=criteria.protocols),
        Q(environment__digest__in=criteria.environments),
        Q(operation__in=_named(Operation, criteria.operations)),
        Q(implementation__in=_named(Implementation, criteria.implementations)),
    )
    lists = (
        criteria.sources, criteria.protocols, criteria.environments, criteria.operations, criteria.implementations,
    )  # fmt: skip
    for condition, names in zip(stated, lists, strict=True):
        if names:
            runs = runs.filter(condition)
    if criteria.observed_from:
        runs = runs.filter(observed_at__gte=criteria.observed_from)
    if criteria.observed_to:
        runs = runs.filter(observed_at__lt=criteria.observed_to)
    # A redacted run has no metadata left, and an empty text is no JSON.
    metadata = Cast(NullIf(F("metadata"), Value("")), JSONField())
    for number, (name, values) in enumerate(criteria.labels.items()):
        label = Cast(KeyTextTransform(name, KeyTransform("labels", metadata)), TextField())
        runs = runs.alias(**{f"label_{number}": label}).filter(**{f"label_{number}__in": values})
    return runs


def _named(model: type[Operation] | type[Implementation], names: Sequence[str]) -> QuerySet[Any]:
    """Rows by digest, by slug, or by row id where several rows share both."""
    ids = [name for name in names if UUID_TEXT.fullmatch(name)]
    return model.objects.filter(Q(digest__in=names) | Q(slug__in=names) | Q(pk__in=ids)).values("pk")


def _judged(written: Any) -> Criteria:
    """Criteria that are well formed and name only what is held. Raises IncidentError with every fault."""
    try:
        criteria = parse(written)
    except CriteriaError as error:
        raise IncidentError(str(error)) from error
    unknown = [
        f"{kind}: nothing here is called {name!r}."
        for kind, names, model, columns in (
            ("sources", criteria.sources, Source, ("slug",)),
            ("protocols", criteria.protocols, Protocol, ("digest",)),
            ("environments", criteria.environments, Environment, ("digest",)),
            ("operations", criteria.operations, Operation, ("digest", "slug", "pk")),
            ("implementations", criteria.implementations, Implementation, ("digest", "slug", "pk")),
        )
        for name in names
        if not _is_held(model, columns, name)
    ]
    if unknown:
        raise IncidentError(" ".join(unknown))
    return criteria


def _is_held(model: Any, columns: Sequence[str], name: str) -> bool:
    fitting = {"digest": DIGEST.fullmatch(name), "pk": UUID_TEXT.fullmatch(name), "slug": True}
    named = [Q((column, name)) for column in columns if fitting[column]]
    return any(model.objects.filter(condition).exists() for condition in named)


def _free_slug(title: str) -> str:
    wanted = slugify(title)[:100].strip("-") or "incident"
    taken = set(Incident.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    number = 1
    while (slug := wanted if number == 1 else f"{wanted}-{number}") in taken:
        number += 1
    return slug


def _mark(incident: Incident, run_ids: Sequence[uuid.UUID], *, now: datetime) -> list[dict[str, Any]]:
    """One mark a run, by the act that published the incident."""
    rows = [
        _row(incident, run_id, now, MarkKind.FLAGGED, reason=incident.title, actor=incident.actor, audit=incident.audit)
        for run_id in run_ids
    ]
    bulk.insert(Mark, rows)
    return rows


def _row(
    incident: Incident, run_id: uuid.UUID, now: datetime, kind: MarkKind, *, reason: str, actor: uuid.UUID | None,
    audit: AuditEvent, clears: uuid.UUID | None = None,
) -> dict[str, Any]:  # fmt: skip
    rule = RULES[Effect(incident.effect)]
    return {
        "id": auditing.new_id(now),
        "run_id": run_id,
        "kind": str(kind),
        "at": now,
        "rule": rule,
        "is_blocking": kind == MarkKind.FLAGGED and flags.RULES[rule].kind is flags.Kind.BLOCKING,
        "successor_id": None,
        "clears_id": clears,
        "incident_id": incident.pk,
        "reason": reason,
        "by": BY_STAFF,
        "actor": actor,
        "audit_id": audit.pk,
        "batch_id": None,
    }


def _rank_anew(run_ids: Sequence[uuid.UUID]) -> None:
    groups = {row[0] for row in bulk.existing(Run, "pk", run_ids, "group_id").values()}
    standings.refresh(sorted(groups))


def _in_turn(*, is_publication: bool) -> None:
    """Until the transaction ends: no incident comes or goes while a batch asks which are in force, nor the reverse.

    SQLite has one writer, so there it can't happen.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_xact_lock{'' if is_publication else '_shared'}(%s)", [LOCK])


def _require(reason: str) -> None:
    if not reason.strip():
        raise IncidentError("State a reason: it is kept, and shown with the incident.")
