"""Where importers meet the door: a file is taken, translated, ingested and accounted for."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path

from registry import notes, snapshots
from registry.core.reading import BUNDLE_LIMIT_SHELL
from registry.importers import IMPORTERS, bundle, sol_execbench
from registry.importers.base import Known, RunEntry, SourceEntry, Translation
from registry.ingest import IngestReport, ingest
from registry.models import Source

DEMO = Path(__file__).parent / "fixtures"
DEMO_SOL = DEMO / "sol-adaptive-instance-normalization.json"
DEMO_SOL_RERUN_STACK = DEMO / "sol-adaptive-instance-normalization-v1-1.json"
DEMO_LIGER = DEMO / "liger-relu-squared.csv"
DEMO_PUBLISHED_AT = datetime(2026, 8, 24, 19, 7, tzinfo=UTC)  # the instant that the seed page's id was made of
SOL = sol_execbench.SOURCE
Progress = Callable[[int], None]
WriteProgress = Callable[[int, int], None]


class UnknownSourceError(ValueError):
    """A bundle can't be put under a source that nobody has made."""


def import_file(
    slug: str,
    path: Path,
    *,
    now: datetime,
    is_dry_run: bool = False,
    on_read: Progress = lambda count: None,
    on_write: WriteProgress = lambda done, total: None,
) -> IngestReport:
    """Import one file of a source. Raises importers.base.Unreadable, with nothing written."""
    importer = IMPORTERS[slug]
    return ingest(
        Translation(importer, snapshots.input_files(path), Known()),
        source=importer.SOURCE,
        snapshot=snapshots.take_file(path),
        keep=partial(snapshots.keep_file, path, now=now),
        now=now,
        is_dry_run=is_dry_run,
        on_read=on_read,
        on_write=on_write,
    )


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
    first, *more = [replace(snapshots.take_file(path), file_name=name) for path, name in named]
    return ingest(
        chain.from_iterable(bundle.translate(reading, file=name) for name, reading in readings),
        source=source,
        snapshot=first,
        more=more,
        keep=lambda: [snapshots.keep_file(path, now=now) for path in paths],
        now=now,
        is_all_or_nothing=True,
        is_dry_run=is_dry_run,
        on_read=on_read,
        on_write=on_write,
    )


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
        reports.append(
            ingest(
                entries,
                source=SOL,
                snapshot=snapshots.take_file(path),
                keep=partial(snapshots.keep_file, path, now=now),
                now=now,
                is_all_or_nothing=True,
            )
        )
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
