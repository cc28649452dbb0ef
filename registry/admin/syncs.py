"""Syncs: the report of each, and what a person decides on those that wait."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from attestations.profiles import actor_of
from registry import corrections, syncs
from registry.admin.asking import asking_action, asking_page
from registry.admin.facts import FactAdmin
from registry.corrections import CorrectionError
from registry.forms import ReasonForm
from registry.models import Sync, SyncFile, SyncRow
from registry.models.syncs import SyncRowKind, SyncState
from registry.queries.syncs import sync_page

VERBATIM_SHOWN = 20
PERMISSION = "registry.sync_source"
DECISIONS = {
    "approve": ("Approve: publish it", syncs.approve, (SyncState.WAITING,)),
    "discard": ("Discard: publish nothing", syncs.discard, (SyncState.QUEUED, SyncState.WAITING, SyncState.FAILED)),
}


@admin.register(Sync)
class SyncAdmin(FactAdmin):
    list_display = (
        "requested_at", "source", "trigger", "requested_by", "state", "is_dry_run", "finished_at", "waits_because",
    )  # fmt: skip
    list_filter = ("state", "trigger", "source")
    list_select_related = ("source",)
    search_fields = ("source__slug", "error", "fingerprint")
    change_form_template = "admin/registry/sync/change_form.html"
    fields = (
        "source", "importer", "trigger", "is_dry_run", "state", "requested_at", "requested_by", "started_at",
        "finished_at", "attempts", "next_attempt_at", "error", "answers", "fingerprint", "waits_because", "decided_at",
        "decided_by", "decision_reason",
    )  # fmt: skip  # the report stands above them

    def get_urls(self) -> list[URLPattern]:
        decisions = [
            path(f"<uuid:pk>/{name}/", self.admin_site.admin_view(partial(self._decide, name)), name=f"sync-{name}")
            for name in DECISIONS
        ]
        return [*decisions, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        sync: Sync = kwargs["obj"]
        context["page"] = sync_page(sync.pk)
        context["verbatim"] = list(
            sync.rows.filter(kind__in=(SyncRowKind.REJECTED, SyncRowKind.PENDING)).order_by("id")[:VERBATIM_SHOWN]
        )
        may = request.user.has_perm(PERMISSION)
        context["buttons"] = [
            (title, reverse(f"admin:sync-{name}", args=[sync.pk]))
            for name, (title, _, states) in DECISIONS.items()
            if may and sync.state in states
        ]
        return super().render_change_form(request, context, *args, **kwargs)

    def _decide(self, name: str, request: HttpRequest, pk: Any) -> HttpResponse:
        sync = get_object_or_404(Sync.objects.select_related("source"), pk=pk)
        title, act, _ = DECISIONS[name]

        def decide(data: dict[str, Any]) -> tuple[str, str]:
            act(sync, actor=actor_of(request.user), reason=data["reason"], now=timezone.now())
            return f"{title.partition(':')[0]}d.", reverse("admin:registry_sync_change", args=[sync.pk])

        return asking_page(
            self, request, title=title, note=f"{sync.source.name}, {sync.requested_at:%Y-%m-%d %H:%M}: {sync.state}. "
            f"{sync.waits_because}", form=ReasonForm(request.POST or None), permission=PERMISSION, act=decide,
        )  # fmt: skip


@admin.register(SyncFile)
class SyncFileAdmin(FactAdmin):
    list_display = ("name", "sync", "sha256", "size_bytes", "taken_at")
    list_select_related = ("sync",)
    search_fields = ("name", "sha256", "url")


def _supersede(request: HttpRequest, rows: list[SyncRow], data: dict[str, Any]) -> str:
    """Accept what the upstream corrected: the run that stood there is superseded by the one that does."""
    if wrong := [row for row in rows if row.kind != SyncRowKind.CORRECTION or row.run is None]:
        raise CorrectionError(f"{wrong[0]} is no correction: choose rows of that kind.")
    if early := [row for row in rows if row.successor is None]:
        raise CorrectionError(f"{early[0]} is of a sync that was not published: nothing stands here to supersede with.")
    for row in rows:
        corrections.supersede(
            row.run, successor=row.successor, reason=data["reason"], actor=actor_of(request.user), now=timezone.now()
        )
    return f"Superseded: {len(rows)}."


def _leave(request: HttpRequest, rows: list[SyncRow], data: dict[str, Any]) -> str:
    for row in rows:
        if row.kind != SyncRowKind.CORRECTION or row.run is None or row.successor is None:
            raise CorrectionError(f"{row} is no correction that could be accepted.")
        corrections.leave(
            row.run, successor=row.successor, reason=data["reason"], actor=actor_of(request.user), now=timezone.now()
        )
    return f"Left as they are: {len(rows)}."


@admin.register(SyncRow)
class SyncRowAdmin(FactAdmin):
    list_display = ("reason", "kind", "sync", "file", "line", "key", "text")
    list_filter = ("kind", "reason")
    list_select_related = ("sync",)
    search_fields = ("reason", "key", "text", "file")
    actions = (
        asking_action(
            name="supersede",
            title="Accept the correction: supersede the earlier run",
            form=ReasonForm,
            permission="registry.add_mark",
            act=_supersede,
        ),
        asking_action(
            name="leave",
            title="Leave it: both runs stand",
            form=ReasonForm,
            permission="registry.add_mark",
            act=_leave,
            note="The desk no longer lists it, nor where a later sync proposes the same. No run is marked.",
        ),
    )
