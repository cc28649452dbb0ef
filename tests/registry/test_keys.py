"""An upstream's rows by their keys: what came back changed, what was measured again, what is gone."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from registry.importers.base import Entry, Pending, Rejected, in_line
from registry.ingest import IngestReport
from registry.models import Mark, Run, Sighting, Source, Standing, Sync, SyncFile
from registry.models.syncs import SyncState, Trigger
from registry.staging import account, reader
from registry.verifying import verify
from tests.conftest import NOW
from tests.factories import UPSTREAM, bundle_of, entries_of, everything, ingest_bundle, ingest_entries, run_entry

LATER = NOW + timedelta(days=7)
FETCHED = replace(UPSTREAM, location="https://example.org/rows")
FIRST_DAY, NEXT_DAY = "2026-07-01T08:00:00Z", "2026-07-02T08:00:00Z"


def row(
    key: str | None, ns: int = 1000, *, at: str = FIRST_DAY, release: str | None = "1.0", **fields: Any
) -> list[Entry]:
    """A row of the upstream: its documents, and a run under its key."""
    content = bundle_of(run_entry(observedAt=at, timing__latencyNs__median=ns))
    return entries_of(
        content, lasting_key=key, upstream_key=key and f"{key}/{at}", release=release, **fields
    )  # fmt: skip


def read(*rows: list[Entry], snapshot: str = "1", **options: Any) -> IngestReport:
    entries = [entry for one in rows for entry in one]
    return ingest_entries(entries, **{"source": FETCHED, "snapshot": snapshot, **options})


def digest_of_value(ns: int) -> str:
    return Run.objects.get(value=ns).digest


A, B, C = row("a"), row("b", 2000), row("c", 3000)


def test_a_first_reading_is_all_new(db: None) -> None:
    report = read(A, B)
    assert report.changes == {"new": 2, "known": 0, "corrected": 0, "remeasured": 0, "flagged": 0}
    assert (report.corrections, report.vanished, report.share_changed) == ([], [], None)


def test_the_same_rows_in_another_file_are_known(db: None) -> None:
    read(A, B)
    report = read(A, B, snapshot="2", now=LATER)
    assert report.changes == {"new": 0, "known": 2, "corrected": 0, "remeasured": 0, "vanished": 0, "flagged": 0}
    assert report.share_changed == 0


def test_another_value_under_a_key_with_its_release_and_day_proposes_a_correction(db: None) -> None:
    read(A, B)
    report = read(row("a", 1100), B, snapshot="2", now=LATER)
    assert report.changes == {"new": 0, "known": 1, "corrected": 1, "remeasured": 0, "vanished": 0, "flagged": 0}
    [correction] = report.corrections
    assert (correction.key, correction.run_digest, correction.successor_digest) == (
        "a", digest_of_value(1000), digest_of_value(1100),
    )  # fmt: skip
    assert Run.objects.get(pk=correction.run).value == 1000
    assert Run.objects.get(pk=correction.successor).value == 1100
    assert report.share_changed == 0.5


def test_a_proposed_correction_marks_nothing_by_itself(db: None) -> None:
    read(A)
    read(row("a", 1100), snapshot="2", now=LATER)
    assert Mark.objects.count() == 0
    assert set(Standing.objects.values_list("rank", flat=True)) == {1, 2}
    assert verify().differences == ()


@pytest.mark.parametrize(
    ("again", "changes"),
    [
        (row("a", 1100, at=NEXT_DAY), {"remeasured": 1, "corrected": 0, "new": 0}),
        (row("a", 1100, release="1.1"), {"remeasured": 1, "corrected": 0, "new": 0}),
        (row("a", 1100, release=None), {"remeasured": 1, "corrected": 0, "new": 0}),
        (row("a", 1100, at="2026-07-01T23:00:00Z"), {"remeasured": 0, "corrected": 1, "new": 0}),
        (row("d", 1100), {"remeasured": 0, "corrected": 0, "new": 1}),
        (row(None, 1100), {"remeasured": 0, "corrected": 0, "new": 1}),
    ],
    ids=["another day", "another release", "no release any more", "another hour", "another key", "no key"],
)
def test_another_release_or_day_is_an_observation_of_its_own(
    db: None, again: list[Entry], changes: dict[str, int]
) -> None:
    read(A)
    report = read(again, snapshot="2", now=LATER)
    assert {name: report.changes[name] for name in changes} == changes


def test_a_row_beside_the_one_that_still_stands_corrects_nothing(db: None) -> None:
    read(A)
    report = read(row("a", 1100), A, snapshot="2", now=LATER)
    assert (report.changes["corrected"], report.changes["remeasured"], report.changes["known"]) == (0, 1, 1)


def test_a_correction_that_was_accepted_is_not_proposed_again(db: None) -> None:
    read(A)
    read(row("a", 1100), snapshot="2", now=LATER)
    Mark.objects.create(
        id="01a05cd7-2a00-7000-8000-00000000000c", run=Run.objects.get(value=1000), kind="superseded", at=LATER,
        successor=Run.objects.get(value=1100), reason="corrected", by="KernelIndex staff",
    )  # fmt: skip
    report = read(row("a", 1200), snapshot="3", now=LATER)
    [correction] = report.corrections
    assert correction.run_digest == digest_of_value(1100)


def test_another_source_s_key_is_another_key(db: None) -> None:
    read(A)
    other = replace(FETCHED, slug="other")
    report = read(row("a", 1100), source=other, snapshot="2", now=LATER)
    assert (report.changes["new"], report.changes["corrected"]) == (1, 0)


def test_a_broken_off_import_tells_its_corrections_when_it_is_done_again(db: None) -> None:
    read(A, B)
    changed = [row("a", 1100), row("b", 2100)]
    read(changed[0], snapshot="2", now=LATER)  # the half that was written before it was killed
    report = read(*changed, snapshot="2", now=LATER)
    assert report.changes["corrected"] == 2
    assert {correction.key for correction in report.corrections} == {"a", "b"}


def test_a_correction_is_proposed_by_the_reading_that_brought_it_only(db: None) -> None:
    read(A)
    read(row("a", 1100), snapshot="2", now=LATER)
    report = read(row("a", 1100), snapshot="3", now=LATER)
    assert (report.changes["corrected"], report.changes["known"], report.corrections) == (0, 1, [])


def test_rows_that_are_gone_are_told_with_their_runs_and_stay(db: None) -> None:
    read(A, B, C)
    report = read(B, snapshot="2", now=LATER)
    assert report.changes["vanished"] == 2
    assert {(gone.key, Run.objects.get(pk=gone.run).value) for gone in report.vanished} == {("a", 1000), ("c", 3000)}
    assert set(Standing.objects.values_list("rank", flat=True)) == {1, 2, 3}


def test_without_a_lasting_key_the_upstream_s_own_tells_what_is_gone(db: None) -> None:
    read([*A[:-1], replace(A[-1], lasting_key=None)], B)
    report = read(B, snapshot="2", now=LATER)
    assert [gone.key for gone in report.vanished] == [f"a/{FIRST_DAY}"]


@pytest.mark.parametrize(
    "entry",
    [
        Rejected("VALUE", in_line("rows", 3)(()), "not a number", key=f"a/{FIRST_DAY}"),
        Pending("gpu", "NVIDIA X", in_line("rows", 3)(()), "unknown", key=f"a/{FIRST_DAY}"),
    ],
    ids=["rejected", "waiting for a name"],
)
def test_a_row_that_stands_but_is_not_taken_has_not_vanished(db: None, entry: Entry) -> None:
    read(A, B)
    report = read(B, [entry], snapshot="2", now=LATER)
    assert report.changes["vanished"] == 0


def test_what_vanished_is_told_against_the_last_reading_not_an_older_one(db: None) -> None:
    read(A, B)
    read(B, snapshot="2", now=LATER)
    assert read(B, snapshot="3", now=LATER + timedelta(days=7)).changes["vanished"] == 0


def test_the_last_finished_reading_counts_even_where_its_file_is_older(db: None) -> None:
    read(A, B)
    finished("1", LATER + timedelta(days=1))
    read(B, snapshot="2", now=LATER)  # killed: no sync of it was finished
    assert read(B, snapshot="2", now=LATER + timedelta(days=2)).changes["vanished"] == 1


def finished(snapshot: str, at: Any) -> None:
    sync = Sync.objects.create(
        id="01a05cd7-2a00-7000-8000-00000000000d", source=Source.objects.get(slug="upstream"), importer="rows",
        trigger=Trigger.SCHEDULE, state=SyncState.DONE, requested_at=at,
    )  # fmt: skip
    SyncFile.objects.create(
        id="01a05cd7-2a00-7000-8000-00000000000e", sync=sync, position=0, name="rows", sha256="sha256:" + snapshot * 64,
        size_bytes=1, taken_at=at,
    )  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [{"source": UPSTREAM}, {"file": "other-rows"}],
    ids=["a source whose files people bring", "a file of another name"],
)
def test_nothing_is_said_to_have_vanished_where_a_file_is_not_the_whole_of_a_source(
    db: None, options: dict[str, Any]
) -> None:
    read(A, B, source=options.get("source", FETCHED))
    report = read(B, snapshot="2", now=LATER, **options)
    assert "vanished" not in report.changes


def test_a_bundle_changes_nothing_of_a_source(db: None) -> None:
    ingest_bundle(bundle_of(run_entry()))
    assert ingest_bundle(bundle_of(run_entry(timing__latencyNs__median=7))).changes == {}


def test_a_dry_run_says_what_the_import_then_says(db: None) -> None:
    read(A, B, C)
    rows = [row("a", 1100), row("b", 2100, at=NEXT_DAY)]
    before = everything()
    dry = read(*rows, snapshot="2", now=LATER, is_dry_run=True)
    assert everything() == before
    done = read(*rows, snapshot="2", now=LATER)
    assert (dry.changes, dry.corrections, dry.vanished) == (done.changes, done.corrections, done.vanished)
    assert done.changes == {"new": 0, "known": 0, "corrected": 1, "remeasured": 1, "vanished": 1, "flagged": 0}


@pytest.mark.parametrize("is_dry_run", [False, True])
def test_changes_are_told_across_windows(db: None, monkeypatch: pytest.MonkeyPatch, is_dry_run: bool) -> None:
    read(A, B, C)
    monkeypatch.setattr(reader, "WINDOW_RUNS", 1)
    rows = [row("a", 1100), A, row("b", 2100), row("d", 4000)]
    report = read(*rows, snapshot="2", now=LATER, is_dry_run=is_dry_run)
    assert report.changes == {"new": 1, "known": 1, "corrected": 1, "remeasured": 1, "vanished": 1, "flagged": 0}
    assert [correction.key for correction in report.corrections] == ["b"]


def test_lists_are_bounded_and_counts_are_not(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "LISTED", 1)
    monkeypatch.setattr("registry.staging.keys.LISTED", 1)
    read(A, B, C, row("d", 4000))
    report = read(row("a", 1100), row("b", 2100), snapshot="2", now=LATER)
    assert (report.changes["corrected"], report.changes["vanished"]) == (2, 2)
    assert (len(report.corrections), len(report.vanished)) == (1, 1)


def test_a_flag_on_a_known_run_is_a_change(db: None) -> None:
    read(A, B)
    flagged = row("a", flags=(("DISQUALIFIED_UPSTREAM", "cheated"),))
    assert read(flagged, B, snapshot="2", now=LATER).changes["flagged"] == 1
    assert Sighting.objects.count() == 4
