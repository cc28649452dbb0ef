"""A run as its page needs it: every column in one query, and the rows beside it, each by SQL that is written once."""

from types import SimpleNamespace as Loaded  # a run as `find` gives it: COLUMNS as nested attributes
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from registry.models import Artifact, EvidenceFact, Mark, Run, RunArtifact, Sighting, StoredObject
from registry.models.evidence import RAW_STORED
from registry.queries import notes
from registry.queries.prepared import Prepared, nested
from registry.queries.seen import LAST_READ_AT

COLUMNS = (
    "id",
    "digest",
    "status",
    "observed_at",
    "published_at",
    "value",
    "sample_count",
    "interval_low",
    "interval_high",
    "interval_kind",
    "spread_low",
    "spread_high",
    "spread_name",
    "external_id",
    "name",
    "title",
    "implementation_id",
    "implementation__name",
    "implementation__display_name",
    "implementation__author",
    "implementation__revision",
    "implementation__repository",
    "implementation__source_digest",
    "implementation__is_baseline",
    "implementation__project_id",
    "implementation__project__slug",
    "implementation__project__name",
    "operation_id",
    "operation__slug",
    "operation__name",
    "operation__display_name",
    "workload_id",
    "workload__digest",
    "workload__name",
    "protocol__digest",
    "protocol__name",
    "protocol__label",
    "protocol__timed_pass",
    "environment_id",
    "environment__digest",
    "environment__name",
    "environment__label",
    "environment__runner",
    "environment__hardware_id",
    "environment__hardware__slug",
    "environment__hardware__name",
    "source_id",
    "source__slug",
    "source__name",
    "source__kind",
    "source__licence",
    "group_id",
    "group__key",
    "group__correctness",
    "group__metric",
    "group__statistic",
    "group__unit",
    "group__standing__run_count",
    "group__standing__ranked_count",
    "group__standing__author_count",
    "group__standing__best_id",
    "group__standing__best_value",
    "group__standing__next_ratio",
    "group__standing__next_separability",
    "group__standing__undigested",
    "group__standing__variants",
    "group__standing__changed_at",
    "group__standing__best__digest",
    "standing__position",
    "standing__rank",
    "standing__tied",
    "standing__ratio",
    "standing__separability",
    "standing__lead",
    "standing__reasons",
    "standing__warnings",
    "standing__policy",
    "evidence__level",
)
RAW_IS_STORED = Exists(EvidenceFact.objects.filter(run=OuterRef("pk"), kind=RAW_STORED))


def _found(**which: Any) -> QuerySet[Any]:
    stated = {"raw_stored": RAW_IS_STORED, **notes.counted()}
    return Run.objects.filter(**which).annotate(**stated).values(*COLUMNS, *stated)


FOUND_BY = {
    "digest": Prepared(lambda digest: _found(digest=digest), digest=str),
    "pk": Prepared(lambda pk: _found(pk=pk), pk=UUID),
}
MARKS = Prepared(
    lambda run: Mark.objects.filter(Q(run_id=run) | Q(successor_id=run)).values(
        "id",
        "kind",
        "at",
        "rule",
        "is_blocking",
        "reason",
        "by",
        "clears_id",
        "run__digest",
        "successor_id",
        "successor__digest",
        "incident__slug",
        "incident__title",
    ),
    run=UUID,
)
SIGHTINGS = Prepared(
    lambda run: (
        Sighting.objects.filter(run_id=run)
        .order_by("seen_at", "id")
        .annotate(
            is_held=Exists(StoredObject.objects.filter(digest=OuterRef("snapshot__sha256"))), read_at=LAST_READ_AT
        )
        .values(
            "upstream_key",
            "locator",
            "seen_at",
            "snapshot__file_name",
            "snapshot__sha256",
            "snapshot__source__name",
            "snapshot__url",
            "snapshot__source__may_store",
            "is_held",
            "read_at",
        )
    ),
    run=UUID,
)


def _described(column: str) -> Subquery:
    """What is known of a file that a run names, under its digest."""
    return Subquery(Artifact.objects.filter(digest=OuterRef("digest")).values(column)[:1])


FILES = Prepared(
    lambda run: (
        RunArtifact.objects.filter(run_id=run)
        .annotate(
            is_held=Exists(StoredObject.objects.filter(digest=OuterRef("digest"))),
            file_name=_described("file_name"),
            media_type=_described("media_type"),
            size_bytes=_described("size_bytes"),
        )
        .order_by("-role")
        .values("role", "digest", "uri", "is_held", "file_name", "media_type", "size_bytes")
    ),
    run=UUID,
)


def find(reference: str) -> Loaded:
    """The run of a row id or a whole digest, with what its page needs. Raises Run.DoesNotExist."""
    is_digest = reference.startswith("sha256:")
    found = FOUND_BY["digest"].rows(digest=reference) if is_digest else FOUND_BY["pk"].rows(pk=UUID(reference))
    if not found:
        raise Run.DoesNotExist
    return nested(found[0])
