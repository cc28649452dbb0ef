"""Which runs became contested between two instants: a report was opened, or a comparable result came out against it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

from attestations.core.contest import contested
from attestations.models import AttestationVersion, Follow, Report, Thing
from attestations.queries.news import NewsLine

Rows = Mapping[str, list[dict[str, Any]]]


def newly_contested(since: datetime, until: datetime) -> dict[str, NewsLine]:
    """Of the runs that somebody follows, those that were not contested at `since` and are at `until`, by digest."""
    followed = Exists(Follow.objects.filter(thing=Thing.RUN, target=OuterRef("run__digest")))
    spoken = Exists(Follow.objects.filter(thing=Thing.RUN, target=OuterRef("attestation__run__digest")))
    opened = Report.objects.filter(followed, at__gt=since, at__lte=until)
    said = AttestationVersion.objects.filter(spoken, at__gt=since, at__lte=until, is_comparable=True)
    happened = [*opened.values_list("run__digest", "pk", "at")]
    happened += said.values_list("attestation__run__digest", "pk", "at")
    latest = {digest: (pk, at) for digest, pk, at in sorted(happened, key=lambda event: event[2])}
    if not latest:
        return {}
    reports, versions = _reports(latest), _versions(latest)
    found = {}
    for digest, (pk, at) in latest.items():
        because = _because(digest, reports, versions, until)
        if because and not _because(digest, reports, versions, since):
            found[digest] = NewsLine(f"contested:{pk}", "contested", at, 1, f"Contested: {', '.join(because)}")
    return found


def _because(digest: str, reports: Rows, versions: Rows, at: datetime) -> tuple[str, ...]:
    """Why it was contested at an instant."""
    opened = sum(row["at"] <= at and not _by(row["closed_at"], at) for row in reports[digest])
    newest: dict[Any, dict[str, Any]] = {}
    for row in versions[digest]:
        gone = _by(row["attestation__withdrawn_at"], at) or _by(row["attestation__hidden_at"], at)
        if row["at"] <= at and not gone:
            newest[row["attestation"]] = row
    return contested(opened, [row["verdict"] for row in newest.values() if row["is_comparable"]])


def _by(happened: datetime | None, at: datetime) -> bool:
    return happened is not None and happened <= at


def _reports(digests: Collection[str]) -> Rows:
    rows = Report.objects.filter(run__digest__in=digests, duplicate_of=None).values("run__digest", "at", "closed_at")
    return _by_digest(rows, "run__digest")


def _versions(digests: Collection[str]) -> Rows:
    rows = AttestationVersion.objects.filter(attestation__run__digest__in=digests).order_by("number")
    columns = ("attestation__withdrawn_at", "attestation__hidden_at", "attestation", "at", "verdict", "is_comparable")
    return _by_digest(rows.values("attestation__run__digest", *columns), "attestation__run__digest")


def _by_digest(rows: Any, column: str) -> Rows:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found
