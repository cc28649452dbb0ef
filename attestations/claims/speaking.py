"""The author's note on a run, or beside a report: one current text for each claim and place, every version kept."""

import uuid
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max

from attestations import limits
from attestations.claims.errors import ClaimError, stated
from attestations.models import AuthorNote, Claim, Report
from attestations.queries.claims import claims_on
from registry import auditing
from registry.models import Run

NOTES_A_DAY = limits.Limit("author's note", 60, timedelta(days=1))


def write_note(
    *, claim: Claim, run: Run, text: str, actor: uuid.UUID, now: datetime, report: Report | None = None
) -> AuthorNote:
    """Say something as the author; it replaces the claim's current text in that place. Raises ClaimError."""
    return _add(claim, run, report, stated(text, "a note"), actor, now)


def retract_note(
    *, claim: Claim, run: Run, actor: uuid.UUID, now: datetime, report: Report | None = None
) -> AuthorNote:  # fmt: skip
    """Take the current text back: a version without text. What was said stays on record. Raises ClaimError."""
    return _add(claim, run, report, "", actor, now)


def require_right(claim: Claim, run: Run, actor: uuid.UUID) -> Claim:
    """The claim as it stands now, locked: nobody revokes it before this transaction ends. Raises ClaimError."""
    Claim.objects.select_for_update().filter(pk=claim.pk).first()
    for held in claims_on(actor, run.pk):
        if held.pk == claim.pk:
            return held
    raise ClaimError("You do not speak for this run (any more). Your claims say why.")


def _add(
    claim: Claim, run: Run, report: Report | None, text: str, actor: uuid.UUID, now: datetime
) -> AuthorNote:  # fmt: skip
    if not run.name:
        raise ClaimError("This run is redacted: nothing is said beside it.")
    report = (report.duplicate_of or report) if report else None
    if report and report.run_id != run.pk:
        raise ClaimError("That report is of another run.")
    if not limits.take(NOTES_A_DAY, str(actor), now=now):
        raise ClaimError(f"{NOTES_A_DAY.most} notes today: write again tomorrow.")
    try:
        with transaction.atomic():
            held = require_right(claim, run, actor)
            said = AuthorNote.objects.filter(claim=held, run=run)
            current = said.filter(report=report).order_by("number").last()
            if current and current.text == text:
                return current
            if not text and not current:
                raise ClaimError("There is no note to retract.")
            number = (said.aggregate(last=Max("number"))["last"] or 0) + 1
            return AuthorNote.objects.create(
                id=auditing.new_id(now), claim=held, run=run, report=report, number=number, at=now, text=text
            )
    except IntegrityError as error:
        raise ClaimError("You sent two notes in one moment: look which one stands, and write again.") from error
