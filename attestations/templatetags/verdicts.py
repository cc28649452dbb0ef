"""Drawing only: a measured value beside the claim that it is of, and how samples lie."""

from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from registry.core.axes import NARROW_BAND_PERCENT, Axis

register = template.Library()

DISC = '<circle class="bar-mark" r="3.5"/>'
HOLLOW = '<circle class="bar-mark hollow" r="4"/>'


@register.simple_tag
def verdict_bar(result: Any, claim: Any, axis: Axis) -> SafeString:
    """The band of the verdict, the claim as a dotted line, the measured value and its interval on one axis."""
    told = (
        f", {result.interval.name} {result.interval.text} {result.interval.low.display_unit}" if result.interval else ""
    )
    label = escape(f"measured {result.value.text}{told}; claim {claim.value.text}; {result.verdict_text}")
    return mark_safe(  # noqa: S308  the label is escaped, the rest is numbers
        f'<svg class="bar verdict" width="100%" height="21" role="img" aria-label="{label}">'
        f"{_claim(claim, axis)}{_measured(result, axis)}</svg>"
    )


@register.simple_tag
def contest_bar(contest: Any) -> SafeString:
    """The claim with its band, and the values that go against it."""
    claim, axis = contest.claim, contest.axis
    marks = "".join(
        f'<svg x="{axis.percent(value.value):.2f}%" y="10.5" overflow="visible">{HOLLOW}</svg>'
        for value in contest.competing
    )
    label = escape(f"claim {claim.value.text}, against it {', '.join(value.text for value in contest.competing)}")
    return mark_safe(  # noqa: S308  the label is escaped, the rest is numbers
        f'<svg class="bar verdict" width="100%" height="21" role="img" aria-label="{label}">'
        f'{_claim(claim, axis)}<g class="s2">{marks}</g></svg>'
    )


@register.simple_tag
def claim_key() -> SafeString:
    """The band and the claim as they are drawn, for the key."""
    return mark_safe(
        '<svg class="keyband" viewBox="0 0 34 14" aria-hidden="true" focusable="false">'
        '<rect class="bar-allowed" width="34" height="14"/><line class="bar-claim" x1="17" x2="17" y2="14"/></svg>'
    )


def _claim(claim: Any, axis: Axis) -> str:
    low, high, at = (axis.percent(q.value) for q in (claim.band.low, claim.band.high, claim.value))
    return (
        '<line class="bar-base" x1="0" x2="100%" y1="10.5" y2="10.5"/>'
        f'<rect class="bar-allowed" x="{low:.2f}%" width="{high - low:.2f}%" height="21"/>'
        f'<line class="bar-claim" x1="{at:.2f}%" x2="{at:.2f}%" y1="0" y2="21"/>'
    )


def _measured(result: Any, axis: Axis) -> str:
    band = ""
    if result.interval:
        start, end = axis.percent(result.interval.low.value), axis.percent(result.interval.high.value)
        if end - start >= NARROW_BAND_PERCENT / 2:
            x1, x2 = f"{start:.2f}%", f"{end:.2f}%"
            band = (
                f'<line class="bar-band" x1="{x1}" x2="{x2}" y1="10.5" y2="10.5"/>'
                f'<line class="bar-cap" x1="{x1}" x2="{x1}" y1="4" y2="17"/>'
                f'<line class="bar-cap" x1="{x2}" x2="{x2}" y1="4" y2="17"/>'
            )
    at, shape = axis.percent(result.value.value), DISC if result.interval else HOLLOW
    return f'<g class="s1">{band}<svg x="{at:.2f}%" y="10.5" overflow="visible">{shape}</svg></g>'


@register.simple_tag
def sample_bars(distribution: Any) -> SafeString:
    """How many samples lie in each of equal steps from the least to the greatest."""
    counts = distribution.counts
    step, most = 100 / len(counts), max(counts)
    bars = "".join(
        f'<rect x="{index * step:.2f}%" y="{48 - 48 * n / most:.1f}" '
        f'width="{step * 0.9:.2f}%" height="{48 * n / most:.1f}"/>'
        for index, n in enumerate(counts)
        if n
    )
    label = escape(
        f"{sum(counts)} samples from {distribution.minimum.text} to {distribution.maximum.text}, "
        f"median {distribution.median.text}"
    )
    return mark_safe(  # noqa: S308  the label is escaped, the rest is numbers
        f'<svg class="sample-bars s1" width="100%" height="48" role="img" aria-label="{label}">{bars}</svg>'
    )
