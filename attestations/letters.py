"""Mail out: a letter is written in the transaction that needs it, and the worker sends it.

Nothing that serves a page talks to a mail server; allauth's own messages (verification, reset) are the exception.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from attestations.models import Letter
from registry import auditing


def write(
    kind: str, *, key: str, now: datetime, user: Any = None, address: str = "", context: dict[str, Any] | None = None,
    unsubscribe: str = "",
) -> Letter:  # fmt: skip
    """Put a letter into the box, once a `key`. `templates/mail/<kind>.txt`: the first line is the subject.

    To an account (its address is looked up when the letter is sent) or to a bare address.
    """
    said = render_to_string(
        f"mail/{kind}.txt", {"site_url": settings.SITE_URL, "unsubscribe": unsubscribe, **(context or {})}
    )
    subject, _, body = said.strip().partition("\n")
    letter, _ = Letter.objects.get_or_create(
        key=key,
        defaults={
            "id": auditing.new_id(now),
            "user": user,
            "address": address,
            "kind": kind,
            "subject": " ".join(subject.split()),
            "body": body.strip() + "\n",
            "unsubscribe": unsubscribe,
            "at": now,
            "next_attempt_at": now,
        },
    )
    return letter
