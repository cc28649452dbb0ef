"""The releases under which an implementation was measured: the upstream's labels, with their runs and dates."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min

from registry.models import Implementation, Sighting


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    release: str
    run_count: int
    observed_from: datetime
    observed_to: datetime


def releases_of(implementation: Implementation) -> tuple[ReleaseLine, ...]:
    """Oldest observation first; none where upstream names fewer than two. One query."""
    found = (
        Sighting.objects.filter(run__implementation=implementation, release__isnull=False)
        .values("release")
        .annotate(runs=Count("run", distinct=True), first=Min("run__observed_at"), last=Max("run__observed_at"))
        .order_by("first", "release")
    )
    lines = tuple(ReleaseLine(row["release"], row["runs"], row["first"], row["last"]) for row in found)
    return lines if len(lines) > 1 else ()
