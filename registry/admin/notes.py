"""Protocol notes: each version kept, the next one written on a page that starts from the newest."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.forms import formset_factory
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from attestations.profiles import actor_of
from registry import notes
from registry.admin.facts import FactAdmin
from registry.core.protocol_notes import TOPICS, NoteError
from registry.forms import ReasonForm, SentenceForm
from registry.models import ProtocolNote, ProtocolSuccession

PERMISSION = "registry.add_protocolnote"
SPARE = 3  # empty sentences on the page


@admin.register(ProtocolNote)
class ProtocolNoteAdmin(FactAdmin):
    list_display = ("subject", "version", "at", "reason")
    search_fields = ("subject", "reason")
    change_form_template = "admin/registry/protocolnote/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        write = path("write/<path:subject>/", self.admin_site.admin_view(self.write), name="protocolnote-write")
        return [write, *super().get_urls()]

    def write(self, request: HttpRequest, subject: str) -> HttpResponse:
        """Write the next version of a subject's note, beginning with what holds now."""
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        newest = ProtocolNote.objects.filter(subject=subject).first()
        held = newest.sentences if newest else [{"topic": topic, "text": "not stated"} for topic in TOPICS]
        sentences = formset_factory(SentenceForm, extra=SPARE, can_delete=True)(
            request.POST or None, initial=held, prefix="s"
        )
        reason = ReasonForm(request.POST or None)
        fault = ""
        if request.method == "POST" and sentences.is_valid() and reason.is_valid():
            try:
                kept = [form for form in sentences if form not in sentences.deleted_forms and form.cleaned_data]
                told = [_sentence(form.cleaned_data) for form in kept]
                note = notes.write(
                    subject=subject, sentences=told,
                    reason=reason.cleaned_data["reason"], actor=actor_of(request.user), now=timezone.now(),
                )  # fmt: skip
            except NoteError as error:
                fault = str(error)
            else:
                self.message_user(request, f"Written: {note}.")
                return HttpResponseRedirect(reverse("admin:registry_protocolnote_change", args=[note.pk]))
        context = {
            **self.admin_site.each_context(request),
            "title": f"Note of {subject}",
            "sentences": sentences,
            "reason": reason,
            "fault": fault,
            "topics": TOPICS.items(),
            "opts": ProtocolNote._meta,
        }
        return TemplateResponse(request, "admin/registry/protocolnote/write.html", context)


def _sentence(data: dict[str, Any]) -> dict[str, Any]:
    return {"topic": data["topic"], "text": data["text"], "url": data["url"] or None, "chip": data["chip"] or None}


@admin.register(ProtocolSuccession)
class ProtocolSuccessionAdmin(FactAdmin):
    list_display = ("protocol", "successor", "at", "reason")
    list_select_related = ("protocol", "successor")
    search_fields = ("protocol__label", "successor__label", "reason")
