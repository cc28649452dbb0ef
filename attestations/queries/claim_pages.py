"""Pages of claims: one's own, the three ways to make one, and a run's note and withdrawal request."""

import uuid
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from attestations.core.claims import CLAIM_FILE, is_claimable
from attestations.models import AuthorNote, Claim, ClaimState, Report, RequestState, WithdrawalRequest
from attestations.queries.claims import (
    THINGS,
    Speaker,
    checked_by,
    claims_on,
    github_logins,
    is_standing,
    is_withdrawn,
    places_of,
    speakers,
    thing_of,
)
from registry.models import Project, Run, Source
from registry.queries import addresses
from registry.queries.documents import EntityPage
from registry.queries.shapes import Ref
from registry.queries.sources import SourcePage


@dataclass(frozen=True, slots=True)
class PublicProjectPage(EntityPage):
    """A project's page, and who speaks for it."""

    speakers: tuple[Speaker, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicSourcePage(SourcePage):
    """A source's page, and who speaks for it. `is_claimable`: its runs are not of many others."""

    speakers: tuple[Speaker, ...]
    is_claimable: bool


@dataclass(frozen=True, slots=True)
class OwnClaim:
    """One's own claim, as only the claimant sees it. `places` are addresses at which the token file is looked for."""

    id: str
    url: str
    thing: Ref
    claim_url: str
    state: str
    word: str
    checked_by: str
    is_in_force: bool
    at: datetime
    message: str
    token: str
    file: str
    places: tuple[str, ...]
    found: str
    checked_at: datetime | None
    check_wanted_at: datetime | None
    decided_at: datetime | None
    reason: str
    requests: tuple["OwnRequest", ...] = ()


@dataclass(frozen=True, slots=True)
class OwnRequest:
    """A withdrawal request of one's own, with staff's answer once there is one."""

    run: Ref
    at: datetime
    reason: str
    state: str
    decided_at: datetime | None
    answer: str


@dataclass(frozen=True, slots=True)
class ClaimWays:
    """The page on which a thing is claimed. `owners` and `places`: who and where by GitHub and token file."""

    thing: Ref
    kind: str
    is_claimable: bool
    owners: tuple[str, ...]
    places: tuple[str, ...]
    file: str
    speakers: tuple[Speaker, ...]
    logins: tuple[str, ...]
    own: OwnClaim | None

    @property
    def is_open(self) -> bool:
        """Whether this reader may claim it: who speaks for it already has no more to ask for."""
        return self.own is None or not self.own.is_in_force


@dataclass(frozen=True, slots=True)
class AuthorTools:
    """What a claimant may do on a run's page. `requested_at`: of an open withdrawal request of theirs."""

    speaks_for: tuple[Ref, ...]
    has_note: bool
    requested_at: datetime | None


@dataclass(frozen=True, slots=True)
class Voice:
    """One claim that covers the run, and what it says there now."""

    id: str
    speaks_for: Ref
    text: str


@dataclass(frozen=True, slots=True)
class NotePage:
    """The form of a note. `report`: beside which it is; None: on the run."""

    run: Ref
    voices: tuple[Voice, ...]
    report: Ref | None


@dataclass(frozen=True, slots=True)
class WithdrawalPage:
    """The form of a withdrawal request, and those that were made on this run by the same person."""

    run: Ref
    voices: tuple[Voice, ...]
    is_withdrawn: bool
    is_open: bool
    requests: tuple[OwnRequest, ...]


def with_project_speakers(page: EntityPage) -> PublicProjectPage:
    said = speakers(Claim.objects.filter(project__slug=page.id))
    return PublicProjectPage(**_fields_of(page), speakers=said)


def with_source_speakers(page: SourcePage) -> PublicSourcePage:
    said = speakers(Claim.objects.filter(source__slug=page.id))
    return PublicSourcePage(**_fields_of(page), speakers=said, is_claimable=is_claimable(page.kind, page.id))


def claim_ways(thing: Project | Source, actor: uuid.UUID | None) -> ClaimWays:
    """How a project or source is claimed; `actor` None: the reader is not signed in."""
    is_project = isinstance(thing, Project)
    which = {"project": thing} if is_project else {"source": thing}
    places = places_of(Claim(**which))
    mine = None
    if actor:
        open_ones = Claim.objects.filter(actor=actor, state__in=(ClaimState.PENDING, ClaimState.GRANTED), **which)
        mine = open_ones.select_related(*THINGS).first()
    return ClaimWays(
        thing=thing_of(Claim(**which)),
        kind="project" if is_project else "source",
        is_claimable=is_project or is_claimable(thing.kind, thing.slug),
        owners=tuple(dict.fromkeys(place.owner for place in places if place.owner)),
        places=tuple(place.url for place in places),
        file=CLAIM_FILE,
        speakers=speakers(Claim.objects.filter(**which)),
        logins=github_logins(actor) if actor else (),
        own=_own(mine) if mine else None,
    )


def own_claims(actor: uuid.UUID | None) -> tuple[OwnClaim, ...]:
    """One's own claims, newest first."""
    return tuple(_own(claim) for claim in Claim.objects.filter(actor=actor).select_related(*THINGS))


def own_claim(actor: uuid.UUID | None, claim_id: uuid.UUID) -> tuple[Claim, OwnClaim]:
    """Raises Claim.DoesNotExist for somebody else's too."""
    claim = Claim.objects.select_related(*THINGS).get(pk=claim_id, actor=actor)
    return claim, _own(claim, with_requests=True)


def author_tools(actor: uuid.UUID, run_id: uuid.UUID) -> AuthorTools | None:
    """None for who does not speak for this run: one query."""
    held = claims_on(actor, run_id)
    if not held:
        return None
    newest = AuthorNote.objects.filter(claim__in=held, run=run_id, report=None).order_by("claim", "number")
    texts = dict(newest.values_list("claim", "text"))
    asked = WithdrawalRequest.objects.filter(claim__in=held, run=run_id, state=RequestState.OPEN).first()
    return AuthorTools(tuple(thing_of(c) for c in held), any(texts.values()), asked.at if asked else None)


def note_page(actor: uuid.UUID | None, run: Run, report: Report | None) -> tuple[NotePage, list[Claim]]:
    """The form and the claims that it may speak by. Raises Claim.DoesNotExist for who does not speak for the run."""
    held = _held(actor, run)
    beside = Ref(str(report.pk), report.get_reason_display(), f"{run.get_absolute_url()}#report") if report else None
    return NotePage(_run(run), _voices(held, run, report), beside), held


def withdrawal_page(actor: uuid.UUID | None, run: Run) -> tuple[WithdrawalPage, list[Claim]]:
    """The form and the claims that it may speak by. Raises Claim.DoesNotExist for who does not speak for the run."""
    held = _held(actor, run)
    made = _requests(WithdrawalRequest.objects.filter(claim__actor=actor, run=run))
    page = WithdrawalPage(
        run=_run(run),
        voices=tuple(Voice(str(claim.pk), thing_of(claim), "") for claim in held),
        is_withdrawn=is_withdrawn(run),
        is_open=any(request.state == RequestState.OPEN for request in made),
        requests=made,
    )
    return page, held


def _fields_of(page: Any) -> dict[str, Any]:
    return {field.name: getattr(page, field.name) for field in fields(page)}


def _held(actor: uuid.UUID, run: Run) -> list[Claim]:
    held = claims_on(actor, run.pk) if run.name else []
    if not held:
        raise Claim.DoesNotExist
    return held


def _voices(held: list[Claim], run: Run, report: Report | None) -> tuple[Voice, ...]:
    said = AuthorNote.objects.filter(claim__in=held, run=run, report=report).order_by("number")
    texts = dict(said.values_list("claim", "text"))
    return tuple(Voice(str(claim.pk), thing_of(claim), texts.get(claim.pk, "")) for claim in held)


def _run(run: Run) -> Ref:
    name = f"{run.implementation.display_name}, {run.operation.display_name}" if run.name else run.digest[:19]
    return Ref(run.digest, name, addresses.run(run.digest))


def _requests(requests: Any) -> tuple[OwnRequest, ...]:
    found = requests.select_related("run__implementation", "run__operation")
    return tuple(
        OwnRequest(_run(request.run), request.at, request.reason, request.state, request.decided_at, request.answer)
        for request in found
    )


def _own(claim: Claim, *, with_requests: bool = False) -> OwnClaim:
    thing = thing_of(claim)
    return OwnClaim(
        id=str(claim.pk),
        url=f"/claims/{claim.pk}/",
        thing=thing,
        claim_url=f"{thing.url}claim/",
        state=claim.state,
        word=ClaimState(claim.state).label,
        checked_by=checked_by(claim),
        is_in_force=claim.state == ClaimState.GRANTED and is_standing(claim),
        at=claim.at,
        message=claim.message,
        token=claim.token,
        file=CLAIM_FILE,
        places=tuple(place.url for place in places_of(claim)),
        found=claim.found,
        checked_at=claim.checked_at,
        check_wanted_at=claim.check_wanted_at,
        decided_at=claim.decided_at,
        reason=claim.reason,
        requests=_requests(claim.withdrawal_requests.all()) if with_requests else (),
    )
