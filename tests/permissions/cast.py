"""The roles of the permission matrix, and a world in which each route has something to be about."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.test import Client

from attestations.models import (
    Attestation,
    AttestationVersion,
    AuthorNote,
    Claim,
    Follow,
    Letter,
    Report,
    ReportEvent,
    WithdrawalRequest,
)
from attestations.profiles import actor_of, profile_of
from registry.models import Run
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import LIGER, SOL, incident, recorded_sync

# In this order everywhere. `author` owns what the routes are about; `other` owns the like of it.
ROLES = (
    "anonymous", "deactivated", "unverified", "reader", "author", "other", "curator", "moderator", "rerunner",
    "superuser-without-factor", "superuser",
)  # fmt: skip
ID = {name: uuid.UUID(int=0xA000 + number) for number, name in enumerate(
    ("attestation", "version", "report", "event", "claim", "note", "request", "letter", "others", "others-version")
)}  # fmt: skip

MAIL_KEY = uuid.UUID(int=0xB000)


@dataclass(frozen=True, slots=True)
class Cast:
    """Cookies of each role; whoever needs an account's id finds the account here."""

    cookies: dict[str, dict[str, str]]
    accounts: dict[str, Any]

    def client(self, role: str) -> Client:
        """A new client each time: an answer may end the session of the one before."""
        client = Client(raise_request_exception=False)
        client.cookies.load(self.cookies[role])
        return client


def make_cast() -> Cast:
    accounts = {
        "deactivated": member("deactivated"),
        "unverified": member("unverified", is_verified=False),
        "reader": member("reader"),
        "author": member("author"),
        "other": member("other"),
        **{group: member(group, group) for group in ("curator", "moderator", "rerunner")},
        "superuser-without-factor": member("bare", is_superuser=True),
        "superuser": member("root", is_superuser=True),
    }
    clients = {role: signed_in(user, factor=_factor(role, user)) for role, user in accounts.items()}
    accounts["deactivated"].is_active = False
    accounts["deactivated"].save()
    # One who has just signed up: no profile yet, and reading makes none. Not a role of the matrix.
    accounts["newcomer"] = member("newcomer", handle=None)
    clients["newcomer"] = signed_in(accounts["newcomer"])
    accounts["newcomer"].profile.delete()
    for client in clients.values():
        _keep_fresh(client)
    cookies = {role: {settings.SESSION_COOKIE_NAME: _session(client)} for role, client in clients.items()}
    return Cast({"anonymous": {}, **cookies}, accounts)


def _keep_fresh(client: Client) -> None:
    """Who proves who they are again, and when, is tested elsewhere; asking every cell takes longer than that lasts."""
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] += 24 * 3600
    session.save()


def _factor(role: str, user: Any) -> bool:
    return user.is_staff and role != "superuser-without-factor"


def _session(client: Client) -> str:
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def make_world(cast: Cast) -> None:
    """What the author said, reported, claimed and follows; one attestation of the other's."""
    author, other = cast.accounts["author"], cast.accounts["other"]
    run = Run.objects.select_related("implementation__project").get(digest=LIGER)
    for owner, name, version in ((author, "attestation", "version"), (other, "others", "others-version")):
        said = Attestation.objects.create(id=ID[name], run=run, actor=actor_of(owner), kind="environment_note", at=NOW)
        AttestationVersion.objects.create(
            id=ID[version], attestation=said, number=1, at=NOW, digest="sha256:" + "5" * 64, text="Seen."
        )
    report = Report.objects.create(
        id=ID["report"], run=run, at=NOW, reason="other", text="Look.", actor=actor_of(author), contact="a@example.org"
    )
    ReportEvent.objects.create(id=ID["event"], report=report, at=NOW, kind="opened")
    claim = Claim.objects.create(
        id=ID["claim"],
        actor=actor_of(author),
        project=run.implementation.project,
        at=NOW,
        method="staff",
        state="granted",
    )
    AuthorNote.objects.create(id=ID["note"], claim=claim, run=run, number=1, at=NOW, text="Mine.")
    WithdrawalRequest.objects.create(
        id=ID["request"], claim=claim, run=Run.objects.get(digest=SOL), at=NOW, reason="A mistake."
    )
    Follow.objects.create(user=author, thing="run", target=LIGER, at=NOW)
    Letter.objects.create(
        id=ID["letter"], key="one", user=author, kind="digest", subject="New", body="New.", at=NOW, next_attempt_at=NOW
    )
    recorded_sync()
    incident()
    profile = profile_of(author)
    profile.mail_key = MAIL_KEY
    profile.save()
