"""Mail out: a letter is written in the transaction that needs it, and the worker sends it.

Nothing that serves a page talks to a mail server; allauth's own messages (verification, reset) are the exception.
"""

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from smtplib import SMTPException, SMTPResponseException
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F, Q
from django.template import Context
from django.template.loader import get_template
from django_q.tasks import async_task

from attestations.core.letters import pause_after, split
from attestations.models import Letter, LetterState
from registry import auditing

logger = logging.getLogger(__name__)
TASK = "attestations.tasks.send_letters"  # by name: tasks stand above the acts
LEASE = timedelta(minutes=10)  # longer than a mail server may take over one letter
MOST = 200  # of one call: the tick calls again each minute


def write(
    kind: str, *, key: str, now: datetime, user: Any = None, address: str = "", context: dict[str, Any] | None = None,
    unsubscribe: str = "", is_rung: bool = True,
) -> Letter:  # fmt: skip
    """Put a letter into the box, once a `key`. `templates/mail/<kind>.txt`: the first line is the subject.

    To an account (its address is looked up when the letter is sent) or to a bare address. The template is plain text:
    nothing in it is escaped for HTML. `is_rung` False: it goes with the next tick, for acts that write many.
    """
    template: Any = get_template(f"mail/{kind}.txt")
    said = {"site_url": settings.SITE_URL, "unsubscribe": unsubscribe, **(context or {})}
    subject, body = split(template.template.render(Context(said, autoescape=False)))
    letter, is_new = Letter.objects.get_or_create(
        key=key,
        defaults={
            "id": auditing.new_id(now),
            "user": user,
            "address": address,
            "kind": kind,
            "subject": subject,
            "body": body,
            "unsubscribe": unsubscribe,
            "at": now,
            "next_attempt_at": now,
        },
    )
    if is_new and is_rung:
        transaction.on_commit(_ring, robust=True)
    return letter


def _ring() -> None:
    """Ask a worker to look. A bell that is lost costs a minute: the tick looks too."""
    async_task(TASK, task_name="letters")


@dataclass(frozen=True, slots=True)
class Sent:
    """What a call did; `unreachable` says why the mail server took nothing at all."""

    sent: int = 0
    put_off: int = 0
    given_up: int = 0
    unreachable: str = ""

    def __str__(self) -> str:
        told = f"{self.sent} sent, {self.put_off} put off, {self.given_up} given up"
        return f"{told}; mail server unreachable: {self.unreachable}" if self.unreachable else told


def send_due(*, now: datetime) -> Sent:
    """Send what waits, oldest first, one by one; any number of workers may do so at once.

    A letter is claimed by a conditional UPDATE with a lease before it is sent, and marked and blanked by one after. A
    worker that is killed between sending and marking leaves a claimed letter: it goes out a second time when the lease
    lapses, under the same Message-ID, and that is the only way in which it can. While the mail server can't be reached
    nothing is claimed, so no letter uses up its attempts.
    """
    started = time.monotonic()
    waiting = list(_due(now).order_by("next_attempt_at", "id").values_list("pk", flat=True)[:MOST])
    outcomes: list[str] = []
    if not waiting:
        return Sent()
    try:
        with _mail_server() as server:
            for letter_id in waiting:
                at = now + timedelta(seconds=time.monotonic() - started)
                if letter := _claim(letter_id, at):
                    outcomes.append(_send(letter, server, at))
    except (OSError, SMTPException) as error:
        logger.warning("mail server unreachable: %s", _told(error))
        return _counted(outcomes, unreachable=_told(error))
    return _counted(outcomes)


def _counted(outcomes: list[str], unreachable: str = "") -> Sent:
    return Sent(*(outcomes.count(outcome) for outcome in ("sent", "put off", "given up")), unreachable)


def _due(now: datetime) -> Any:
    return Letter.objects.filter(
        Q(lease_until=None) | Q(lease_until__lte=now), state=LetterState.WAITING, next_attempt_at__lte=now
    )


@contextmanager
def _mail_server() -> Iterator[BaseEmailBackend]:
    """One connection for all of a call's letters. Raises where there is none to be had."""
    server = get_connection()
    server.open()
    try:
        yield server
    finally:
        server.close()


def _claim(letter_id: uuid.UUID, now: datetime) -> Letter | None:
    """Take a letter. None: another worker has it. The number of its attempts names the claim from here on."""
    count = _due(now).filter(pk=letter_id).update(lease_until=now + LEASE, attempts=F("attempts") + 1)
    return Letter.objects.select_related("user").get(pk=letter_id) if count else None


def _send(letter: Letter, server: BaseEmailBackend, now: datetime) -> str:
    address, because = _address(letter)
    if because:
        return _end(letter, LetterState.FAILED, now, error=because)
    try:
        _message(letter, address, server).send()
    except (OSError, SMTPException, ValueError) as error:  # ValueError: no mail can be made of it
        server.close()  # it may be in any state; the next letter opens it anew
        pause = None if isinstance(error, ValueError) else pause_after(letter.attempts)
        if pause is None:
            return _end(letter, LetterState.FAILED, now, error=_told(error))
        _mine(letter).update(lease_until=None, next_attempt_at=now + pause, error=_told(error))
        return "put off"
    return _end(letter, LetterState.SENT, now, sent_at=now)


def _end(letter: Letter, state: LetterState, now: datetime, **columns: Any) -> str:
    """Nothing of it is kept but that it was: subject, body and address go in the statement that ends it."""
    ended = {"error": "", "subject": "", "body": "", "address": "", "lease_until": None, **columns}
    _mine(letter).update(state=state, **ended)
    return "sent" if state == LetterState.SENT else "given up"


def _mine(letter: Letter) -> Any:
    return Letter.objects.filter(pk=letter.pk, state=LetterState.WAITING, attempts=letter.attempts)


def _address(letter: Letter) -> tuple[str, str]:
    """Where it goes, and why it goes nowhere. An account is written to at an address that was shown to be its own."""
    address = letter.address
    if letter.user:
        if not letter.user.is_active:
            return "", "the account is deactivated"
        own = EmailAddress.objects.filter(user=letter.user, verified=True).order_by("-primary", "pk").first()
        address = own.email if own else ""
        if not address:
            return "", "the account has no confirmed address"
    try:
        validate_email(address)
    except ValidationError:
        return "", "no address that mail could be sent to"
    return address, ""


def _message(letter: Letter, address: str, server: BaseEmailBackend) -> EmailMessage:
    headers = {
        # Both follow from the letter, so that a second copy of it is known as one.
        "Message-ID": f"<{letter.pk}@{urlsplit(settings.SITE_URL).hostname}>",
        "Date": format_datetime(letter.at),
        "Auto-Submitted": "auto-generated",
    }
    if letter.unsubscribe:
        headers["List-Unsubscribe"] = f"<{letter.unsubscribe}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return EmailMessage(letter.subject, letter.body, to=[address], headers=headers, connection=server)


def _told(error: Exception) -> str:
    """What went wrong, without the server's own words: they repeat whom the letter was for."""
    code = f" {error.smtp_code}" if isinstance(error, SMTPResponseException) else ""
    return f"{type(error).__name__}{code}"
