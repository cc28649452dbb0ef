"""What the worker is given by name, and which of it runs by the clock."""

import pydoc
from datetime import UTC, datetime, time
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django_q.models import OrmQ, Schedule

from registry import schedules, syncs, tasks
from registry.models import Sync
from registry.syncs import bell
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.syncs.reading import asked, liger_source


def test_the_bell_names_a_task_that_is_there() -> None:
    assert pydoc.locate(bell.TASK) is tasks.sync


def test_every_task_of_the_clock_is_there() -> None:
    assert [row.task for row in schedules.CLOCKWORK if not callable(pydoc.locate(row.task))] == []


def test_a_task_runs_its_sync(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    monkeypatch.setattr(syncs, "run", lambda sync_id, *, now: heard.append(sync_id) or "done")
    sync = asked(liger_source())
    assert tasks.sync(str(sync.pk)) == "done"
    assert heard == [sync.pk]


def test_a_tick_tells_what_it_asked_for(db: None) -> None:
    liger_source(schedule="daily", next_sync_at=NOW)
    assert tasks.tick() == "asked for liger-kernel-bench; 0 bells"
    assert Sync.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_bell_is_a_row_of_the_queue_that_names_task_and_sync() -> None:
    sync = asked(liger_source())
    queued = OrmQ.objects.get()
    assert (queued.func(), queued.args()) == ("registry.tasks.sync", (str(sync.pk),))


def test_the_clock_is_set_by_migrate(db: None) -> None:
    rows = Schedule.objects.values_list("name", "func", "schedule_type", "minutes", "repeats")
    assert set(rows) == {
        (row.name, row.task, row.kind, 1, -1) for row in schedules.CLOCKWORK
    }  # fmt: skip


def test_setting_the_clock_again_mends_it_and_moves_nothing(db: None) -> None:
    Schedule.objects.filter(name="tick").update(func="os.system", minutes=5)
    Schedule.objects.create(name="by hand", func="os.system")
    before = Schedule.objects.values_list("next_run", flat=True).get(name="tick")
    schedules.install_after_migrate(apps.get_app_config("registry"), using=connection.alias)
    assert Schedule.objects.count() == len(schedules.CLOCKWORK)
    tick = Schedule.objects.get(name="tick")
    assert (tick.func, tick.minutes, tick.next_run) == ("registry.tasks.tick", 1, before)


@pytest.mark.parametrize(
    ("hour", "first"), [(13, datetime(2026, 9, 1, 13, tzinfo=UTC)), (11, datetime(2026, 9, 2, 11, tzinfo=UTC))]
)
def test_a_nightly_task_is_first_due_at_its_hour(hour: int, first: datetime) -> None:
    assert schedules._first(schedules.Clockwork("x", "x", "D", time(hour)), NOW) == first


def test_a_weekly_task_is_first_due_in_a_week() -> None:
    assert schedules._first(schedules.Clockwork("x", "x", "W", time(13)), NOW) == datetime(2026, 9, 8, 13, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.ignore_template_errors
def test_no_page_lets_a_person_queue_a_function() -> None:
    assert [model for model in admin.site._registry if model._meta.app_label == "django_q"] == []
    assert "django_q" not in signed_in(member("root", is_superuser=True)).get("/admin/").content.decode()
