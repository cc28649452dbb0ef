"""Acts that ask first: a form on a page of its own, then one act, then a message, also where it does not apply."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone

from attestations.attesting import AttestingError
from attestations.claims import ClaimError
from attestations.people import PeopleError
from attestations.profiles import actor_of
from attestations.reports import ReportError
from registry import auditing
from registry.aliases import AliasError
from registry.core.protocol_notes import NoteError
from registry.corrections import CorrectionError
from registry.incidents import IncidentError
from registry.syncs import SyncError

REFUSALS = (
    AliasError, AttestingError, ClaimError, CorrectionError, IncidentError, NoteError, PeopleError, ReportError,
    SyncError,
)  # fmt: skip
Act = Callable[[HttpRequest, list[Any], dict[str, Any]], str]


def record_denied(request: HttpRequest, act: str, queryset: QuerySet[Any]) -> None:
    """An act that somebody of staff may not do is on record too. Pages that answer 403 are the staff site's matter."""
    first, count = queryset.first(), queryset.count()
    target = str(getattr(first, "digest", "") or getattr(first, "pk", "")) or "none chosen"
    kind = queryset.model._meta.model_name or ""
    auditing.record_denied(act, kind, target, actor_of(request.user), timezone.now(), {"chosen": count})


def asking_action(
    *, name: str, title: str, form: type[forms.Form], permission: str, act: Act, note: str = ""
) -> Callable[..., Any]:
    """Make an admin action. `act` gets the chosen rows and the cleaned form, and says what it did."""

    def action(modeladmin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        if not request.user.has_perm(permission):
            record_denied(request, name, queryset)
            modeladmin.message_user(request, f"You may not do this: {title.lower()}.", messages.ERROR)
            return None
        rows = list(queryset)
        filled = form(request.POST if "confirmed" in request.POST else None)
        if filled.is_bound and filled.is_valid():
            try:
                modeladmin.message_user(request, act(request, rows, filled.cleaned_data), messages.SUCCESS)
            except REFUSALS as error:
                modeladmin.message_user(request, str(error), messages.ERROR)
            return None
        context = {
            **modeladmin.admin_site.each_context(request),
            "title": title,
            "form": filled,
            "rows": rows,
            "note": note or "Nothing is edited: this adds a dated mark and an audit event under your name.",
            "action": name,
            "action_checkbox_name": helpers.ACTION_CHECKBOX_NAME,
            "opts": modeladmin.model._meta,
        }
        return TemplateResponse(request, "admin/registry/correction.html", context)

    action.__name__ = name
    return admin.action(description=title)(action)


def asking_page(
    modeladmin: admin.ModelAdmin,
    request: HttpRequest,
    *,
    title: str,
    note: str,
    form: forms.Form | forms.BaseFormSet,
    permission: str,
    act: Callable[[dict[str, Any]], tuple[str, str]],
) -> HttpResponse:
    """A page with a form. `act` gets the cleaned form and gives a message and where to go."""
    if not request.user.has_perm(permission):
        raise PermissionDenied
    if request.method == "POST" and form.is_valid():
        try:
            message, target = act(form.cleaned_data)
        except REFUSALS as error:
            modeladmin.message_user(request, str(error), messages.ERROR)
        else:
            modeladmin.message_user(request, message, messages.SUCCESS)
            return HttpResponseRedirect(target)
    context = {
        **modeladmin.admin_site.each_context(request),
        "title": title,
        "note": note,
        "form": form,
        "is_upload": form.is_multipart(),
        "opts": modeladmin.model._meta,
    }
    return TemplateResponse(request, "admin/registry/asking.html", context)
