"""Benchmark runs, where they were seen, and the files that back them."""

from django.db import models
from django.urls import reverse

from registry.models.documents import Document
from registry.models.fields import DigestField


class Run(Document):
    """An immutable benchmark run. `value` and all beside it are derived from `canonical` and never edited."""

    implementation = models.ForeignKey("registry.Implementation", models.PROTECT, related_name="runs")
    operation = models.ForeignKey("registry.Operation", models.PROTECT, related_name="runs")
    workload = models.ForeignKey("registry.Workload", models.PROTECT, related_name="runs")
    protocol = models.ForeignKey("registry.Protocol", models.PROTECT, related_name="runs")
    environment = models.ForeignKey("registry.Environment", models.PROTECT, related_name="runs")
    group = models.ForeignKey("registry.ComparisonGroup", models.PROTECT, related_name="runs")
    source = models.ForeignKey("registry.Source", models.PROTECT, related_name="runs")
    status = models.CharField(max_length=40)
    observed_at = models.DateTimeField()
    published_at = models.DateTimeField()
    value = models.FloatField(null=True, help_text="primary value, in the group's unit")
    sample_count = models.IntegerField(null=True)
    interval_low = models.FloatField(null=True, help_text="95 % interval of the primary value")
    interval_high = models.FloatField(null=True)
    interval_kind = models.CharField(
        max_length=10, null=True, help_text="stated, or derived from n and std; ranks use stated"
    )
    spread_low = models.FloatField(null=True, help_text="spread of samples; never an interval")
    spread_high = models.FloatField(null=True)
    spread_name = models.CharField(max_length=30, null=True)
    is_source_native = models.BooleanField()
    benchmark = models.CharField(max_length=200, null=True)
    external_id = models.CharField(max_length=500, null=True)
    name = models.CharField(max_length=200)
    title = models.CharField(max_length=200, null=True)

    REDACTABLE = ("canonical", "metadata", "benchmark", "external_id", "name", "title")

    class Meta:
        indexes = [
            models.Index(fields=["operation", "-observed_at", "-id"], name="run_by_operation"),
            models.Index(fields=["source", "-observed_at", "-id"], name="run_by_source"),
            models.Index(fields=["-published_at", "-id"], name="run_by_publication"),
            models.Index(fields=["-observed_at", "-id"], name="run_by_observation"),
            models.Index(fields=["external_id"], name="run_by_external_id"),
        ]

    def __str__(self) -> str:
        return self.digest[:19]

    def get_absolute_url(self) -> str:
        return reverse("run-detail", args=[self.digest])


class Sighting(models.Model):
    """A run stood in a snapshot. First and last seen are the first and last of a run's sightings."""

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey(Run, models.PROTECT, related_name="sightings")
    snapshot = models.ForeignKey("registry.Snapshot", models.PROTECT, related_name="sightings")
    upstream_key = models.CharField(max_length=500, null=True)
    lasting_key = models.CharField(max_length=500, null=True, help_text="the upstream's id without its time")
    release = models.CharField(max_length=100, null=True, help_text="the upstream's label of what was measured")
    locator = models.CharField(max_length=200, help_text="where in the snapshot: a line, a path")
    seen_at = models.DateTimeField()
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+")

    REDACTABLE = ("upstream_key", "lasting_key")
    REDACTED_WITH = "run_id"

    class Meta:
        indexes = [models.Index(fields=["lasting_key"], name="sighting_by_lasting_key")]
        constraints = [models.UniqueConstraint(fields=["run", "snapshot"], name="sighting_once")]

    def __str__(self) -> str:
        return f"{self.run_id} in {self.snapshot_id}"


class RunArtifact(models.Model):
    """A file that a run's manifest names: raw samples, logs."""

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey(Run, models.PROTECT, related_name="artifacts")
    role = models.CharField(max_length=40)
    digest = DigestField(db_index=True)
    uri = models.CharField(max_length=2000, null=True)
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+")

    REDACTABLE = ("uri",)
    REDACTED_WITH = "run_id"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "role"], name="run_artifact_once")]

    def __str__(self) -> str:
        return f"{self.role} {self.digest[:19]}"
