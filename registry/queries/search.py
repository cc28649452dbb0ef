"""Search: an operation, an implementation, a GPU, a digest prefix or an external id, from one box."""

import re
from dataclasses import dataclass
from functools import reduce

from django.db.models import Count, F, Model, Q, QuerySet, Value, Window

from registry.models import (
    ComparisonGroup,
    Environment,
    Hardware,
    Implementation,
    NameAlias,
    Operation,
    Protocol,
    Run,
    Sighting,
    Workload,
)
from registry.models.names import NameKind
from registry.queries import rows
from registry.queries.shapes import Ref, RunRow
from registry.queries.summaries import SUMMARY_COLUMNS, Summary, summary

SHOWN = 20
LONGEST_QUERY = 200
MOST_WORDS = 8
FEWEST_HEX = 12
DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{12,64})")
DIGESTED: tuple[tuple[str, type[Model], str], ...] = (
    ("run", Run, "digest"),
    ("comparison group", ComparisonGroup, "key"),
    ("operation", Operation, "digest"),
    ("workload", Workload, "digest"),
    ("protocol", Protocol, "digest"),
    ("environment", Environment, "digest"),
    ("implementation", Implementation, "digest"),
)


@dataclass(frozen=True, slots=True)
class Hits:
    """Matches of one kind, the first SHOWN of `total`."""

    kind: str
    items: tuple[Ref, ...]
    total: int


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What a query found. `dropped` names the word without which there would be most matches, where there are none."""

    query: str
    words: tuple[str, ...]
    hits: tuple[Hits, ...]
    groups: tuple[Summary, ...]
    group_total: int
    runs: tuple[RunRow, ...]
    run_total: int
    dropped: str | None
    without_dropped: tuple[Summary, ...]
    is_cut: bool

    @property
    def is_empty(self) -> bool:
        return not (self.hits or self.group_total or self.run_total)


def search_page(query: str) -> SearchPage:
    """An empty query finds nothing. Every word must match; nothing else is filtered."""
    cut = query.replace("\x00", "")[:LONGEST_QUERY]
    words = tuple(cut.split()[:MOST_WORDS])
    is_cut = len(cut) < len(query) or len(cut.split()) > MOST_WORDS
    if not words:
        return SearchPage(cut, (), (), (), 0, (), 0, None, (), is_cut)
    digest = DIGEST.fullmatch(words[0]) if len(words) == 1 else None
    if digest and (matches := digest_matches(digest[1])):
        return SearchPage(cut, words, matches, (), 0, (), 0, None, (), is_cut)
    by_key = Run.objects.filter(Q(external_id=cut.strip()) | Q(pk__in=_sighted(cut.strip())))
    named = _groups(words)
    total, run_total = named.count(), by_key.count()
    hits = tuple(hit for hit in _hits(words) if hit.total)
    dropped, without = (None, ()) if total or hits or run_total else _nearest(words)
    return SearchPage(
        cut,
        words,
        hits,
        _summaries(named) if total else (),
        total,
        tuple(rows.run_rows(by_key.order_by("-observed_at", "-id")[:SHOWN])) if run_total else (),
        run_total,
        dropped,
        without,
        is_cut,
    )


def digest_matches(prefix: str) -> tuple[Hits, ...]:
    """Everything whose digest begins with these hex digits, by kind: one query, and one more for each kind found."""
    totals = [
        _digested(model, column, prefix).order_by().values(kind=Value(kind)).annotate(total=Count("pk"))
        for kind, model, column in DIGESTED
    ]
    found = {row["kind"]: row["total"] for row in totals[0].union(*totals[1:], all=True)}
    return tuple(
        Hits(kind, tuple(_ref(row, column) for row in _digested(model, column, prefix)[:SHOWN]), found[kind])
        for kind, model, column in DIGESTED
        if found.get(kind)
    )


def _digested(model: type[Model], column: str, prefix: str) -> QuerySet[Model]:
    matching = model._default_manager.filter(**{f"{column}__startswith": f"sha256:{prefix}"})
    return matching.order_by(column, "pk")


def _ref(row: Model, column: str) -> Ref:
    digest = getattr(row, column)
    return Ref(digest, rows.short(digest, 24), row.get_absolute_url())  # type: ignore[attr-defined]  # each of DIGESTED has one


def _sighted(key: str) -> QuerySet[Sighting]:
    return Sighting.objects.filter(upstream_key=key).values("run_id")  # type: ignore[return-value]  # a values subquery


def _hits(words: tuple[str, ...]) -> list[Hits]:
    named = Operation.objects.filter(_all(words, "display_name", "slug", "family", "aliases__alias"))
    operations = Operation.objects.filter(pk__in=named.values("pk"))  # once each, however many aliases match
    hardware = Hardware.objects.filter(_all(words, "name", "slug", gpu="name"))
    implementations = Implementation.objects.filter(_all(words, "display_name", "slug", "project__name", "author"))
    return [
        _hit("operations", operations.order_by("slug")),
        _hit("GPUs", hardware.order_by("slug")),
        _hit("implementations", implementations.order_by("display_name", "id")),
    ]


def _hit(kind: str, found: QuerySet[Model]) -> Hits:
    """One query: the total comes with the rows."""
    shown = list(found.annotate(total=Window(Count("pk")))[:SHOWN])
    items = tuple(Ref(str(row.pk), str(row), row.get_absolute_url()) for row in shown)  # type: ignore[attr-defined]
    return Hits(kind, items, shown[0].total if shown else 0)  # type: ignore[attr-defined]  # annotated


def _groups(words: tuple[str, ...]) -> QuerySet[ComparisonGroup]:
    return ComparisonGroup.objects.filter(_in_group(words))


def _in_group(words: tuple[str, ...]) -> Q:
    """Each word names the group's operation, workload, hardware, protocol or metric; `axis=4096` as stated."""
    return _all(
        tuple(word.replace("=", " ") for word in words),
        "operation__display_name",
        "operation__slug",
        "operation__family",
        "workload__label",
        "environment__hardware__name",
        "environment__runner",
        "protocol__label",
        "metric",
        gpu="environment__hardware__name",
    )


def _summaries(found: QuerySet[ComparisonGroup]) -> tuple[Summary, ...]:
    ordered = found.order_by(F("standing__run_count").desc(), "id").values(*SUMMARY_COLUMNS)[:SHOWN]
    return tuple(summary(columns) for columns in ordered)


def _nearest(words: tuple[str, ...]) -> tuple[str | None, tuple[Summary, ...]]:
    """Which single word excludes most, and what is there without it. Two queries."""
    rest = {word: tuple(other for other in words if other != word) for word in words}
    if len(rest) < 2:
        return None, ()
    counted = {f"without_{index}": Count("pk", filter=_in_group(rest[word])) for index, word in enumerate(rest)}
    counts = dict(zip(rest, ComparisonGroup.objects.aggregate(**counted).values(), strict=True))
    dropped = max(counts, key=lambda word: counts[word])
    if not counts[dropped]:
        return None, ()
    return dropped, _summaries(_groups(rest[dropped]))


def _all(words: tuple[str, ...], *columns: str, gpu: str | None = None) -> Q:
    """Each word in one of the columns; with `gpu`, also in a settled name of what that column holds."""

    def found(word: str) -> Q:
        places = reduce(lambda one, column: one | Q(**{f"{column}__icontains": word}), columns, Q())
        return places | Q(**{f"{gpu}__in": _called(word)}) if gpu else places

    return reduce(lambda every, word: every & found(word), words, Q())


def _called(word: str) -> QuerySet[NameAlias]:
    """The hardware that people settled a name like this to stand for."""
    settled = NameAlias.objects.in_force().filter(kind=NameKind.GPU, name__icontains=word)
    return settled.order_by().values("target")  # type: ignore[return-value]  # a values subquery
