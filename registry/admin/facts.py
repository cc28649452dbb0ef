"""Admins of tables that are only ever inserted into: to read, to search, never to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from attestations.core import handles
from registry.admin.actors import NamesActors


def shown_safely(response: HttpResponse) -> HttpResponse:
    """The whole of a page that is only read: Django's own templates show text of strangers in many places of it."""
    if isinstance(response, TemplateResponse):
        response.add_post_render_callback(_write_safely)
    return response


def _write_safely(response: HttpResponse) -> None:
    response.content = handles.shown_safely(response.content.decode()).encode()


class FactAdmin(NamesActors, admin.ModelAdmin):
    """Nobody adds, changes or deletes a fact by hand, whatever their permissions; the database refuses it anyway."""

    show_full_result_count = False
    list_per_page = 50

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return shown_safely(super().changelist_view(request, extra_context))

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return shown_safely(super().changeform_view(request, *args, **kwargs))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class CacheAdmin(FactAdmin):
    """Standings, records and levels: derived, so there is nothing to edit; refresh_standings derives them anew."""
