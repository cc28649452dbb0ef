"""How long to wait before what failed is tried again."""

from datetime import timedelta

import pytest

from registry.core.retries import MOST_ATTEMPTS, pause_after


@pytest.mark.parametrize(("attempts", "minutes"), [(1, 2), (2, 4), (3, 8), (4, 16), (5, 32), (6, 60), (7, 60)])
def test_each_pause_is_twice_the_last_up_to_an_hour(attempts: int, minutes: int) -> None:
    assert pause_after(attempts) == timedelta(minutes=minutes)


@pytest.mark.parametrize("attempts", [MOST_ATTEMPTS, MOST_ATTEMPTS + 1, 1000])
def test_there_is_a_last_attempt(attempts: int) -> None:
    assert pause_after(attempts) is None
