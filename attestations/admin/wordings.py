"""What people wrote, row by row: each wording of an attestation, each step of a report. From here it is redacted."""

from django.contrib import admin

from attestations.models import AttestationVersion, ReportEvent
from registry.admin.facts import FactAdmin
from registry.admin.redacting import ASK_FOR_REDACTION


@admin.register(AttestationVersion)
class AttestationVersionAdmin(FactAdmin):
    list_display = ("at", "attestation", "number", "verdict", "text")
    list_filter = ("verdict",)
    list_select_related = ("attestation",)
    search_fields = ("digest", "text", "attestation__run__digest", "=attestation__actor", "=attestation__id")
    actions = (ASK_FOR_REDACTION,)


@admin.register(ReportEvent)
class ReportEventAdmin(FactAdmin):
    list_display = ("at", "report", "kind", "actor", "is_public", "text")
    list_filter = ("kind", "is_public")
    list_select_related = ("report",)
    search_fields = ("text", "report__run__digest", "=report__id", "=actor")
    actions = (ASK_FOR_REDACTION,)
