"""What was done and by whom; the second signature of a redaction."""

import uuid
from collections.abc import Iterable

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import Truncator

from attestations import people
from attestations.profiles import actor_of
from attestations.queries.people import actors_called
from registry import corrections
from registry.admin.actors import name_in
from registry.admin.asking import record_denied
from registry.admin.facts import FactAdmin
from registry.models import AuditEvent, Batch, Redaction, RedactionRequest, Run
from registry.queries import runs


@admin.register(AuditEvent)
class AuditEventAdmin(FactAdmin):
    """Read-only. Searched by what was done, on what, why, and by whom: actor id or the name that it has now."""

    list_display = ("when", "actor", "action", "target_kind", "what", "why")
    list_filter = ("action", "target_kind")
    date_hierarchy = "at"
    search_fields = ("action", "target", "reason", "actor")
    search_help_text = "Action, target, reason; a digest, an actor id or a public name."

    @admin.display(description="at", ordering="at")
    def when(self, event: AuditEvent) -> str:
        return f"{event.at:%Y-%m-%d %H:%M}"

    @admin.display(description="target")
    def what(self, event: AuditEvent) -> str:
        account = _account(event)
        if account:
            return f"{name_in(event, account)} ({str(account)[:8]}…)"
        return Truncator(event.target).chars(20)

    @admin.display(description="reason")
    def why(self, event: AuditEvent) -> str:
        return Truncator(event.reason).chars(60)

    def actors_in(self, row: AuditEvent) -> Iterable[uuid.UUID]:
        account = _account(row)
        return [*super().actors_in(row), *([account] if account else [])]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEvent], search_term: str
    ) -> tuple[QuerySet[AuditEvent], bool]:
        found, has_duplicates = super().get_search_results(request, queryset, search_term)
        # An address may be asked for by those who see it: else the log would tell whose it is.
        by_address = request.user.has_perm("attestations.manage_people")
        if actors := actors_called(search_term, by_address=by_address):
            found |= queryset.filter(Q(actor__in=actors) | Q(target__in=[str(actor) for actor in actors]))
        return found, has_duplicates


def _account(event: AuditEvent) -> uuid.UUID | None:
    """The actor id that an act on an account names."""
    return uuid.UUID(event.target) if event.target_kind == people.KIND else None


@admin.register(Batch)
class BatchAdmin(FactAdmin):
    list_display = ("at", "source", "snapshot", "counts")
    list_filter = ("source",)
    list_select_related = ("source", "snapshot")
    search_fields = ("contents",)


@admin.register(RedactionRequest)
class RedactionRequestAdmin(FactAdmin):
    list_display = ("at", "target_table", "digest", "reason_class", "reason", "requested_by", "redaction")
    list_filter = ("reason_class",)
    list_select_related = ("redaction",)
    search_fields = ("digest", "reason")
    actions = ("approve",)

    @admin.action(description="Approve: blank bytes and names (the second of two staff)")
    def approve(self, request: HttpRequest, queryset: QuerySet[RedactionRequest]) -> None:
        if not request.user.has_perm("registry.add_redaction"):
            record_denied(request, "approve", queryset)
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
    list_display = ("at", "target_table", "request", "approved_by")
    list_select_related = ("request",)
    search_fields = ("request__digest", "citation")


def _citation(wanted: RedactionRequest) -> str:
    """How the row is cited while it still has names: a run in full, another document by its digest, words by id."""
    model = corrections.redactable_tables()[wanted.target_table]
    if model._meta.app_label != Run._meta.app_label:
        return f"KernelIndex, {model._meta.verbose_name} {wanted.target_id}."
    if model is not Run:
        return f"KernelIndex, document {wanted.digest}."
    run = runs.find(str(wanted.target_id))
    return runs.citation_text(run, site_url=settings.SITE_URL, today=timezone.now().date())
