"""Where runs come from: curated sources, and the bytes that were read from them."""

from django.db import models
from django.urls import reverse

from registry.models.fields import DigestField


class Source(models.Model):
    """An upstream that reports runs, or a channel by which they reached us. Curated: staff edit it."""

    id = models.UUIDField(primary_key=True)
    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=40, help_text="leaderboard, benchmark, channel, community")
    homepage = models.URLField(max_length=2000, blank=True)
    licence = models.CharField(max_length=200, blank=True, help_text="of the data that may be shown; empty: not stated")
    terms = models.TextField(blank=True, help_text="what may be stored, what only linked")
    attribution = models.TextField(blank=True)
    contact = models.CharField(max_length=200, blank=True, help_text="for takedown requests")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("source-detail", args=[self.slug])


class Snapshot(models.Model):
    """One file as it was read. A run's sightings name the snapshots that it stood in."""

    id = models.UUIDField(primary_key=True)
    source = models.ForeignKey(Source, models.PROTECT, related_name="snapshots")
    sha256 = DigestField()
    file_name = models.CharField(max_length=255)
    url = models.CharField(max_length=2000, null=True)
    revision = models.CharField(max_length=200, null=True)
    size_bytes = models.BigIntegerField()
    taken_at = models.DateTimeField()

    class Meta:
        ordering = ["-taken_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["source", "sha256"], name="snapshot_once")]

    def __str__(self) -> str:
        return f"{self.file_name} {self.sha256[:19]}"
