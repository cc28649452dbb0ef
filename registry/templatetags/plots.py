"""Drawing only: bars, axes and the scaling plot, as SVG that needs no script and follows light and dark.

Positions come from core.axes; colours and widths from the stylesheet, by class.
"""

import functools
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from attestations.templatetags.safely import escaped
from registry.core.axes import NARROW_BAND_PERCENT, Axis
from registry.queries.shapes import RunRow

register = template.Library()

SHAPES = {
    1: '<circle class="bar-mark" r="3.5"/>',
    2: '<path class="bar-mark" d="M-3.5-3.5h7v7h-7z"/>',
    3: '<path class="bar-mark" d="M0-4.25 4.25 3.5h-8.5z"/>',
    4: '<path class="bar-mark" d="M0-4.75 4.75 0 0 4.75-4.75 0z"/>',
}
HOLLOW = '<circle class="bar-mark hollow" r="4"/>'


@register.simple_tag
def mark(series: int, hollow: bool = False) -> SafeString:
    """The mark of a series, beside a name."""
    return mark_safe(  # noqa: S308  numbers of our own
        f'<svg class="smark s{series}" viewBox="-4.5 -4.5 9 9" aria-hidden="true" focusable="false">'
        f"{HOLLOW if hollow else SHAPES.get(series, SHAPES[1])}</svg>"
    )


@register.simple_tag
def axis_head(title: str, axis: Axis, note: str = "") -> SafeString:
    """The head of a plot column: what is drawn, and the ticks at their true positions."""
    return mark_safe(  # noqa: S308  the title is escaped, the rest is numbers
        f'<span class="axis-title">{escaped(title)}{escaped(f", {note}") if note else ""}</span>'
        f'<svg class="axis-ticks" width="100%" height="17" aria-hidden="true">{_tick_texts(axis)}</svg>'
    )


@functools.lru_cache(maxsize=512)
def _tick_texts(axis: Axis) -> str:
    anchors = {0.0: "", 100.0: ' text-anchor="end"'}
    middle = ' text-anchor="middle"'
    return "".join(
        f'<text x="{tick.percent:.2f}%" y="13"{anchors.get(tick.percent, middle)}>{tick.text}</text>'
        for tick in axis.ticks
    )


@functools.lru_cache(maxsize=512)
def _base(axis: Axis, kind: str) -> str:
    """The base line and the ticks of a bar: the same for every row of a table."""
    ends = ("7.5", "13.5") if kind == "bar-base" else ("0", "21")
    lines = "".join(
        f'<line class="{kind}" x1="{t.percent:.2f}%" x2="{t.percent:.2f}%" y1="{ends[0]}" y2="{ends[1]}"/>'
        for t in axis.ticks
    )
    return f'<line class="bar-base" x1="0" x2="100%" y1="10.5" y2="10.5"/>{lines}'


def _marked(axis: Axis, value: float, low: float | None, high: float | None, series: int) -> str:
    band = ""
    if low is not None and high is not None:
        start, end = axis.percent(low), axis.percent(high)
        if end - start >= NARROW_BAND_PERCENT:
            x1, x2 = f"{start:.2f}%", f"{end:.2f}%"
            band = (
                f'<line class="bar-band" x1="{x1}" x2="{x2}" y1="10.5" y2="10.5"/>'
                f'<line class="bar-cap" x1="{x1}" x2="{x1}" y1="4" y2="17"/>'
                f'<line class="bar-cap" x1="{x2}" x2="{x2}" y1="4" y2="17"/>'
            )
    shape = SHAPES.get(series, SHAPES[1]) if low is not None else HOLLOW
    return (
        f'<g class="s{series}">{band}<svg x="{axis.percent(value):.2f}%" y="10.5" overflow="visible">{shape}</svg></g>'
    )


@register.simple_tag
def bar(row: RunRow, axis: Axis, series: int) -> SafeString:
    """The spread bar of one run on its table's axis; a hollow mark where no spread is published."""
    if row.value is None:
        return SafeString("")
    shown = row.interval or row.spread
    told = f", {shown.name} {shown.text} {shown.low.display_unit}" if shown else ", no spread published"
    label = escaped(f"{row.value.text}{told}")
    low, high = (shown.low.value, shown.high.value) if shown else (None, None)
    return mark_safe(  # noqa: S308  the label is escaped, the rest is numbers
        f'<svg class="bar" width="100%" height="21" role="img" aria-label="{label}">'
        f"{_base(axis, 'bar-base')}{_marked(axis, row.value.value, low, high, series)}</svg>"
    )


@register.simple_tag
def range_bar(page: Any, series: int) -> SafeString:
    """A run's own range on an axis of its own."""
    shown = page.interval or page.spread
    label = escaped(f"{page.statistic} {page.primary.text}, {shown.name} {shown.text} {shown.low.display_unit}")
    return mark_safe(  # noqa: S308  the label is escaped, the rest is numbers
        f'<svg class="bar" width="100%" height="21" role="img" aria-label="{label}">'
        f"{_base(page.range_axis, 'bar-base')}"
        f"{_marked(page.range_axis, page.primary.value, shown.low.value, shown.high.value, series)}</svg>"
    )


@register.simple_tag
def sibling_bar(sibling: Any, axis: Axis) -> SafeString:
    """All implementations of one sibling group on one line."""
    cells = [(index, cell) for index, cell in enumerate(sibling.cells, start=1) if cell]
    label = escaped(", ".join(f"{cell.implementation} {cell.value.text}" for _, cell in cells))
    marks = "".join(_marked(axis, cell.value.value, cell.low, cell.high, index) for index, cell in cells)
    return mark_safe(  # noqa: S308  the label is escaped, the rest is numbers
        f'<svg class="bar" width="100%" height="21" role="img" aria-label="{label}">'
        f"{_base(axis, 'bar-grid')}{marks}</svg>"
    )


# --- the scaling plot: 304 by 300 units, drawn near 1:1 so that its text stays readable on a phone

LONGEST_END_NAME = 9  # characters that fit beside the frame
LEFT, RIGHT, TOP, BOTTOM = 39.5, 237.5, 0.5, 216.5


@register.simple_tag
def scaling_plot(panel: Any, scaling: Any) -> SafeString:
    """Lines through the measured points, bands of their spread; nothing between or beyond is claimed."""
    xs = _size_positions(scaling.sizes)
    title = f"{panel.title} {scaling.statistic} over {scaling.axis}; every figure is in the table above"
    body = [
        _y_grid(scaling.plot),
        _x_ticks(xs),
        f'<text x="138.5" y="254" text-anchor="middle">{escaped(scaling.axis)}</text>',
    ]
    body += [_band(curve, xs, scaling.plot) for curve in panel.curves]
    body += [_curve(curve, xs, scaling) for curve in panel.curves]
    body += _names(panel.curves, scaling.plot)
    return mark_safe(  # noqa: S308  every text is escaped where it is put in
        f'<svg viewBox="0 0 304 262" role="group" aria-label="{escaped(title)}">{"".join(body)}</svg>'
    )


def _size_positions(sizes: tuple[int, ...]) -> dict[int, float]:
    axis = Axis(sizes[0], sizes[-1], True, ())
    return {size: LEFT + (RIGHT - LEFT) * axis.percent(size) / 100 for size in sizes}


def _y(axis: Axis, value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * axis.percent(value) / 100


def _y_grid(axis: Axis) -> str:
    return "".join(
        f'<line class="{"frame" if t.percent == 0 else "grid"}" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="33" y="{max(y + 4.5, 10):.1f}" text-anchor="end">{t.text}</text>'
        for t in axis.ticks
        for y in (BOTTOM - (BOTTOM - TOP) * t.percent / 100,)
    )


def _x_ticks(xs: dict[int, float]) -> str:
    """A tick at every measured size; labels where there is room for them."""
    parts, free_from = [], 0.0
    for size, x in xs.items():
        parts.append(f'<line class="frame" x1="{x:.1f}" x2="{x:.1f}" y1="216.5" y2="220.5"/>')
        text = f"{size / 1024:g}k" if size >= 1024 and size % 1024 == 0 else f"{size}"
        half = 3.8 * len(text)
        if x - half >= free_from:
            parts.append(f'<text x="{x:.1f}" y="235" text-anchor="middle">{text}</text>')
            free_from = x + half + 8
    return "".join(parts)


def _band(curve: Any, xs: dict[int, float], axis: Axis) -> str:
    spread = [p for p in curve.points if p.low and p.high]
    if len(spread) < 2 or len(spread) < len(curve.points):
        return ""
    upper = [f"{xs[p.size]:.1f},{_y(axis, p.high):.1f}" for p in spread]
    lower = [f"{xs[p.size]:.1f},{_y(axis, p.low):.1f}" for p in reversed(spread)]
    return f'<g class="s{curve.series}"><polygon class="band" points="{" ".join(upper + lower)}"/></g>'


def _curve(curve: Any, xs: dict[int, float], scaling: Any) -> str:
    line = " ".join(f"{xs[p.size]:.1f},{_y(scaling.plot, p.value.value):.1f}" for p in curve.points)
    marks = "".join(
        f'<g transform="translate({xs[p.size]:.1f} {_y(scaling.plot, p.value.value):.1f})">'
        f"<title>{escaped(f'{curve.name}, {scaling.axis} {p.size}: {p.value.text}')}</title>"
        f"{SHAPES.get(curve.series, SHAPES[1])}</g>"
        for p in curve.points
    )
    return f'<g class="s{curve.series}"><polyline class="line" points="{line}"/>{marks}</g>'


def _names(curves: Any, axis: Axis) -> list[str]:
    """Names at the ends of their lines, moved apart where they would overlap."""
    ends = sorted(((_y(axis, curve.points[-1].value.value), curve) for curve in curves), key=lambda end: end[0])
    placed, names = -100.0, []
    for y, curve in ends:
        placed = max(y + 4.5, placed + 14)
        if len(curve.name) <= LONGEST_END_NAME:  # a longer one stands in the key alone; nothing but a digest is cut
            names.append(f'<text class="name s{curve.series}" x="246" y="{placed:.1f}">{escaped(curve.name)}</text>')
    return names
