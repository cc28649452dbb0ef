"""What the clock asks for, what is tried again, and what a dead worker left."""

from datetime import datetime, timedelta
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import pytest

from registry import syncs
from registry.fetching import FetchError
from registry.models import Source, Sync
from registry.models.syncs import SyncState
from registry.syncs import bell
from tests.conftest import NOW
from tests.registry.syncs.reading import BYTES, CURATOR, DAY, MINUTE, another_source, asked, liger_source, ran

OWNER = UUID("00000000-0000-4000-8000-000000000001")


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch, db: None) -> list[UUID]:
    """The syncs that a bell was rung for."""
    heard: list[UUID] = []
    monkeypatch.setattr(bell, "ring", heard.append)
    return heard


def daily(**columns: Any) -> Source:
    return liger_source(**{"schedule": "daily", "next_sync_at": NOW, **columns})


def next_at(source: Source) -> datetime | None:
    source.refresh_from_db()
    return source.next_sync_at


# By the schedule


def test_a_source_that_is_due_is_asked_for_once(rung: list[UUID]) -> None:
    source = daily()
    assert syncs.tick(now=NOW).asked == ("liger-kernel-bench",)
    assert syncs.tick(now=NOW + MINUTE) == syncs.Tick((), 0, ())
    sync = Sync.objects.get()
    assert (sync.trigger, sync.requested_by, next_at(source), rung) == ("schedule", None, NOW + DAY, [sync.pk])


@pytest.mark.parametrize(
    ("schedule", "late", "next_"),
    [
        ("daily", timedelta(0), DAY),
        ("daily", timedelta(hours=23), DAY),
        ("daily", DAY, 2 * DAY),
        ("daily", timedelta(days=9, hours=5), 10 * DAY),
        ("weekly", timedelta(days=6), 7 * DAY),
        ("weekly", timedelta(days=20), 21 * DAY),
    ],
)
def test_a_late_worker_asks_once_and_keeps_the_hour(schedule: str, late: timedelta, next_: timedelta) -> None:
    source = daily(schedule=schedule)
    assert syncs.tick(now=NOW + late).asked == (source.slug,)
    assert (Sync.objects.count(), next_at(source)) == (1, NOW + next_)


@pytest.mark.parametrize(("schedule", "first"), [("daily", DAY), ("weekly", 7 * DAY)])
def test_a_source_that_is_new_to_its_schedule_is_first_read_an_interval_later(schedule: str, first: timedelta) -> None:
    source = daily(schedule=schedule, next_sync_at=None)
    assert syncs.tick(now=NOW) == syncs.Tick((), 0, ())
    assert next_at(source) == NOW + first
    assert syncs.tick(now=NOW + first).asked == (source.slug,)


@pytest.mark.parametrize("columns", [{"schedule": "off"}, {"location": ""}, {"next_sync_at": NOW + MINUTE}])
def test_what_is_not_due_is_not_asked_for(columns: dict[str, Any]) -> None:
    daily(**columns)
    assert syncs.tick(now=NOW) == syncs.Tick((), 0, ())
    assert Sync.objects.count() == 0


@pytest.mark.parametrize(
    ("columns", "because"),
    [
        ({"paused_at": NOW - DAY}, "Liger-Kernel benchmarks is paused since 2026-08-31."),
        ({"is_enabled": False}, "Liger-Kernel benchmarks is switched off: nothing of it is fetched or taken."),
        ({"importer": ""}, "Liger-Kernel benchmarks has no importer: only bundles reach it."),
    ],
)
def test_what_may_not_be_read_is_passed_over_and_said_to_be(columns: dict[str, Any], because: str) -> None:
    source = daily(**columns)
    tick = syncs.tick(now=NOW)
    assert tick == syncs.Tick((), 0, (because,))
    assert str(tick) == f"asked for nothing; 0 bells; {because}"
    assert (Sync.objects.count(), next_at(source)) == (0, NOW)


def test_a_source_that_is_resumed_is_read_once() -> None:
    source = daily(paused_at=NOW)
    assert syncs.tick(now=NOW + 3 * DAY).asked == ()
    syncs.resume(source, reason="So.", actor=CURATOR, now=NOW + 3 * DAY)
    assert syncs.tick(now=NOW + 3 * DAY).asked == (source.slug,)
    assert syncs.tick(now=NOW + 3 * DAY + MINUTE).asked == ()


def test_a_source_that_is_at_work_on_something_else_stays_due() -> None:
    source = daily()
    dry_run = asked(source, is_dry_run=True)
    assert syncs.tick(now=NOW).passed_over == (
        "A sync of Liger-Kernel benchmarks is queued already; one runs at a time.",
    )
    assert next_at(source) == NOW
    ran(dry_run, BYTES)
    assert syncs.tick(now=NOW + MINUTE).asked == (source.slug,)


def test_one_source_in_trouble_keeps_no_other_waiting() -> None:
    daily(paused_at=NOW)
    other = another_source()
    Source.objects.filter(pk=other.pk).update(schedule="daily", next_sync_at=NOW)
    assert syncs.tick(now=NOW).asked == ("another",)


def test_two_ticks_at_once_ask_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one read the source before the first had moved it on."""
    source = daily()
    stale = Source.objects.get()
    syncs.tick(now=NOW)
    Sync.objects.update(state=SyncState.DONE)
    monkeypatch.setattr("registry.syncs.ticking._due", Mock(return_value=[stale]))
    assert syncs.tick(now=NOW).passed_over == ("Liger-Kernel benchmarks was asked for by another tick.",)
    assert (Sync.objects.count(), next_at(source)) == (1, NOW + DAY)


# Again


def test_what_failed_is_tried_again_after_its_pause_each_twice_the_last(rung: list[UUID]) -> None:
    def fails(importer: Any, **options: Any) -> Any:
        raise FetchError("too-slow", "too slow")

    sync = asked(liger_source())
    now, pauses = NOW, []
    while True:
        syncs.run(sync.pk, now=now, fetch=fails)
        sync.refresh_from_db()
        if sync.next_attempt_at is None:
            break
        pauses.append(round((sync.next_attempt_at - now) / MINUTE))
        assert syncs.tick(now=sync.next_attempt_at - MINUTE).rung == 0
        now = sync.next_attempt_at
        assert syncs.tick(now=now).rung == 1
    assert (pauses, sync.attempts, sync.state) == ([2, 4, 8, 16, 32, 60, 60], 8, "failed")
    assert rung == [sync.pk] * 8
    assert syncs.tick(now=now + DAY).rung == 0


def test_what_is_tried_again_may_succeed() -> None:
    sync = asked(liger_source())
    Sync.objects.update(state="failed", error="Not fetched", attempts=2, next_attempt_at=NOW)
    assert syncs.tick(now=NOW).rung == 1
    sync = ran(sync, BYTES)
    assert (sync.state, sync.error, sync.attempts) == ("waiting", "", 3)


def test_nothing_is_tried_again_of_a_source_that_is_paused() -> None:
    source = liger_source()
    asked(source)
    Sync.objects.update(state="failed", next_attempt_at=NOW)
    syncs.pause(source, reason="So.", actor=CURATOR, now=NOW)
    assert syncs.tick(now=NOW).rung == 0


def test_what_failed_is_not_tried_again_while_the_source_is_being_read() -> None:
    source = liger_source()
    failed = asked(source)
    Sync.objects.update(state="failed")
    running = asked(source, now=NOW + MINUTE)
    Sync.objects.filter(pk=failed.pk).update(next_attempt_at=NOW)
    assert syncs.tick(now=NOW + MINUTE).rung == 0
    failed.refresh_from_db()
    assert (failed.state, Sync.objects.get(pk=running.pk).state) == ("failed", "queued")


def test_a_lost_bell_is_rung_again_and_not_every_minute(rung: list[UUID]) -> None:
    sync = asked(liger_source())
    rung.clear()
    heard = [syncs.tick(now=NOW + minute * MINUTE).rung for minute in range(25)]
    assert [minute for minute, count in enumerate(heard) if count] == [10, 20]
    assert rung == [sync.pk] * 2


@pytest.mark.parametrize(
    ("state", "lease_until", "is_rung"),
    [
        ("running", NOW + MINUTE, False),
        ("running", NOW - MINUTE, True),
        ("publishing", NOW + MINUTE, False),
        ("publishing", NOW - MINUTE, True),
        ("publishing", None, True),
        ("waiting", None, False),
        ("done", None, False),
        ("discarded", None, False),
    ],
)
def test_what_a_dead_worker_left_is_rung_for(state: str, lease_until: datetime | None, is_rung: bool) -> None:
    asked(liger_source())
    Sync.objects.update(state=state, lease=OWNER, lease_until=lease_until, next_attempt_at=NOW - MINUTE)
    assert syncs.tick(now=NOW).rung == is_rung
    assert Sync.objects.get().state == state


def test_a_sync_that_a_dead_worker_left_is_taken_up_when_its_lease_has_lapsed() -> None:
    sync = asked(liger_source())
    Sync.objects.update(
        state="running", lease=OWNER, lease_until=NOW + MINUTE, attempts=1, next_attempt_at=NOW, phase="fetching"
    )
    assert ran(sync, BYTES).state == "running"
    assert syncs.tick(now=NOW).rung == 0
    assert syncs.tick(now=NOW + MINUTE).rung == 1
    sync = ran(sync, BYTES, now=NOW + MINUTE)
    assert (sync.state, sync.attempts) == ("waiting", 2)
