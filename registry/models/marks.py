"""Dated marks on runs: withdrawn, superseded, flagged, cleared. A mark is never edited; a later one answers it."""

from django.db import models


class MarkKind(models.TextChoices):
    WITHDRAWN = "withdrawn", "withdrawn"
    SUPERSEDED = "superseded", "superseded"
    FLAGGED = "flagged", "flagged"
    CLEARED = "cleared", "cleared"


class Mark(models.Model):
    """One mark on one run, with its reason, its date and the audit event that made it."""

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey("registry.Run", models.PROTECT, related_name="marks")
    kind = models.CharField(max_length=20, choices=MarkKind)
    at = models.DateTimeField()
    rule = models.CharField(max_length=60, null=True, help_text="of a flag: a code of registry.core.flags")
    is_blocking = models.BooleanField(default=False, help_text="of a flag: it keeps the run unranked")
    successor = models.ForeignKey("registry.Run", models.PROTECT, null=True, related_name="supersedes")
    clears = models.OneToOneField("self", models.PROTECT, null=True, related_name="cleared_by")
    incident = models.ForeignKey("registry.Incident", models.PROTECT, null=True, related_name="marks")
    reason = models.TextField()
    by = models.CharField(max_length=100, help_text="in public words: the source, KernelIndex staff, at the door")
    actor = models.UUIDField(null=True)
    audit = models.ForeignKey("registry.AuditEvent", models.PROTECT, null=True, related_name="+")
    batch = models.ForeignKey("registry.Batch", models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["kind", "-at"], name="mark_by_kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.rule or ''} {self.run_id}"
