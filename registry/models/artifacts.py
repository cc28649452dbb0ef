"""Digested files behind runs and implementations: what is known of them, and whether their bytes are held here."""

from django.db import models

from registry.models.fields import DigestField


class Artifact(models.Model):
    """A file that a document names by digest, as its source describes it. The bytes may be held, linked or neither."""

    id = models.UUIDField(primary_key=True)
    digest = DigestField(unique=True)
    kind = models.CharField(max_length=40)
    file_name = models.CharField(max_length=255, null=True)
    media_type = models.CharField(max_length=100, null=True)
    size_bytes = models.BigIntegerField(null=True)
    uri = models.CharField(max_length=2000, null=True)
    licence = models.CharField(max_length=200, null=True)
    created_at = models.DateTimeField()
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+", null=True)

    REDACTABLE = ("file_name", "uri")

    def __str__(self) -> str:
        return f"{self.kind} {self.digest[:19]}"


class StoredObject(models.Model):
    """Bytes held here, in Django's storage under their own digest."""

    digest = DigestField(primary_key=True)
    path = models.CharField(max_length=255)
    size_bytes = models.BigIntegerField()
    stored_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.path
