"""Accounts as staff see them, and what a public name has attested, for everybody."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db.models import Count, Q

from attestations.models import Attestation, Claim, Profile, Report

FOUND_AT_MOST = 200  # actors that one word of a search may stand for


@dataclass(frozen=True, slots=True)
class Person:
    """An account at a glance, for staff. `actor` is None until the account did something that names one."""

    actor: uuid.UUID | None
    handle: str | None
    addresses: tuple[str, ...]
    is_verified: bool
    groups: tuple[str, ...]
    attestation_count: int
    report_count: int
    claim_count: int


def persons(users: Iterable[Any]) -> dict[Any, Person]:
    """Each account by its key. A constant number of queries."""
    keys = [user.pk for user in users]
    profiles = {profile.user_id: profile for profile in Profile.objects.filter(user__in=keys)}
    actors = [profile.actor for profile in profiles.values()]
    attested, reported, claimed = (_counts(model, actors) for model in (Attestation, Report, Claim))
    addresses: dict[Any, list[EmailAddress]] = {key: [] for key in keys}
    for address in EmailAddress.objects.filter(user__in=keys).order_by("-primary", "email"):
        addresses[address.user_id].append(address)
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
