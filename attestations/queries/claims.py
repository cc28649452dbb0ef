"""Who speaks for the project and the source of a run, and what they say beside it.

Rights are read anew each time: a claim counts while it is granted, its account lives, and the thing still names the
repository or host that the grant rested on.
"""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from attestations.core import claims as rules
from attestations.models import Claim, ClaimState, Profile
from registry.models import Run

LIVE = Exists(Profile.objects.filter(actor=OuterRef("actor"), user__is_active=True))


@dataclass(frozen=True, slots=True)
class AuthorsWords:
    """A claimed author's note on a run."""

    text: str


def author_notes(run_id: uuid.UUID) -> tuple[AuthorsWords, ...]:
    return ()


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
    granted = claims.filter(LIVE, state=ClaimState.GRANTED).select_related("project__newest", "source")
    return [claim for claim in granted.order_by("at", "id") if rules.is_standing(claim.basis, places_of(claim))]


def places_of(claim: Claim) -> tuple[rules.Place, ...]:
    """Where the thing that is claimed says that its owner is to be found."""
    if claim.project:
        return rules.places_of_project(claim.project.newest.repository if claim.project.newest else None)
    source = claim.source
    return rules.places_of_source(source.kind, source.slug, source.homepage, source.location)
