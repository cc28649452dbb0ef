"""The history plot: points at their true dates, a bar for each spread, a cross for the unranked, words for all."""

import re
from datetime import UTC, datetime
from typing import Any

from registry.core.axes import from_zero, over_time
from registry.queries.history import History, Observation
from registry.queries.shapes import Range, Ref, quantity
from registry.templatetags import histories

DAYS = [datetime(2026, 3, day, tzinfo=UTC) for day in (1, 11, 31)]


def observation(
    day: int, value: float | None, *, spread: float = 0, rank: int | None = 1, **fields: Any
) -> Observation:
    shown = None if value is None else quantity(value, "tokens_s")
    low_high = None
    if value is not None and spread:
        low_high = Range(quantity(value - spread, "tokens_s"), quantity(value + spread, "tokens_s"), "p20 – p80", False)
    made = {"release": f"0.{day}", "reasons": (), "is_this": False} | fields
    return Observation(
        run=Ref("d", "d", "/runs/d/"), observed_at=DAYS[day], value=shown, spread=low_high, rank=rank, **made
    )


def plot(*observations: Observation) -> str:
    dates = over_time(DAYS[0], DAYS[2])
    made = History(observations, "median", "tokens/s", None, True, False, True, from_zero([200.0]), dates)
    return histories.history_plot(made)


def positions(made: str) -> list[float]:
    return [float(x) for x in re.findall(r'<svg x="([\d.]+)%" y="[\d.]+" overflow="visible"><title>', made)]


def test_points_stand_at_their_true_dates_and_heights() -> None:
    made = plot(observation(0, 200), observation(1, 100), observation(2, 0))
    near, middle, far = positions(made)
    assert round((middle - near) / (far - near), 2) == 0.33
    assert re.findall(r'y="([\d.]+)" overflow="visible"><title>', made) == ["8.0", "88.0", "168.0"]


def test_a_point_says_release_date_value_and_spread() -> None:
    made = plot(observation(0, 100, spread=20), observation(1, 90, is_this=True))
    assert re.findall("<title>(.*?)</title>", made) == [
        "0.0, 2026-03-01, 100 tokens/s, p20 – p80 80 – 120",
        "0.1, 2026-03-11, 90 tokens/s, no spread published, this run",
    ]
    assert made.count('class="history-this"') == 1
    assert 'role="group" aria-label="median of 2 runs over time; every figure is in the table below"' in made


def test_a_spread_is_a_bar_from_low_to_high_where_there_is_room() -> None:
    made = plot(observation(0, 100, spread=20), observation(1, 100, spread=1))
    assert re.findall(r'class="bar-band" x1="[\d.]+%" x2="[\d.]+%" y1="([\d.]+)" y2="([\d.]+)"', made) == [
        ("104.0", "72.0")
    ]
    assert made.count('class="bar-cap"') == 2


def test_what_is_not_ranked_is_a_cross_off_the_line() -> None:
    made = plot(observation(0, 100), observation(1, 150, rank=None), observation(2, 100))
    assert made.count("history-cross") == 1
    assert "150 tokens/s, no spread published, not ranked" in made
    [line] = re.findall(r'class="history-line" x1="([\d.]+)%" y1="88.0" x2="([\d.]+)%" y2="88.0"', made)
    assert [float(x) for x in line] == [positions(made)[0], positions(made)[2]]


def test_a_run_without_a_value_has_no_point() -> None:
    assert len(positions(plot(observation(0, 100), observation(1, None, rank=None)))) == 1


def test_names_of_releases_are_escaped() -> None:
    made = plot(observation(0, 100, release="<script>"))
    assert "<script>" not in made
    assert "&lt;script&gt;" in made


def test_dates_near_an_end_are_written_inwards() -> None:
    assert [histories._anchor(percent) for percent in (3, 50, 97)] == ["start", "middle", "end"]


def test_the_key_shows_both_marks() -> None:
    assert 'class="smark s1"' in histories.history_mark(True)
    assert "history-cross" in histories.history_mark(False)
