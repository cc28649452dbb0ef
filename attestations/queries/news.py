"""What happened to things between two instants, derived from the rows that tell of it: page, feed and mail ask here.

New runs are told a source and a day at a time, marks an act at a time, so an import or an incident is one line however
many runs it touches. The number of queries depends on the kinds of things asked about, never on how many they are.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Window
from django.db.models.functions import Coalesce, Greatest, RowNumber

from attestations.core import news as sentences
from attestations.core.news import NAMED
from attestations.models import Attestation, AuthorNote, Report, Thing
from attestations.queries.names import names
from attestations.queries.things import KINDS, REDACTED, Key, targets_by_thing
from registry.core import records
from registry.models import Batch, EvidenceFact, Mark, Record, Run, Sync
from registry.models.marks import MarkKind
from registry.models.syncs import SyncState
from registry.queries import addresses
from registry.queries.shapes import Quantity, Ref, quantity

SETTLE = timedelta(seconds=15)  # longer than from an act's instant to the end of its transaction
RERUNS = ("rerun",)  # kinds of evidence facts that tell of a controlled rerun
NOTE = "INCIDENT_NOTE"  # the flag that casts no doubt
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """What is asked of one thing: what happened after `since`, up to and with `until`."""

    thing: str
    target: str
    since: datetime
    until: datetime

    @property
    def key(self) -> Key:
        return self.thing, self.target

    def has(self, at: datetime) -> bool:
        return self.since < at <= self.until


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run as a line of news names it."""

    id: str
    name: str
    about: str
    url: str
    value: Quantity | None


@dataclass(frozen=True, slots=True)
class NewsLine:
    """One thing that happened. `id` names it for good among the thing's news; `count` runs are told of in `text`.

    `runs` are named: all of them where they are few, else those that took a lead. `detail` is somebody's own words,
    `by` the public name in `text`.
    """

    id: str
    kind: str
    at: datetime
    count: int
    text: str
    runs: tuple[NamedRun, ...] = ()
    detail: str = ""
    link: Ref | None = None
    by: str = ""

    @property
    def word(self) -> str:
        return sentences.WORDS[self.kind]


News = Mapping[Key, tuple[NewsLine, ...]]


def horizon(now: datetime) -> datetime:
    """Up to when everything that happened can be seen by now.

    A sync writes its rows under the instant at which it began to write, batch after batch: while one is at work, what
    lies after its beginning may still be joined by more.
    """
    at_work = Sync.objects.filter(state__in=(SyncState.RUNNING, SyncState.PUBLISHING)).aggregate(
        since=Min(Greatest(Coalesce("started_at", "requested_at"), Coalesce("decided_at", "requested_at")))
    )["since"]
    return min(now, at_work or now) - SETTLE


def news(spans: Iterable[Span]) -> News:
    """The news of each thing, newest first. A thing without any is left out."""
    by_key = {span.key: span for span in spans}
    found: dict[Key, list[_Found]] = defaultdict(list)
    for thing, targets in targets_by_thing(by_key).items():
        asked = [by_key[thing, target] for target in targets]
        for line in _of_kind(thing, asked):
            found[thing, line.target].append(line)
    named = _named({run_id for lines in found.values() for line in lines for run_id in line.run_ids})
    told = {
        key: tuple(replace(one.line, runs=tuple(named[run_id] for run_id in one.run_ids)) for one in lines)
        for key, lines in found.items()
    }
    return {key: tuple(sorted(lines, key=lambda line: (line.at, line.id), reverse=True)) for key, lines in told.items()}


@dataclass(frozen=True, slots=True)
class _Found:
    """A line whose runs still lack their names."""

    target: str
    line: NewsLine
    run_ids: tuple[uuid.UUID, ...] = ()


def _of_kind(thing: str, spans: Sequence[Span]) -> list[_Found]:
    asked = {span.target: span for span in spans}
    bounds = min(span.since for span in spans), max(span.until for span in spans)
    if thing == Thing.RUN:
        return [*_marks(thing, asked, bounds), *_testimony(asked, bounds)]
    return [*_new_runs(thing, asked, bounds), *_marks(thing, asked, bounds)]


Asked = Mapping[str, Span]
Bounds = tuple[datetime, datetime]


def _first_of_each(rows: QuerySet[Any], *by: str) -> QuerySet[Any]:
    """The first few rows of each partition, each with how many the partition has."""
    return rows.annotate(
        n=Window(Count("pk"), partition_by=[F(one) for one in by]),
        place=Window(RowNumber(), partition_by=[F(one) for one in by], order_by="pk"),
    ).filter(place__lte=NAMED)


def _new_runs(thing: str, asked: Asked, bounds: Bounds) -> list[_Found]:
    """New runs by source and day of import; an import has one instant, so it is either new as a whole or not."""
    runs, leads = _imports(thing, asked, bounds, ""), _imports(thing, asked, bounds, "run__")
    found = []
    for (target, source, day), imported in runs.items():
        count, led = imported.count, leads.get((target, source, day))
        is_few = count <= NAMED
        line = NewsLine(
            id=f"runs:{source}:{day}",
            kind="runs",
            at=imported.at,
            count=count,
            text=sentences.new_runs(
                count, source=None if thing == Thing.SOURCE else imported.source, day=day, leads=led.count if led else 0
            ),
        )
        shown = imported.run_ids if is_few else led.run_ids if led and led.count <= NAMED else ()
        found.append(_Found(target, line, tuple(shown)))
    return found


@dataclass(slots=True)
class _Imported:
    source: str
    at: datetime
    count: int
    run_ids: list[uuid.UUID]


def _imports(thing: str, asked: Asked, bounds: Bounds, to_run: str) -> dict[tuple[str, str, date], _Imported]:
    """How many runs, or with `to_run` how many leads that were taken, came of each source on each day."""
    path, slug, at = f"{to_run}{KINDS[thing].path}", f"{to_run}source__slug", f"{to_run}created_at"
    batches = Batch.objects.filter(at__gt=bounds[0], at__lte=bounds[1]).values("pk")  # few; runs are found by them
    rows: QuerySet[Any] = Record.objects.filter(kind=records.Kind.LEAD) if to_run else Run.objects.all()
    rows = rows.filter(**{f"{path}__in": list(asked), f"{to_run}batch__in": batches})
    name, run = f"{to_run}source__name", f"{to_run}id"
    columns = dict.fromkeys((path, slug, name, at, run, "n", "place"))  # of a source, path and slug are one
    found: dict[tuple[str, str, date], _Imported] = {}
    for row in _first_of_each(rows, path, f"{to_run}source", at).order_by(at, "pk").values(*columns):
        instant = row[at]
        if not asked[row[path]].has(instant):
            continue
        key = row[path], row[slug], instant.date()
        imported = found.setdefault(key, _Imported(row[name], instant, 0, []))
        imported.run_ids.append(row[run])
        if row["place"] == 1:
            imported.count, imported.at = imported.count + row["n"], max(imported.at, instant)
    return found


def _marks(thing: str, asked: Asked, bounds: Bounds) -> list[_Found]:
    """Marks by act. Those that a run came in with are part of it and no news."""
    path, is_run = f"run__{KINDS[thing].path}", thing == Thing.RUN
    by = (path, "kind", "rule", "incident", "at", "by", "clears__kind")
    rows = Mark.objects.filter(**{f"{path}__in": list(asked)}, at__gt=bounds[0], at__lte=bounds[1])
    rows = rows.exclude(at=F("run__created_at")).annotate(
        first_reason=Window(Min("reason"), partition_by=[F(one) for one in by]),
        last_reason=Window(Max("reason"), partition_by=[F(one) for one in by]),
    )
    columns = (*by, "pk", "run_id", "successor__digest", "incident__slug", "incident__title", "first_reason",
               "last_reason", "n", "place")  # fmt: skip
    acts: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in _first_of_each(rows, *by).order_by("at", "pk").values(*columns):
        if asked[row[path]].has(row["at"]):
            acts[tuple(row[one] for one in by)].append(row)
    return [_act(path, members, is_run=is_run) for members in acts.values()]


def _act(path: str, members: Sequence[Mapping[str, Any]], *, is_run: bool) -> _Found:
    first = members[0]
    count, incident = first["n"], first["incident__title"]
    link = Ref(first["incident__slug"], incident, addresses.incident(first["incident__slug"])) if incident else None
    if count == 1 and first["successor__digest"]:
        link = Ref(first["successor__digest"], "replaced by this run", addresses.run(first["successor__digest"]))
    kind = "noted" if first["kind"] == MarkKind.FLAGGED and first["rule"] == NOTE else first["kind"]
    line = NewsLine(
        id=f"mark:{first['pk']}",
        kind=kind,
        at=first["at"],
        count=count,
        text=sentences.marked(
            kind, count=None if is_run else count, by=first["by"], rule=first["rule"], incident=incident,
            cleared=first["clears__kind"],
        ),
        detail="" if incident or first["first_reason"] != first["last_reason"] else first["first_reason"],
        link=link,
    )  # fmt: skip
    return _Found(first[path], line, tuple(row["run_id"] for row in members) if count <= NAMED and not is_run else ())


def _testimony(asked: Asked, bounds: Bounds) -> list[_Found]:
    """What was said of runs that are followed themselves."""
    found = [*_attestations(asked, bounds), *_reports(asked, bounds), *_notes(asked, bounds), *_reruns(asked, bounds)]
    return [one for one in found if asked[one.target].has(one.line.at)]


def _within(bounds: Bounds, asked: Asked, column: str = "at") -> Q:
    return Q(run__digest__in=list(asked)) & Q(**{f"{column}__gt": bounds[0], f"{column}__lte": bounds[1]})


def _attestations(asked: Asked, bounds: Bounds) -> list[_Found]:
    rows = list(
        Attestation.objects.filter(_within(bounds, asked), withdrawn_at=None, hidden_at=None)
        .filter(versions__number=F("version"))
        .values("pk", "run__digest", "at", "kind", "actor", "versions__verdict", "versions__is_comparable")
    )
    called = names({row["actor"] for row in rows})
    return [
        _Found(row["run__digest"], NewsLine(
            f"attestation:{row['pk']}", "attestation", row["at"], 1,
            sentences.attested(
                Attestation(kind=row["kind"]).get_kind_display(), by=called[row["actor"]],
                verdict=row["versions__verdict"], is_comparable=row["versions__is_comparable"],
            ),
            by=called[row["actor"]],
        ))
        for row in rows
    ]  # fmt: skip


def _reports(asked: Asked, bounds: Bounds) -> list[_Found]:
    """Reports opened and decided. One that only joins another is counted with it, not told of."""
    found = []
    groups = Report.objects.filter(_within(bounds, asked) | _within(bounds, asked, "closed_at"), duplicate_of=None)
    for report in groups.select_related("run"):
        digest, reason = report.run.digest, report.get_reason_display()
        found.append(_Found(digest, NewsLine(
            f"report:{report.pk}:opened", "report", report.at, 1, sentences.reported(reason),
        )))  # fmt: skip
        if report.closed_at:
            text = sentences.decided(
                reason, state=report.get_state_display(),
                outcome=report.get_outcome_display() if report.outcome else None,  # type: ignore[no-untyped-call]
            )  # fmt: skip
            found.append(_Found(digest, NewsLine(
                f"report:{report.pk}:closed", "report", report.closed_at, 1, text, detail=report.public_note or "",
            )))  # fmt: skip
    return found


def _notes(asked: Asked, bounds: Bounds) -> list[_Found]:
    """Author's notes that stand: retracted ones and earlier wordings are no news."""
    later = AuthorNote.objects.filter(claim=OuterRef("claim"), run=OuterRef("run"), number__gt=OuterRef("number"))
    beside, alone = later.filter(report=OuterRef("report")), later.filter(report=None)
    rows = AuthorNote.objects.filter(_within(bounds, asked)).exclude(text="")
    rows = rows.exclude(Exists(beside)).exclude(Q(report=None) & Q(Exists(alone)))
    return [
        _Found(row["run__digest"], NewsLine(
            f"note:{row['pk']}", "note", row["at"], 1,
            sentences.noted(row["claim__project__name"] or row["claim__source__name"] or REDACTED),
        ))
        for row in rows.values("pk", "run__digest", "at", "claim__project__name", "claim__source__name")
    ]  # fmt: skip


def _reruns(asked: Asked, bounds: Bounds) -> list[_Found]:
    facts = EvidenceFact.objects.filter(_within(bounds, asked), kind__in=RERUNS)
    return [
        _Found(digest, NewsLine(f"rerun:{pk}", "rerun", at, 1, sentences.rerun(detail.get("verdict"))))
        for pk, digest, at, detail in facts.values_list("pk", "run__digest", "at", "detail")
    ]


def _named(run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, NamedRun]:
    columns = (
        "pk", "digest", "implementation__display_name", "operation__display_name", "workload__label",
        "environment__hardware__name", "value", "group__unit",
    )  # fmt: skip
    return {
        pk: NamedRun(
            digest,
            implementation or REDACTED,
            f"{operation or REDACTED}, {workload}, {hardware}",
            addresses.run(digest),
            None if value is None else quantity(value, unit or ""),
        )
        for pk, digest, implementation, operation, workload, hardware, value, unit in Run.objects.filter(
            pk__in=list(run_ids)
        ).values_list(*columns)
    }
