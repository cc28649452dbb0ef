"""What signed-in readers say about a run: a head that names run, author and kind, its versions, and its marks.

Only the head's caches (`version`, `withdrawn_at`, `hidden_at`) ever change; versions and marks are insert-only.
"""

from django.db import models

from registry.models.fields import DigestField


class Kind(models.TextChoices):
    REPRODUCED = "reproduced", "reproduced"
    NOT_REPRODUCED = "not_reproduced", "could not reproduce"
    ENVIRONMENT_NOTE = "environment_note", "environment note"
    REGRESSION = "regression", "regression observed"


class Relation(models.TextChoices):
    UNSTATED = "", "not stated"
    OWN = "own", "this is my work"
    INDEPENDENT = "independent", "I have no part in it"


class Setup(models.TextChoices):
    UNSTATED = "", "not stated"
    AS_PUBLISHED = "as_published", "the published code, workload and protocol"
    OTHER = "other", "my own code, or another protocol"


class Attestation(models.Model):
    """One statement of a kind by one actor on one run. Never counted into a rank or a level."""

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey("registry.Run", models.PROTECT, related_name="attestations")
    actor = models.UUIDField(db_index=True)
    kind = models.CharField(max_length=20, choices=Kind)
    at = models.DateTimeField(db_index=True)
    version = models.IntegerField(default=1, help_text="number of the newest version")
    withdrawn_at = models.DateTimeField(null=True)
    hidden_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-at", "-id"]
        permissions = [("hide_attestation", "Can hide and unhide attestations")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "actor", "kind"], condition=models.Q(withdrawn_at=None), name="attestation_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.run_id}"


class AttestationVersion(models.Model):
    """What was said, as first sent or as edited within the hour. `digest` is of its content as canonical JSON.

    `samples` are decimals, one a line, in `unit`. `assessment` is what `attestations.core.verdict` made of it on that
    day under its policy: the claim never changes, so it holds.
    """

    id = models.UUIDField(primary_key=True)
    attestation = models.ForeignKey(Attestation, models.PROTECT, related_name="versions")
    number = models.IntegerField()
    at = models.DateTimeField()
    digest = DigestField()
    text = models.TextField()
    value = models.CharField(max_length=60, null=True, help_text="as written, where a single value was given")
    unit = models.CharField(max_length=20, null=True)
    samples = models.TextField(null=True)
    samples_from = models.CharField(max_length=200, null=True, help_text="how they were read: pasted, a file's format")
    is_incorrect = models.BooleanField(default=False, help_text="the outputs were wrong")
    relation = models.CharField(max_length=20, choices=Relation, default=Relation.UNSTATED)
    setup = models.CharField(max_length=20, choices=Setup, default=Setup.UNSTATED)
    environment = models.ForeignKey("registry.Environment", models.PROTECT, null=True, related_name="+")
    hardware = models.ForeignKey("registry.Hardware", models.PROTECT, null=True, related_name="+")
    software = models.JSONField(default=dict, help_text="driver, toolkit, framework …: name to version, as stated")
    environment_text = models.CharField(max_length=500, null=True)
    evidence_url = models.CharField(max_length=2000, null=True)
    verdict = models.CharField(max_length=20, null=True, help_text="null: nothing was measured")
    is_comparable = models.BooleanField(default=False)
    assessment = models.JSONField(default=dict)

    REDACTABLE = ("text", "samples", "environment_text", "evidence_url")

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["attestation", "number"], name="attestation_version_once")]

    def __str__(self) -> str:
        return f"{self.attestation_id} {self.number}"


class AttestationMarkKind(models.TextChoices):
    WITHDRAWN = "withdrawn", "withdrawn by its author"
    HIDDEN = "hidden", "hidden by a moderator"
    UNHIDDEN = "unhidden", "shown again by a moderator"


class AttestationMark(models.Model):
    """A dated act on an attestation. An edit is a version, not a mark."""

    id = models.UUIDField(primary_key=True)
    attestation = models.ForeignKey(Attestation, models.PROTECT, related_name="marks")
    kind = models.CharField(max_length=20, choices=AttestationMarkKind)
    at = models.DateTimeField()
    actor = models.UUIDField()
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.kind} {self.attestation_id}"
