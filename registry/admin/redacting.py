"""The first of two signatures under a redaction: an action of every table that has something to redact."""

from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from attestations.profiles import actor_of
from registry import corrections
from registry.admin.asking import asking_action
from registry.forms import RedactForm


def _ask(request: HttpRequest, rows: list[Any], data: dict[str, Any]) -> str:
    with transaction.atomic():  # all or none
        for row in rows:
            corrections.request_redaction(
                row,
                reason_class=data["reason_class"],
                reason=data["reason"],
                actor=actor_of(request.user),
                now=timezone.now(),
            )
    return "Asked for. Another of staff approves it under “Redaction requests”."


ASK_FOR_REDACTION = asking_action(
    name="redact",
    title="Ask for redaction",
    form=RedactForm,
    permission="registry.add_redactionrequest",
    act=_ask,
    note="Nothing goes yet: another of staff approves it. Do not repeat what is to go in the reason: that is kept.",
)
