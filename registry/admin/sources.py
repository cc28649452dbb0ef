"""Sources are curated here: the one table of the registry that staff edit."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from registry.admin.facts import FactAdmin
from registry.core.ids import uuid7
from registry.forms import SourceForm
from registry.models import Sighting, Snapshot, Source


@admin.register(Source)
class SourceAdmin(admin.ModelAdmin):
    list_display = ("slug", "name", "kind", "licence", "homepage")
    list_filter = ("kind",)
    search_fields = ("slug", "name")
    form = SourceForm
    fields = SourceForm.Meta.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()  # addresses of a source never change

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Source, form: Any, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()
            obj.id = uuid7(obj.created_at, f"source:{obj.slug}")
        super().save_model(request, obj, form, change)


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
