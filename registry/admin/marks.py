"""Marks: dated, never edited; a mistaken one is answered by clearing it."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from attestations.profiles import actor_of
from registry import corrections
from registry.admin.asking import asking_action
from registry.admin.facts import FactAdmin
from registry.forms import ReasonForm
from registry.models import Mark


def _clear(request: HttpRequest, marks: list[Mark], data: dict[str, Any]) -> str:
    corrections.clear(marks, reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
    return f"Cleared: {len(marks)}."


@admin.register(Mark)
class MarkAdmin(FactAdmin):
    list_display = ("at", "kind", "rule", "is_blocking", "run", "by", "reason")
    list_filter = ("kind", "rule", "is_blocking")
    list_select_related = ("run",)
    search_fields = ("run__digest", "rule", "reason")
    actions = (asking_action(name="clear", title="Clear", form=ReasonForm, permission="registry.add_mark", act=_clear),)
