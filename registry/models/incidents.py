"""Incidents: what was found to be wrong with many runs at once, and what follows for them."""

from django.db import models
from django.urls import reverse


class Effect(models.TextChoices):
    NOTE = "note", "noted on each run"
    FLAG = "flag", "each run is flagged and stays ranked"
    UNRANK = "unrank", "each run is taken out of ranking"


class Incident(models.Model):
    """A published incident: one audited act, in force for later imports too, until it is reversed.

    `criteria` select runs, all of them at once: {sources, protocols, environments, implementations, operations: lists
    of digests or slugs; labels: {name: [values]}; observed_from, observed_to: instants}. An absent one selects all.
    """

    id = models.UUIDField(primary_key=True)
    slug = models.SlugField(max_length=120, unique=True)
    at = models.DateTimeField()
    title = models.CharField(max_length=200)
    text = models.TextField()
    evidence_url = models.CharField(max_length=2000, blank=True)
    criteria = models.JSONField()
    effect = models.CharField(max_length=10, choices=Effect)
    reason = models.TextField()
    actor = models.UUIDField(null=True)
    audit = models.ForeignKey("registry.AuditEvent", models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("incident-detail", args=[self.slug])


class IncidentReversal(models.Model):
    """An incident was reversed: its marks are cleared, later imports are free of it, it stays on record."""

    id = models.UUIDField(primary_key=True)
    incident = models.OneToOneField(Incident, models.PROTECT, related_name="reversal")
    at = models.DateTimeField()
    reason = models.TextField()
    actor = models.UUIDField(null=True)
    audit = models.ForeignKey("registry.AuditEvent", models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.incident_id} reversed {self.at:%Y-%m-%d}"
