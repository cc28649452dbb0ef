"""Issue reports as everybody sees them: reasons, states, dates and answers. Never the text, never who to write to.

A group of reports on one run for one reason is shown as one, under the id of its first.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from attestations.core import disputes
from attestations.models import Outcome, Reason, Report, ReportEvent, ReportEventKind, ReportState
from attestations.queries.claims import AuthorsWords, author_notes
from attestations.queries.redactions import removals
from registry.models import Run
from registry.queries import addresses, keyset
from registry.queries.shapes import Page, Ref

SHOWN = 20  # groups on a run's page
ANSWERS = (ReportEventKind.ASKED, ReportEventKind.NOTED, ReportEventKind.RESOLVED, ReportEventKind.DISMISSED)
STATES = {
    "open": Q(closed_at=None),
    "waiting": Q(state=ReportState.ASKED),
    "resolved": Q(state=ReportState.RESOLVED),
    "dismissed": Q(state=ReportState.DISMISSED),
}
OVERDUE = "overdue"
COLUMNS = (
    "at", "reason", "state", "closed_at", "outcome", "public_note", "run__digest",
    "run__implementation__display_name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A group of reports in a list. `overdue` says what is late: "first answer" or "decision"."""

    id: str
    url: str
    run: Ref
    reason: str
    reason_text: str
    report_count: int
    state: str
    state_text: str
    opened_at: datetime
    answer_by: datetime
    decide_by: datetime
    overdue: str | None
    closed_at: datetime | None
    outcome: str | None
    outcome_text: str | None
    public_note: str | None

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def mark(self) -> str:
        """The mark that the state is shown with."""
        return {"resolved": "passed", "dismissed": "dismissed", "asked": "queued"}.get(self.state, "disputed")


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports of a run, newest first, duplicates grouped. `more_count` groups are on the list of reports alone."""

    open_count: int
    disputed_since: datetime | None
    lines: tuple[ReportLine, ...]
    more_count: int


@dataclass(frozen=True, slots=True)
class ReportList:
    """One keyset page of reports of every run, or of one run, or in one state."""

    rows: tuple[ReportLine, ...]
    page: Page
    state: str | None
    run: Ref | None


@dataclass(frozen=True, slots=True)
class Step:
    """A dated step that everybody may know of; `text` where it was written for everybody."""

    at: datetime
    what: str
    text: str | None


@dataclass(frozen=True, slots=True)
class ReportPage:
    """Everything on a report's page; its JSON twin is this object."""

    report: ReportLine
    author_notes: tuple[AuthorsWords, ...]
    steps: tuple[Step, ...]


def reports_of(run_id: uuid.UUID, *, now: datetime) -> Reports:
    """Two queries."""
    groups = _groups().filter(run=run_id)
    found = tuple(_line(row, now) for row in _wide(groups)[: SHOWN + 1])
    undecided = [
        line for line in found if line.is_open
    ]  # never more than there are reasons, but perhaps not among these
    if len(found) <= SHOWN:
        return Reports(len(undecided), min((line.opened_at for line in undecided), default=None), found, 0)
    still = groups.filter(closed_at=None).values_list("at", flat=True)
    return Reports(len(still), min(still, default=None), found[:SHOWN], groups.count() - SHOWN)


def report_list(
    *, now: datetime, state: str | None = None, run: str | None = None, cursor: str | None = None
) -> ReportList:
    """Newest first. Raises keyset.BadCursorError, Run.DoesNotExist; a state that is none is not applied."""
    state = state if state in (*STATES, OVERDUE) else None
    groups = _groups()
    if state:
        groups = overdue_of(groups, now) if state == OVERDUE else groups.filter(STATES[state])
    reported = Run.objects.only("digest", "implementation__display_name").select_related("implementation")
    of = reported.get(digest=run.replace("\0", " ")) if run else None  # PostgreSQL takes no NUL; no digest holds either
    if of:
        groups = groups.filter(run=of)
    rows, following = keyset.page(
        _wide(groups), order=("-at", "-id"), scope=f"reports:{state}:{run or None}", cursor=cursor
    )
    page = Page(following, groups.count())
    return ReportList(tuple(_line(row, now) for row in rows), page, state, _run(of) if of else None)


def report_page(report_id: uuid.UUID, *, now: datetime) -> ReportPage:
    """A report under its own id or that of one that joined it. Raises Report.DoesNotExist."""
    row, line = _found(report_id, now)
    beside = tuple(note for note in author_notes(row.run_id) if note.report_id == line.id)
    steps = ReportEvent.objects.filter(Q(report=line.id) | Q(report__duplicate_of=line.id), kind__in=TOLD)
    told = list(steps.order_by("at", "id"))
    gone = removals(event for event in told if event.is_public)
    return ReportPage(line, beside, tuple(_step(event, gone) for event in told))


def report_line(report_id: uuid.UUID, *, now: datetime) -> ReportLine:
    """The line alone of what `report_page` shows. Raises Report.DoesNotExist."""
    return _found(report_id, now)[1]


def _found(report_id: uuid.UUID, now: datetime) -> tuple[Report, ReportLine]:
    first_id = Report.objects.filter(pk=report_id).values(first=Coalesce("duplicate_of", "pk"))
    row = _wide(_groups()).get(pk__in=first_id)
    return row, _line(row, now)


def in_queue(found: QuerySet[Report], *, has_joined: bool = False) -> QuerySet[Report]:
    """What the moderators' queue lists: groups with their run, their size and when they were first answered."""
    groups = found if has_joined else found.filter(duplicate_of=None)
    return _counted(groups.select_related("run").defer("run__canonical", "run__metadata"))


def overdue_of(groups: QuerySet[Report], now: datetime) -> QuerySet[Report]:
    """The groups of which disputes.late tells something."""
    late = Q(at__lt=now - disputes.DECISION) | Q(at__lt=now - disputes.FIRST_ANSWER) & ~Q(Exists(_answers()))
    return groups.filter(late, closed_at=None)


def _groups() -> QuerySet[Report]:
    return Report.objects.filter(duplicate_of=None)


def _answers() -> QuerySet[ReportEvent]:
    return ReportEvent.objects.filter(report=OuterRef("pk"), kind__in=ANSWERS)


def _wide(groups: QuerySet[Report]) -> QuerySet[Report]:
    return _counted(groups.select_related("run__implementation").only(*COLUMNS))


def _counted(groups: QuerySet[Report]) -> QuerySet[Report]:
    joined = Report.objects.filter(duplicate_of=OuterRef("pk")).order_by().values("duplicate_of")
    return groups.annotate(
        joined_count=Coalesce(Subquery(joined.annotate(n=Count("pk")).values("n")), 0),
        answered_at=Subquery(_answers().order_by("at").values("at")[:1]),
    )


def _line(row: Any, now: datetime) -> ReportLine:
    dates = disputes.due(row.at)
    late = disputes.late(opened_at=row.at, answered_at=row.answered_at, closed_at=row.closed_at, now=now)
    return ReportLine(
        id=str(row.id),
        url=address(row.id),
        run=_run(row.run),
        reason=row.reason,
        reason_text=Reason(row.reason).label,
        report_count=row.joined_count + 1,
        state=row.state,
        state_text=ReportState(row.state).label,
        opened_at=row.at,
        answer_by=dates.answer_by,
        decide_by=dates.decide_by,
        overdue=str(late) if late else None,
        closed_at=row.closed_at,
        outcome=row.outcome,
        outcome_text=Outcome(row.outcome).label if row.outcome else None,
        public_note=row.public_note,
    )


def _run(run: Run) -> Ref:
    return Ref(run.digest, run.implementation.display_name or "redacted", addresses.run(run.digest))


# What is told of a step. Who took a report on is nobody's matter, and those that joined are counted.
TOLD = {
    ReportEventKind.OPENED: "reported",
    ReportEventKind.ASKED: "the reporter was asked something",
    ReportEventKind.ANSWERED: "the reporter answered",
    ReportEventKind.NOTED: "noted",
    ReportEventKind.RESOLVED: "resolved",
    ReportEventKind.DISMISSED: "dismissed",
}


def _step(event: ReportEvent, gone: dict[uuid.UUID, str]) -> Step:
    text = gone.get(event.pk, event.text) if event.is_public else ""
    return Step(event.at, TOLD[ReportEventKind(event.kind)], text or None)


def address(report_id: uuid.UUID | str) -> str:
    return f"/reports/{report_id}/"
