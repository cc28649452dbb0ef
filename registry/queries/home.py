"""The front page: live counts, newest records, where runs come from, how many runs a group holds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from django.db.models import Case, Count, Exists, IntegerField, Model, OuterRef, QuerySet, Value, When

from registry.models import ComparisonGroup, GroupStanding, Implementation, Operation, Record, Run
from registry.queries import addresses, rows
from registry.queries.shapes import Quantity, Ref, RunRow, quantity

RECORDS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class RecordLine:
    """The run that took a group's lead, and the one that held it before; `previous` None for the first measurement."""

    run: RunRow
    kind: str
    at: datetime
    previous: Quantity | None
    previous_name: str | None
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Share:
    """One bar of a share table; `percent` of the whole."""

    name: str
    url: str | None
    count: int
    percent: float


@dataclass(frozen=True, slots=True)
class HomePage:
    run_count: int
    group_count: int
    operation_count: int
    implementation_count: int
    rerun_count: int
    newest_published_at: datetime | None
    records: tuple[RecordLine, ...]
    sources: tuple[Share, ...]
    group_sizes: tuple[Share, ...]
    examples: tuple[Ref, ...]


SIZES = ((1, 1, "1: nothing to rank against"), (2, 2, "2"), (3, 3, "3"), (4, 19, "4 to 19"), (20, None, "20 or more"))


def home_page() -> HomePage:
    """Demonstration runs count in none of it."""
    runs = Run.objects.exclude(source__slug=rows.DEMONSTRATION)
    by_source = list(
        runs.values_list("source__slug", "source__name").annotate(count=Count("id")).order_by("-count", "source__slug")
    )
    total = sum(count for *_, count in by_source)
    newest = runs.order_by("-published_at", "-id").values_list("published_at", flat=True).first()
    records = newest_records()
    return HomePage(
        run_count=total,
        group_count=_counted(ComparisonGroup, "group").count(),
        operation_count=_counted(Operation, "operation").count(),
        implementation_count=_counted(Implementation, "implementation").count(),
        rerun_count=0,
        newest_published_at=newest,
        records=records,
        sources=tuple(Share(name, addresses.source(slug), n, _percent(n, total)) for slug, name, n in by_source),
        group_sizes=_group_sizes(),
        examples=_examples(records),
    )


def _counted(model: type[Model], column: str) -> QuerySet[Any]:
    """All rows but those that stand for runs of the demonstration alone."""
    runs = Run.objects.filter(**{column: OuterRef("pk")})
    demonstrated = runs.filter(source__slug=rows.DEMONSTRATION)
    others = runs.exclude(source__slug=rows.DEMONSTRATION)
    return model._default_manager.exclude(Exists(demonstrated), ~Exists(others))


def newest_records(limit: int = RECORDS_SHOWN) -> tuple[RecordLine, ...]:
    """The latest changes of the lead by date of observation; an author's own improvement is no news. Two queries."""
    found = list(
        Record.objects.exclude(kind="own improvement")
        .exclude(run__source__slug=rows.DEMONSTRATION)
        .order_by("-at", "-id")
        .values(
            "run_id", "kind", "at", "previous__value", "previous__implementation__display_name", "group__unit"
        )[:limit]
    )  # fmt: skip
    by_id = {c["id"]: rows.row(c) for c in rows.wide(Run.objects.filter(pk__in=[r["run_id"] for r in found]))}
    lines = []
    for record in found:
        run, before = by_id[record["run_id"]], record["previous__value"]
        ratio = run.value.value / before if before and run.value else None
        lines.append(
            RecordLine(
                run,
                record["kind"],
                record["at"],
                None if before is None else quantity(before, record["group__unit"]),
                record["previous__implementation__display_name"],
                ratio,
            )
        )
    return tuple(lines)


def _group_sizes() -> tuple[Share, ...]:
    cases = [
        When(run_count__gte=low, **({"run_count__lte": high} if high else {}), then=Value(index))
        for index, (low, high, _) in enumerate(SIZES)
    ]
    counted = dict(
        _counted(GroupStanding, "group")
        .annotate(size=Case(*cases, output_field=IntegerField()))
        .values_list("size")
        .annotate(count=Count("group"))
        .order_by()
    )
    total = sum(counted.values())
    return tuple(
        Share(name, None, counted.get(index, 0), _percent(counted.get(index, 0), total))
        for index, (_, _, name) in enumerate(SIZES)
    )


def _examples(records: tuple[RecordLine, ...]) -> tuple[Ref, ...]:
    """Searches that find something, made of what is here."""
    words: list[str] = []
    for record in records:
        gpu = record.run.hardware.name.split()[1] if " " in record.run.hardware.name else record.run.hardware.name
        words.append(f"{record.run.operation.name.lower()} {gpu}")
    if records:
        words = [*dict.fromkeys(words)][:3]
        words.append(records[0].run.digest[: len("sha256:") + 12])
    return tuple(Ref(word, word, f"/search/?q={quote_plus(word)}") for word in words)


def _percent(count: int, total: int) -> float:
    return 100 * count / total if total else 0.0
