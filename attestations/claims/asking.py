"""What the claimant does with a claim: make it, ask for a check, give it up."""

import uuid
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from attestations import limits
from attestations.claims import bell, deciding
from attestations.claims.errors import ClaimError, stated
from attestations.core import claims as rules
from attestations.models import Claim, ClaimState, Method
from attestations.queries.claims import github_logins, in_force, places_of
from registry import auditing
from registry.models import Project, Source

OPEN = (ClaimState.PENDING, ClaimState.GRANTED)
CLAIMS_A_DAY = limits.Limit("claim", 30, timedelta(days=1))
CHECKS_A_DAY = limits.Limit("claim check", 10, timedelta(days=1))


def claim(
    *, actor: uuid.UUID, method: str, now: datetime, project: Project | None = None, source: Source | None = None,
    message: str = "",
) -> Claim:  # fmt: skip
    """Claim a project or a source in one of three ways; a claim that waits changes to that way. Raises ClaimError.

    By GitHub it is granted at once or refused; by a token file it waits for a check, by staff for a person.
    """
    if method not in Method.values:
        raise ClaimError("Choose one of the three ways.")
    thing = {"project": project, "source": source}
    asked = Claim(actor=actor, method=method, **thing)
    if source and not rules.is_claimable(source.kind, source.slug):
        raise ClaimError(f"{source.name} is of many others: nobody speaks for all of its runs. Claim a project.")
    message = stated(message, "how staff can see that it is yours") if method == Method.STAFF else ""
    place = _place(asked)
    if not limits.take(CLAIMS_A_DAY, str(actor), now=now):
        raise ClaimError(f"{CLAIMS_A_DAY.most} claims today: try again tomorrow.")
    with transaction.atomic():
        made = _waiting(asked, now)
        Claim.objects.filter(pk=made.pk, state=ClaimState.PENDING).update(method=method, message=message)
        if place:
            reason = f"The GitHub login of the claimant is the owner of {place.basis}."
            deciding.settle_by_site(made, method=Method.GITHUB, basis=place.basis, reason=reason, now=now)
    made.refresh_from_db()
    return made


def want_check(claim: Claim, *, actor: uuid.UUID, now: datetime) -> None:
    """Ask the worker to look for the token file. Asking twice is asking once. Raises ClaimError."""
    _require_own(claim, actor)
    mine = Claim.objects.filter(pk=claim.pk, state=ClaimState.PENDING)
    if not mine.exists():
        raise ClaimError("This claim waits for nothing any more.")
    if not places_of(claim):
        raise ClaimError("It names no repository on GitHub and no site of its own: ask staff.")
    if mine.filter(check_wanted_at__isnull=False).exists():
        return
    if not limits.take(CHECKS_A_DAY, str(claim.pk), now=now):
        raise ClaimError(f"{CHECKS_A_DAY.most} checks of this claim today: ask again tomorrow, or ask staff.")
    with transaction.atomic():
        if mine.filter(check_wanted_at=None).update(check_wanted_at=now):
            bell.ring(claim.pk)


def drop(claim: Claim, *, actor: uuid.UUID, now: datetime) -> None:
    """Give a claim up. Notes stay, and say so. Raises ClaimError."""
    _require_own(claim, actor)
    with transaction.atomic():
        given_up = Claim.objects.filter(pk=claim.pk, state__in=OPEN).update(
            state=ClaimState.DROPPED, decided_at=now, decided_by=actor, check_wanted_at=None
        )
        if not given_up:
            raise ClaimError("This claim is over already.")
        deciding.record("claim given up", claim, "Given up by the claimant.", actor, now)


def _place(asked: Claim) -> rules.Place | None:
    """Of a claim by GitHub the repository whose owner the claimant is. Raises ClaimError where a way leads nowhere."""
    if asked.method == Method.STAFF:
        return None
    places = places_of(asked)
    if not places:
        raise ClaimError("It names no repository on GitHub and no site of its own: ask staff.")
    if asked.method == Method.TOKEN:
        return None
    logins = github_logins(asked.actor)
    if place := rules.is_owner(logins, places):
        return place
    owners = ", ".join(dict.fromkeys(place.owner for place in places if place.owner)) or "nobody on GitHub"
    if not logins:
        raise ClaimError(f"Your account has no GitHub login connected; the repository's owner is {owners}.")
    raise ClaimError(
        f"Your GitHub login is {', '.join(logins)}; the repository's owner is {owners}. "
        "Of an organisation's repository a token file shows that you are in charge."
    )


def _waiting(asked: Claim, now: datetime) -> Claim:
    """The claim that waits: the one that stands, or a new one."""
    thing = {"project": asked.project, "source": asked.source}
    mine = Claim.objects.filter(actor=asked.actor, **thing)
    held = mine.filter(state__in=OPEN).first()
    if held and held.state == ClaimState.GRANTED:
        if in_force(mine):
            raise ClaimError("You speak for it already.")
        reason = "It names another repository or site than the one that this claim was granted on."
        deciding.lapse(held, reason=reason, now=now)
        held = None
    by_staff = mine.filter(state=ClaimState.REVOKED, decided_by__isnull=False).first()
    if by_staff and asked.method != Method.STAFF:
        raise ClaimError(f"Staff revoked a claim of yours on {by_staff.decided_at:%Y-%m-%d}: only staff can grant it.")
    if held:
        return held
    try:
        with transaction.atomic():
            return Claim.objects.create(
                id=auditing.new_id(now), actor=asked.actor, at=now, method=asked.method, **thing
            )  # fmt: skip
    except IntegrityError:  # made in this moment by the same person's other press
        return mine.get(state__in=OPEN)


def _require_own(claim: Claim, actor: uuid.UUID) -> None:
    if claim.actor != actor:
        raise ClaimError("This claim is somebody else's.")
