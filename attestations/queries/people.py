"""Accounts as staff see them, and what a public name has attested, for everybody."""

import unicodedata
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth import get_user_model
from django.db.models import Count, F, Q

from attestations.core import verdict
from attestations.core.handles import MAXIMUM
from attestations.core.lookalikes import skeleton
from attestations.models import Attestation, AttestationVersion, Claim, Kind, Profile, Report
from registry.queries import addresses, keyset
from registry.queries.shapes import Page, Ref

NEWEST = ("-at", "-id")
FOUND_AT_MOST = 200  # actors that one word of a search may stand for


@dataclass(frozen=True, slots=True)
class Person:
    """An account at a glance, for staff. `actor` is None until the account did something that names one."""

    actor: uuid.UUID | None
    handle: str | None
    addresses: tuple[str, ...]
    is_verified: bool
    has_factor: bool
    groups: tuple[str, ...]
    attestation_count: int
    report_count: int
    claim_count: int


@dataclass(frozen=True, slots=True)
class Attested:
    """One attestation in the list of whose it is. Withdrawn, it has no verdict left to show."""

    id: str
    url: str
    run: Ref
    kind: str
    word: str
    is_withdrawn: bool
    at: datetime
    verdict: str | None
    verdict_text: str | None
    is_comparable: bool


@dataclass(frozen=True, slots=True)
class PersonPage:
    """What a public name attested, newest first. Never whose account it is, and no figure that would be a weight."""

    name: str
    url: str
    is_active: bool
    attested: tuple[Attested, ...]
    page: Page


def person_page(handle: str, *, cursor: str | None = None) -> PersonPage:
    """Four queries. Raises Profile.DoesNotExist: nobody has this name, or its account is gone.

    What moderators have hidden is left out, and so is what was said of a run that was redacted.
    """
    profile = Profile.objects.select_related("user").get(handle=handle)
    said = Attestation.objects.filter(actor=profile.actor, hidden_at=None).exclude(run__name="")
    heads, following = keyset.page(said, order=NEWEST, scope=f"person:{profile.actor}", cursor=cursor)
    found = {row.attestation_id: row for row in _wordings(heads)}
    page = Page(following, said.count())
    attested = tuple(_attested(found[head.pk]) for head in heads)
    return PersonPage(handle, address_of(handle), profile.user.is_active, attested, page)


def spelled(handle: str) -> str | None:
    """The public name that differs from this text by case or by how its marks are composed, and by nothing else."""
    if len(handle) > 4 * MAXIMUM:
        return None
    name = unicodedata.normalize("NFC", handle)
    cased = {skeleton(one) for one in (name, name.lower(), name.upper(), name.capitalize())}  # some differ: see there
    found = Profile.objects.filter(handle_skeleton__in=cased).values_list("handle", flat=True)
    return next((held for held in found if held and held.casefold() == name.casefold()), None)


def address_of(handle: str) -> str:
    return f"/people/{quote(handle)}/"


def _wordings(heads: Iterable[Attestation]) -> Iterable[AttestationVersion]:
    """The newest wording of each, without its samples."""
    found = AttestationVersion.objects.filter(attestation__in=heads, number=F("attestation__version"))
    wide = ("attestation__run__implementation", "attestation__run__operation", "attestation__run__group")
    return found.select_related(*wide).defer("samples", "text")


def _attested(row: AttestationVersion) -> Attested:
    head, run = row.attestation, row.attestation.run
    said = None if head.withdrawn_at else row.verdict
    name = f"{run.implementation.display_name or 'redacted'}: {run.operation.display_name or 'redacted'}"
    return Attested(
        id=str(head.pk),
        url=f"/attestations/{head.pk}/",
        run=Ref(run.digest, name, addresses.run(run.digest)),
        kind=head.kind,
        word=Kind(head.kind).label,
        is_withdrawn=head.withdrawn_at is not None,
        at=head.at,
        verdict=said,
        verdict_text=verdict.word(said, run.group.metric or "") if said else None,
        is_comparable=row.is_comparable and said is not None,
    )


def persons(users: Iterable[Any]) -> dict[Any, Person]:
    """Each account by its key. A constant number of queries."""
    keys = [user.pk for user in users]
    profiles = {profile.user_id: profile for profile in Profile.objects.filter(user__in=keys)}
    actors = [profile.actor for profile in profiles.values()]
    attested, reported, claimed = (_counts(model, actors) for model in (Attestation, Report, Claim))
    addresses: dict[Any, list[EmailAddress]] = {key: [] for key in keys}
    for address in EmailAddress.objects.filter(user__in=keys).order_by("-primary", "email"):
        addresses[address.user_id].append(address)
    with_factor = set(
        Authenticator.objects.filter(user__in=keys)
        .exclude(type=Authenticator.Type.RECOVERY_CODES)
        .values_list("user_id", flat=True)
    )
    groups: dict[Any, list[str]] = {key: [] for key in keys}
    members = get_user_model().groups.through.objects.filter(user__in=keys).order_by("group__name")
    for key, name in members.values_list("user_id", "group__name"):
        groups[key].append(name)
    found = {}
    for key in keys:
        profile = profiles.get(key)
        actor = profile.actor if profile else None
        found[key] = Person(
            actor=actor,
            handle=profile.handle if profile else None,
            addresses=tuple(f"{a.email}{'' if a.verified else ' (not confirmed)'}" for a in addresses[key]),
            is_verified=any(address.verified for address in addresses[key]),
            has_factor=key in with_factor,
            groups=tuple(groups[key]),
            attestation_count=attested.get(actor, 0),
            report_count=reported.get(actor, 0),
            claim_count=claimed.get(actor, 0),
        )
    return found


def _counts(model: Any, actors: list[uuid.UUID]) -> dict[uuid.UUID | None, int]:
    counted = model.objects.filter(actor__in=actors).order_by().values_list("actor").annotate(Count("pk"))
    return dict(counted)


def actors_called(term: str, *, by_address: bool) -> list[uuid.UUID]:
    """The actors whose public name, or if asked also whose address, holds this text."""
    if not (wanted := term.strip()):
        return []
    matches = Q(handle__icontains=wanted)
    if by_address:
        matches |= Q(user__email__icontains=wanted)
    return list(Profile.objects.filter(matches).values_list("actor", flat=True)[:FOUND_AT_MOST])
