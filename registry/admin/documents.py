"""Documents that runs refer to."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from attestations.profiles import actor_of
from registry import notes
from registry.admin.asking import asking_action
from registry.admin.facts import FactAdmin
from registry.forms import SuccessorForm
from registry.models import (
    Artifact,
    Environment,
    Hardware,
    Implementation,
    Operation,
    OperationAlias,
    Project,
    ProjectRevision,
    Protocol,
    StoredObject,
    Workload,
)


@admin.register(Operation)
class OperationAdmin(FactAdmin):
    list_display = ("slug", "display_name", "family", "digest")
    list_filter = ("family",)
    search_fields = ("slug", "display_name", "name", "digest", "aliases__alias")


@admin.register(OperationAlias)
class OperationAliasAdmin(FactAdmin):
    list_display = ("alias", "operation")
    list_select_related = ("operation",)
    search_fields = ("alias", "operation__slug")


@admin.register(Workload)
class WorkloadAdmin(FactAdmin):
    list_display = ("label", "operation", "is_suite", "digest")
    list_filter = ("is_suite",)
    list_select_related = ("operation",)
    search_fields = ("label", "name", "digest", "operation__slug")


@admin.register(Implementation)
class ImplementationAdmin(FactAdmin):
    list_display = ("display_name", "project", "operation", "revision", "licence", "digest")
    list_filter = ("is_baseline", "language")
    list_select_related = ("project", "operation")
    search_fields = ("display_name", "name", "slug", "author", "digest", "project__slug")


def _succeed(request: HttpRequest, chosen: list[Protocol], data: dict[str, Any]) -> str:
    for protocol in chosen:
        notes.succeed(
            protocol, successor=data["successor"], reason=data["reason"], actor=actor_of(request.user),
            now=timezone.now(),
        )  # fmt: skip
    return f"Said of {len(chosen)}. No rank moves."


@admin.register(Protocol)
class ProtocolAdmin(FactAdmin):
    list_display = ("label", "harness", "statistic", "timed_pass", "digest")
    search_fields = ("label", "harness", "digest")
    actions = (
        asking_action(
            name="succeed",
            title="Mark as succeeded by another protocol",
            form=SuccessorForm,
            permission="registry.add_protocolsuccession",
            act=_succeed,
            note="Groups of the older protocol say that there is a newer one. No rank moves.",
        ),
    )


@admin.register(Environment)
class EnvironmentAdmin(FactAdmin):
    list_display = ("label", "hardware", "architecture", "runner", "digest")
    list_select_related = ("hardware",)
    search_fields = ("label", "hardware__name", "runner", "digest")


@admin.register(Hardware)
class HardwareAdmin(FactAdmin):
    list_display = ("name", "vendor", "product", "form_factor", "count")
    search_fields = ("name", "slug", "product")


@admin.register(Project)
class ProjectAdmin(FactAdmin):
    list_display = ("slug", "name", "created_at")
    search_fields = ("slug", "name")


@admin.register(ProjectRevision)
class ProjectRevisionAdmin(FactAdmin):
    list_display = ("name", "project", "repository", "digest", "created_at")
    list_select_related = ("project",)
    search_fields = ("name", "project__slug", "digest")


@admin.register(Artifact)
class ArtifactAdmin(FactAdmin):
    list_display = ("digest", "kind", "media_type", "size_bytes", "licence")
    list_filter = ("kind", "media_type")
    search_fields = ("digest", "file_name", "uri")


@admin.register(StoredObject)
class StoredObjectAdmin(FactAdmin):
    list_display = ("digest", "size_bytes", "stored_at")
    search_fields = ("digest",)
