"""Incidents: written, previewed, published by one act; reversed by another. Never edited."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from attestations.profiles import actor_of
from registry import incidents
from registry.admin.asking import asking_action
from registry.admin.facts import FactAdmin
from registry.forms import IncidentForm, ReasonForm
from registry.models import Incident, IncidentReversal

PERMISSION = "registry.add_incident"


def _reverse(request: HttpRequest, chosen: list[Incident], data: dict[str, Any]) -> str:
    for incident in chosen:
        incidents.reverse(incident, reason=data["reason"], actor=actor_of(request.user), now=timezone.now())
    return f"Reversed: {len(chosen)}. They stay on record."


@admin.register(Incident)
class IncidentAdmin(FactAdmin):
    list_display = ("title", "effect", "at", "reason")
    list_filter = ("effect",)
    search_fields = ("title", "text", "slug")
    change_list_template = "admin/registry/incident/change_list.html"
    actions = (
        asking_action(
            name="reverse",
            title="Reverse",
            form=ReasonForm,
            permission="registry.add_incidentreversal",
            act=_reverse,
            note="Its marks are cleared, later imports are free of it, and it stays on record.",
        ),
    )

    def get_urls(self) -> list[URLPattern]:
        publish = path("publish/", self.admin_site.admin_view(self.publish), name="incident-publish")
        return [publish, *super().get_urls()]

    def publish(self, request: HttpRequest) -> HttpResponse:
        """Three steps on one page: write it, see what it would cover, publish it."""
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        form = IncidentForm(request.POST or None)
        preview = None
        if request.method == "POST" and form.is_valid():
            try:
                preview = incidents.preview(form.criteria())
                if "publish" in request.POST:
                    return self._published(request, form)
            except incidents.IncidentError as error:
                form.add_error(None, str(error))
                preview = None
        context = {
            **self.admin_site.each_context(request),
            "title": "Publish an incident",
            "form": form,
            "preview": preview,
            "opts": Incident._meta,
        }
        return TemplateResponse(request, "admin/registry/incident/publish.html", context)

    def _published(self, request: HttpRequest, form: IncidentForm) -> HttpResponse:
        stated = {name: form.cleaned_data[name] for name in ("title", "text", "evidence_url", "effect", "reason")}
        incident = incidents.publish(
            **stated, criteria=form.criteria(), actor=actor_of(request.user), now=timezone.now()
        )
        self.message_user(request, f"Published: {incident.title}.")
        return HttpResponseRedirect(reverse("admin:registry_incident_change", args=[incident.pk]))


@admin.register(IncidentReversal)
class IncidentReversalAdmin(FactAdmin):
    list_display = ("incident", "at", "reason")
    list_select_related = ("incident",)
    search_fields = ("incident__title", "reason")
