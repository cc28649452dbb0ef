"""Runs, and what staff may do about them: withdraw, supersede, flag, ask for a redaction. Never edit."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from attestations.profiles import actor_of
from registry import corrections
from registry.admin.asking import asking_action
from registry.admin.facts import FactAdmin
from registry.admin.redacting import ASK_FOR_REDACTION
from registry.corrections import CorrectionError
from registry.forms import FlagForm, ReasonForm, SupersedeForm
from registry.models import Run, RunArtifact


def _withdraw(request: HttpRequest, runs: list[Run], data: dict[str, Any]) -> str:
    corrections.withdraw(runs, reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
    return f"Withdrawn: {len(runs)}."


def _supersede(request: HttpRequest, runs: list[Run], data: dict[str, Any]) -> str:
    if len(runs) != 1:
        raise CorrectionError("Choose one run: a successor corrects one run.")
    corrections.supersede(
        runs[0], successor=data["successor"], reason=data["reason"], actor=actor_of(request.user), now=timezone.now()
    )
    return f"Superseded: {runs[0].digest} by {data['successor'].digest}."


def _flag(request: HttpRequest, runs: list[Run], data: dict[str, Any]) -> str:
    corrections.flag(runs, rule=data["rule"], reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
    return f"Flagged as {data['rule']}: {len(runs)}."


@admin.register(Run)
class RunAdmin(FactAdmin):
    list_display = ("digest", "implementation", "operation", "value", "status", "source", "observed_at")
    list_filter = ("source", "status")
    list_select_related = ("implementation", "operation", "source")
    search_fields = ("digest", "external_id", "title", "implementation__display_name", "operation__slug")
    actions = (
        asking_action(
            name="withdraw", title="Withdraw", form=ReasonForm, permission="registry.add_mark", act=_withdraw
        ),
        asking_action(
            name="supersede", title="Supersede", form=SupersedeForm, permission="registry.add_mark", act=_supersede
        ),
        asking_action(name="flag", title="Flag", form=FlagForm, permission="registry.add_mark", act=_flag),
        ASK_FOR_REDACTION,
    )


@admin.register(RunArtifact)
class RunArtifactAdmin(FactAdmin):
    list_display = ("run", "role", "digest")
    list_select_related = ("run",)
    search_fields = ("run__digest", "digest")
