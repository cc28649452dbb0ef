"""A sync as an object: its account, its rows, its outcome in words."""

from datetime import timedelta
from typing import Any

import pytest

from registry.models import Sync
from registry.queries import syncs
from tests.conftest import NOW
from tests.registry.pages import recorded_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def test_a_sync_gives_its_account_its_files_and_each_row_that_was_not_taken() -> None:
    page = syncs.sync_page(recorded_sync().id)
    assert (page.sync.new_runs, page.sync.known_runs, page.sync.rejected, page.sync.pending) == (48, 0, 1, 1)
    assert [(count.name, count.count) for count in page.counts] == [("new: BenchmarkRun", 48)]
    assert [(change.name, change.count) for change in page.changes] == [("new", 48), ("known", 0), ("vanished", 0)]
    assert [(file.name, file.size_bytes, file.revision) for file in page.files] == [("all.csv", 2048, "abc")]
    assert [(row.reason, row.line, row.path, row.key, row.text) for row in page.rows] == [
        ("VALUE", 7, "y_value_50", "relu/forward/liger", "not a number: 'x'"),
        ("GPU", 9, "y_value_50", None, "=no such GPU"),
    ]
    assert (page.page.total, page.page.next, page.progress) == (2, None, None)


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"report": {"batches": 3}}, "published"),
        ({"report": {"batches": 0}}, "nothing new"),
        ({"is_dry_run": True}, "dry run: nothing was published"),
        ({"state": "failed", "error": "TIMEOUT no answer\nmore"}, "failed: TIMEOUT no answer"),
        ({"state": "failed"}, "failed: no reason was kept"),
        ({"state": "waiting", "waits_because": "it is the first sync"}, "read, not published: it is the first sync"),
        ({"state": "discarded", "decision_reason": "a test"}, "discarded by a person: a test"),
        ({"state": "queued", "report": {}}, "queued"),
    ],
)
def test_the_outcome_is_told_in_words(fields: dict[str, Any], outcome: str) -> None:
    assert syncs.line(recorded_sync(**fields)).outcome == outcome


def test_a_sync_that_read_nothing_has_no_counts_rather_than_zeros() -> None:
    line = syncs.line(recorded_sync(state="failed", report={}))
    assert (line.new_runs, line.known_runs, line.rejected, line.pending) == (None, None, None, None)


def test_one_under_way_says_how_far_it_is() -> None:
    page = syncs.sync_page(recorded_sync(state="running", phase="fetching", done=3, total=9, report={}).id)
    assert page.progress == syncs.Progress("fetching", 3, 9)


def test_the_reports_counts_stand_over_the_kept_rows_which_are_bounded() -> None:
    sync = recorded_sync(report={"rejected": {"VALUE": 40_000}, "pending": {}})
    assert [(reason.reason, reason.count) for reason in syncs.reason_counts(sync)] == [("VALUE", 40_000), ("GPU", 1)]


def test_the_newest_that_got_to_its_end_is_the_one_that_counts() -> None:
    loaded = syncs.newest_finished("liger-kernel-bench")
    assert loaded
    assert loaded.trigger == "shell"
    recorded_sync(state="failed", requested_at=NOW + timedelta(hours=1))
    assert syncs.newest_finished("liger-kernel-bench") == loaded
    waiting = recorded_sync(state="waiting", requested_at=NOW + timedelta(hours=2))
    assert syncs.newest_finished("liger-kernel-bench") == waiting
    assert syncs.newest_finished("nobody") is None


def test_an_unknown_sync_is_not_found() -> None:
    with pytest.raises(Sync.DoesNotExist):
        syncs.sync_page("01a0352b-0000-7000-8000-000000000001")  # type: ignore[arg-type]
