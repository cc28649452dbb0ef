"""Mail on its way out: written in the transaction that needs it, sent by the worker, once."""

from django.conf import settings
from django.db import models


class LetterState(models.TextChoices):
    WAITING = "waiting", "waiting"
    SENT = "sent", "sent"
    FAILED = "failed", "given up"


class Letter(models.Model):
    """`key` makes it one letter however often it is asked for. Subject and body are blanked once it was sent.

    `lease_until` is the sender's hold on it; `next_attempt_at` its back-off.
    """

    id = models.UUIDField(primary_key=True)
    key = models.CharField(max_length=200, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="letters")
    address = models.EmailField(blank=True, help_text="empty: the account's own address when it is sent")
    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=300, blank=True)
    body = models.TextField(blank=True)
    unsubscribe = models.CharField(max_length=300, blank=True, help_text="for List-Unsubscribe, where it has one")
    at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=LetterState, default=LetterState.WAITING)
    attempts = models.IntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["state", "next_attempt_at"], name="letters_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Watermark(models.Model):
    """How far a job has looked: the last row that it told of, in the order of that row's id."""

    name = models.CharField(max_length=60, primary_key=True)
    position = models.CharField(max_length=100)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} {self.position}"
