"""Testimony: what people and machines say about runs."""

from django.apps import AppConfig


class AttestationsConfig(AppConfig):
    name = "attestations"
    default_auto_field = "django.db.models.BigAutoField"
    # Like facts of the registry: registry.guards keeps them from being changed.
    insert_only = ("AttestationVersion", "AttestationMark", "ReportEvent", "AuthorNote")
    # What people wrote may be blanked by two of staff: registry.corrections does it.
    redactable = ("AttestationVersion", "ReportEvent", "AuthorNote", "Report", "Claim", "WithdrawalRequest")
