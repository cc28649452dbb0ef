"""Imports at a shell: a person's act, which publishes at once and leaves its account like any sync.

Where somebody asks to review first, the same worker's steps are taken here, up to where it waits.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path

from django.db import transaction

from registry import aliases, auditing, notes, snapshots
from registry.core.reading import BUNDLE_LIMIT_SHELL
from registry.importers import IMPORTERS, bundle, sol_execbench
from registry.importers.base import Known, RunEntry, SourceEntry
from registry.ingest import IngestReport, ingest, source_row
from registry.models import Source, Sync
from registry.models.syncs import SyncState, Trigger
from registry.syncs import accounting, asking, reading, running
from registry.syncs.reading import Reading

DEMO = Path(__file__).parents[1] / "fixtures"
DEMO_SOL = DEMO / "sol-adaptive-instance-normalization.json"
DEMO_SOL_RERUN_STACK = DEMO / "sol-adaptive-instance-normalization-v1-1.json"
DEMO_LIGER = DEMO / "liger-relu-squared.csv"
DEMO_PUBLISHED_AT = datetime(2026, 8, 24, 19, 7, tzinfo=UTC)  # the instant that the seed page's id was made of
SOL = sol_execbench.SOURCE
BUNDLE = "bundle"  # what stands in an importer's place for documents that are translated already
REVIEW_ASKED = "A review was asked for at a shell."
Progress = Callable[[int], None]
WriteProgress = Callable[[int, int], None]


class UnknownSourceError(ValueError):
    """A bundle can't be put under a source that nobody has made."""


def import_file(
    slug: str,
    path: Path,
    *,
    now: datetime,
    answers: Mapping[str, object] | None = None,
    source_slug: str | None = None,
    is_dry_run: bool = False,
    on_read: Progress = lambda count: None,
    on_write: WriteProgress = lambda done, total: None,
) -> IngestReport:
    """Import a source's file, or a folder of them, and publish. Raises importers.base.Unreadable, with nothing written.

    `source_slug` is whom a tool's output belongs to. Also raises MissingFacts, where `answers` lack what the files do
    not state, and UnknownSourceError.
    """
    input_ = _input(slug, path, answers, source_slug)
    keep = partial(snapshots.keep_files, input_.files, now=now)
    report = input_.ingest(now=now, is_dry_run=is_dry_run, keep=keep, on_read=on_read, on_write=on_write)
    if not is_dry_run:
        keep()
        _account(input_, report, now)
    return report


def seen_again(
    slug: str, path: Path, *, now: datetime, answers: Mapping[str, object] | None = None, source_slug: str | None = None
) -> Sync | None:
    """Where this very input was published before, by the same importer and settled names: note that it was seen again.

    None: it is to be read.
    """
    input_ = _input(slug, path, answers, source_slug)
    source = Source.objects.filter(slug=input_.source.slug).first()
    before = source and reading.published_before(source, input_.fingerprint())
    if before is None:
        return None
    sync = _ended(before.source, input_, now)
    sync.report, sync.changes = running.unchanged(before), running.nothing_changed(before)
    _write(sync, input_, now)
    return sync


def review_file(
    slug: str, path: Path, *, now: datetime, answers: Mapping[str, object] | None = None, source_slug: str | None = None
) -> Sync:
    """Read a source's file up to where it waits for a person. Raises SyncError where the source is being read."""
    input_ = _input(slug, path, answers, source_slug)
    snapshots.keep_files(input_.files, now=now)
    with transaction.atomic():
        source = _source_of(input_.source, now)
        sync = asking.queue(
            source, trigger=Trigger.SHELL, actor=None, now=now, importer=slug, answers=answers,
            waits_because=REVIEW_ASKED,
        )  # fmt: skip
        reading.keep_files(sync, input_.snapshots, now=now)
    running.run(sync.pk, now=now)
    sync.refresh_from_db()
    return sync


def import_bundles(
    paths: Sequence[Path],
    *,
    source_slug: str,
    now: datetime,
    is_dry_run: bool = False,
    on_read: Progress = lambda count: None,
    on_write: WriteProgress = lambda done, total: None,
) -> IngestReport:
    """Import bundles as one: they may refer to each other, and any fault in any of them refuses all.

    Raises Unreadable, ingest.Refusal (every fault of every file in its report) or UnknownSourceError, nothing written.
    """
    source = _source(source_slug)
    named = _named_apart(paths)
    readings = [(name, bundle.read_file(path, limit=BUNDLE_LIMIT_SHELL)) for path, name in named]
    files = [replace(snapshots.take_file(path), file_name=name) for path, name in named]
    report = ingest(
        chain.from_iterable(bundle.translate(reading, file=name) for name, reading in readings),
        source=source,
        snapshot=files[0],
        more=files[1:],
        keep=lambda: [snapshots.keep_file(path, now=now) for path in paths],
        now=now,
        is_all_or_nothing=True,
        is_dry_run=is_dry_run,
        on_read=on_read,
        on_write=on_write,
    )
    if not is_dry_run:
        _account(Reading(BUNDLE, source, files, [], Known()), report, now)
    return report


def _named_apart(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """Each path with the name that places are told by: the file's, or the whole path where two files share one."""
    unique = list(dict.fromkeys(paths))
    names = Counter(path.name for path in unique)
    return [(path, path.name if names[path.name] == 1 else str(path)) for path in unique]


def load_demo(*, now: datetime) -> list[IngestReport]:
    """Load the bundled registry: both seed runs, the Liger sweep, the later SOL stack, and the protocol notes.

    The SOL seed keeps its publication instant, since its id and its page's title follow from it.
    """
    reports = []
    for path in (DEMO_SOL, DEMO_SOL_RERUN_STACK):
        published_at = DEMO_PUBLISHED_AT if path == DEMO_SOL else None
        entries = [
            _of_the_leaderboard(entry, published_at) if isinstance(entry, RunEntry) else entry
            for entry in bundle.translate(bundle.read_file(path, limit=BUNDLE_LIMIT_SHELL), file=path.name)
        ]
        snapshot = snapshots.take_file(path)
        report = ingest(
            entries,
            source=SOL,
            snapshot=snapshot,
            keep=partial(snapshots.keep_file, path, now=now),
            now=now,
            is_all_or_nothing=True,
        )
        _account(Reading(BUNDLE, SOL, [snapshot], [], Known()), report, now)
        reports.append(report)
    reports.append(import_file("liger-kernel-bench", DEMO_LIGER, now=now))
    notes.load_bundled(now=now)
    return reports


def _of_the_leaderboard(entry: RunEntry, published_at: datetime | None) -> RunEntry:
    """SOL-ExecBench's site addresses a submission as submission/<number>; the document states the bare number."""
    assert isinstance(entry.run, dict)
    key = f"submission/{entry.run['spec']['sourceNative']['externalId']}"
    return replace(entry, upstream_key=key, published_at=published_at)


def _source(slug: str) -> SourceEntry:
    known = {entry.slug: entry for entry in (bundle.SOURCE, *(importer.SOURCE for importer in IMPORTERS.values()))}
    if slug in known:
        return known[slug]
    held = Source.objects.filter(slug=slug).first()
    if held is None:
        raise UnknownSourceError(f"no source {slug!r}; known: {', '.join(sorted(known))} and those in the admin")
    return SourceEntry(held.slug, held.name, held.kind)


def _input(slug: str, path: Path, answers: Mapping[str, object] | None, source_slug: str | None) -> Reading:
    files, source = snapshots.input_files(path), _whose(slug, source_slug)
    known = aliases.known(Source.objects.filter(slug=source.slug).first(), answers)
    return Reading(slug, source, snapshots.take_files(files), files, known)


def _whose(slug: str, source_slug: str | None) -> SourceEntry:
    """Whom the runs belong to: an upstream's to itself, those of a tool's output to the source that is named."""
    own = IMPORTERS[slug].SOURCE
    if source_slug in (None, own.slug):
        return own
    if own.slug == slug:
        raise UnknownSourceError(f"runs of {slug} belong to that source")
    return _source(str(source_slug))


def _account(input_: Reading, report: IngestReport, now: datetime) -> None:
    """Note what was read and what came of it, once for each input."""
    with transaction.atomic():
        source = _source_of(input_.source, now)
        if not report.has_changes and reading.published_before(source, input_.fingerprint()):
            return
        sync = _ended(source, input_, now)
        sync.report, sync.changes = accounting.report_json(report), report.changes
        _write(sync, input_, now)
        accounting.keep_rows(sync, report, now=now)


def _ended(source: Source, input_: Reading, now: datetime) -> Sync:
    return Sync(
        id=auditing.new_id(now),
        source=source,
        importer=input_.importer,
        trigger=Trigger.SHELL,
        state=SyncState.DONE,
        requested_at=now,
        started_at=now,
        finished_at=now,
        attempts=1,
        fingerprint=input_.fingerprint(),
        answers=dict(input_.known.answers),
    )


def _write(sync: Sync, input_: Reading, now: datetime) -> None:
    with transaction.atomic():
        sync.save(force_insert=True)
        reading.keep_files(sync, input_.snapshots, now=now)


def _source_of(entry: SourceEntry, now: datetime) -> Source:
    return Source.objects.get_or_create(slug=entry.slug, defaults=source_row(entry, now))[0]
