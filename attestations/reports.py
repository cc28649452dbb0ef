"""Issue reports: open, assign, ask, answer, note, resolve, dismiss. Staff's steps are audited and dated in public.

A report changes neither rank nor evidence. What may follow from one is a correction of the registry, made in the same
transaction as the decision. Acts take any report of a group and change the group's first.
"""

import unicodedata
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from attestations import limits, reporters
from attestations.core import disputes
from attestations.core.links import LinkError, check_link
from attestations.models import Outcome, Reason, Report, ReportEvent, ReportEventKind, ReportState
from attestations.queries.claims import is_claimant
from registry import auditing, corrections
from registry.models import Run

MOST_CHARACTERS = 4000
QUESTION_STANDS = timedelta(days=30)
PER_SENDER = limits.Limit("reports of a session or account", 5, timedelta(hours=1))
PER_ADDRESS = limits.Limit("reports of an address", 20, timedelta(hours=1))
PER_SITE = limits.Limit("reports", 300, timedelta(hours=1))
PERMISSION = "attestations.decide_report"
DECISIONS = (ReportEventKind.RESOLVED, ReportEventKind.DISMISSED)


class ReportError(ValueError):
    """The act does not apply; its text says why, for the one who tried."""


class TooManyReportsError(ReportError):
    """Refused for now: `again_at` says until when."""

    def __init__(self, again_at: datetime) -> None:
        super().__init__("Too many reports came from here.")
        self.again_at = again_at


def count_try(*, sender: Callable[[], str], address: str, now: datetime) -> None:
    """Count a report that is about to be opened. Raises TooManyReportsError. Call it outside a transaction.

    `sender` gives the account or session, which is made only where the address has not used up its hour. The address is
    counted under an HMAC and kept nowhere; one that floods takes little of what the whole site has.
    """
    counted = ((PER_ADDRESS, lambda: address), (PER_SITE, lambda: ""), (PER_SENDER, sender))
    for limit, subject in counted:
        if not limits.take(limit, subject(), now=now):
            raise TooManyReportsError(limits.over_at(limit, now=now))


def open_report(
    *, run: Run, reason: str, text: str, now: datetime, evidence_url: str = "", contact: str = "",
    actor: uuid.UUID | None = None,
) -> Report:  # fmt: skip
    """Take a report. While one on this run for this reason is open, a later one joins it."""
    if reason not in Reason.values:
        raise ReportError(f"A reason is one of: {', '.join(Reason.values)}.")
    try:
        link = check_link(evidence_url.strip()) if evidence_url.strip() else None
    except LinkError as error:
        raise ReportError(f"Evidence link: {error}") from error
    said = _text(text, "Say what is wrong: without that nobody can look into it.")
    told: dict[str, Any] = {
        "id": auditing.new_id(now), "run": run, "at": now, "reason": reason, "text": said,
        "evidence_url": link, "contact": None if actor else contact or None, "actor": actor,
    }  # fmt: skip
    with transaction.atomic():
        if (first := _open_group(run, reason)) is not None:
            return _join(first, told)
        try:
            with transaction.atomic():
                report = Report.objects.create(**told)
        except IntegrityError:  # another one opened the group between the look and the insert
            if (first := _open_group(run, reason)) is None:
                raise
            return _join(first, told)
        _event(report, ReportEventKind.OPENED, actor=actor, now=now, is_public=True)
    return report


def assign(report: Report, *, actor: uuid.UUID, now: datetime) -> Report:
    """Take a group on: `actor` will decide it."""
    with transaction.atomic():
        first = _undecided(report, actor)
        if first.assigned_to == actor:
            raise ReportError("This report is yours already.")
        first.assigned_to = actor
        first.save(update_fields=["assigned_to"])
        _event(first, ReportEventKind.ASSIGNED, actor=actor, now=now)
        _audit("report assigned", first, "", actor, now)
    return first


def ask(report: Report, *, question: str, actor: uuid.UUID, now: datetime) -> Report:
    """Ask the reporters of a group something by mail; the report waits for an answer. The clock does not stop."""
    said = _text(question, "Write the question.")
    with transaction.atomic():
        first = _undecided(report, actor)
        asked = reporters.reachable(_group(first))
        if not asked:
            raise ReportError("Nobody who reported this left an account or a contact: there is nobody to ask.")
        first.state = ReportState.ASKED
        first.save(update_fields=["state"])
        event = _event(first, ReportEventKind.ASKED, actor=actor, now=now, text=said)
        _audit("report asked about", first, said, actor, now)
        reporters.tell(asked, "report_asked", event, context=_context(first) | {"question": said}, now=now)
    return first


def open_question(report: Report, *, now: datetime) -> ReportEvent:
    """The question that this report's sender may answer. Raises ReportError where there is none, or none any more."""
    first = report.duplicate_of or report
    if first.closed_at:
        raise ReportError("This report is decided: an answer would change nothing. You may report the run again.")
    question = ReportEvent.objects.filter(report=first, kind=ReportEventKind.ASKED).last()
    if question is None or question.at < report.at:
        raise ReportError("Nothing was asked about this report.")
    if ReportEvent.objects.filter(report=report, kind=ReportEventKind.ANSWERED, at__gte=question.at).exists():
        raise ReportError("You answered this question already. Thank you.")
    if now > question.at + QUESTION_STANDS:
        raise ReportError("This question is more than 30 days old: its link is no longer taken.")
    return question


def answer(report: Report, *, text: str, now: datetime) -> Report:
    """Take the answer of a report's sender, whom the caller has made sure of. Staff alone see it."""
    said = _text(text, "Write an answer.")
    with transaction.atomic():
        first = _locked(report)
        open_question(report, now=now)
        first.state = ReportState.OPEN
        first.save(update_fields=["state"])
        _event(report, ReportEventKind.ANSWERED, actor=report.actor, now=now, text=said)
    return first


def note(report: Report, *, text: str, actor: uuid.UUID, now: datetime) -> Report:
    """Write the public note of a group, also of a decided one. Earlier wordings stay among its steps."""
    said = _text(text, "Write the note: it is shown to everybody.")
    with transaction.atomic():
        first = _locked(report)
        _may_decide(first, actor)
        first.public_note = said
        first.save(update_fields=["public_note"])
        _event(first, ReportEventKind.NOTED, actor=actor, now=now, text=said, is_public=True)
        _audit("report noted", first, said, actor, now)
    return first


def resolve(
    report: Report, *, outcome: str, public_note: str, actor: uuid.UUID, now: datetime, successor: Run | None = None,
    rule: str = "",
) -> Report:  # fmt: skip
    """Decide that a report is right, and do what follows from it. Raises ReportError, corrections.CorrectionError."""
    if outcome not in Outcome.values:
        raise ReportError(f"An outcome is one of: {', '.join(Outcome.values)}.")
    said = _text(public_note, "State the reason in public: it is shown beside the outcome and kept.")
    with transaction.atomic():
        first = _undecided(report, actor)
        _carry_out(first, outcome, reason=said, actor=actor, now=now, successor=successor, rule=rule)
        return _close(first, ReportState.RESOLVED, ReportEventKind.RESOLVED, said, actor, now, outcome=outcome)


def dismiss(report: Report, *, public_note: str, actor: uuid.UUID, now: datetime) -> Report:
    """Decide that nothing is wrong with the run, and say in public why."""
    said = _text(public_note, "State the reason in public: it is shown on the run's page and kept.")
    with transaction.atomic():
        first = _undecided(report, actor)
        return _close(first, ReportState.DISMISSED, ReportEventKind.DISMISSED, said, actor, now)


def blank_contacts(*, now: datetime) -> int:
    """Forget how to reach the reporters of groups that were decided thirty days ago. Done again, it finds none."""
    before = now - disputes.CONTACT_KEPT
    decided = Q(closed_at__lt=before) | Q(duplicate_of__closed_at__lt=before)
    # The ids first: an update cannot look across a join.
    found = Report.objects.filter(decided, contact__isnull=False).values("pk")
    return Report.objects.filter(pk__in=found).update(contact=None)


def _text(text: str, missing: str) -> str:
    said = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\x00", "").strip()
    if not said:
        raise ReportError(missing)
    if len(said) > MOST_CHARACTERS:
        raise ReportError(f"Keep to {MOST_CHARACTERS:,} characters; this has {len(said):,}.")
    return said


def _open_group(run: Run, reason: str) -> Report | None:
    """The open group's first report, held until the transaction ends: nobody closes it while another one joins."""
    found = Report.objects.select_for_update().filter(run=run, reason=reason, duplicate_of=None, closed_at=None)
    return found.first()


def _join(first: Report, told: dict[str, Any]) -> Report:
    if told["actor"] and _group(first).filter(actor=told["actor"]).exists():
        raise ReportError("You reported this already, and it is open: its page says how far it is.")
    report = Report.objects.create(**told, duplicate_of=first)
    _event(report, ReportEventKind.JOINED, actor=report.actor, now=report.at)
    return report


def _group(first: Report) -> QuerySet[Report]:
    return Report.objects.filter(Q(pk=first.pk) | Q(duplicate_of=first))


def _locked(report: Report) -> Report:
    return Report.objects.select_for_update().get(pk=report.duplicate_of_id or report.pk)


def _undecided(report: Report, actor: uuid.UUID) -> Report:
    first = _locked(report)
    if first.closed_at:
        raise ReportError(f"This report was {first.get_state_display()} on {first.closed_at:%Y-%m-%d}.")
    _may_decide(first, actor)
    return first


def _may_decide(first: Report, actor: uuid.UUID) -> None:
    """The dispute rule: nobody decides in their own matter, and nobody hears an appeal against themselves."""
    if _group(first).filter(actor=actor).exists():
        raise ReportError("You reported this: another moderator decides.")
    if is_claimant(actor, first.run):
        raise ReportError("You speak for this run's project or source: another moderator decides.")
    earlier = ReportEvent.objects.filter(
        kind__in=DECISIONS, actor=actor, report__run=first.run_id, report__reason=first.reason, at__lte=first.at,
        at__gt=first.at - disputes.APPEAL,
    )  # fmt: skip
    # With one moderator in all there is nobody else to hear it: the note says so then, and the appeal is heard.
    if earlier.exclude(report=first).exists() and _others_decide(actor):
        raise ReportError("You decided the report that this one appeals against: another moderator decides.")


def _others_decide(actor: uuid.UUID) -> bool:
    found = get_user_model().objects.with_perm(PERMISSION, backend="django.contrib.auth.backends.ModelBackend")
    return found.exclude(profile__actor=actor).exists()


def _carry_out(
    first: Report, outcome: str, *, reason: str, actor: uuid.UUID, now: datetime, successor: Run | None, rule: str
) -> None:
    told: dict[str, Any] = {"reason": reason, "actor": actor, "now": now, "led_by": {"report": str(first.id)}}
    match Outcome(outcome):
        case Outcome.WITHDRAWN:
            corrections.withdraw([first.run], **told)
        case Outcome.SUPERSEDED:
            if successor is None:
                raise ReportError("Name the run that supersedes this one, by digest or id.")
            corrections.supersede(first.run, successor=successor, **told)
        case Outcome.FLAGGED:
            if not rule:
                raise ReportError("Choose the rule by which the run is flagged.")
            corrections.flag([first.run], rule=rule, **told)
        case Outcome.NO_CHANGE:
            pass


def _close(
    first: Report, state: ReportState, kind: ReportEventKind, said: str, actor: uuid.UUID, now: datetime,
    outcome: str | None = None,
) -> Report:  # fmt: skip
    first.state, first.closed_at, first.outcome, first.public_note = state, now, outcome, said
    first.save(update_fields=["state", "closed_at", "outcome", "public_note"])
    event = _event(first, kind, actor=actor, now=now, text=said, is_public=True)
    _audit(f"report {state.label}", first, said, actor, now, outcome=outcome or "")
    context = _context(first) | {"decision": _decision(first), "public_note": said}
    reporters.tell(reporters.reachable(_group(first)), "report_decided", event, context=context, now=now)
    return first


def _decision(first: Report) -> str:
    return f"resolved: {first.get_outcome_display()}" if first.outcome else "dismissed"


def _context(first: Report) -> dict[str, Any]:
    return {"run_digest": first.run.digest, "reason": first.get_reason_display()}


def _event(
    report: Report, kind: ReportEventKind, *, actor: uuid.UUID | None, now: datetime, text: str = "",
    is_public: bool = False,
) -> ReportEvent:  # fmt: skip
    return ReportEvent.objects.create(
        id=auditing.new_id(now), report=report, at=now, kind=kind, actor=actor, text=text, is_public=is_public
    )


def _audit(action: str, first: Report, said: str, actor: uuid.UUID, now: datetime, **detail: str) -> None:
    told = {"run": first.run.digest, "reason": first.reason, **{name: value for name, value in detail.items() if value}}
    auditing.record(action, "report", str(first.id), said, actor, now, told)
