"""What readers follow. Private: a follow goes with its account."""

from django.conf import settings
from django.db import models


class Thing(models.TextChoices):
    GROUP = "group", "comparison group"
    OPERATION = "operation", "operation"
    PROJECT = "project", "project"
    HARDWARE = "hardware", "hardware"
    SOURCE = "source", "source"
    RUN = "run", "run"


class Follow(models.Model):
    """`target` is what its page's address has: a slug, a comparison key, a run's digest."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="follows")
    thing = models.CharField(max_length=20, choices=Thing)
    target = models.CharField(max_length=120)
    at = models.DateTimeField()

    class Meta:
        ordering = ["thing", "target"]
        indexes = [models.Index(fields=["thing", "target"], name="followed_by")]
        constraints = [models.UniqueConstraint(fields=["user", "thing", "target"], name="followed_once")]

    def __str__(self) -> str:
        return f"{self.thing} {self.target}"
