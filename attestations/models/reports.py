"""Issue reports: anyone says what is wrong with a run; staff answer in public. A report never hides a run."""

from django.db import models


class Reason(models.TextChoices):
    INCORRECT = "incorrect_result", "incorrect result"
    ATTRIBUTION = "wrong_attribution", "wrong attribution"
    LICENCE = "licence", "licence"
    COMPARABILITY = "comparability", "comparability"
    OTHER = "other", "other"


class ReportState(models.TextChoices):
    OPEN = "open", "open"
    ASKED = "asked", "waiting for an answer"
    RESOLVED = "resolved", "resolved"
    DISMISSED = "dismissed", "dismissed"


class Outcome(models.TextChoices):
    NO_CHANGE = "no_change", "no change"
    WITHDRAWN = "withdrawn", "run withdrawn"
    SUPERSEDED = "superseded", "run superseded"
    FLAGGED = "flagged", "run flagged"


class Report(models.Model):
    """One report. Later ones on the same run for the same reason, while it is open, name it in `duplicate_of`.

    State, assignment and outcome are those of the first of a group. `contact` is never public; it is blanked thirty
    days after the group is closed. No address of a machine is kept.
    """

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey("registry.Run", models.PROTECT, related_name="reports")
    at = models.DateTimeField(db_index=True)
    reason = models.CharField(max_length=20, choices=Reason)
    text = models.TextField()
    evidence_url = models.CharField(max_length=2000, null=True)
    contact = models.CharField(max_length=254, null=True)
    actor = models.UUIDField(null=True, db_index=True, help_text="empty: sent without an account")
    duplicate_of = models.ForeignKey("self", models.PROTECT, null=True, related_name="duplicates")
    state = models.CharField(max_length=20, choices=ReportState, default=ReportState.OPEN)
    assigned_to = models.UUIDField(null=True)
    closed_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=20, choices=Outcome, null=True)
    public_note = models.TextField(null=True)

    REDACTABLE = ("text", "evidence_url", "contact", "public_note")

    class Meta:
        ordering = ["-at", "-id"]
        permissions = [("decide_report", "Can assign, ask about, resolve and dismiss reports")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "reason"],
                condition=models.Q(duplicate_of=None, closed_at=None),
                name="one_open_group_a_reason",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display()} {self.run_id}"


class ReportEventKind(models.TextChoices):
    OPENED = "opened", "opened"
    JOINED = "joined", "joined by another report"
    ASSIGNED = "assigned", "assigned"
    ASKED = "asked", "asked"
    ANSWERED = "answered", "answered"
    RESOLVED = "resolved", "resolved"
    DISMISSED = "dismissed", "dismissed"
    NOTED = "noted", "noted"


class ReportEvent(models.Model):
    """One dated step of a group, kept with its first report; that one joined or answered, with the report that did."""

    id = models.UUIDField(primary_key=True)
    report = models.ForeignKey(Report, models.PROTECT, related_name="events")
    at = models.DateTimeField()
    kind = models.CharField(max_length=20, choices=ReportEventKind)
    actor = models.UUIDField(null=True)
    text = models.TextField(blank=True)
    is_public = models.BooleanField(default=False)

    REDACTABLE = ("text",)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.kind} {self.report_id}"
