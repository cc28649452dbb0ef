"""Where axes begin and end, which ticks they carry, where a value stands."""

from datetime import UTC, datetime

import pytest

from registry.core.axes import Axis, Tick, from_zero, logarithmic, over_time, tick_text, zoomed


def told(axis: Axis) -> tuple[float, float, list[str]]:
    return axis.low, axis.high, [tick.text for tick in axis.ticks]


@pytest.mark.parametrize(
    ("values", "scale", "low", "high", "ticks"),
    [
        ([39.4, 126.3, 127.1], 1.0, 0.0, 150.0, ["0", "50", "100", "150"]),
        ([126336.0, 127136.0], 1000.0, 0.0, 150_000.0, ["0", "50", "100", "150"]),
        ([3.0], 1.0, 0.0, 3.0, ["0", "1", "2", "3"]),
        ([10.0], 1.0, 0.0, 10.0, ["0", "5", "10"]),
        ([0.07], 1.0, 0.0, 0.1, ["0", "0.05", "0.1"]),
        ([2400.0], 1.0, 0.0, 3000.0, ["0", "1,000", "2,000", "3,000"]),
        ([], 1.0, 0.0, 1.0, ["0", "0.5", "1"]),
        ([0.0, -3.0], 1.0, 0.0, 1.0, ["0", "0.5", "1"]),
    ],
)
def test_a_tables_axis_starts_at_zero_and_ends_at_the_tick_past_the_greatest_value(
    values: list[float], scale: float, low: float, high: float, ticks: list[str]
) -> None:
    axis = from_zero(values, scale)
    assert told(axis) == (low, pytest.approx(high), ticks)
    assert not axis.is_log


@pytest.mark.parametrize(
    ("low", "high", "scale", "expected"),
    [
        (125152, 127136, 1000.0, (125_000.0, 128_000.0, ["125", "126", "127", "128"])),
        (98, 103, 1.0, (98.0, 104.0, ["98", "100", "102", "104"])),
        (0.5, 1.5, 1.0, (0.5, 1.5, ["0.5", "1", "1.5"])),
    ],
)
def test_a_runs_own_axis_is_zoomed_to_its_range(low: float, high: float, scale: float, expected: object) -> None:
    assert told(zoomed(low, high, scale)) == expected


def test_a_range_of_one_value_still_has_an_axis_of_some_width() -> None:
    axis = zoomed(5, 5)
    assert axis.low == 5.0
    assert 5.0 < axis.high < 5.00001


@pytest.mark.parametrize(
    ("values", "scale", "low", "high", "ticks"),
    [
        ([7328, 635392], 1000.0, 5000.0, 1_000_000.0, ["5", "10", "50", "100", "500", "1,000"]),
        ([10], 1.0, 10.0, 50.0, ["10", "50"]),
        ([1, 2, 3], 1.0, 1.0, 5.0, ["1", "5"]),
        ([0, -1, 0.02], 1.0, 0.01, 0.05, ["0.01", "0.05"]),
        ([], 1.0, 1.0, 5.0, ["1", "5"]),
    ],
)
def test_a_log_axis_runs_over_steps_of_one_and_five(
    values: list[float], scale: float, low: float, high: float, ticks: list[str]
) -> None:
    axis = logarithmic(values, scale)
    assert axis.is_log
    assert (axis.low, axis.high) == (pytest.approx(low), pytest.approx(high))
    assert [tick.text for tick in axis.ticks] == ticks


@pytest.mark.parametrize(
    ("axis", "value", "percent"),
    [
        (Axis(0, 200, False, ()), 50, 25.0),
        (Axis(0, 200, False, ()), -1, 0.0),
        (Axis(0, 200, False, ()), 201, 100.0),
        (Axis(100, 200, False, ()), 150, 50.0),
        (Axis(1, 100, True, ()), 10, 50.0),
        (Axis(1, 100, True, ()), 0, 0.0),
        (Axis(1, 100, True, ()), 1000, 100.0),
    ],
)
def test_a_value_stands_at_its_share_of_the_axis_and_never_beyond_its_ends(
    axis: Axis, value: float, percent: float
) -> None:
    assert axis.percent(value) == pytest.approx(percent)


def test_ticks_stand_at_their_true_positions() -> None:
    assert from_zero([90]).ticks == (Tick(0.0, "0"), Tick(50.0, "50"), Tick(100.0, "100"))
    assert [round(tick.percent, 2) for tick in logarithmic([1, 60]).ticks] == [0.0, 34.95, 50.0, 84.95, 100.0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.5, "0.5"),
        (124, "124"),
        (1000, "1,000"),
        (1234567.5, "1,234,567.5"),
        (0.1 + 0.2, "0.3"),
        (2.5e20, "2e+20"),
    ],
)
def test_ticks_are_written_without_invented_decimals(value: float, text: str) -> None:
    assert tick_text(value) == text


@pytest.mark.parametrize(
    ("first", "last", "ticks"),
    [
        ("2026-03-27T06:00", "2026-03-27T06:00", ["2026-03-27"]),
        ("2026-03-27T06:00", "2026-03-28T23:00", ["2026-03-27", "2026-03-28", "2026-03-29"]),
        ("2026-03-27T00:00", "2026-03-31T00:00", ["2026-03-27", "2026-03-29", "2026-03-31"]),
        ("2026-01-03T00:00", "2026-03-26T00:00", ["2026-01", "2026-02", "2026-03"]),
        ("2025-01-03T00:00", "2025-07-26T00:00", ["2025-01", "2025-04", "2025-07"]),
        ("2024-09-03T00:00", "2026-07-26T00:00", ["2025", "2026"]),
        ("2010-01-03T00:00", "2025-07-26T00:00", ["2010", "2015", "2020", "2025"]),
    ],
)
def test_a_date_axis_has_round_dates_for_ticks(first: str, last: str, ticks: list[str]) -> None:
    axis = over_time(*(datetime.fromisoformat(at).replace(tzinfo=UTC) for at in (first, last)))
    assert [tick.text for tick in axis.ticks] == ticks
    assert axis.low < datetime.fromisoformat(first).replace(tzinfo=UTC).timestamp() < axis.high
    assert all(0 <= tick.percent <= 100 for tick in axis.ticks)


def test_dates_stand_where_they_fell() -> None:
    days = [datetime(2026, 3, day, tzinfo=UTC) for day in (1, 11, 31)]
    axis = over_time(days[0], days[2])
    near, middle, far = (axis.percent(day.timestamp()) for day in days)
    assert (middle - near) / (far - near) == pytest.approx(1 / 3)


def test_the_whole_of_time_is_an_axis_too() -> None:
    axis = over_time(datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
    assert len(axis.ticks) == 2
