"""An input larger than a window: the same registry as in one piece, nothing of what can't be read to its end."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from registry.importers.base import CoverageEntry, Entry, Rejected, Skipped, Unreadable, in_line
from registry.ingest import IngestReport
from registry.models import ComparisonGroup, Coverage, Mark, Run, Sighting, Standing
from registry.staging import account, reader
from registry.verifying import verify
from tests.conftest import NOW
from tests.factories import (
    bundle,
    bundle_of,
    counts,
    entries_of,
    environment_document,
    everything,
    ingest_entries,
    run_entry,
)

LATER = NOW + timedelta(days=1)
HOSTS = [environment_document(), environment_document(hardware__product="NVIDIA B200")]
OBSERVED = [
    run_entry(observedAt=f"2026-07-0{number + 1}T00:00:00Z", environment=HOSTS[number % 2]) for number in range(7)
]
IDS = [UUID(f"01a05cd7-2a00-7000-8000-00000000000{number}") for number in range(7)]


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WINDOW_RUNS", 3)


def rows(*entries: dict[str, object], **run_fields: object) -> list[Entry]:
    return entries_of(bundle_of(*(entries or OBSERVED)), **run_fields)


class Upstream:
    """Entries that can be gone through again, as an importer's can; `breaks` raises after the last."""

    def __init__(self, entries: list[Entry], *, breaks: bool = False) -> None:
        self.entries, self.breaks, self.times = entries, breaks, 0

    def __iter__(self) -> Iterator[Entry]:
        self.times += 1
        yield from self.entries
        if self.breaks:
            raise Unreadable("rows: cut short")


def told(report: IngestReport) -> tuple[object, ...]:
    return report.read, report.new, report.known, report.flagged, report.skipped, report.rejected


def test_windows_give_the_registry_that_one_piece_gives(
    db: None, small_windows: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = Upstream(rows())
    in_windows = ingest_entries(upstream)
    assert upstream.times == 2
    digests = set(Run.objects.values_list("digest", flat=True))
    standings = list(Standing.objects.order_by("run__digest").values_list("run__digest", "rank", "tied"))
    groups = set(ComparisonGroup.objects.values_list("key", "standing__run_count"))
    assert verify().differences == ()
    monkeypatch.setattr(reader, "WINDOW_RUNS", 1_000)
    again = ingest_entries(Upstream(rows()), now=LATER)
    assert (again.new, again.batches) == ({}, 0)
    assert in_windows.new["BenchmarkRun"] == len(digests) == 7
    assert {count for _, count in groups} == {3, 4}
    assert standings == list(Standing.objects.order_by("run__digest").values_list("run__digest", "rank", "tied"))


def test_an_input_of_one_window_is_read_once(db: None) -> None:
    upstream = Upstream(rows())
    ingest_entries(upstream)
    assert upstream.times == 1


def test_what_can_t_be_read_to_its_end_leaves_nothing_behind(db: None, small_windows: None) -> None:
    with pytest.raises(Unreadable):
        ingest_entries(Upstream(rows(), breaks=True))
    assert counts() == {}


def test_an_iterator_is_one_window(db: None, small_windows: None) -> None:
    report = ingest_entries(iter(rows()))
    assert report.new["BenchmarkRun"] == 7


def test_a_dry_run_in_windows_says_what_the_import_then_does(db: None, small_windows: None) -> None:
    entries = [*rows(), *rows()[-7:], Skipped("SERVING_KIND", in_line("rows", 1)(()))]
    dry = ingest_entries(Upstream(entries), is_dry_run=True)
    assert counts() == {}
    assert told(dry) == told(ingest_entries(Upstream(entries)))
    assert (dry.new["BenchmarkRun"], dry.known["BenchmarkRun"]) == (7, 7)


def test_a_second_import_in_windows_changes_nothing(db: None, small_windows: None) -> None:
    ingest_entries(Upstream(rows()))
    before = everything()
    report = ingest_entries(Upstream(rows()), now=LATER)
    assert everything() == before
    assert (report.new, report.known["BenchmarkRun"], report.batches) == ({}, 7, 0)


def test_the_same_run_in_two_windows_counts_once(db: None, small_windows: None) -> None:
    report = ingest_entries(Upstream([*rows(), *rows()[-7:]]))
    assert (report.new["BenchmarkRun"], report.known["BenchmarkRun"]) == (7, 7)
    assert Sighting.objects.count() == 7


def test_coverage_may_tell_of_runs_of_several_windows(db: None, small_windows: None) -> None:
    entries = [
        CoverageEntry(tuple(f"row/{number}" for number in range(0, 7, 2)), 9, "top 4"),
        *(entry for number, one in enumerate(OBSERVED) for entry in rows(one, upstream_key=f"row/{number}")),
    ]
    ingest_entries(Upstream(entries))
    assert list(Coverage.objects.values_list("offered", "taken", "rule")) == [(9, 4, "top 4")]


def test_a_run_supersedes_one_of_an_earlier_or_a_later_window(db: None, small_windows: None) -> None:
    entries = [
        entry
        for number, one in enumerate(OBSERVED)
        for entry in rows(one, id=IDS[number], supersedes={0: IDS[6], 5: IDS[1]}.get(number))
    ]
    ingest_entries(Upstream(entries))
    marks = Mark.objects.filter(kind="superseded").values_list("run_id", "successor_id")
    assert set(marks) == {(IDS[6], IDS[0]), (IDS[1], IDS[5])}
    assert verify().differences == ()


def test_a_document_of_an_earlier_window_serves_a_later_one(db: None, small_windows: None) -> None:
    documents = entries_of(bundle(runs=[]))
    report = ingest_entries(Upstream([*documents, *rows()[-7:]]))
    assert (report.rejected, report.new["BenchmarkRun"]) == ([], 7)


def test_places_are_told_for_the_first_rejections_and_counts_for_all(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "LISTED", 2)
    faults = [Rejected("VALUE", in_line("rows", line)(()), "not a number") for line in range(1, 6)]
    report = ingest_entries(faults)
    assert (report.rejected_by_reason, len(report.rejected)) == ({"VALUE": 5}, 2)
    assert report.as_json()["rejections_listed"] == 2


def test_a_window_s_report_counts_its_progress_through_both_readings(db: None, small_windows: None) -> None:
    seen: list[int] = []
    ingest_entries(Upstream(rows()), on_read=seen.append)
    assert seen == list(range(1, 16))  # 11 entries; the first window holds 7, the others are read again
