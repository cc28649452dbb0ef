"""Incidents as their pages show them: what was found, what it covers in words, which runs, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from registry.core.incident_criteria import Criteria, parse
from registry.models import Environment, Implementation, Incident, Operation, Protocol, Run, Source
from registry.models.marks import MarkKind
from registry.queries import addresses, rows
from registry.queries.rows import RunList
from registry.queries.shapes import Fact, Ref, linkable

MARKED = Q(marks__kind=MarkKind.FLAGGED)
# Of a criterion: its word, the table that its names are looked up in, the columns they may be, and the page's address.
NAMED: tuple[tuple[str, str, Any, tuple[str, ...], Any], ...] = (
    ("sources", "source", Source, ("slug",), lambda row: addresses.source(row.slug)),
    ("protocols", "protocol", Protocol, ("digest",), lambda row: addresses.protocol(row.digest)),
    ("environments", "environment", Environment, ("digest",), lambda row: addresses.environment(row.digest)),
    ("operations", "operation", Operation, ("slug", "digest"), lambda row: addresses.operation(row.slug)),
    (
        "implementations", "implementation", Implementation, ("slug", "digest"),
        lambda row: addresses.implementation(row.pk),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class IncidentLine:
    """An incident in the list. `reversed_at` None: it is in force, for what is imported later too."""

    incident: Ref
    effect: str
    effect_text: str
    at: datetime
    run_count: int
    reversed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Happened:
    """An act on an incident, with the reason given for it."""

    at: datetime
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class IncidentPage:
    """Everything on an incident's page; its JSON twin is this object. `run_count` counts every run ever marked."""

    id: str
    title: str
    url: str
    text: str
    evidence_url: str | None
    effect: str
    effect_text: str
    at: datetime
    reversed_at: datetime | None
    criteria: tuple[Fact, ...]
    run_count: int
    group_count: int
    later_count: int
    history: tuple[Happened, ...]
    runs: RunList


def incident_lines() -> tuple[IncidentLine, ...]:
    """Every incident, newest first; reversed ones stay."""
    return tuple(
        IncidentLine(
            Ref(incident.slug, incident.title, addresses.incident(incident.slug)),
            incident.effect,
            incident.get_effect_display(),
            incident.at,
            incident.run_count,
            reversal.at if (reversal := getattr(incident, "reversal", None)) else None,
        )
        for incident in _counted().order_by("-at", "-id")
    )


def _counted() -> QuerySet[Any]:
    return Incident.objects.select_related("reversal").annotate(run_count=Count("marks", filter=MARKED))


def incident_page(slug: str, cursor: str | None = None) -> IncidentPage:
    """Raises Incident.DoesNotExist, keyset.BadCursorError."""
    incident = _counted().get(slug=slug)
    reversal = getattr(incident, "reversal", None)
    marked = Run.objects.filter(marks__incident=incident, marks__kind=MarkKind.FLAGGED)
    counts = incident.marks.filter(kind=MarkKind.FLAGGED).aggregate(
        groups=Count("run__group", distinct=True), later=Count("pk", filter=Q(at__gt=incident.at))
    )
    history = [Happened(incident.at, "published", incident.reason)]
    if reversal:
        history.append(Happened(reversal.at, "reversed", reversal.reason))
    return IncidentPage(
        id=slug,
        title=incident.title,
        url=addresses.incident(slug),
        text=incident.text,
        evidence_url=linkable(incident.evidence_url),
        effect=incident.effect,
        effect_text=incident.get_effect_display(),
        at=incident.at,
        reversed_at=reversal.at if reversal else None,
        criteria=in_words(parse(incident.criteria)),
        run_count=incident.run_count,
        group_count=counts["groups"],
        later_count=counts["later"],
        history=tuple(history),
        runs=rows.run_list(marked, scope=f"incident:{slug}", cursor=cursor, total=incident.run_count),
    )


def in_words(criteria: Criteria) -> tuple[Fact, ...]:
    """What criteria select, a line each, linked where the thing has a page. One query for each kind of name."""
    facts = [fact for kind, *how in NAMED if (names := getattr(criteria, kind)) for fact in _named(kind, names, *how)]
    facts += [Fact(f"label {name}", f"labels.{name}", " or ".join(v)) for name, v in criteria.labels.items()]
    ends = ((criteria.observed_from, "from"), (criteria.observed_to, "before"))
    told = [f"{word} {instant:%Y-%m-%d %H:%M} UTC" for instant, word in ends if instant]
    if told:
        facts.append(Fact("observed", "observed", ", ".join(told)))
    return tuple(facts) or (Fact("every run", "everything", "nothing is left out"),)


def _named(
    kind: str, names: tuple[str, ...], word: str, model: Any, columns: tuple[str, ...], address: Any
) -> list[Fact]:
    """Each name as the row that it stands for; one that several rows share, or none any more, as it was written."""
    condition = Q()
    for column in columns:
        condition |= Q(**{f"{column}__in": names})
    held: dict[str, list[Any]] = {}
    for row in model.objects.filter(condition):
        for column in columns:
            held.setdefault(getattr(row, column), []).append(row)
    return [
        Fact(word, kind, str(found[0]), url=address(found[0]))
        if len(found := held.get(name, ())) == 1
        else Fact(word, kind, name, is_code=True)
        for name in names
    ]
