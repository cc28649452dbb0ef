"""Software projects: one row a slug, one revision for each document that it has had."""

from django.db import models
from django.urls import reverse

from registry.models.documents import Document


class Project(models.Model):
    """A project's lasting identity. `name` and `newest` follow its newest revision; verify_registry checks them."""

    id = models.UUIDField(primary_key=True)
    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=200)
    newest = models.ForeignKey("registry.ProjectRevision", models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("project-detail", args=[self.slug])


class ProjectRevision(Document):
    """A SoftwareProject document: projects are the one kind whose documents change."""

    digest = models.CharField(max_length=71, db_index=True)
    project = models.ForeignKey(Project, models.PROTECT, related_name="revisions")
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, null=True)
    repository = models.CharField(max_length=2000, null=True)
    homepage = models.CharField(max_length=2000, null=True)

    REDACTABLE = ("canonical", "metadata", "name", "repository", "homepage")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "digest"], name="project_revision_once")]

    def __str__(self) -> str:
        return self.name
