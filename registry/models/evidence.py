"""Evidence: recorded facts, appended only, and the level that follows from them."""

from django.db import models

RAW_STORED = "raw_stored"  # raw samples or a log of the run are held here


class EvidenceFact(models.Model):
    """Something that happened and bears on a run's level: raw bytes stored here, a controlled rerun accepted."""

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey("registry.Run", models.PROTECT, related_name="evidence_facts")
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    detail = models.JSONField()

    def __str__(self) -> str:
        return f"{self.kind} {self.run_id}"


class EvidenceLevel(models.Model):
    """A cache: the level that registry.core.evidence derives from the facts. Only registry.evidence writes it."""

    run = models.OneToOneField("registry.Run", models.PROTECT, primary_key=True, related_name="evidence")
    level = models.CharField(max_length=20)
    policy = models.CharField(max_length=20)

    def __str__(self) -> str:
        return self.level
