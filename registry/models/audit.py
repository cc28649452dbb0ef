"""What was done to the registry, by whom and why: batches, audit events, redactions."""

from django.db import models

from registry.models.fields import DigestField


class Batch(models.Model):
    """One transaction of an import: what it wrote, so that a row that is missing or was smuggled in can be named.

    `contents` is the sha256 of the sorted lines `<table> <row key>` of all fact rows of the batch.
    """

    id = models.UUIDField(primary_key=True)
    at = models.DateTimeField()
    source = models.ForeignKey("registry.Source", models.PROTECT, related_name="+")
    snapshot = models.ForeignKey("registry.Snapshot", models.PROTECT, related_name="+")
    counts = models.JSONField()
    contents = DigestField()

    class Meta:
        verbose_name_plural = "batches"

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.contents[:19]}"


class AuditEvent(models.Model):
    """One act on the registry. `actor` is an opaque id: the name is looked up when shown, and gone with the account."""

    id = models.UUIDField(primary_key=True)
    at = models.DateTimeField(db_index=True)
    actor = models.UUIDField(null=True, help_text="empty: the site itself (an import at a shell, a nightly job)")
    action = models.CharField(max_length=60)
    target_kind = models.CharField(max_length=40)
    target = models.CharField(max_length=200, db_index=True)
    reason = models.TextField()
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"


class ReasonClass(models.TextChoices):
    LEGAL = "legal", "legal removal"
    PERSONAL_DATA = "personal_data", "personal data"


class RedactionRequest(models.Model):
    """One of staff asks that the bytes and names of a row go. Nothing happens until another one agrees."""

    id = models.UUIDField(primary_key=True)
    at = models.DateTimeField()
    target_table = models.CharField(max_length=60)
    target_id = models.UUIDField()
    digest = DigestField(db_index=True)
    reason_class = models.CharField(max_length=20, choices=ReasonClass)
    reason = models.TextField()
    requested_by = models.UUIDField()

    def __str__(self) -> str:
        return f"{self.target_table} {self.digest[:19]}"


class Redaction(models.Model):
    """The second of staff agreed. This row is what lets the database admit the blanking update."""

    id = models.UUIDField(primary_key=True)
    request = models.OneToOneField(RedactionRequest, models.PROTECT)
    at = models.DateTimeField()
    target_table = models.CharField(max_length=60)
    target_id = models.UUIDField(db_index=True)
    approved_by = models.UUIDField()
    citation = models.TextField(help_text="how the row was cited before its names went")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["target_table", "target_id"], name="redacted_once")]

    def __str__(self) -> str:
        return f"{self.target_table} {self.target_id}"
