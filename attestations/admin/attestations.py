"""Attestations in the admin: newest first, every wording, also of those that are not shown; hide and show again."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from attestations import attesting
from attestations.models import Attestation, AttestationMark, AttestationVersion
from attestations.profiles import actor_of
from registry.admin.actors import person
from registry.admin.asking import asking_action
from registry.admin.facts import FactAdmin
from registry.forms import ReasonForm

PERMISSION = "attestations.hide_attestation"


def _hide(request: HttpRequest, chosen: list[Attestation], data: dict[str, Any]) -> str:
    attesting.hide(chosen, reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
    return f"Hidden: {len(chosen)}."


def _unhide(request: HttpRequest, chosen: list[Attestation], data: dict[str, Any]) -> str:
    attesting.unhide(chosen, reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
    return f"Shown again: {len(chosen)}."


class _Kept(admin.StackedInline):
    """Rows that stand with an attestation, to be read."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class WordingInline(_Kept):
    model = AttestationVersion
    fields = (
        "number", "at", "text", "value", "unit", "verdict", "is_comparable", "samples_from", "relation", "setup",
        "environment", "hardware", "environment_text", "evidence_url", "digest",
    )  # fmt: skip


class MarkInline(_Kept):
    model = AttestationMark
    fields = ("kind", "at", person("actor"), "reason")
    readonly_fields = fields


@admin.register(Attestation)
class AttestationAdmin(FactAdmin):
    list_display = ("at", "kind", "actor", "run", "withdrawn_at", "hidden_at", "page")
    list_filter = ("kind", ("withdrawn_at", admin.EmptyFieldListFilter), ("hidden_at", admin.EmptyFieldListFilter))
    list_select_related = ("run",)
    search_fields = ("=actor", "run__digest", "versions__text")
    date_hierarchy = "at"
    inlines = (WordingInline, MarkInline)
    actions = (
        asking_action(
            name="hide",
            title="Hide",
            form=ReasonForm,
            permission=PERMISSION,
            act=_hide,
            note="Words and figures are not shown any more; the reason is shown in their place. It is on record.",
        ),
        asking_action(
            name="unhide",
            title="Show again",
            form=ReasonForm,
            permission=PERMISSION,
            act=_unhide,
            note="Words and figures are shown again. Both acts stay on record.",
        ),
    )

    @admin.display(description="page")
    def page(self, row: Attestation) -> SafeString:
        return format_html('<a href="/attestations/{}/">open</a>', row.pk)
