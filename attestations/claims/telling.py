"""Mail to claimants: answers to what they asked at once, news of their runs collected, at most one an hour.

News are reports opened and decided, and comparable attestations that came out slower or incorrect. Two watermarks say
how far was looked. They move in the transaction that writes the letters: a run that is killed or doubled tells nothing
twice.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from attestations import letters
from attestations.core import contest
from attestations.models import (
    AttestationVersion,
    Claim,
    ClaimState,
    Profile,
    ReportEvent,
    ReportEventKind,
    RequestState,
    Watermark,
    WithdrawalRequest,
)
from attestations.queries.claims import claimed_by
from registry.models import Run

AT_MOST_EVERY = timedelta(hours=1)
SETTLED = timedelta(minutes=2)  # rows are ordered by when they were made: one that is committed late is not passed over
MOST_NEWS = 2_000  # looked at in one go; the rest comes an hour later
TOLD = 20  # lines in one letter
FROM_THE_START = str(uuid.UUID(int=0))
REPORTS, VERDICTS = "claimants: reports", "claimants: verdicts"
OF_REPORTS = (ReportEventKind.OPENED, ReportEventKind.RESOLVED, ReportEventKind.DISMISSED)


@dataclass(frozen=True, slots=True)
class News:
    """One thing that happened on a run. `actor` did it: it is no news to them."""

    run: Any
    what: str
    actor: uuid.UUID | None
    part: str


def decided(claim: Claim, state: ClaimState, reason: str, now: datetime) -> None:
    """Tell the claimant what became of the claim, in the transaction that decides it."""
    said = {
        "thing": str(claim.project or claim.source), "state": state.label, "reason": reason,
        "path": reverse("claim-detail", args=[claim.pk]),
    }  # fmt: skip
    _write("claim_decided", f"claim {claim.pk} {state.value}", claim.actor, said, now)


def answered(request: WithdrawalRequest, state: RequestState, answer: str, now: datetime) -> None:
    """Tell the author what staff answered, in the transaction of the answer."""
    said = {"state": state.label, "answer": answer, "path": request.run.get_absolute_url(), "run": _name(request.run)}
    _write("withdrawal_answered", f"withdrawal request {request.pk}", request.claim.actor, said, now)


def tell_claimants(*, now: datetime) -> int:
    """Write a letter to each claimant on whose runs something happened since the last; says how many."""
    with transaction.atomic():
        marks = [_watermark(name, now) for name in (REPORTS, VERDICTS)]
        if any(now - mark.at < AT_MOST_EVERY for mark in marks):
            return 0
        events, versions = _events(marks[0], now), _versions(marks[1], now)
        written = 0
        for actor, news in _by_claimant([*map(_of_event, events), *_of_versions(versions)]).items():
            written += _write_news(actor, news, marks, now)
        for mark, rows in zip(marks, (events, versions), strict=True):
            mark.position = str(rows[-1].pk) if rows else mark.position
            mark.at = now if written else mark.at
            mark.save()
    return written


def _watermark(name: str, now: datetime) -> Watermark:
    Watermark.objects.get_or_create(
        name=name, defaults={"position": FROM_THE_START, "at": now - AT_MOST_EVERY}
    )  # fmt: skip
    return Watermark.objects.select_for_update().get(pk=name)


def _events(mark: Watermark, now: datetime) -> list[ReportEvent]:
    rows = ReportEvent.objects.filter(kind__in=OF_REPORTS, pk__gt=mark.position, at__lte=now - SETTLED)
    return list(rows.select_related(*_run_of("report__run")).order_by("pk")[:MOST_NEWS])


def _versions(mark: Watermark, now: datetime) -> list[AttestationVersion]:
    rows = AttestationVersion.objects.filter(
        verdict__in=contest.AGAINST, is_comparable=True, pk__gt=mark.position, at__lte=now - SETTLED
    )
    return list(rows.select_related("attestation", *_run_of("attestation__run")).order_by("pk")[:MOST_NEWS])


def _run_of(path: str) -> Iterator[str]:
    yield from (f"{path}__implementation__project", f"{path}__operation")


def _of_event(event: ReportEvent) -> News:
    words = {
        ReportEventKind.OPENED: f"Report opened: {event.report.get_reason_display()}",
        ReportEventKind.RESOLVED: f"Report resolved: {event.report.get_outcome_display() or 'answered'}",
        ReportEventKind.DISMISSED: "Report dismissed",
    }
    return News(event.report.run, words[ReportEventKind(event.kind)], event.actor or event.report.actor, "report")


def _of_versions(versions: Iterable[AttestationVersion]) -> Iterator[News]:
    """One line an attestation, in its newest wording; what is withdrawn or hidden by now is no news."""
    newest = {version.attestation_id: version for version in versions}
    for version in newest.values():
        said = version.attestation
        if said.withdrawn_at is None and said.hidden_at is None and said.version == version.number:
            yield News(said.run, f"Comparable attestation: {version.verdict}", said.actor, "replications")


def _by_claimant(news: list[News]) -> dict[uuid.UUID, list[News]]:
    """The news of each claimant, in order."""
    projects = {one.run.implementation.project_id for one in news}
    sources = {one.run.source_id for one in news}
    speakers = defaultdict(set)
    for thing, actor in claimed_by(projects, sources):
        speakers[thing].add(actor)
    found: dict[uuid.UUID, list[News]] = defaultdict(list)
    for one in news:
        for actor in speakers[one.run.implementation.project_id] | speakers[one.run.source_id]:
            if actor != one.actor:
                found[actor].append(one)
    return found


def _write_news(actor: uuid.UUID, news: list[News], marks: list[Watermark], now: datetime) -> int:
    profile = Profile.objects.filter(actor=actor, has_urgent_mail=True).first()
    if profile is None:
        return 0
    lines = [(one.what, _name(one.run), f"{one.run.get_absolute_url()}#{one.part}") for one in news]
    said = {"count": len(lines), "lines": lines[:TOLD], "more": max(len(lines) - TOLD, 0)}
    since = " ".join(mark.position for mark in marks)
    off = f"{settings.SITE_URL}/mail/{profile.mail_key}/off/?kind=urgent"
    _write("claimant_news", f"claimant {actor} {since}", actor, said, now, unsubscribe=off, is_rung=False)
    return 1


def _name(run: Run) -> str:
    """As the run's page is headed; a redacted run has its digest."""
    if not run.name:
        return run.digest[:19]
    return f"{run.implementation.display_name}, {run.operation.display_name}"


def _write(
    kind: str, key: str, actor: uuid.UUID, said: dict[str, Any], now: datetime, **more: Any
) -> None:  # fmt: skip
    """A letter to whoever the actor is now; to nobody where the account is gone."""
    profile = Profile.objects.filter(actor=actor, user__is_active=True).select_related("user").first()
    if profile:
        letters.write(kind, key=key, now=now, user=profile.user, context=said, **more)
