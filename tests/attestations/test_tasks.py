"""What the worker does for people by the clock."""

import pydoc
from datetime import datetime
from typing import Any

import pytest

from attestations import letters, tasks
from attestations.models import Count
from tests.conftest import NOW


def test_the_bell_of_letters_names_a_task_that_is_there() -> None:
    assert pydoc.locate(letters.TASK) is tasks.send_letters


def test_a_tick_tells_what_each_act_did(db: None) -> None:
    assert "letters: 0 sent, 0 put off, 0 given up" in tasks.tick()


def test_counts_of_windows_that_are_over_are_forgotten_daily(db: None) -> None:
    Count.objects.create(key="over", n=1, until=NOW)
    assert "counts forgotten: 1" in tasks.daily()


def test_an_act_that_fails_stops_no_other_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[datetime] = []

    def fail(now: datetime) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(tasks, "EACH_MINUTE", (("first", fail), ("second", done.append)))
    with pytest.raises(ExceptionGroup, match="second: None") as raised:
        tasks.tick()
    assert len(done) == 1
    [error] = raised.value.exceptions
    assert (type(error), error.__notes__) == (ZeroDivisionError, ["while doing: first"])
