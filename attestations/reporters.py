"""Those who sent reports: who of them can be written to, and the link by which one without an account answers.

A contact is an address that nobody has shown to be theirs, so letters to such addresses are few, and each is one that a
person of staff caused. An account is written to at its own address, once that was shown to be its own.
"""

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from django.core import signing

from attestations import letters
from attestations.models import Profile, Report, ReportEvent

MOST_CONTACTS = 20  # of one group: the first that joined
SALT = "attestations.reporters"


class BadLinkError(ValueError):
    """The link is not one that a letter of ours held."""


@dataclass(frozen=True, slots=True)
class Reporter:
    """One to write to, by account or by address, and the report that they sent."""

    report: Report
    user: Any
    address: str

    @property
    def key(self) -> str:
        return f"u{self.user.pk}" if self.user else hashlib.sha256(self.address.lower().encode()).hexdigest()[:32]


def reachable(group: Iterable[Report]) -> list[Reporter]:
    """Who of a group's reporters can be written to, each once, in the order in which they reported."""
    group = sorted(group, key=lambda report: (report.at, report.id))
    users = _verified_users({report.actor for report in group if report.actor})
    found: dict[str, Reporter] = {}
    contacts = 0
    for report in group:
        user = users.get(report.actor) if report.actor else None
        address = "" if report.actor else report.contact or ""
        if not user and not address:
            continue
        reporter = Reporter(report, user, address)
        if reporter.key in found or (address and contacts == MOST_CONTACTS):
            continue
        found[reporter.key] = reporter
        contacts += bool(address)
    return list(found.values())


def _verified_users(actors: set[uuid.UUID]) -> dict[uuid.UUID, Any]:
    verified = EmailAddress.objects.filter(verified=True).values("user")
    found = Profile.objects.filter(actor__in=actors, user__is_active=True, user__in=verified).select_related("user")
    return {profile.actor: profile.user for profile in found}


def tell(
    reporters: Iterable[Reporter], kind: str, event: ReportEvent, *, context: dict[str, Any], now: datetime
) -> None:
    """One letter to each for an event, however often it is asked for."""
    for reporter in reporters:
        letters.write(
            kind,
            key=f"report {event.id} {reporter.key}",
            now=now,
            user=reporter.user,
            address=reporter.address,
            context={**context, "report": reporter.report, "token": "" if reporter.user else token(reporter.report)},
        )


def token(report: Report) -> str:
    """What stands in a letter's link. It opens this report's questions and nothing else."""
    return signing.Signer(salt=SALT).sign_object(str(report.id))


def check_token(text: str, report_id: uuid.UUID) -> None:
    """Raises BadLinkError unless the link belongs to this report."""
    try:
        told = signing.Signer(salt=SALT).unsign_object(text)
    except (signing.BadSignature, ValueError) as error:
        raise BadLinkError("This link is not one that we sent, or not whole: copy all of it from the mail.") from error
    if told != str(report_id):
        raise BadLinkError("This link belongs to another report.")
