"""What the site checks of itself: nightly verification, and links that should answer."""

from django.db import models


class Verification(models.Model):
    """One run of verify_registry and what it found; public on the status page."""

    id = models.UUIDField(primary_key=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    checked = models.JSONField(help_text="what was re-derived, by table")
    difference_count = models.IntegerField()
    findings = models.JSONField(help_text="the first of them, as told")

    class Meta:
        ordering = ["-started_at", "-id"]

    def __str__(self) -> str:
        return f"{self.started_at:%Y-%m-%d}: {self.difference_count} differences"


class Link(models.Model):
    """A link that pages show to somewhere else, and how it answered. A cache: rows come and go with what is linked."""

    id = models.UUIDField(primary_key=True)
    url = models.CharField(max_length=2000, unique=True)
    shown_on = models.CharField(max_length=300)
    checked_at = models.DateTimeField(null=True)
    status = models.CharField(max_length=60, blank=True, help_text="the HTTP status, or why there was none")
    failing_since = models.DateTimeField(null=True)

    class Meta:
        ordering = ["url"]

    def __str__(self) -> str:
        return self.url
