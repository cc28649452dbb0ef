"""The documents that runs refer to, each stored as its canonical bytes, with the columns that pages filter on."""

from django.db import models
from django.urls import reverse

from registry.models.fields import DigestField


class Document(models.Model):
    """What every document row has: identity, canonical text, and metadata as it was first seen.

    `canonical` is the RFC 8785 text of {apiVersion, kind, spec}; its sha256 is `digest`. `metadata` never counts
    towards the digest and has a sha256 of its own. All other columns are derived from these two.
    """

    id = models.UUIDField(primary_key=True)
    digest = DigestField(unique=True)
    created_at = models.DateTimeField()
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+")
    canonical = models.TextField()
    metadata = models.TextField()
    metadata_sha256 = DigestField()

    class Meta:
        abstract = True


class Hardware(models.Model):
    """Product, form factor and count: what a column of results stands for. Two form factors are never one column."""

    id = models.UUIDField(primary_key=True)
    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=320)
    vendor = models.CharField(max_length=100)
    product = models.CharField(max_length=200, db_index=True)
    form_factor = models.CharField(max_length=100, null=True)
    count = models.IntegerField(null=True)
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+")

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "hardware"

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("hardware-detail", args=[self.slug])


class Operation(Document):
    """What is computed: OperationSpec."""

    slug = models.SlugField(max_length=120, unique=True)
    family = models.CharField(max_length=100, db_index=True)
    name = models.CharField(max_length=200)
    display_name = models.CharField(max_length=200)

    REDACTABLE = ("canonical", "metadata", "name", "display_name")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.display_name

    def get_absolute_url(self) -> str:
        return reverse("operation-detail", args=[self.slug])


class OperationAlias(models.Model):
    """Another name that an operation is found by."""

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey(Operation, models.PROTECT, related_name="aliases")
    alias = models.CharField(max_length=200, db_index=True)
    batch = models.ForeignKey("registry.Batch", models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "operation aliases"
        constraints = [models.UniqueConstraint(fields=["operation", "alias"], name="alias_once")]

    def __str__(self) -> str:
        return self.alias


class Workload(Document):
    """One exact case (WorkloadCase) or a closed list of cases with a published aggregate (WorkloadSuite)."""

    operation = models.ForeignKey(Operation, models.PROTECT, related_name="workloads")
    is_suite = models.BooleanField()
    case_count = models.IntegerField(null=True, help_text="of a suite")
    name = models.CharField(max_length=200)
    label = models.CharField(max_length=400)
    axes = models.JSONField(null=True, help_text="of a case: a query copy, the truth is the canonical text")

    REDACTABLE = ("canonical", "metadata", "name")

    def __str__(self) -> str:
        return self.label

    def get_absolute_url(self) -> str:
        return reverse("workload-detail", args=[self.digest])


class Protocol(Document):
    """How it was measured: BenchmarkProtocol."""

    name = models.CharField(max_length=200)
    label = models.CharField(max_length=240)
    timed_pass = models.CharField(
        max_length=40, null=True, help_text="forward, backward, full: where the title says so"
    )
    harness = models.CharField(max_length=240)
    statistic = models.CharField(max_length=60)

    REDACTABLE = ("canonical", "metadata", "name", "label", "harness")

    def __str__(self) -> str:
        return self.label

    def get_absolute_url(self) -> str:
        return reverse("protocol-detail", args=[self.digest])


class Environment(Document):
    """On what it was measured: ExecutionEnvironment."""

    hardware = models.ForeignKey(Hardware, models.PROTECT, related_name="environments")
    name = models.CharField(max_length=200)
    label = models.CharField(max_length=240)
    architecture = models.CharField(max_length=60)
    runner = models.CharField(max_length=100, null=True, help_text="the label of the machine or fleet, where stated")

    REDACTABLE = ("canonical", "metadata", "name", "label", "runner")

    def __str__(self) -> str:
        return self.label

    def get_absolute_url(self) -> str:
        return reverse("environment-detail", args=[self.digest])


class Implementation(Document):
    """Of what: ImplementationRevision. One digest may stand in several rows, one for each project and name."""

    digest = DigestField(db_index=True)
    project = models.ForeignKey("registry.Project", models.PROTECT, related_name="implementations")
    operation = models.ForeignKey(Operation, models.PROTECT, related_name="implementations")
    slug = models.SlugField(max_length=120)
    name = models.CharField(max_length=200)
    display_name = models.CharField(max_length=300)
    author = models.CharField(max_length=300, help_text="authors as stated, else the project")
    is_baseline = models.BooleanField()
    language = models.CharField(max_length=100)
    revision = models.CharField(max_length=100, null=True, help_text="commit, else version")
    repository = models.CharField(max_length=2000, null=True)
    licence = models.CharField(max_length=200, null=True, help_text="concluded, else declared")
    source_digest = models.CharField(max_length=71, null=True, help_text="of the mirrored source file")

    REDACTABLE = ("canonical", "metadata", "slug", "name", "display_name", "author", "repository")

    class Meta:
        constraints = [
            # Redacted rows have no name left, and two of one digest and project may both be redacted.
            models.UniqueConstraint(
                fields=["digest", "project", "name"], condition=~models.Q(name=""), name="implementation_row"
            )
        ]

    def __str__(self) -> str:
        return self.display_name

    def get_absolute_url(self) -> str:
        return reverse("implementation-detail", args=[self.id])
