"""Comparison groups, and what follows from their runs: standings, records, coverage."""

from django.db import models
from django.urls import reverse

from registry.models.fields import DigestField


class ComparisonGroup(models.Model):
    """All runs with one comparison key. `key` is the digest of the seven-member object of core.comparability."""

    id = models.UUIDField(primary_key=True)
    key = DigestField(unique=True)
    operation = models.ForeignKey("registry.Operation", models.PROTECT, related_name="groups")
    workload = models.ForeignKey("registry.Workload", models.PROTECT, related_name="groups")
    protocol = models.ForeignKey("registry.Protocol", models.PROTECT, related_name="groups")
    environment = models.ForeignKey("registry.Environment", models.PROTECT, related_name="groups")
    correctness = DigestField()
    metric = models.CharField(max_length=100, null=True, help_text="empty: its runs have no primary measurement")
    statistic = models.CharField(max_length=100, null=True)
    unit = models.CharField(max_length=100, null=True)
    created_at = models.DateTimeField()
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.key[:19]

    def get_absolute_url(self) -> str:
        return reverse("group-detail", args=[self.key])


class Coverage(models.Model):
    """What upstream offered for a group and what was taken of it, by which rule, at one snapshot."""

    id = models.UUIDField(primary_key=True)
    group = models.ForeignKey(ComparisonGroup, models.PROTECT, related_name="coverage")
    snapshot = models.ForeignKey("registry.Snapshot", models.PROTECT, related_name="+")
    offered = models.IntegerField(null=True, help_text="empty: the source's total is unknown")
    taken = models.IntegerField()
    rule = models.CharField(max_length=300)
    at = models.DateTimeField()
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "coverage"
        constraints = [models.UniqueConstraint(fields=["group", "snapshot"], name="coverage_once")]

    def __str__(self) -> str:
        return f"{self.taken} of {self.offered or 'unknown'}"


class Standing(models.Model):
    """A cache, one row a run: its place in its group or why it has none. Only registry.standings writes it."""

    run = models.OneToOneField("registry.Run", models.PROTECT, primary_key=True, related_name="standing")
    group = models.ForeignKey(ComparisonGroup, models.PROTECT, related_name="standings")
    position = models.IntegerField(help_text="1 for the first row of the group's table; unranked rows follow")
    rank = models.IntegerField(null=True)
    tied = models.IntegerField(default=0, help_text="how many other runs share the rank")
    ratio = models.FloatField(null=True, help_text="to the best of the group")
    separability = models.CharField(max_length=20, null=True, help_text="from the next better rank")
    lead = models.FloatField(null=True, help_text="percent to the next worse rank")
    reasons = models.JSONField(default=list, help_text="codes, where it is not ranked")
    warnings = models.JSONField(default=list)
    has_marks = models.BooleanField(default=False)
    policy = models.CharField(max_length=20)

    class Meta:
        indexes = [models.Index(fields=["group", "position"], name="standing_order")]

    def __str__(self) -> str:
        return f"{self.rank or 'unranked'} in {self.group_id}"


class GroupStanding(models.Model):
    """A cache, one row a group: its counts and its best. Only registry.standings writes it."""

    group = models.OneToOneField(ComparisonGroup, models.PROTECT, primary_key=True, related_name="standing")
    run_count = models.IntegerField()
    ranked_count = models.IntegerField()
    author_count = models.IntegerField()
    best = models.ForeignKey("registry.Run", models.PROTECT, null=True, related_name="+")
    best_value = models.FloatField(null=True)
    best_tied = models.IntegerField(default=0)
    next_ratio = models.FloatField(null=True, help_text="second rank's value over the best")
    next_separability = models.CharField(max_length=20, null=True)
    oldest_observed_at = models.DateTimeField()
    newest_observed_at = models.DateTimeField()
    changed_at = models.DateTimeField(help_text="when a run of it was last published or marked")
    undigested = models.JSONField(default=list, help_text="labels outside the digests that differ between its runs")
    variants = models.JSONField(
        default=list, help_text="kinds of mathematics and their runs, in the order of tables; two divide the group"
    )
    policy = models.CharField(max_length=20)

    def __str__(self) -> str:
        return f"{self.ranked_count} of {self.run_count}"


class Record(models.Model):
    """A cache, re-derived from scratch for a group at a time: when the lead was taken. Only standings writes it."""

    id = models.UUIDField(primary_key=True)
    group = models.ForeignKey(ComparisonGroup, models.PROTECT, related_name="records")
    run = models.ForeignKey("registry.Run", models.PROTECT, related_name="+")
    previous = models.ForeignKey("registry.Run", models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=20)
    at = models.DateTimeField(help_text="when the run was observed")

    class Meta:
        indexes = [models.Index(fields=["-at", "-id"], name="record_newest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.run_id}"
