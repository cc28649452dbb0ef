"""What was done and by whom; the second signature of a redaction."""

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from attestations.profiles import actor_of
from registry import corrections
from registry.admin.facts import FactAdmin
from registry.models import AuditEvent, Batch, Redaction, RedactionRequest, Run
from registry.queries import runs


@admin.register(AuditEvent)
class AuditEventAdmin(FactAdmin):
    list_display = ("at", "action", "target_kind", "target", "reason")
    list_filter = ("action",)
    date_hierarchy = "at"
    search_fields = ("target", "reason", "actor")


@admin.register(Batch)
class BatchAdmin(FactAdmin):
    list_display = ("at", "source", "snapshot", "counts")
    list_filter = ("source",)
    list_select_related = ("source", "snapshot")
    search_fields = ("contents",)


@admin.register(RedactionRequest)
class RedactionRequestAdmin(FactAdmin):
    list_display = ("at", "target_table", "digest", "reason_class", "reason", "redaction")
    list_filter = ("reason_class",)
    list_select_related = ("redaction",)
    search_fields = ("digest", "reason")
    actions = ("approve",)

    @admin.action(description="Approve: blank bytes and names (the second of two staff)")
    def approve(self, request: HttpRequest, queryset: QuerySet[RedactionRequest]) -> None:
        if not request.user.has_perm("registry.add_redaction"):
            self.message_user(request, "You may not approve redactions.", messages.ERROR)
            return
        now = timezone.now()
        for wanted in queryset:
            try:
                corrections.approve_redaction(wanted, citation=_citation(wanted), actor=actor_of(request.user), now=now)
                self.message_user(request, f"Redacted: {wanted.digest}.", messages.SUCCESS)
            except corrections.CorrectionError as error:
                self.message_user(request, f"Not redacted: {wanted.digest}. {error}", messages.ERROR)


@admin.register(Redaction)
class RedactionAdmin(FactAdmin):
    list_display = ("at", "target_table", "request")
    list_select_related = ("request",)
    search_fields = ("request__digest", "citation")


def _citation(wanted: RedactionRequest) -> str:
    """How the row is cited while it still has names: a run in full, another document by its digest."""
    if wanted.target_table != Run._meta.db_table:
        return f"KernelIndex, document {wanted.digest}."
    run = runs.find(str(wanted.target_id))
    return runs.citation_text(run, site_url=settings.SITE_URL, today=timezone.now().date())
