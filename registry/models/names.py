"""What upstreams call things, where this index has not learnt it yet, and what people settled."""

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q


class NameKind(models.TextChoices):
    GPU = "gpu", "GPU"
    PROVIDER = "provider", "provider"
    KERNEL = "kernel", "kernel"
    CONFIGURATION = "configuration", "configuration"


class UnmappedName(models.Model):
    """A name that rows of a source wait for. A cache of the newest sync that met it; settled by an alias."""

    id = models.UUIDField(primary_key=True)
    source = models.ForeignKey("registry.Source", models.PROTECT, related_name="unmapped_names")
    kind = models.CharField(max_length=20, choices=NameKind)
    name = models.CharField(max_length=300)
    first_seen_at = models.DateTimeField()
    last_sync = models.ForeignKey("registry.Sync", models.SET_NULL, null=True, related_name="+")
    row_count = models.IntegerField(help_text="of the newest sync that met it")
    example = models.TextField(help_text="the first of its rows, as it stood")
    is_settled = models.BooleanField(default=False)

    class Meta:
        ordering = ["is_settled", "-row_count", "name"]
        constraints = [models.UniqueConstraint(fields=["source", "kind", "name"], name="unmapped_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class NameAliasQuerySet(models.QuerySet["NameAlias"]):
    def in_force(self) -> Self:
        """Those that no later row of their source, kind and name answers, and that revoke nothing."""
        later = Q(at__gt=OuterRef("at")) | Q(at=OuterRef("at"), id__gt=OuterRef("id"))
        same = NameAlias.objects.filter(later, kind=OuterRef("kind"), name=OuterRef("name"))
        for_all = Q(source=None) & Exists(same.filter(source=None))
        return self.exclude(target="").exclude(for_all | Exists(same.filter(source=OuterRef("source"))))


class NameAlias(models.Model):
    """A person settled what a name stands for. The newest row of (source, kind, name) holds; an empty target revokes.

    `facts` are given in place of a known name: of a GPU its vendor, product, architecture and form factor.
    """

    id = models.UUIDField(primary_key=True)
    at = models.DateTimeField()
    source = models.ForeignKey("registry.Source", models.PROTECT, null=True, help_text="empty: every source's")
    kind = models.CharField(max_length=20, choices=NameKind)
    name = models.CharField(max_length=300, db_index=True)
    target = models.CharField(max_length=300, blank=True)
    facts = models.JSONField(null=True)
    reason = models.TextField()
    actor = models.UUIDField(null=True)
    audit = models.ForeignKey("registry.AuditEvent", models.PROTECT, related_name="+")

    objects = NameAliasQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        verbose_name_plural = "name aliases"

    def __str__(self) -> str:
        return f"{self.name} = {self.target or 'revoked'}"
