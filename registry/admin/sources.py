"""Sources are curated here: the one table of the registry that staff edit, and from where readings are asked for."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import transaction
from django.forms import Form, widgets
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.timesince import timesince

from attestations.profiles import actor_of
from registry import auditing, syncs
from registry.admin.asking import asking_page
from registry.admin.facts import FactAdmin
from registry.core.ids import uuid7
from registry.core.schedules import next_reading
from registry.forms import AskForm, ReasonForm, SourceForm, UploadForm
from registry.models import Sighting, Snapshot, Source
from registry.models.syncs import Trigger
from registry.queries import curation

SYNC_PERMISSION = "registry.sync_source"
BUTTONS: dict[str, tuple[str, str, type[Form]]] = {
    "sync": ("Sync now", "A worker fetches and reads it. The first sync, and one that changes much, waits.", AskForm),
    "dry-run": ("Dry run", "A worker fetches and reads it and reports. Nothing is published.", AskForm),
    "upload": ("Upload file", "A worker reads the files under the same gate as a sync.", UploadForm),
    "pause": ("Pause", "Nothing of it is read until somebody resumes it.", ReasonForm),
    "resume": ("Resume", "It is read by its schedule again.", ReasonForm),
}


class GlancedList(ChangeList):
    """The list of sources, each with its state, which no column of its table holds."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        glances = curation.glances(timezone.now())
        for source in self.result_list:
            source.glance = glances[source.pk]


@admin.register(Source)
class SourceAdmin(admin.ModelAdmin):
    list_display = ("name", "state", "last_read", "schedule", "runs", "rejected", "pending", "open_problems")
    list_filter = ("kind", "schedule", "is_enabled")
    search_fields = ("slug", "name")
    form = SourceForm
    change_form_template = "admin/registry/source/change_form.html"
    fieldsets = (
        (None, {"fields": ("slug", "name", "kind", "homepage", "is_enabled")}),
        (
            "Terms",
            {"fields": ("licence", "terms", "terms_url", "terms_read_on", "may_store", "attribution", "contact")},
        ),
        ("Reading", {"fields": ("importer", "location", "hosts", "size_cap_mib", "schedule")}),
        ("Curators' own", {"fields": ("trust_notes", "reason")}),
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return GlancedList

    @admin.display(description="state")
    def state(self, source: Any) -> str:
        return source.glance.state

    @admin.display(description="last read")
    def last_read(self, source: Any) -> str:
        glance = source.glance
        if glance.last_read_at is None:
            return "never"
        return f"{glance.last_read_at:%Y-%m-%d %H:%M}, {_told(glance.age)} ago"

    @admin.display(description="runs")
    def runs(self, source: Any) -> str:
        return f"{source.glance.run_count:,}"

    @admin.display(description="rejected", empty_value="–")
    def rejected(self, source: Any) -> int | None:
        return source.glance.rejected

    @admin.display(description="pending", empty_value="–")
    def pending(self, source: Any) -> int | None:
        return source.glance.pending

    @admin.display(description="open problems")
    def open_problems(self, source: Any) -> str:
        return "; ".join(source.glance.problems) or "none"

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        importers = [("", "none: bundles only"), *((name, name) for name in syncs.importer_names())]
        if "importer" in form.base_fields:  # who may only look is given no fields
            form.base_fields["importer"].widget = widgets.Select(choices=importers)
        return form

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()  # addresses of a source never change

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Source, form: Any, change: bool) -> None:
        now = timezone.now()
        if not change:
            obj.created_at = now
            obj.id = uuid7(obj.created_at, f"source:{obj.slug}")
        if "schedule" in form.changed_data:
            obj.next_sync_at = next_reading(obj.schedule, now)
        changed = {name: str(form.cleaned_data[name]) for name in form.changed_data if name != "reason"}
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            action = "source changed" if change else "source added"
            reason = form.cleaned_data["reason"]
            auditing.record(action, "source", obj.slug, reason, actor_of(request.user), now, changed)

    def get_urls(self) -> list[URLPattern]:
        buttons = [
            path(f"<uuid:pk>/{name}/", self.admin_site.admin_view(partial(self._press, name)), name=f"source-{name}")
            for name in BUTTONS
        ]
        return [*buttons, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        source = kwargs.get("obj")
        context["buttons"] = self._buttons(source) if source and request.user.has_perm(SYNC_PERMISSION) else []
        context["glance"] = curation.glances(timezone.now()).get(source.pk) if source else None
        return super().render_change_form(request, context, *args, **kwargs)

    def _buttons(self, source: Source) -> list[tuple[str, str]]:
        """What may be pressed now: (words, address)."""
        fetched = ("dry-run", "sync") if source.location else ()
        given = ("upload",) if source.importer else ()
        wanted = (*fetched, *given, "resume" if source.paused_at else "pause")
        return [(BUTTONS[name][0], reverse(f"admin:source-{name}", args=[source.pk])) for name in wanted]

    def _press(self, name: str, request: HttpRequest, pk: Any) -> HttpResponse:
        source = get_object_or_404(Source, pk=pk)
        title, note, form_class = BUTTONS[name]
        form = form_class(*((request.POST, request.FILES) if request.method == "POST" else ()))
        return asking_page(
            self, request, title=f"{title}: {source.name}", note=note, form=form, permission=SYNC_PERMISSION,
            act=lambda data: self._act(name, request, source, data),
        )  # fmt: skip

    def _act(self, name: str, request: HttpRequest, source: Source, data: dict[str, Any]) -> tuple[str, str]:
        now, actor = timezone.now(), actor_of(request.user)
        back = reverse("admin:registry_source_change", args=[source.pk])
        if name in ("pause", "resume"):
            act = syncs.pause if name == "pause" else syncs.resume
            act(source, actor=actor, reason=data["reason"], now=now)
            return f"{source.name} is {'paused' if name == 'pause' else 'read again'}.", back
        if name == "upload":
            files = [(file.name, file) for file in data["files"]]
            sync = syncs.request_upload(
                source, files, actor=actor, now=now, is_dry_run=data["is_dry_run"], answers=data["facts"]
            )
        else:
            is_dry_run = name == "dry-run"
            sync = syncs.request(source, trigger=Trigger.BUTTON, actor=actor, now=now, is_dry_run=is_dry_run)
        report = reverse("admin:registry_sync_change", args=[sync.pk])
        return "Asked for. A worker takes it up; this page tells how far it is.", report


def _told(age: timedelta) -> str:
    now = timezone.now()
    return timesince(now - age, now, depth=1).replace("\xa0", " ")


@admin.register(Snapshot)
class SnapshotAdmin(FactAdmin):
    list_display = ("file_name", "source", "size_bytes", "taken_at", "sha256")
    list_filter = ("source",)
    list_select_related = ("source",)
    search_fields = ("file_name", "sha256")


@admin.register(Sighting)
class SightingAdmin(FactAdmin):
    list_display = ("run", "snapshot", "upstream_key", "locator", "seen_at")
    list_select_related = ("run", "snapshot")
    search_fields = ("run__digest", "upstream_key")
