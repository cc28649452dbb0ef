"""What moderators see first: reports and claims that wait, the newest attestations, the newest accounts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth import get_user_model
from django.db.models import Model, OuterRef, QuerySet, Subquery
from django.urls import reverse

from attestations.core import disputes, verdict
from attestations.models import (
    Attestation,
    AttestationVersion,
    Claim,
    ClaimState,
    Kind,
    Report,
    RequestState,
    WithdrawalRequest,
)
from attestations.queries.names import names
from attestations.queries.people import persons
from attestations.queries.reports import in_queue

NEW = timedelta(days=7)  # how long an attestation or an account is new
SHOWN = 8  # of each queue
May = Callable[[str, type[Model]], bool]  # a permission, and the table whose rows are opened


@dataclass(frozen=True, slots=True)
class Line:
    """One thing of a queue: what it is, when it came, what is to know of it at a glance."""

    text: str
    url: str
    at: datetime
    note: str
    is_overdue: bool = False


@dataclass(frozen=True, slots=True)
class Queue:
    """`count` is of the whole queue, which `url` lists; `lines` are the first of it."""

    title: str
    count: int
    lines: tuple[Line, ...]
    url: str


def queues(now: datetime, may: May) -> tuple[Queue, ...]:
    """The queues that somebody with these permissions works on, also where nothing is in them.

    At most eleven queries, however much waits.
    """
    wanted: tuple[tuple[str, type[Model], Callable[[datetime], Queue]], ...] = (
        ("attestations.decide_report", Report, _reports),
        ("attestations.decide_claim", Claim, _claims),
        ("attestations.decide_claim", WithdrawalRequest, _requests),
        ("attestations.hide_attestation", Attestation, _attestations),
        ("attestations.manage_people", get_user_model(), _accounts),
    )
    return tuple(queue(now) for permission, model, queue in wanted if may(permission, model))


def _queue(
    title: str, rows: QuerySet[Any], lines: Callable[[list[Any]], list[Line]], table: str, **wanted: Any
) -> Queue:
    first = list(rows[:SHOWN])
    address = f"{reverse(f'admin:{table}_changelist')}?{urlencode(wanted)}"
    return Queue(title, rows.count(), tuple(lines(first)), address)


def _change(table: str, key: Any) -> str:
    return reverse(f"admin:{table}_change", args=[key])


def _run(run: Any) -> str:
    return run.implementation.display_name or "redacted"


def _reports(now: datetime) -> Queue:
    """Groups that are not decided, the oldest first."""
    rows = in_queue(Report.objects.filter(closed_at=None)).order_by("at", "id").select_related("run__implementation")
    return _queue(
        "Open reports", rows, lambda found: [_report(row, now) for row in found], "attestations_report",
        closed_at__isnull=True, duplicate_of__isnull=True,
    )  # fmt: skip


def _report(row: Any, now: datetime) -> Line:
    late = disputes.late(opened_at=row.at, answered_at=row.answered_at, closed_at=None, now=now)
    count = f"{row.joined_count + 1} reports, " if row.joined_count else ""
    note = f"overdue: {late}" if late else f"to decide by {disputes.due(row.at).decide_by:%Y-%m-%d}"
    text = f"{row.get_reason_display().capitalize()}: {_run(row.run)}"
    return Line(text, _change("attestations_report", row.pk), row.at, f"{count}{note}", late is not None)


def _claims(now: datetime) -> Queue:
    rows = Claim.objects.filter(state=ClaimState.PENDING).order_by("at", "id").select_related("project", "source")
    return _queue(
        "Claims that wait", rows, lambda found: [_claim(row) for row in found], "attestations_claim",
        state__exact=ClaimState.PENDING,
    )  # fmt: skip


def _claim(row: Claim) -> Line:
    thing = row.project or row.source
    return Line(str(thing), _change("attestations_claim", row.pk), row.at, row.get_method_display())


def _requests(now: datetime) -> Queue:
    rows = WithdrawalRequest.objects.filter(state=RequestState.OPEN).order_by("at", "id")
    return _queue(
        "Withdrawal requests", rows.select_related("run__implementation"),
        lambda found: [_request(row) for row in found], "attestations_withdrawalrequest",
        state__exact=RequestState.OPEN,
    )  # fmt: skip


def _request(row: WithdrawalRequest) -> Line:
    return Line(_run(row.run), _change("attestations_withdrawalrequest", row.pk), row.at, "by its author")


def _attestations(now: datetime) -> Queue:
    """Of the last seven days, newest first, hidden ones too."""
    since = now - NEW
    said = AttestationVersion.objects.filter(attestation=OuterRef("pk"), number=OuterRef("version")).values("verdict")
    rows = (
        Attestation.objects.filter(at__gte=since)
        .order_by("-at", "-id")
        .select_related("run__implementation", "run__group")
        .annotate(said=Subquery(said))
    )
    return _queue(
        "Attestations of the last 7 days", rows, _attested, "attestations_attestation", at__gte=since.isoformat()
    )


def _attested(rows: list[Any]) -> list[Line]:
    called = names(row.actor for row in rows)
    return [
        Line(
            f"{Kind(row.kind).label.capitalize()}: {_run(row.run)}",
            _change("attestations_attestation", row.pk),
            row.at,
            f"{called[row.actor]}, {_state(row)}",
        )
        for row in rows
    ]


def _state(row: Any) -> str:
    if row.withdrawn_at:
        return "withdrawn"
    return "hidden" if row.hidden_at else verdict.word(row.said, row.run.group.metric or "")


def _accounts(now: datetime) -> Queue:
    since = now - NEW
    rows = get_user_model().objects.filter(date_joined__gte=since).order_by("-date_joined", "-pk")
    return _queue(
        "Accounts of the last 7 days", rows, _joined, "auth_user", date_joined__gte=since.isoformat()
    )  # fmt: skip


def _joined(users: list[Any]) -> list[Line]:
    found = persons(users)
    lines = []
    for user in users:
        person = found[user.pk]
        note = ", ".join(
            (
                "e-mail confirmed" if person.is_verified else "e-mail not confirmed",
                _many(person.attestation_count, "attestation"),
                _many(person.report_count, "report"),
                *(() if user.is_active else ("deactivated",)),
            )
        )
        lines.append(Line(person.handle or "no name yet", _change("auth_user", user.pk), user.date_joined, note))
    return lines


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
