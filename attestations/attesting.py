"""Accept, edit, withdraw, hide and show again what readers say about a run. Nothing here touches a rank or a level.

Each act is one transaction that holds the author's profile row, so that simultaneous sends are one after the other, and
raises AttestingError, having changed nothing, where it does not apply.
"""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.db import transaction

from attestations.core import statements, verdict
from attestations.core.statements import Statement, content_digest, plain
from attestations.models import Attestation, AttestationMark, AttestationMarkKind, AttestationVersion, Kind, Profile
from registry import auditing
from registry.core import measurement, ranking
from registry.models import Environment, Hardware, Run

EDITABLE_FOR = timedelta(hours=1)
MOST_A_DAY = 20
MOST_WORDINGS = 20


class AttestingError(ValueError):
    """The act does not apply; its text says what to do. `field` names the form's field that it is about."""

    def __init__(self, text: str, field: str | None = None) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True, slots=True)
class _Place:
    """Where it was measured, as far as stated."""

    environment: Environment | None = None
    hardware: Hardware | None = None
    software: dict[str, str] | None = None
    text: str | None = None
    is_same: bool = False


def preview(
    *, run: Run, actor: uuid.UUID, statement: Statement, now: datetime
) -> tuple[Attestation, AttestationVersion]:
    """What `attest` would keep, unsaved."""
    _require_readable(run)
    return _made(run, actor, statement, now)


def attest(*, run: Run, actor: uuid.UUID, statement: Statement, now: datetime) -> Attestation:
    """Keep a statement. The same one sent again while it stands is that one, not a second."""
    _require_readable(run)
    made, version = _made(run, actor, statement, now)
    with transaction.atomic():
        _hold(actor)
        standing = Attestation.objects.filter(run=run, actor=actor, kind=statement.kind, withdrawn_at=None).first()
        if standing:
            newest = standing.versions.get(number=standing.version)
            if newest.digest == version.digest:
                return standing
            raise AttestingError(
                f"You have added “{Kind(statement.kind).label}” to this run already. Edit it within an hour of "
                "sending, or withdraw it and add another.",
                "kind",
            )
        _require_room(actor, now)
        made.save(force_insert=True)
        version.save(force_insert=True)
    return made


def edit(*, attestation: Attestation, actor: uuid.UUID, statement: Statement, now: datetime) -> Attestation:
    """Add a version to one's own attestation, within an hour of its first. The earlier wording stays to be read."""
    if statement.kind != attestation.kind:
        raise AttestingError("The kind stays as it was sent: withdraw this one and add another.", "kind")
    _require_readable(attestation.run)
    _, version = _made(attestation.run, actor, statement, now)
    with transaction.atomic():
        _hold(actor)
        attestation = Attestation.objects.select_related("run").get(pk=attestation.pk, actor=actor)
        require_editable(attestation, now)
        newest = attestation.versions.get(number=attestation.version)
        if newest.digest == version.digest:
            return attestation
        if attestation.version >= MOST_WORDINGS:
            raise AttestingError(f"This was edited {MOST_WORDINGS - 1} times, which is the most.")
        if version.samples == newest.samples and version.unit == newest.unit:
            version.samples_from = newest.samples_from  # sent back as the form had them: read as they were first
        attestation.version += 1
        version.attestation, version.number = attestation, attestation.version
        version.save(force_insert=True)
        attestation.save(update_fields=["version"])
    return attestation


def withdraw(*, attestation: Attestation, actor: uuid.UUID, now: datetime) -> AttestationMark:
    """Take one's own attestation back, at any time. Kind and dates stay on record, the words are not shown any more."""
    with transaction.atomic():
        _hold(actor)
        attestation = Attestation.objects.get(pk=attestation.pk, actor=actor)
        if attestation.withdrawn_at:
            raise AttestingError(f"You withdrew this on {attestation.withdrawn_at:%Y-%m-%d}.")
        attestation.withdrawn_at = now
        attestation.save(update_fields=["withdrawn_at"])
        return _mark(attestation, AttestationMarkKind.WITHDRAWN, actor, "", now)


def hide(chosen: Sequence[Attestation], *, reason: str, actor: uuid.UUID, now: datetime) -> list[AttestationMark]:
    """Staff stop showing words and figures; kind, author, dates and the reason stay."""
    return _set_hidden(chosen, is_hidden=True, reason=reason, actor=actor, now=now)


def unhide(chosen: Sequence[Attestation], *, reason: str, actor: uuid.UUID, now: datetime) -> list[AttestationMark]:
    """Staff show again what was hidden."""
    return _set_hidden(chosen, is_hidden=False, reason=reason, actor=actor, now=now)


def require_editable(attestation: Attestation, now: datetime) -> None:
    """Raise AttestingError, with what can be done instead, unless this attestation may be edited now."""
    if attestation.withdrawn_at:
        raise AttestingError("It was withdrawn, and can't be edited any more. Add another.")
    if attestation.hidden_at:
        raise AttestingError("It was hidden by a moderator, and can't be edited. You can withdraw it.")
    if not is_editable(attestation, now):
        raise AttestingError("The hour for edits is over. Withdraw it and add another.")


def is_editable(attestation: Attestation, now: datetime) -> bool:
    return not attestation.withdrawn_at and not attestation.hidden_at and now - attestation.at <= EDITABLE_FOR


# --- what is made


def _made(run: Run, actor: uuid.UUID, said: Statement, now: datetime) -> tuple[Attestation, AttestationVersion]:
    place = _place(run, said)
    assessment = assess(run, said, place) if said.is_measured else None
    head = Attestation(id=auditing.new_id(now), run=run, actor=actor, kind=said.kind, at=now)
    return head, AttestationVersion(
        id=auditing.new_id(now),
        attestation=head,
        number=1,
        at=now,
        digest=content_digest(said, run.digest),
        text=said.text,
        value=said.value,
        unit=said.unit,
        samples="\n".join(map(plain, said.samples)) or None,
        samples_from=said.samples_from,
        is_incorrect=said.is_incorrect,
        relation=said.relation,
        setup=said.setup,
        environment=place.environment,
        hardware=place.hardware,
        software=place.software or {},
        environment_text=place.text,
        evidence_url=said.evidence_url,
        verdict=assessment.verdict if assessment else None,
        is_comparable=bool(assessment and assessment.is_comparable),
        assessment=assessment.as_json() if assessment else {},
    )


def _place(run: Run, said: Statement) -> _Place:
    """The rows of what is known, the text of what is not."""
    if said.place == statements.SAME:
        return _at(run.environment, is_same=True)
    if said.place == statements.KNOWN:
        found = Environment.objects.select_related("hardware").filter(digest=said.environment).exclude(name="").first()
        if found is None:
            raise AttestingError(
                "No environment here has this digest. Choose one, or describe yours.", "environment_digest"
            )
        return _at(found, is_same=found.pk == run.environment_id)
    if said.place == statements.WRITTEN:
        hardware = Hardware.objects.filter(name__iexact=said.gpu).first() if said.gpu else None
        text = "; ".join(filter(None, (None if hardware else said.gpu, said.other))) or None
        return _Place(hardware=hardware, software=dict(said.software), text=text)
    return _Place()


def _at(environment: Environment, *, is_same: bool) -> _Place:
    spec = json.loads(environment.canonical)["spec"] if environment.canonical else {}
    return _Place(environment, environment.hardware, verdict.software_facts(spec.get("software", {})), None, is_same)


def assess(run: Run, said: Statement, place: _Place) -> verdict.Assessment:
    """The verdict of what was measured against the run's claim."""
    measured = verdict.Measured(
        values=said.samples,
        value=Decimal(said.value) if said.value else None,
        unit=said.unit,
        hardware=place.hardware.slug if place.hardware else None,
        hardware_written=None if place.hardware else said.gpu,
        software=place.software or {},
        setup=said.setup,
        is_same_environment=place.is_same,
        is_incorrect=said.is_incorrect,
        statistic=said.statistic,
        n=said.n,
        deviation=said.deviation,
    )
    return verdict.assess(claim_of(run), measured)


def claim_of(run: Run) -> verdict.Claim:
    """What the run claims, as a verdict needs it."""
    metric, unit = run.group.metric or "", run.group.unit or ""
    better = ranking.direction(metric, unit)
    has_interval = run.interval_low is not None and run.interval_high is not None
    ranked = measurement.primary(json.loads(run.canonical)["spec"]) if run.canonical else None
    return verdict.Claim(
        value=run.value,
        unit=unit,
        metric=metric,
        statistic=ranked.estimator if ranked else "",  # what the value is; the run's own word may be another
        lower_is_better=None if better is None else better is ranking.Direction.LOWER,
        hardware=run.environment.hardware.slug,
        software=_at(run.environment, is_same=True).software or {},
        interval=(run.interval_low, run.interval_high) if has_interval else None,
    )


# --- what is asked before anything is kept


def _hold(actor: uuid.UUID) -> None:
    """Hold the author's row to the end of the transaction. SQLite holds the whole database at this point."""
    Profile.objects.select_for_update().get(actor=actor)


def _require_readable(run: Run) -> None:
    if not run.name:
        raise AttestingError("This run was redacted: nothing can be added to it.")


def _require_room(actor: uuid.UUID, now: datetime) -> None:
    day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if Attestation.objects.filter(actor=actor, at__gte=day, at__lt=day + timedelta(days=1)).count() >= MOST_A_DAY:
        again = day + timedelta(days=1)
        raise AttestingError(
            f"You have added {MOST_A_DAY} today, which is the most. You can add more from {again:%Y-%m-%d %H:%M} UTC; "
            "what you wrote is kept."
        )


def _set_hidden(
    chosen: Sequence[Attestation], *, is_hidden: bool, reason: str, actor: uuid.UUID, now: datetime
) -> list[AttestationMark]:
    if not reason.strip():
        raise AttestingError("State a reason: it is shown in place of what is hidden.")
    kind = AttestationMarkKind.HIDDEN if is_hidden else AttestationMarkKind.UNHIDDEN
    made = []
    with transaction.atomic():
        rows = Attestation.objects.select_for_update().filter(pk__in=[row.pk for row in chosen]).order_by("pk")
        for attestation in rows:
            if bool(attestation.hidden_at) is is_hidden:
                raise AttestingError(f"{attestation.pk} is {'hidden already' if is_hidden else 'not hidden'}.")
            attestation.hidden_at = now if is_hidden else None
            attestation.save(update_fields=["hidden_at"])
            made.append(_mark(attestation, kind, actor, reason, now))
            auditing.record(f"attestation {kind.value}", "attestation", str(attestation.pk), reason, actor, now)
    return made


def _mark(
    attestation: Attestation, kind: AttestationMarkKind, actor: uuid.UUID, reason: str, now: datetime
) -> AttestationMark:
    return AttestationMark.objects.create(
        id=auditing.new_id(now), attestation=attestation, kind=kind, at=now, actor=actor, reason=reason
    )
