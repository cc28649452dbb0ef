"""Admins of tables that are only ever inserted into: to read, to search, never to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from registry.admin.actors import NamesActors


class FactAdmin(NamesActors, admin.ModelAdmin):
    """Nobody adds, changes or deletes a fact by hand, whatever their permissions; the database refuses it anyway."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class CacheAdmin(FactAdmin):
    """Standings, records and levels: derived, so there is nothing to edit; refresh_standings derives them anew."""
