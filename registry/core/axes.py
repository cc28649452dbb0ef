"""Axes of plots: where they begin and end, which ticks they carry, and where a value stands on them."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

DAY = 86_400.0
EARLIEST = datetime.min.replace(tzinfo=UTC).timestamp()
LATEST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()
# Steps of a date axis from fine to coarse: days or months, how many of them, and how many ticks have room.
DATE_STEPS = (
    ("days", 1, 3), ("days", 2, 3), ("days", 7, 3), ("days", 14, 3),
    ("months", 1, 3), ("months", 3, 3), ("months", 6, 3), ("months", 12, 5), ("months", 60, 5),
)  # fmt: skip
STEPS = (1.0, 2.0, 5.0, 10.0)
LOG_STEPS = (1.0, 5.0)
NARROW_BAND_PERCENT = 3.0  # a band narrower than this share of the axis is not drawn: the figures stand beside it


@dataclass(frozen=True, slots=True)
class Tick:
    """`percent` of the axis from its start, and what is written there."""

    percent: float
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A numeric axis. `low` and `high` are in the unit of the values; on a log axis both are positive."""

    low: float
    high: float
    is_log: bool
    ticks: tuple[Tick, ...]

    def percent(self, value: float) -> float:
        """Where a value stands, 0 to 100; what lies outside stands at the nearer end."""
        if self.is_log:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(max(share, 0.0), 1.0) * 100


def from_zero(values: Iterable[float], scale: float = 1.0) -> Axis:
    """The axis of a table: from 0 to the first tick at or past the greatest value. Ticks are written in value/scale."""
    greatest = max((value for value in values if value > 0), default=1.0) / scale
    step = _step(greatest / 3)
    count = max(math.ceil(round(greatest / step, 9)), 1)
    return _linear(0.0, step, count, scale)


def zoomed(low: float, high: float, scale: float = 1.0) -> Axis:
    """The axis of one run's own range: it does not start at 0, and the page has to say so."""
    low, high = low / scale, high / scale
    step = _step(max(high - low, abs(high) * 1e-6, 1e-12) / 3)
    first = math.floor(low / step)
    count = max(math.ceil(round(high / step, 9)) - first, 1)
    return _linear(first * step, step, count, scale)


def logarithmic(values: Iterable[float], scale: float = 1.0) -> Axis:
    """The axis of a wide range: from the step (1 or 5 times a power of ten) below its values to the one above."""
    positive = [value / scale for value in values if value > 0] or [1.0]
    low, high = _log_step(min(positive), down=True), _log_step(max(positive), down=False)
    if high <= low:
        high = _next_log_step(low)
    steps, step = [low], low
    while step < high * (1 - 1e-9):
        step = _next_log_step(step)
        steps.append(step)
    axis = Axis(low * scale, high * scale, True, ())
    return Axis(axis.low, axis.high, True, tuple(Tick(axis.percent(s * scale), tick_text(s)) for s in steps))


def over_time(first: datetime, last: datetime) -> Axis:
    """The axis of dates in POSIX seconds, with a margin; its ticks stand where days, months or years begin in UTC."""
    margin = max((last - first).total_seconds() * 0.04, DAY / 2)
    low = max(first.timestamp() - margin, EARLIEST)
    high = min(last.timestamp() + margin, LATEST)
    ticks: list[tuple[float, str]] = []
    for unit, step, room in DATE_STEPS:
        least = (high - low) / (step * DAY * (1 if unit == "days" else 31)) - 1
        if least > room:  # known without making them: a day at a time, the whole of time has millions
            continue
        ticks = list((_days if unit == "days" else _months)(low, high, step))
        if len(ticks) <= room:
            break
    else:
        ticks = ticks or list(_months(low, high, DATE_STEPS[-1][1]))
        ticks = [ticks[0], ticks[-1]]
    axis = Axis(low, high, False, ())
    return Axis(low, high, False, tuple(Tick(axis.percent(at), text) for at, text in ticks))


def _days(low: float, high: float, step: int) -> Iterator[tuple[float, str]]:
    first, last = math.ceil(low / DAY), math.floor(high / DAY)
    for day in range(first, last + 1, step):
        yield day * DAY, f"{datetime.fromtimestamp(day * DAY, UTC):%Y-%m-%d}"


def _months(low: float, high: float, step: int) -> Iterator[tuple[float, str]]:
    start, end = datetime.fromtimestamp(low, UTC), datetime.fromtimestamp(high, UTC)
    for month in range(start.year * 12 // step * step or 12, end.year * 12 + 12, step):
        at = datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        if low <= at.timestamp() <= high:
            yield at.timestamp(), f"{at:%Y}" if step % 12 == 0 else f"{at:%Y-%m}"


def _linear(low: float, step: float, count: int, scale: float) -> Axis:
    ticks = tuple(Tick(100 * i / count, tick_text(low + step * i)) for i in range(count + 1))
    return Axis(low * scale, (low + step * count) * scale, False, ticks)


def _step(rough: float) -> float:
    """The round step (1, 2 or 5 times a power of ten) at or above a rough one."""
    power: float = 10 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))


def _log_step(value: float, *, down: bool) -> float:
    power: float = 10 ** math.floor(math.log10(value))
    steps = [step * power for step in (*LOG_STEPS, 10.0)]
    if down:
        return max(step for step in steps if step <= value * (1 + 1e-9))
    return min(step for step in steps if step >= value * (1 - 1e-9))


def _next_log_step(step: float) -> float:
    power: float = 10 ** math.floor(math.log10(step) + 1e-9)
    return 5 * power if step < 2 * power else 10 * power


def tick_text(value: float) -> str:
    """A tick's figure, with commas and without invented decimals: 1,000, 0.5, 124."""
    return f"{value:,.10g}" if value < 1e15 else f"{value:.0e}"
