"""Drawing only: one implementation's values over time. It fills its column; points stand at their true dates."""

import itertools

from django import template
from django.utils.safestring import SafeString, mark_safe

from attestations.templatetags.safely import escaped
from registry.queries.history import History, Observation
from registry.templatetags.plots import SHAPES

register = template.Library()

TOP, BOTTOM, HEIGHT = 8.0, 168.0, 190
CROSS = '<path class="history-cross" d="M-4-4 4 4M4-4-4 4"/>'
CAP = '<path class="bar-cap" d="M-5 0h10"/>'


@register.simple_tag
def history_mark(is_ranked: bool) -> SafeString:
    """The mark of a point, beside the word that it stands for."""
    shape, series = (SHAPES[1], 1) if is_ranked else (CROSS, 0)
    return mark_safe(  # noqa: S308  constants
        f'<svg class="smark s{series}" viewBox="-4.5 -4.5 9 9" aria-hidden="true" focusable="false">{shape}</svg>'
    )


@register.simple_tag
def history_plot(history: History) -> SafeString:
    """Values against dates: the scale of values left, points and the bars of their spread right."""
    points = [o for o in history.observations if o.value]
    label = f"{history.statistic} of {len(points)} runs over time; every figure is in the table below"
    return mark_safe(  # noqa: S308  every text is escaped where it is put in
        f'<svg class="history-scale" width="52" height="{HEIGHT}" aria-hidden="true">{_scale(history)}</svg>'
        f'<svg class="history-field" width="100%" height="{HEIGHT}" role="group" aria-label="{escaped(label)}">'
        f"{_grid(history)}{_line(history, points)}{''.join(_point(history, o) for o in points)}</svg>"
    )


def _height(percent: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * percent / 100


def _y(history: History, value: float) -> float:
    return _height(history.values.percent(value))


def _x(history: History, observation: Observation) -> str:
    return f"{history.dates.percent(observation.observed_at.timestamp()):.2f}%"


def _scale(history: History) -> str:
    return "".join(
        f'<text x="44" y="{_height(tick.percent) + 4.5:.1f}" text-anchor="end">{tick.text}</text>'
        for tick in history.values.ticks
    )


def _grid(history: History) -> str:
    rows = "".join(
        f'<line class="{"frame" if tick.percent == 0 else "grid"}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        for tick in history.values.ticks
        for y in (_height(tick.percent),)
    )
    return rows + "".join(
        f'<line class="frame" x1="{tick.percent:.2f}%" x2="{tick.percent:.2f}%" y1="{BOTTOM}" y2="{BOTTOM + 4}"/>'
        f'<text x="{tick.percent:.2f}%" y="{HEIGHT - 4}" text-anchor="{_anchor(tick.percent)}">{tick.text}</text>'
        for tick in history.dates.ticks
    )


def _anchor(percent: float) -> str:
    """A date near an end is written inwards, or it would leave the page."""
    return "start" if percent < 12 else "end" if percent > 88 else "middle"


def _line(history: History, points: list[Observation]) -> str:
    """A quiet line through the ranked points, to read them in their order: nothing between them is claimed."""
    ranked = [(_x(history, o), _y(history, o.value.value)) for o in points if o.value and o.rank]
    return "".join(
        f'<line class="history-line" x1="{x1}" y1="{y1:.1f}" x2="{x2}" y2="{y2:.1f}"/>'
        for (x1, y1), (x2, y2) in itertools.pairwise(ranked)
    )


def _point(history: History, observation: Observation) -> str:
    """This run on its ground, the bar of the spread, and a disc; a cross where the run is not ranked."""
    if observation.value is None:
        return ""
    x, y = _x(history, observation), _y(history, observation.value.value)
    series, shape = (1, SHAPES[1]) if observation.rank else (0, CROSS)
    ground = f'<line class="history-this" x1="{x}" x2="{x}" y1="0" y2="{BOTTOM}"/>' if observation.is_this else ""
    return (
        f'{ground}<g class="s{series}">{_bar(history, observation, x)}<svg x="{x}" y="{y:.1f}" overflow="visible">'
        f"<title>{escaped(_told(observation))}</title>{shape}</svg></g>"
    )


def _told(observation: Observation) -> str:
    """The point in words."""
    spread = observation.spread
    parts = (
        observation.release,
        f"{observation.observed_at:%Y-%m-%d}",
        observation.value and observation.value.text,
        f"{spread.name} {spread.text}" if spread else "no spread published",
        None if observation.rank else "not ranked",
        "this run" if observation.is_this else None,
    )
    return ", ".join(part for part in parts if part)


def _bar(history: History, observation: Observation, x: str) -> str:
    if observation.spread is None:
        return ""
    low, high = (_y(history, end.value) for end in (observation.spread.low, observation.spread.high))
    if low - high < 4:  # lower than the mark itself
        return ""
    caps = "".join(f'<svg x="{x}" y="{y:.1f}" overflow="visible">{CAP}</svg>' for y in (low, high))
    return f'<line class="bar-band" x1="{x}" x2="{x}" y1="{low:.1f}" y2="{high:.1f}"/>{caps}'
