"""The worker's look for a claim's token file. Nothing that serves a page comes here.

A check is wanted by `check_wanted_at`. The worker that takes it moves that on by a lease, so a second bell changes
nothing that the first has found, and a worker that dies is followed by the tick's next bell.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from attestations.claims import bell, deciding
from attestations.core import claims as rules
from attestations.models import Claim, ClaimState, Method
from attestations.queries.claims import THINGS, places_of
from registry.fetching import FetchError, Network, fetch_text
from registry.fetching.network import THE_INTERNET

MOST_BYTES = 64 * 1024
LEASE = timedelta(minutes=10)  # a check asks at most three addresses for twenty seconds each
MOST_RUNG = 50


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, in words for the claimant. `place` holds the token; `may_pass`: a fault that may be gone soon."""

    place: rules.Place | None
    words: str
    may_pass: bool


def check(claim_id: UUID, *, now: datetime, network: Network = THE_INTERNET) -> str:
    """Look for the token file of a claim that wants it, and grant what it shows. Says what came of it."""
    claim = Claim.objects.select_related(*THINGS).filter(pk=claim_id, state=ClaimState.PENDING).first()
    if claim is None or claim.check_wanted_at is None:
        return "no check wanted"
    held = now + LEASE
    mine = Claim.objects.filter(pk=claim.pk, state=ClaimState.PENDING)
    if not mine.filter(check_wanted_at=claim.check_wanted_at).update(check_wanted_at=held):
        return "another worker has it"
    found = _look(claim, network)
    with transaction.atomic():
        if found.place:
            reason = f"A token file was found at {found.place.url}."
            stated = {"method": Method.TOKEN, "basis": found.place.basis, "reason": reason, "now": now}
            if deciding.settle_by_site(claim, **stated, check_wanted_at=held):
                Claim.objects.filter(pk=claim.pk).update(found=found.words)
        else:
            pause = rules.pause_after(claim.checked_at, now) if found.may_pass else None
            mine.filter(check_wanted_at=held).update(
                checked_at=now, found=found.words, check_wanted_at=now + pause if pause else None
            )
    return found.words


def check_due(*, now: datetime) -> int:
    """Ring for checks whose time has come and that no worker has, once in a lease."""
    due = Claim.objects.filter(state=ClaimState.PENDING, check_wanted_at__lte=now).order_by("check_wanted_at")
    rung = 0
    for claim in due[:MOST_RUNG]:
        with transaction.atomic():
            if due.filter(pk=claim.pk, check_wanted_at=claim.check_wanted_at).update(check_wanted_at=now + LEASE):
                bell.ring(claim.pk)
                rung += 1
    return rung


def _look(claim: Claim, network: Network) -> Found:
    words, may_pass = [], False
    for place in places_of(claim):
        try:
            text = fetch_text(place.url, hosts=place.hosts, max_bytes=MOST_BYTES, network=network)
        except FetchError as error:
            words.append(f"{place.url}: {_told(error)}.")
            may_pass |= error.may_pass
            continue
        if rules.holds_token(text, claim.token):
            return Found(place, f"{place.url} holds the token.", may_pass=False)
        lines = len([line for line in text.splitlines() if line.strip()])
        words.append(f"{place.url} has {lines} lines, and none is this claim's token.")
    return Found(None, "\n".join(words) or "It names no repository on GitHub and no site of its own.", may_pass)


def _told(error: FetchError) -> str:
    """A fault in words that say what to do; never what our own network looks like."""
    if error.status == 404:
        return "no such file there (404)"
    if error.status is not None:
        return f"the server answered {error.status}"
    return {
        "no-address": "the host has no address",
        "not-public": "the host has no public address",
        "no-connection": "no connection",
        "too-slow": "the server took too long",
        "broken-off": "the connection broke",
        "too-large": f"larger than {MOST_BYTES // 1024} KiB",
        "bad-redirect": "it redirects in circles or to nowhere",
        "host-not-listed": "it redirects to another host",
    }.get(error.reason, "it could not be read")
