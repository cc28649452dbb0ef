"""Where runs come from: curated sources, and the bytes that were read from them."""

from django.db import models
from django.urls import reverse

from registry.models.fields import DigestField


class Schedule(models.TextChoices):
    OFF = "off", "off"
    DAILY = "daily", "daily"
    WEEKLY = "weekly", "weekly"


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
    terms_url = models.URLField(max_length=2000, blank=True)
    terms_read_on = models.DateField(null=True, blank=True, help_text="when a person last read the terms")
    may_store = models.BooleanField(default=True, help_text="off: files read are only linked, never offered here")
    importer = models.CharField(max_length=40, blank=True, help_text="which translator reads it; empty: bundles only")
    location = models.CharField(max_length=2000, blank=True, help_text="where fetching starts; empty: upload only")
    hosts = models.TextField(blank=True, help_text="hosts that fetching may connect to, one a line")
    size_cap_mib = models.PositiveIntegerField(default=64, help_text="of one file, and of what it unpacks to")
    schedule = models.CharField(max_length=10, choices=Schedule, default=Schedule.OFF)
    next_sync_at = models.DateTimeField(null=True, editable=False)
    is_enabled = models.BooleanField(default=True, help_text="off: nothing of it is fetched or taken")
    paused_at = models.DateTimeField(null=True, editable=False)
    trust_notes = models.TextField(blank=True, help_text="for curators; not shown in public")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["slug"]
        permissions = [("sync_source", "Can sync, upload, pause, approve and discard")]

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
