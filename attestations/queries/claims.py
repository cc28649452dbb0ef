"""Who speaks for the project and the source of a run, and what they say beside it.

Rights are read anew each time: a claim counts while it is granted, its account lives, and the thing still names the
repository or host that the grant rested on.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from attestations.core import claims as rules
from attestations.models import AuthorNote, Claim, ClaimState, Method, Profile
from attestations.queries.names import names
from attestations.queries.redactions import removals
from registry.models import Mark, Run
from registry.models.marks import MarkKind
from registry.queries import addresses
from registry.queries.shapes import Ref

LIVE = Exists(Profile.objects.filter(actor=OuterRef("actor"), user__is_active=True))
THINGS = ("project__newest", "source")
GITHUB = "https://github.com"


@dataclass(frozen=True, slots=True)
class Wording:
    """One version of a note; "": it was retracted. One that was redacted says that it was."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AuthorsWords:
    """A claimed author's note on a run, or beside the report `report_id`; `text` "": retracted.

    `earlier` are the wordings before, newest first. `ended_at`: the claim behind it was revoked or given up since
    (`ended_by` says which); the words stay.
    """

    id: str
    by: str
    speaks_for: Ref
    text: str
    at: datetime
    earlier: tuple[Wording, ...]
    report_id: str | None
    ended_at: datetime | None
    ended_by: str | None


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks for a project or a source in public, since when, and by which check."""

    name: str
    since: datetime
    checked_by: str


def author_notes(run_id: uuid.UUID) -> tuple[AuthorsWords, ...]:
    """What claimed authors say of a run, first said first, those of ended claims last. Names are a second query."""
    said: dict[Any, list[AuthorNote]] = defaultdict(list)
    rows = AuthorNote.objects.filter(run=run_id).select_related("claim__project", "claim__source")
    for note in rows.order_by("number"):
        said[note.claim_id, note.report_id].append(note)
    if not said:
        return ()
    known = names(notes[0].claim.actor for notes in said.values())
    gone = removals(note for notes in said.values() for note in notes)
    found = [_words(notes, known, gone) for notes in said.values()]
    return tuple(sorted(found, key=lambda words: (words.ended_at is not None, words.at, words.id)))


def speakers(claims: QuerySet[Claim]) -> tuple[Speaker, ...]:
    """Of the claims on one thing those who speak for it now, the longest first."""
    return speakers_of(in_force(claims))


def speakers_of(standing: Iterable[Claim]) -> tuple[Speaker, ...]:
    """These claims as the public sees them."""
    standing = sorted(standing, key=lambda claim: claim.decided_at or claim.at)
    known = names(claim.actor for claim in standing) if standing else {}
    return tuple(Speaker(known[claim.actor], claim.decided_at or claim.at, checked_by(claim)) for claim in standing)


def checked_by(claim: Claim) -> str:
    """By what a claim is checked, in words after "checked by"."""
    if claim.method == Method.STAFF:
        return "staff"
    if claim.method == Method.GITHUB:
        return "a GitHub login equal to the repository's owner"
    is_on_github = claim.basis.startswith("github.com/") or not claim.basis
    return "a token file in the repository" if is_on_github else f"a token file on {claim.basis}"


def is_claimant(actor: uuid.UUID, run: Any) -> bool:
    """Whether an actor speaks for the project or the source of a run. One query."""
    return bool(claims_on(actor, run.id))


def claimed_by(
    project_ids: Collection[uuid.UUID] = (), source_ids: Collection[uuid.UUID] = ()
) -> set[tuple[uuid.UUID, uuid.UUID]]:
    """The pairs (id of a project or source, actor who speaks for it). One query."""
    asked = Q(project__in=project_ids) | Q(source__in=source_ids)
    return {(claim.project_id or claim.source_id, claim.actor) for claim in in_force(Claim.objects.filter(asked))}


def claims_on(actor: uuid.UUID, run_id: uuid.UUID) -> list[Claim]:
    """An actor's claims that cover a run, as they hold now."""
    run = Run.objects.filter(pk=run_id)
    covering = Q(project__in=run.values("implementation__project")) | Q(source__in=run.values("source"))
    return in_force(Claim.objects.filter(covering, actor=actor))


def in_force(claims: QuerySet[Claim]) -> list[Claim]:
    """Of these claims those that give rights now, the oldest first."""
    granted = claims.filter(LIVE, state=ClaimState.GRANTED).select_related(*THINGS)
    return [claim for claim in granted.order_by("at", "id") if is_standing(claim)]


def is_standing(claim: Claim) -> bool:
    """Whether what a grant rested on is still what the thing names."""
    return rules.is_standing(claim.basis, places_of(claim))


def places_of(claim: Claim) -> tuple[rules.Place, ...]:
    """Where the thing that is claimed says that its owner is to be found."""
    if claim.project:
        return rules.places_of_project(claim.project.newest.repository if claim.project.newest else None)
    source = claim.source
    return rules.places_of_source(source.kind, source.slug, source.homepage, source.location)


def github_logins(actor: uuid.UUID) -> tuple[str, ...]:
    """The account's logins on github.com as they were at its last sign-in by them; none where another GitHub is set."""
    if settings.GITHUB_URL != GITHUB:
        return ()
    held = SocialAccount.objects.filter(provider="github", user__profile__actor=actor, user__is_active=True)
    logins = [data.get("login") for data in held.order_by("pk").values_list("extra_data", flat=True)]
    return tuple(login for login in logins if isinstance(login, str) and login)


def thing_of(claim: Claim) -> Ref:
    """The project or source that is claimed."""
    if claim.project:
        return Ref(claim.project.slug, claim.project.name, addresses.project(claim.project.slug))
    return Ref(claim.source.slug, claim.source.name, addresses.source(claim.source.slug))


ENDED = {ClaimState.REVOKED: "revoked", ClaimState.DROPPED: "given up"}


def _words(notes: list[AuthorNote], known: dict[uuid.UUID, str], gone: dict[uuid.UUID, str]) -> AuthorsWords:
    """Of one place's versions, the lowest number first."""
    *earlier, current = notes
    claim = current.claim
    ended = ENDED.get(ClaimState(claim.state))
    return AuthorsWords(
        id=str(current.pk),
        by=known[claim.actor],
        speaks_for=thing_of(claim),
        text=gone.get(current.pk, current.text),
        at=current.at,
        earlier=tuple(Wording(gone.get(note.pk, note.text), note.at) for note in reversed(earlier)),
        report_id=str(current.report_id) if current.report_id else None,
        ended_at=claim.decided_at if ended else None,
        ended_by=ended,
    )


def is_withdrawn(run: Run) -> bool:
    """Whether a withdrawal stands on a run: then there is nothing left to ask for."""
    return Mark.objects.filter(run=run, kind=MarkKind.WITHDRAWN, cleared_by=None).exists()
