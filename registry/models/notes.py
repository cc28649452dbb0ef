"""What curators add about protocols, outside every digest: notes in versions, and which protocol followed which."""

from django.db import models


class ProtocolNote(models.Model):
    """A version of what is known of a protocol: sentences by topic, each with the file and commit that it rests on.

    `subject` is a protocol's digest, or `family:<comparability family>` for all of a family that have no note of their
    own. `sentences`: [{topic, text, url or null, chip or null}]; the newest version of a subject holds.
    """

    id = models.UUIDField(primary_key=True)
    at = models.DateTimeField()
    subject = models.CharField(max_length=120, db_index=True)
    version = models.IntegerField()
    sentences = models.JSONField()
    reason = models.TextField()
    actor = models.UUIDField(null=True)
    audit = models.ForeignKey("registry.AuditEvent", models.PROTECT, related_name="+")

    class Meta:
        ordering = ["subject", "-version"]
        constraints = [models.UniqueConstraint(fields=["subject", "version"], name="protocol_note_once")]

    def __str__(self) -> str:
        return f"{self.subject} version {self.version}"


class ProtocolSuccession(models.Model):
    """A curator's word that a protocol is continued by another; the newest row holds, an empty one revokes.

    It joins no groups and moves no rank: groups of the older protocol say that there is a newer one.
    """

    id = models.UUIDField(primary_key=True)
    at = models.DateTimeField()
    protocol = models.ForeignKey("registry.Protocol", models.PROTECT, related_name="successions")
    successor = models.ForeignKey("registry.Protocol", models.PROTECT, null=True, related_name="+")
    reason = models.TextField()
    actor = models.UUIDField(null=True)
    audit = models.ForeignKey("registry.AuditEvent", models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.protocol_id} by {self.successor_id or 'none'}"
