"""Reports as moderators see them: every text of a group, who sent it, and what was done by whom."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from attestations.core.handles import shown_safely
from attestations.models import Report, ReportEvent, ReportEventKind
from attestations.queries.names import names
from attestations.queries.reports import ReportLine, report_line

SHOWN = 100  # texts of a group on its page, unless all are asked for


@dataclass(frozen=True, slots=True)
class Sent:
    """One report of a group. `contact` None: there is none, or the one who looks may not see it."""

    at: datetime
    by: str
    contact: str | None
    text: str
    evidence_url: str | None


@dataclass(frozen=True, slots=True)
class Done:
    """One step, with what only staff see of it."""

    at: datetime
    what: str
    by: str
    text: str
    is_public: bool


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that there is to decide by. `hidden_count` texts are shown when all are asked for."""

    line: ReportLine
    assigned_to: str | None
    sent: tuple[Sent, ...]
    hidden_count: int
    steps: tuple[Done, ...]


def dossier(report_id: uuid.UUID, *, now: datetime, has_contacts: bool, has_all: bool = False) -> Dossier:
    """Raises Report.DoesNotExist."""
    line = report_line(report_id, now=now)
    group = Report.objects.filter(Q(pk=line.id) | Q(duplicate_of=line.id)).order_by("at", "id")
    rows = list(group if has_all else group[:SHOWN])
    steps = list(ReportEvent.objects.filter(Q(report=line.id) | Q(report__duplicate_of=line.id)).order_by("at", "id"))
    taken_by = group.filter(pk=line.id).values_list("assigned_to", flat=True).get()
    actors = [row.actor for row in (*rows, *steps) if row.actor]
    known = names([*actors, *([taken_by] if taken_by else [])])
    return Dossier(
        line=line,
        assigned_to=known[taken_by] if taken_by else None,
        sent=tuple(_sent(row, known, has_contacts) for row in rows),
        hidden_count=line.report_count - len(rows),
        steps=tuple(_done(step, known) for step in steps if step.kind != ReportEventKind.JOINED),
    )


def _sent(row: Report, known: dict[uuid.UUID, str], has_contacts: bool) -> Sent:
    by = known[row.actor] if row.actor else "without an account"
    return Sent(row.at, by, row.contact if has_contacts else None, shown_safely(row.text), row.evidence_url)


def _done(step: Any, known: dict[uuid.UUID, str]) -> Done:
    by = known[step.actor] if step.actor else "without an account"
    return Done(step.at, step.get_kind_display(), by, shown_safely(step.text), step.is_public)
