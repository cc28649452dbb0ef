"""A sync as its page shows it: when, of what, what came of it, and each row that was not taken."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count

from registry.models import Sync, SyncFile, SyncRow
from registry.models.syncs import SyncRowKind, SyncState, Trigger
from registry.queries import addresses, keyset
from registry.queries.shapes import Page, Ref, linkable

ROWS_A_PAGE = 50
FINISHED = (SyncState.DONE, SyncState.WAITING)
NOT_TAKEN = (SyncRowKind.REJECTED, SyncRowKind.PENDING)
COUNTS = ("new", "known", "flagged", "not_indexed")
CHANGES = ("new", "known", "corrected", "remeasured", "vanished")


@dataclass(frozen=True, slots=True)
class SyncLine:
    """A sync in a list. Counts of runs are None where it never got so far as to read them."""

    id: str
    url: str
    source: Ref
    trigger: str
    state: str
    state_text: str
    is_dry_run: bool
    requested_at: datetime
    finished_at: datetime | None
    new_runs: int | None
    known_runs: int | None
    rejected: int | None
    pending: int | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Counted:
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """Rows that were not taken, by reason. `kind`: rejected, or pending until a name is settled."""

    kind: str
    kind_text: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class FileLine:
    name: str
    url: str | None
    revision: str | None
    sha256: str
    size_bytes: int
    taken_at: datetime


@dataclass(frozen=True, slots=True)
class RowLine:
    """A row of the input that needs telling; `key` is the upstream's own id of it."""

    kind: str
    kind_text: str
    reason: str
    file: str
    line: int | None
    path: str
    key: str | None
    text: str
    run_url: str | None
    successor_url: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sync that is under way has come; `total` None: not known yet."""

    phase: str
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class SyncPage:
    sync: SyncLine
    importer: str
    started_at: datetime | None
    attempts: int
    next_attempt_at: datetime | None
    progress: Progress | None
    error: str
    waits_because: str
    decided_at: datetime | None
    decision_reason: str
    counts: tuple[Counted, ...]
    changes: tuple[Counted, ...]
    reasons: tuple[ReasonCount, ...]
    files: tuple[FileLine, ...]
    rows: tuple[RowLine, ...]
    page: Page
    csv_url: str


def sync_page(sync_id: UUID, cursor: str | None = None) -> SyncPage:
    """Raises Sync.DoesNotExist, keyset.BadCursorError."""
    sync = Sync.objects.select_related("source").get(pk=sync_id)
    found = SyncRow.objects.filter(sync=sync).select_related("run", "successor")
    listed, following = keyset.page(found, order=("id",), scope=f"sync:{sync_id}", cursor=cursor, limit=ROWS_A_PAGE)
    is_open = sync.state in (SyncState.RUNNING, SyncState.PUBLISHING)
    reasons = reason_counts(sync)
    return SyncPage(
        sync=line(sync),
        importer=sync.importer,
        started_at=sync.started_at,
        attempts=sync.attempts,
        next_attempt_at=sync.next_attempt_at,
        progress=Progress(sync.phase, sync.done, sync.total) if is_open else None,
        error=sync.error,
        waits_because=sync.waits_because,
        decided_at=sync.decided_at,
        decision_reason=sync.decision_reason,
        counts=tuple(_flat(sync.report)),
        changes=tuple(Counted(name, sync.changes[name]) for name in CHANGES if name in sync.changes),
        reasons=reasons,
        files=tuple(map(_file, SyncFile.objects.filter(sync=sync))),
        rows=tuple(map(_row, listed)),
        page=Page(following, sum(reason.count for reason in reasons)),
        csv_url=f"{addresses.sync(sync.id)}rows.csv",
    )


def sync_lines(syncs: Iterable[Sync]) -> tuple[SyncLine, ...]:
    return tuple(map(line, syncs))


def line(sync: Sync) -> SyncLine:
    """A sync with its source joined."""
    report = sync.report
    has_read = bool(report)
    return SyncLine(
        id=str(sync.id),
        url=addresses.sync(sync.id),
        source=Ref(sync.source.slug, sync.source.name, addresses.source(sync.source.slug)),
        trigger=Trigger(sync.trigger).label,
        state=sync.state,
        state_text=SyncState(sync.state).label,
        is_dry_run=sync.is_dry_run,
        requested_at=sync.requested_at,
        finished_at=sync.finished_at,
        new_runs=report.get("new", {}).get("BenchmarkRun", 0) if has_read else None,
        known_runs=report.get("known", {}).get("BenchmarkRun", 0) if has_read else None,
        rejected=sum(report.get("rejected", {}).values()) if has_read else None,
        pending=sum(report.get("pending", {}).values()) if has_read else None,
        outcome=_outcome(sync),
    )


def _outcome(sync: Sync) -> str:
    """What came of it, in words that need nothing beside them."""
    match sync.state:
        case SyncState.FAILED:
            return f"failed: {sync.error.splitlines()[0] if sync.error else 'no reason was kept'}"
        case SyncState.WAITING:
            return f"read, not published: {sync.waits_because}"
        case SyncState.DISCARDED:
            return f"discarded by a person: {sync.decision_reason}"
        case SyncState.DONE if sync.is_dry_run:
            return "dry run: nothing was published"
        case SyncState.DONE:
            return "published" if sync.report.get("batches") else "nothing new"
    return SyncState(sync.state).label


def reason_counts(sync: Sync) -> tuple[ReasonCount, ...]:
    """Why rows were not taken or wait, those with most rows first. The report counts all, the kept rows are bounded."""
    kept = {
        (kind, reason): count
        for kind, reason, count in SyncRow.objects.filter(sync=sync)
        .order_by()
        .values_list("kind", "reason")
        .annotate(count=Count("id"))
    }
    return _ordered(kept | _reported(sync))


def not_taken(sync: Sync) -> tuple[ReasonCount, ...]:
    """Why rows of a reading that got to its end were not taken, from its report alone."""
    return _ordered(_reported(sync))


def _reported(sync: Sync) -> dict[tuple[str, str], int]:
    return {(kind, reason): count for kind in NOT_TAKEN for reason, count in sync.report.get(kind, {}).items()}


def _ordered(counts: dict[tuple[str, str], int]) -> tuple[ReasonCount, ...]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(ReasonCount(kind, SyncRowKind(kind).label, reason, count) for (kind, reason), count in ordered)


CSV_HEAD = ("kind", "reason", "file", "line", "path", "key", "text")


def csv_rows(sync: Sync, kinds: Sequence[str] = NOT_TAKEN) -> Iterator[tuple[Any, ...]]:
    """The rows that were not taken, in the order of the input, as a stream; CSV_HEAD names the columns."""
    columns = ("kind", "reason", "file", "line", "path", "key", "text")
    yield from SyncRow.objects.filter(sync=sync, kind__in=kinds).order_by("id").values_list(*columns).iterator(2000)


def find(sync_id: UUID) -> Sync:
    """Raises Sync.DoesNotExist."""
    return Sync.objects.select_related("source").get(pk=sync_id)


def newest_finished(slug: str) -> Sync | None:
    """The newest reading of a source that got to its end, published or waiting."""
    return Sync.objects.select_related("source").filter(source__slug=slug, state__in=FINISHED).first()


def _flat(report: dict[str, Any]) -> Iterator[Counted]:
    for part in COUNTS:
        for name, count in report.get(part, {}).items():
            yield Counted(f"{part.replace('_', ' ')}: {name}", count)


def _file(file: SyncFile) -> FileLine:
    return FileLine(file.name, linkable(file.url), file.revision, file.sha256, file.size_bytes, file.taken_at)


def _row(row: SyncRow) -> RowLine:
    return RowLine(
        row.kind,
        SyncRowKind(row.kind).label,
        row.reason,
        row.file,
        row.line,
        row.path,
        row.key,
        row.text,
        addresses.run(row.run.digest) if row.run else None,
        addresses.run(row.successor.digest) if row.successor else None,
    )
