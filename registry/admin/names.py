"""Names that rows wait for, and what people settled."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from attestations.profiles import actor_of
from registry import aliases
from registry.admin.asking import asking_action
from registry.admin.facts import FactAdmin
from registry.forms import ReasonForm, SettleForm
from registry.models import NameAlias, UnmappedName

PERMISSION = "registry.add_namealias"


def _settle(request: HttpRequest, names: list[UnmappedName], data: dict[str, Any]) -> str:
    if len({(name.source_id, name.kind) for name in names}) > 1:
        raise aliases.AliasError("Choose names of one source and kind: they are said to stand for the same thing.")
    for name in names:
        aliases.settle(
            source=None if data["is_for_every_source"] else name.source,
            kind=name.kind,
            name=name.name,
            target=data["target"],
            facts=data["facts"],
            reason=data["reason"],
            actor=actor_of(request.user),
            now=timezone.now(),
        )
    return f"Settled: {len(names)}. The next sync takes their rows."


@admin.register(UnmappedName)
class UnmappedNameAdmin(FactAdmin):
    list_display = ("name", "kind", "source", "row_count", "is_settled", "first_seen_at", "example")
    list_filter = ("is_settled", "kind", "source")
    list_select_related = ("source",)
    search_fields = ("name", "example")
    actions = (
        asking_action(
            name="settle",
            title="Settle: say what it stands for",
            form=SettleForm,
            permission=PERMISSION,
            act=_settle,
            note="What is settled holds from the next sync on, and search finds the hardware by it.",
        ),
    )


def _revoke(request: HttpRequest, rows: list[NameAlias], data: dict[str, Any]) -> str:
    for alias in rows:
        aliases.revoke(alias, reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
    return f"Revoked: {len(rows)}. Runs that came by them stay."


@admin.register(NameAlias)
class NameAliasAdmin(FactAdmin):
    list_display = ("name", "kind", "target", "source", "at", "reason")
    list_filter = ("kind", "source")
    list_select_related = ("source",)
    search_fields = ("name", "target", "reason")
    actions = (
        asking_action(
            name="revoke",
            title="Revoke",
            form=ReasonForm,
            permission=PERMISSION,
            act=_revoke,
            note="The alias stays on record; a later row says that it no longer holds.",
        ),
    )
