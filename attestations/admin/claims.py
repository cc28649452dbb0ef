"""Claims and withdrawal requests: what waits comes first, decided by acts that ask for a reason; nothing is edited."""

import uuid
from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import Case, IntegerField, OrderBy, Value, When
from django.http import HttpRequest
from django.utils import timezone

from attestations import claims
from attestations.models import AuthorNote, Claim, ClaimState, RequestState, WithdrawalRequest
from attestations.profiles import actor_of
from attestations.queries.names import names
from registry.admin.asking import asking_action
from registry.admin.facts import FactAdmin
from registry.admin.redacting import ASK_FOR_REDACTION
from registry.forms import ReasonForm

PERMISSION = "attestations.decide_claim"
NOTE = "The claimant is told by mail, with the reason. An audit event is kept under your name."


class AnswerForm(forms.Form):
    """Staff's answer to a withdrawal request: the author reads it."""

    answer = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}), max_length=2000,
        help_text="The author reads it. Of an accepted request it is shown on the run, after “withdrawn at the "
        "author's request:”.",
    )  # fmt: skip


def _decided(act: Any, word: str) -> Any:
    def decide(request: HttpRequest, chosen: list[Claim], data: dict[str, Any]) -> str:
        with transaction.atomic():  # all or none
            for claim in chosen:
                act(claim, reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
        return f"{word}: {len(chosen)}. Each claimant is told."

    return decide


def _answered(is_accepted: bool) -> Any:
    def answer(request: HttpRequest, chosen: list[WithdrawalRequest], data: dict[str, Any]) -> str:
        said = {"is_accepted": is_accepted, "answer": data["answer"], "actor": actor_of(request.user)}
        with transaction.atomic():  # all or none
            for asked in chosen:
                claims.answer_request(asked, **said, now=timezone.now())
        return f"{'Accepted and withdrawn' if is_accepted else 'Refused'}: {len(chosen)}. Each author is told."

    return answer


def _first(state: str) -> OrderBy:
    """What waits stands before what is over."""
    return Case(When(state=state, then=Value(0)), default=Value(1), output_field=IntegerField()).asc()


@admin.register(Claim)
class ClaimAdmin(FactAdmin):
    list_display = ("at", "state", "thing", "actor", "method", "message", "found", "decided_at", "reason")
    list_filter = ("state", "method")
    list_select_related = ("project", "source")
    search_fields = ("project__slug", "project__name", "source__slug", "source__name", "actor")
    actions = tuple(
        asking_action(
            name=f"{name}_claim",
            title=title,
            form=ReasonForm,
            permission=PERMISSION,
            act=_decided(act, word),
            note=NOTE,
        )
        for name, title, act, word in (
            ("grant", "Grant: they speak for it", claims.grant, "Granted"),
            ("refuse", "Refuse", claims.refuse, "Refused"),
            ("revoke", "Revoke: they no longer speak for it", claims.revoke, "Revoked"),
        )
    )

    actions = (*actions, ASK_FOR_REDACTION)

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        return [_first(ClaimState.PENDING), "-at", "-id"]

    @admin.display(description="of")
    def thing(self, claim: Claim) -> str:
        return str(claim.project or claim.source)


@admin.register(WithdrawalRequest)
class WithdrawalRequestAdmin(FactAdmin):
    list_display = ("at", "state", "run", "author", "reason", "decided_at", "answer")
    list_filter = ("state",)
    list_select_related = ("run", "claim")
    search_fields = ("run__digest", "reason", "answer")
    actions = tuple(
        asking_action(
            name=f"{name}_request", title=title, form=AnswerForm, permission=PERMISSION, act=_answered(is_accepted),
            note=note,
        )
        for name, title, is_accepted, note in (
            ("accept", "Accept: withdraw the run", True, f"The run is withdrawn in the same act. {NOTE}"),
            ("refuse", "Refuse", False, NOTE),
        )
    )  # fmt: skip

    actions = (*actions, ASK_FOR_REDACTION)

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        return [_first(RequestState.OPEN), "-at", "-id"]

    def actors_in(self, asked: WithdrawalRequest) -> list[uuid.UUID]:
        """Whose names a list looks up, all in one query."""
        return [actor for actor in (asked.claim.actor, asked.decided_by) if actor]

    @admin.display(description="author")
    def author(self, asked: WithdrawalRequest) -> str:
        known = asked.__dict__.get("names_shown") or names([asked.claim.actor])
        return known[asked.claim.actor]


@admin.register(AuthorNote)
class AuthorNoteAdmin(FactAdmin):
    """Each wording of each note; an author retracts their own, and a redaction takes two of staff."""

    list_display = ("at", "run", "claim", "report", "number", "text")
    list_select_related = ("run", "claim__project", "claim__source", "report")
    search_fields = ("run__digest", "text")
    actions = (ASK_FOR_REDACTION,)
