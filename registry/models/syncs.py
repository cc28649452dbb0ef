"""Reading a source: when, what was read, what came of it, and who decided where a person had to."""

from django.db import models
from django.urls import reverse

from registry.models.fields import DigestField


class Trigger(models.TextChoices):
    SCHEDULE = "schedule", "by schedule"
    BUTTON = "button", "by button"
    UPLOAD = "upload", "uploaded file"
    SHELL = "shell", "at a shell"


class SyncState(models.TextChoices):
    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    WAITING = "waiting", "waiting for a person"
    PUBLISHING = "publishing", "publishing"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    DISCARDED = "discarded", "discarded"


class Sync(models.Model):
    """One reading of a source: fetch or file, report, publication.

    A worker owns a sync while `lease_until` lies ahead and `lease` is its own; every step is an UPDATE conditional on
    that. `report` is the IngestReport's JSON, `changes` what the input differs by from what is published.
    """

    id = models.UUIDField(primary_key=True)
    source = models.ForeignKey("registry.Source", models.PROTECT, related_name="syncs")
    importer = models.CharField(max_length=40)
    trigger = models.CharField(max_length=10, choices=Trigger)
    is_dry_run = models.BooleanField(default=False)
    state = models.CharField(max_length=12, choices=SyncState, default=SyncState.QUEUED)
    requested_at = models.DateTimeField()
    requested_by = models.UUIDField(null=True, help_text="empty: the schedule, or a shell")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    phase = models.CharField(max_length=40, blank=True)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    error = models.TextField(blank=True)
    answers = models.JSONField(default=dict, help_text="facts that the files do not state, by question")
    fingerprint = models.CharField(max_length=71, blank=True, help_text="of files, importer version and settled names")
    report = models.JSONField(default=dict)
    changes = models.JSONField(default=dict)
    waits_because = models.TextField(blank=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.UUIDField(null=True)
    decision_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-requested_at", "-id"]
        indexes = [
            models.Index(fields=["source", "-requested_at"], name="sync_by_source"),
            models.Index(fields=["state", "next_attempt_at"], name="sync_by_state"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["source"],
                condition=models.Q(state__in=["queued", "running", "publishing"]),
                name="one_sync_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"Sync of {self.requested_at:%Y-%m-%d %H:%M}, {self.get_state_display()}"

    def get_absolute_url(self) -> str:
        return reverse("sync-detail", args=[self.id])


class SyncFile(models.Model):
    """A file of a sync's input. Pages that are fetched already are not fetched again when a sync resumes."""

    id = models.UUIDField(primary_key=True)
    sync = models.ForeignKey(Sync, models.CASCADE, related_name="files")
    position = models.IntegerField()
    name = models.CharField(max_length=255)
    url = models.CharField(max_length=2000, null=True)
    revision = models.CharField(max_length=200, null=True, help_text="as the server told it: an ETag, a commit")
    sha256 = DigestField(db_index=True)
    size_bytes = models.BigIntegerField()
    taken_at = models.DateTimeField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["sync", "name"], name="sync_file_once")]

    def __str__(self) -> str:
        return self.name


class SyncRowKind(models.TextChoices):
    REJECTED = "rejected", "rejected"
    PENDING = "pending", "waiting for a name"
    CORRECTION = "correction", "corrected upstream"
    VANISHED = "vanished", "no longer upstream"


class SyncRow(models.Model):
    """A row of a sync's input that needs telling: not taken, waiting, changed under its key, or gone."""

    id = models.UUIDField(primary_key=True)
    sync = models.ForeignKey(Sync, models.CASCADE, related_name="rows")
    kind = models.CharField(max_length=12, choices=SyncRowKind)
    reason = models.CharField(max_length=60)
    file = models.CharField(max_length=255)
    line = models.IntegerField(null=True)
    path = models.CharField(max_length=500, blank=True)
    key = models.CharField(max_length=500, null=True, help_text="the upstream's own id")
    text = models.TextField()
    row = models.TextField(null=True, help_text="as it stood in the file")
    run = models.ForeignKey("registry.Run", models.PROTECT, null=True, related_name="+")
    successor = models.ForeignKey("registry.Run", models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["sync", "kind", "reason"], name="sync_row_by_reason")]

    def __str__(self) -> str:
        return f"{self.reason} {self.file}:{self.line or ''}"
