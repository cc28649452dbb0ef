"""Asking for syncs: one at a time a source, audited, refused in words where it makes no sense."""

import io
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import IntegrityError, transaction

from registry import artifacts, syncs
from registry.models import AuditEvent, Source, StoredObject, Sync, SyncFile
from registry.models.syncs import SyncState, Trigger
from registry.syncs import asking, bell
from registry.syncs.errors import SyncError
from tests.conftest import NOW
from tests.registry.syncs.reading import BYTES, CURATOR, DAY, MINUTE, another_source, asked, liger_source, uploaded


@pytest.fixture
def source(db: None) -> Source:
    return liger_source()


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """The queue that the bell rings in, seen and not heard."""
    mock = Mock()
    monkeypatch.setattr(bell, "async_task", mock)
    return mock


def test_a_sync_is_queued_and_audited(source: Source) -> None:
    sync = asked(source)
    assert (sync.state, sync.trigger, sync.importer, sync.requested_by, sync.requested_at, sync.is_dry_run) == (
        "queued", "button", "liger-kernel-bench", CURATOR, NOW, False,
    )  # fmt: skip
    event = AuditEvent.objects.get()
    assert (event.action, event.target, event.reason, event.actor, event.detail) == (
        "sync asked for", "liger-kernel-bench", "by button", CURATOR, {"sync": str(sync.pk)},
    )  # fmt: skip


def test_what_the_schedule_asks_for_is_nobody_s_act(source: Source) -> None:
    syncs.request(source, trigger=Trigger.SCHEDULE, actor=None, now=NOW)
    assert AuditEvent.objects.count() == 0


def test_a_second_request_is_the_first_one(source: Source) -> None:
    assert asked(source, now=NOW + MINUTE) == asked(source)
    assert Sync.objects.count() == 1


def test_a_dry_run_is_no_sync_and_has_to_wait_for_one(source: Source) -> None:
    asked(source)
    with pytest.raises(SyncError, match="A sync of Liger-Kernel benchmarks is queued already; one runs at a time"):
        asked(source, is_dry_run=True)


@pytest.mark.parametrize("state", ["queued", "running", "publishing"])
def test_a_file_has_to_wait_for_a_sync_that_is_open(source: Source, state: str) -> None:
    Sync.objects.filter(pk=asked(source).pk).update(state=state)
    with pytest.raises(SyncError, match=f"is {state} already"):
        uploaded(source)
    assert StoredObject.objects.count() == 0


@pytest.mark.parametrize("state", ["waiting", "done", "failed", "discarded"])
def test_a_sync_that_has_ended_keeps_nobody_waiting(source: Source, state: str) -> None:
    Sync.objects.filter(pk=asked(source).pk).update(state=state)
    assert uploaded(source).state == "queued"


def test_two_open_syncs_of_a_source_are_refused_by_the_table(source: Source) -> None:
    first = asked(source)
    with pytest.raises(IntegrityError), transaction.atomic():
        Sync.objects.create(
            id=CURATOR, source=source, importer="x", trigger="button", state="running", requested_at=NOW
        )
    assert Sync.objects.get() == first


def test_another_source_is_read_beside_it(source: Source) -> None:
    asked(source)
    assert asked(another_source()).state == "queued"


def test_who_was_quicker_is_told_where_two_ask_at_once(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look whether one is open came out empty, and the table refused the row."""
    quicker = asked(source)
    sees_nothing = Mock(side_effect=[None, quicker])
    monkeypatch.setattr(asking, "OPEN", Mock())
    monkeypatch.setattr(asking.Sync.objects, "filter", lambda **where: Mock(first=sees_nothing))
    with pytest.raises(SyncError, match="is queued already"):
        asked(source)


def test_what_was_to_be_tried_again_is_given_up_for_what_is_asked_anew(source: Source) -> None:
    failed = asked(source)
    Sync.objects.filter(pk=failed.pk).update(state=SyncState.FAILED, next_attempt_at=NOW + MINUTE)
    asked(source, now=NOW + MINUTE)
    failed.refresh_from_db()
    assert (failed.state, failed.next_attempt_at) == ("failed", None)


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"is_enabled": False}, "Liger-Kernel benchmarks is switched off: nothing of it is fetched or taken."),
        ({"paused_at": NOW - DAY}, "Liger-Kernel benchmarks is paused since 2026-08-31."),
        ({"importer": ""}, "Liger-Kernel benchmarks has no importer: only bundles reach it."),
        ({"importer": "gone"}, "Liger-Kernel benchmarks has no importer: only bundles reach it."),
        ({"location": ""}, "Liger-Kernel benchmarks has no location to fetch from: upload a file."),
    ],
)
def test_what_can_t_be_read_is_not_asked_for(db: None, columns: dict[str, Any], text: str) -> None:
    with pytest.raises(SyncError) as refused:
        asked(liger_source(**columns))
    assert (str(refused.value), Sync.objects.count(), AuditEvent.objects.count()) == (text, 0, 0)


# The bell


def test_the_bell_rings_when_the_transaction_commits(
    source: Source, rung: Mock, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        sync = asked(source)
        assert rung.call_count == 0
    rung.assert_called_once_with("registry.tasks.sync", str(sync.pk), task_name=f"sync {sync.pk}")


@pytest.mark.django_db(transaction=True)
def test_no_bell_rings_for_what_was_rolled_back(rung: Mock) -> None:
    source = liger_source()
    with transaction.atomic():
        asked(source)
        transaction.set_rollback(True)
    assert (rung.call_count, Sync.objects.count()) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_a_queue_that_is_down_does_not_undo_what_was_asked(rung: Mock) -> None:
    rung.side_effect = ConnectionError
    assert asked(liger_source()).state == "queued"


# Uploads


def test_an_uploaded_file_is_stored_by_its_digest_and_named_on_the_sync(source: Source) -> None:
    sync = uploaded(source, BYTES, name="all_benchmark_data.csv")
    file = SyncFile.objects.get(sync=sync)
    assert (file.name, file.size_bytes, file.url, file.position) == ("all_benchmark_data.csv", len(BYTES), None, 0)
    with artifacts.open_stored(file.sha256) as stored:  # type: ignore[union-attr]
        assert stored.read() == BYTES
    event = AuditEvent.objects.get()
    assert (event.action, event.reason) == ("file uploaded", "all_benchmark_data.csv")


def test_files_keep_the_order_in_which_they_were_given(source: Source) -> None:
    files = [(name, io.BytesIO(name.encode())) for name in ("b.csv", "a.csv", "c.csv")]
    sync = syncs.request_upload(source, files, actor=CURATOR, now=NOW)
    assert list(sync.files.values_list("position", "name")) == [(0, "b.csv"), (1, "a.csv"), (2, "c.csv")]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("rows.csv", "rows.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\rows.csv", "rows.csv"),
        ("/tmp/rows.csv", "rows.csv"),
        ("x" * 300 + ".csv", "x" * 251 + ".csv"),
    ],
)
def test_of_a_name_only_the_last_part_is_kept(source: Source, given: str, kept: str) -> None:
    assert uploaded(source, name=given).files.get().name == kept


@pytest.mark.parametrize("name", ["", "..", ".", "a\x00b", "a\nb", "dir/"])
def test_a_file_needs_a_printable_name(source: Source, name: str) -> None:
    if name == "dir/":
        assert uploaded(source, name=name).files.get().name == "dir"
        return
    with pytest.raises(SyncError, match="Each file needs a name of printable characters"):
        uploaded(source, name=name)


def test_a_file_above_the_cap_is_not_read_to_its_end(db: None) -> None:
    source = liger_source(size_cap_mib=1)
    file = io.BytesIO(b"x" * (5 << 20))
    with pytest.raises(SyncError, match=r"rows\.csv is larger than the 1 MiB that one file of this source may have"):
        syncs.request_upload(source, [("rows.csv", file)], actor=CURATOR, now=NOW)
    assert file.tell() <= 2 << 20
    assert (Sync.objects.count(), StoredObject.objects.count()) == (0, 0)


def test_a_file_of_just_the_cap_is_taken(db: None) -> None:
    assert uploaded(liger_source(size_cap_mib=1), b"x" * (1 << 20)).files.get().size_bytes == 1 << 20


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ([], "Choose at least one file."),
        ([("a.csv", b"")], "a.csv is empty."),
        ([("a.csv", b"x"), ("sub/a.csv", b"y")], "Two files have the same name: their rows could not be told apart."),
        ([(f"{n}.csv", b"x") for n in range(51)], "At most 50 files make one sync."),
    ],
)
def test_what_is_no_input_is_refused(source: Source, files: list[tuple[str, bytes]], text: str) -> None:
    with pytest.raises(SyncError) as refused:
        syncs.request_upload(source, [(name, io.BytesIO(data)) for name, data in files], actor=CURATOR, now=NOW)
    assert (str(refused.value), Sync.objects.count()) == (text, 0)


# Pausing


def test_pausing_and_resuming_are_audited(source: Source) -> None:
    syncs.pause(source, reason="Upstream asked us to.", actor=CURATOR, now=NOW)
    source.refresh_from_db()
    assert source.paused_at == NOW
    syncs.resume(source, reason="They are done.", actor=CURATOR, now=NOW + MINUTE)
    source.refresh_from_db()
    assert source.paused_at is None
    assert list(AuditEvent.objects.values_list("action", "target", "reason").order_by("at")) == [
        ("source paused", "liger-kernel-bench", "Upstream asked us to."),
        ("source resumed", "liger-kernel-bench", "They are done."),
    ]


def test_only_what_runs_is_paused_and_only_what_is_paused_resumed(source: Source) -> None:
    with pytest.raises(SyncError, match="is not paused"):
        syncs.resume(source, reason="So.", actor=CURATOR, now=NOW)
    syncs.pause(source, reason="So.", actor=CURATOR, now=NOW)
    with pytest.raises(SyncError, match="is paused already"):
        syncs.pause(source, reason="So.", actor=CURATOR, now=NOW)
    assert AuditEvent.objects.count() == 1


@pytest.mark.parametrize("act", [syncs.pause, syncs.resume])
def test_pausing_needs_a_reason(source: Source, act: Any) -> None:
    with pytest.raises(SyncError, match="State a reason"):
        act(source, reason=" ", actor=CURATOR, now=NOW)
