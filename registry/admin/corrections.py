"""Actions that ask for a reason first: a page in between, then one act of registry.corrections, then a message."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from registry.corrections import CorrectionError
from registry.forms import ReasonForm

Act = Callable[[HttpRequest, list[Any], dict[str, Any]], str]


def asking_action(*, name: str, title: str, form: type[ReasonForm], permission: str, act: Act) -> Callable[..., Any]:
    """Make an admin action. `act` gets the chosen rows and the cleaned form, and says what it did."""

    def action(modeladmin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        if not request.user.has_perm(permission):
            modeladmin.message_user(request, f"You may not do this: {title.lower()}.", messages.ERROR)
            return None
        rows = list(queryset)
        filled = form(request.POST if "confirmed" in request.POST else None)
        if filled.is_bound and filled.is_valid():
            try:
                modeladmin.message_user(request, act(request, rows, filled.cleaned_data), messages.SUCCESS)
            except CorrectionError as error:
                modeladmin.message_user(request, str(error), messages.ERROR)
            return None
        context = {
            **modeladmin.admin_site.each_context(request),
            "title": title,
            "form": filled,
            "rows": rows,
            "action": name,
            "action_checkbox_name": helpers.ACTION_CHECKBOX_NAME,
            "opts": modeladmin.model._meta,
        }
        return TemplateResponse(request, "admin/registry/correction.html", context)

    action.__name__ = name
    return admin.action(description=title)(action)
