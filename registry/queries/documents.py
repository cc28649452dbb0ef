"""Pages of what a run refers to: workload, implementation, project, protocol, environment, hardware.

Each is the thing's own facts, its groups where it has some, and all runs under it.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet

from registry.core import readable
from registry.models import (
    ComparisonGroup,
    Environment,
    Hardware,
    Implementation,
    Project,
    Protocol,
    Redaction,
    Run,
    Workload,
)
from registry.queries import addresses, keyset, notes, parts, rows
from registry.queries.notes import NotePart, Succession
from registry.queries.parts import WorkloadPart
from registry.queries.releases import ReleaseLine, releases_of
from registry.queries.rows import RunList
from registry.queries.runs import Tombstone
from registry.queries.shapes import Fact, Ref, linkable
from registry.queries.summaries import SUMMARY_COLUMNS, Summary, summary

GROUPS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Related:
    """A titled list of things that belong to this one; `note` says what the list is, or why it is empty."""

    title: str
    note: str
    items: tuple[Ref, ...]
    total: int
    more_url: str | None


@dataclass(frozen=True, slots=True)
class EntityPage:
    """A thing that runs refer to, with all runs under it. `digest` is None for what is not one document."""

    kind: str
    id: str
    title: str
    url: str
    subtitle: str | None
    crumbs: tuple[Ref, ...]
    digest: str | None
    canonical_url: str | None
    created_at: datetime | None
    facts: tuple[Fact, ...]
    notes: str | None
    workload: WorkloadPart | None
    related: tuple[Related, ...]
    releases: tuple[ReleaseLine, ...]
    groups: tuple[Summary, ...]
    group_count: int
    runs: RunList
    tombstone: Tombstone | None
    note: NotePart | None = None
    succession: Succession | None = None


def workload_page(digest: str, cursor: str | None = None) -> EntityPage:
    """Raises Workload.DoesNotExist, keyset.BadCursorError."""
    workload = Workload.objects.select_related("operation").get(digest=digest)
    operation = workload.operation
    spec, of_operation = _spec(workload.canonical), _spec(operation.canonical)
    facts = [
        _link("operation", operation.display_name, addresses.operation(operation.slug)),
        Fact("kind", "kind", "suite" if workload.is_suite else "one case"),
        Fact("name", "metadata.name", workload.name or None, absent=None if workload.name else "redacted"),
    ]
    if workload.is_suite and spec:
        aggregation = spec["aggregation"]
        facts.append(
            Fact("aggregate", "aggregation", f"{aggregation['statistic']} of {aggregation['metric']} over cases")
        )
    found, total = _groups(ComparisonGroup.objects.filter(workload=workload))
    return EntityPage(
        kind="workload",
        id=digest,
        title=f"{operation.display_name}, {workload.label}",
        url=addresses.workload(digest),
        subtitle=None,
        crumbs=(
            Ref("operations", "Operations", "/operations/"),
            Ref(operation.slug, operation.display_name, addresses.operation(operation.slug)),
        ),
        **_document(workload, addresses.workload(digest)),
        facts=tuple(facts),
        notes=None,
        workload=parts.workload_part(spec, of_operation, workload.is_suite),
        related=(),
        groups=found,
        group_count=total,
        runs=rows.run_list(Run.objects.filter(workload=workload), scope=f"workload:{digest}", cursor=cursor),
    )


def protocol_page(digest: str, cursor: str | None = None) -> EntityPage:
    protocol = Protocol.objects.annotate(**notes.counted()).get(digest=digest)
    spec = _spec(protocol.canonical)
    found, total = _groups(ComparisonGroup.objects.filter(protocol=protocol))
    return EntityPage(
        kind="protocol",
        id=digest,
        title=protocol.label or "Redacted protocol",
        url=addresses.protocol(digest),
        subtitle=f"Measures the {protocol.timed_pass} pass." if protocol.timed_pass else None,
        crumbs=(Ref("protocols", "Protocols", "/protocols/"),),
        **_document(protocol, addresses.protocol(digest)),
        facts=tuple(f for f in parts.protocol_part(spec, digest) if f.key != "digest"),
        notes=spec.get("comparability", {}).get("notes"),
        workload=None,
        related=(),
        groups=found,
        group_count=total,
        runs=rows.run_list(Run.objects.filter(protocol=protocol), scope=f"protocol:{digest}", cursor=cursor),
        note=notes.note_part(protocol, family := parts.family_of(spec)),
        succession=notes.of_protocol(digest, family, protocol).succession,
    )


def environment_page(digest: str, cursor: str | None = None) -> EntityPage:
    environment = Environment.objects.select_related("hardware").get(digest=digest)
    hardware = environment.hardware
    spec = _spec(environment.canonical)
    found, total = _groups(ComparisonGroup.objects.filter(environment=environment))
    return EntityPage(
        kind="environment",
        id=digest,
        title=environment.label or "Redacted environment",
        url=addresses.environment(digest),
        subtitle=None,
        crumbs=(
            Ref("hardware", "GPUs", "/hardware/"),
            Ref(hardware.slug, hardware.name, addresses.hardware(hardware.slug)),
        ),
        **_document(environment, addresses.environment(digest)),
        facts=tuple(
            f for f in parts.environment_part(spec, hardware.slug, digest, environment.runner) if f.key != "digest"
        ),
        notes=None,
        workload=None,
        related=(),
        groups=found,
        group_count=total,
        runs=rows.run_list(Run.objects.filter(environment=environment), scope=f"environment:{digest}", cursor=cursor),
    )


def hardware_page(slug: str, cursor: str | None = None) -> EntityPage:
    hardware = Hardware.objects.get(slug=slug)
    environments = list(hardware.environments.annotate(run_count=Count("runs")).order_by("-run_count", "label"))
    architectures = sorted({e.architecture for e in environments if e.architecture != "unknown"})
    others = Hardware.objects.filter(product=hardware.product).exclude(pk=hardware.pk).order_by("name")
    found, total = _groups(ComparisonGroup.objects.filter(environment__hardware=hardware))
    return EntityPage(
        kind="hardware",
        id=slug,
        title=hardware.name,
        url=addresses.hardware(slug),
        subtitle=None,
        crumbs=(Ref("hardware", "GPUs", "/hardware/"),),
        digest=None,
        canonical_url=None,
        created_at=None,
        tombstone=None,
        releases=(),
        facts=(
            Fact("product", "hardware.product", hardware.product),
            _or_absent("form factor", "hardware.formFactor", hardware.form_factor, "not stated by any source"),
            Fact("vendor", "hardware.vendor", hardware.vendor),
            _or_absent("architecture", "hardware.architecture", ", ".join(architectures), "not stated by any source"),
            _or_absent("count", "hardware.count", str(hardware.count or ""), "not stated; one is assumed by no one"),
        ),
        notes=None,
        workload=None,
        related=(
            Related(
                "Environments",
                "Software, settings and runner differ; each is a column of its own.",
                tuple(
                    Ref(e.digest, f"{_environment_name(e)} · {e.run_count:,} runs", addresses.environment(e.digest))
                    for e in environments
                ),
                len(environments),
                None,
            ),
            Related(
                "Other form factors",
                "The same product in another form is other hardware: never one column."
                if others
                else "No other form factor of this product has a run.",
                tuple(Ref(o.slug, o.name, addresses.hardware(o.slug)) for o in others),
                len(others),
                None,
            ),
        ),
        groups=found,
        group_count=total,
        runs=rows.run_list(Run.objects.filter(environment__hardware=hardware), scope=f"hardware:{slug}", cursor=cursor),
    )


def implementation_page(row_id: str, cursor: str | None = None) -> EntityPage:
    implementation = Implementation.objects.select_related("project", "operation").get(pk=row_id)
    spec = _spec(implementation.canonical)
    project, operation = implementation.project, implementation.operation
    url = addresses.implementation(implementation.pk)
    siblings = Implementation.objects.filter(digest=implementation.digest).exclude(pk=implementation.pk)
    return EntityPage(
        kind="implementation",
        id=str(implementation.pk),
        title=implementation.display_name or "Redacted implementation",
        url=url,
        subtitle=f"of {operation.display_name}",
        crumbs=(
            Ref("implementations", "Implementations", "/implementations/"),
            Ref(project.slug, project.name, addresses.project(project.slug)),
        ),
        **_document(implementation, url),
        facts=_implementation_facts(implementation, spec),
        notes=None,
        workload=None,
        related=(
            Related(
                "Same document elsewhere",
                "Rows of other projects whose document hashes alike."
                if siblings
                else "No other project's document has this digest.",
                tuple(
                    Ref(str(s.pk), f"{s.display_name} · {s.project.name}", addresses.implementation(s.pk))
                    for s in siblings.select_related("project")
                ),
                len(siblings),
                None,
            ),
        ),
        groups=(),
        group_count=implementation.runs.values("group").distinct().count(),
        runs=rows.run_list(
            Run.objects.filter(implementation=implementation), scope=f"implementation:{row_id}", cursor=cursor
        ),
    )


def _implementation_facts(implementation: Implementation, spec: dict[str, Any]) -> tuple[Fact, ...]:
    project, operation = implementation.project, implementation.operation
    facts = [
        _link("project", project.name, addresses.project(project.slug)),
        _link("operation", operation.display_name, addresses.operation(operation.slug)),
        _or_absent("revision", "projectRevision", implementation.revision, parts.NOT_PUBLISHED),
        _or_absent("author", "metadata.authors", implementation.author, "redacted"),
        _or_absent("licence", "licensing", implementation.licence, "not stated"),
        _or_absent("name", "metadata.name", implementation.name, "redacted"),
    ]
    shown = {"projectRevision.commit", "projectRevision.version", "operation.specDigest"}
    for path, value in readable.leaves({k: v for k, v in spec.items() if k not in ("buildVariants", "licensing")}):
        if path in shown or value == []:
            continue
        written = readable.written(path, value)
        is_link = written.startswith("https://")
        label = readable.humanised(path.rsplit(".", 1)[-1])
        facts.append(Fact(label, path, written.removeprefix("https://"), url=written if is_link else None))
    for variant in spec.get("buildVariants", []):
        install = variant["install"]
        told = " ".join(str(value) for value in install.values())
        facts.append(Fact(f"build {variant['name']}", "buildVariants", told, is_code=True))
    return tuple(facts)


def implementations_by_slug(slug: str) -> list[Ref]:
    """The rows that share a slug: a slug names a line of work, an id one row."""
    found = Implementation.objects.filter(slug=slug).select_related("project").order_by("-created_at", "-id")
    return [
        Ref(str(row.pk), f"{row.display_name} · {row.project.name}", addresses.implementation(row.pk))
        for row in found[: keyset.LIMIT]
    ]


def project_page(slug: str, cursor: str | None = None) -> EntityPage:
    project = Project.objects.select_related("newest").get(slug=slug)
    newest = project.newest
    spec = _spec(newest.canonical)
    implementations = project.implementations.select_related("operation").order_by("operation__slug", "name", "id")
    revisions = project.revisions.count()
    host = spec.get("host", {})
    url = addresses.project(slug)
    total = implementations.count()
    return EntityPage(
        kind="project",
        id=slug,
        title=project.name,
        url=url,
        subtitle=None,
        crumbs=(Ref("projects", "Projects", "/projects/"),),
        **_document(newest, url),
        facts=(
            _or_absent("kind", "kind", newest.kind, "not stated"),
            _web("repository", "repository", newest.repository),
            _web("homepage", "homepage", newest.homepage),
            _or_absent("host", "host", f"{host['kind']} {host['id']}" if host else None, "not stated"),
            Fact("document revisions", "revisions", f"{revisions:,}; the newest is shown"),
        ),
        notes=None,
        workload=None,
        related=(
            Related(
                "Implementations",
                "One row for each operation and name.",
                tuple(
                    Ref(str(i.pk), f"{i.display_name} · {i.operation.display_name}", addresses.implementation(i.pk))
                    for i in implementations[:GROUPS_SHOWN]
                ),
                total,
                f"/implementations/?project={slug}" if total > GROUPS_SHOWN else None,
            ),
        ),
        groups=(),
        group_count=Run.objects.filter(implementation__project=project).values("group").distinct().count(),
        runs=rows.run_list(Run.objects.filter(implementation__project=project), scope=f"project:{slug}", cursor=cursor),
    )


# --- shared


def _document(row: Any, url: str) -> dict[str, Any]:
    """What each page of a document row says of the document itself."""
    is_redacted = not row.canonical
    return {
        "digest": row.digest,
        "canonical_url": None if is_redacted else addresses.canonical(url),
        "created_at": row.created_at,
        "tombstone": _tombstone(row) if is_redacted else None,
        "releases": releases_of(row) if isinstance(row, Implementation) else (),
    }


def _tombstone(row: Any) -> Tombstone:
    redaction = Redaction.objects.select_related("request").get(target_table=row._meta.db_table, target_id=row.pk)
    return Tombstone(redaction.at, redaction.request.get_reason_class_display(), redaction.citation)


def _groups(found: QuerySet[ComparisonGroup]) -> tuple[tuple[Summary, ...], int]:
    """The groups with most runs, and how many there are; the list page has all."""
    shown = found.order_by("-standing__run_count", "id").values(*SUMMARY_COLUMNS)[:GROUPS_SHOWN]
    return tuple(summary(columns) for columns in shown), found.count()


def _spec(canonical: str) -> dict[str, Any]:
    return dict(json.loads(canonical)["spec"]) if canonical else {}


def _link(label: str, name: str, url: str) -> Fact:
    return Fact(label, label, name, url=url)


def _web(label: str, key: str, url: str | None) -> Fact:
    if not url:
        return Fact(label, key, absent="not stated")
    return Fact(label, key, url.removeprefix("https://"), url=linkable(url))


def _or_absent(label: str, key: str, value: str | None, why: str) -> Fact:
    return Fact(label, key, value) if value else Fact(label, key, absent=why)


def _environment_name(environment: Environment) -> str:
    return f"{environment.label} · runner {environment.runner}" if environment.runner else environment.label
