"""Who speaks for a project or a source: claims, the notes that they allow, and requests to withdraw."""

import secrets

from django.db import models
from django.db.models import Q


def new_token() -> str:
    return f"kernelindex-claim-{secrets.token_hex(16)}"


class Method(models.TextChoices):
    GITHUB = "github", "GitHub login equal to the repository's owner"
    TOKEN = "token", "a token file in the repository"
    STAFF = "staff", "checked by staff"


class ClaimState(models.TextChoices):
    PENDING = "pending", "waiting"
    GRANTED = "granted", "granted"
    REFUSED = "refused", "refused"
    REVOKED = "revoked", "revoked"
    DROPPED = "dropped", "given up by the claimant"


class Claim(models.Model):
    """One actor's claim on one project or source. Gives a voice; never an edit, never a level."""

    id = models.UUIDField(primary_key=True)
    actor = models.UUIDField(db_index=True)
    project = models.ForeignKey("registry.Project", models.PROTECT, null=True, related_name="claims")
    source = models.ForeignKey("registry.Source", models.PROTECT, null=True, related_name="claims")
    at = models.DateTimeField()
    method = models.CharField(max_length=20, choices=Method)
    token = models.CharField(max_length=80, unique=True, default=new_token, help_text="public: it goes into a file")
    message = models.TextField(blank=True, help_text="to staff, from the claimant")
    state = models.CharField(max_length=20, choices=ClaimState, default=ClaimState.PENDING)
    checked_at = models.DateTimeField(null=True)
    check_wanted_at = models.DateTimeField(null=True, help_text="the worker looks for the token file")
    found = models.TextField(blank=True, help_text="what the last check found, in words")
    basis = models.CharField(
        max_length=300, blank=True, help_text="the repository or host that it was granted on; empty: staff's judgement"
    )
    decided_at = models.DateTimeField(null=True)
    decided_by = models.UUIDField(null=True, help_text="empty: the site itself")
    reason = models.TextField(blank=True)

    REDACTABLE = ("message",)

    class Meta:
        ordering = ["-at", "-id"]
        permissions = [("decide_claim", "Can grant, refuse and revoke claims and answer withdrawal requests")]
        constraints = [
            models.CheckConstraint(
                condition=Q(project=None, source__isnull=False) | Q(project__isnull=False, source=None),
                name="claims_one_thing",
            ),
            *(
                models.UniqueConstraint(
                    fields=["actor", thing],
                    condition=Q(state__in=["pending", "granted"]) & Q(**{f"{thing}__isnull": False}),
                    name=f"{thing}_claimed_once",
                )
                for thing in ("project", "source")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project or self.source} {self.state}"


class AuthorNote(models.Model):
    """A claimed author's words on a run, or beside a report on it. A later number replaces them, "" retracts."""

    id = models.UUIDField(primary_key=True)
    claim = models.ForeignKey(Claim, models.PROTECT, related_name="notes")
    run = models.ForeignKey("registry.Run", models.PROTECT, related_name="author_notes")
    report = models.ForeignKey("attestations.Report", models.PROTECT, null=True, related_name="author_notes")
    number = models.IntegerField()
    at = models.DateTimeField()
    text = models.TextField(blank=True)

    REDACTABLE = ("text",)

    class Meta:
        ordering = ["at", "id"]
        # One count for the run's note and for those beside its reports: the newest of each place is the highest.
        constraints = [models.UniqueConstraint(fields=["claim", "run", "number"], name="author_note_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.number}"


class RequestState(models.TextChoices):
    OPEN = "open", "open"
    ACCEPTED = "accepted", "accepted"
    REFUSED = "refused", "refused"


class WithdrawalRequest(models.Model):
    """A claimed author asks that a run be withdrawn; staff answer."""

    id = models.UUIDField(primary_key=True)
    claim = models.ForeignKey(Claim, models.PROTECT, related_name="withdrawal_requests")
    run = models.ForeignKey("registry.Run", models.PROTECT, related_name="withdrawal_requests")
    at = models.DateTimeField()
    reason = models.TextField()
    state = models.CharField(max_length=20, choices=RequestState, default=RequestState.OPEN)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.UUIDField(null=True)
    answer = models.TextField(blank=True)

    REDACTABLE = ("reason",)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "claim"], condition=Q(state="open"), name="one_open_request_a_run")
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.state}"
