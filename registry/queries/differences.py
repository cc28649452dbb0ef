"""Why two comparison groups are two: every differing leaf of what a comparison key is made of."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from registry.core import comparability
from registry.core.comparability import ABSENT
from registry.core.variants import LABEL, Variant
from registry.models import ComparisonGroup
from registry.queries import variants
from registry.queries.elsewhere import parts
from registry.queries.summaries import SUMMARY_COLUMNS, Summary, summary

VARIANT_PATH = f"metadata.labels.{LABEL}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One differing leaf. A side is None where it states nothing."""

    path: str
    left: str | None
    right: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """One of the six parts of the key; `keeps_apart` is whether its digests differ."""

    name: str
    keeps_apart: bool
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True)
class WhyNotPage:
    """`outside` is what no digest covers and still keeps runs apart: the kinds of mathematics that the sides hold.

    The two sides of one divided group are its first kind and each other one.
    """

    left: Summary
    right: Summary
    parts: tuple[Part, ...]
    outside: tuple[Leaf, ...]
    verdict: str

    @property
    def sides(self) -> tuple[Summary, Summary]:
        return self.left, self.right


def why_not_page(key: str, other: str) -> WhyNotPage:
    """Raises ComparisonGroup.DoesNotExist where either key has no group."""
    related = ComparisonGroup.objects.select_related("operation", "workload", "protocol", "environment", "standing")
    left, right = related.get(key=key), related.get(key=other)
    apart = comparability.differing_parts(_parts(left), _parts(right))
    specs = (_specs(left), _specs(right))
    found = tuple(
        Part(
            name,
            name in apart,
            tuple(
                Leaf(difference.path, _told(difference.left), _told(difference.right))
                for difference in comparability.differences(specs[0][name], specs[1][name])
            ),
        )
        for name in comparability.PARTS
    )
    outside = _outside(variants.kinds_of(left.standing.variants), variants.kinds_of(right.standing.variants))
    summaries = {
        columns["key"]: summary(columns)
        for columns in ComparisonGroup.objects.filter(pk__in=[left.pk, right.pk]).values(*SUMMARY_COLUMNS)
    }
    return WhyNotPage(summaries[key], summaries[other], found, outside, _verdict(apart, outside))


def _verdict(apart: Sequence[str], outside: tuple[Leaf, ...]) -> str:
    if apart:
        beside = "; outside the key the variant differs" if outside else ""
        return f"not ranked together because {comparability.parts_text(apart)}{beside}"
    if outside:
        return "one comparison group, and not ranked together because the variant differs, which no digest covers"
    return "one comparison group"


def _outside(left: Sequence[Variant], right: Sequence[Variant]) -> tuple[Leaf, ...]:
    if left == right:
        return tuple(Leaf(VARIANT_PATH, left[0].name, kind.name) for kind in left[1:])
    one, other = (", ".join(kind.title for kind in kinds if kind.name or len(kinds) > 1) for kinds in (left, right))
    return () if one == other else (Leaf(VARIANT_PATH, one or None, other or None),)


def _parts(group: ComparisonGroup) -> dict[str, str]:
    return parts(
        group.operation.digest,
        group.workload.digest,
        group.protocol.digest,
        group.environment.digest,
        group.correctness,
        group.metric,
        group.statistic,
        group.unit,
    )


def _specs(group: ComparisonGroup) -> dict[str, Any]:
    workload = _spec(group.workload.canonical)
    return {
        "operation": _spec(group.operation.canonical),
        "workload": {key: value for key, value in workload.items() if key != "correctness"},
        "protocol": _spec(group.protocol.canonical),
        "environment": _spec(group.environment.canonical),
        "correctness": workload.get("correctness", {}),
        "metric": {"metric": group.metric, "statistic": group.statistic, "unit": group.unit},
    }


def _spec(canonical: str) -> dict[str, Any]:
    return dict(json.loads(canonical)["spec"]) if canonical else {}


def _told(value: Any) -> str | None:
    if value is ABSENT or value is None:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
