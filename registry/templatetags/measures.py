"""Formatting only: how a value that a template was given is written."""

import re
from datetime import UTC, datetime
from typing import Any

from django import template
from django.utils.html import format_html

from registry.core import measurement, readable

register = template.Library()

COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@register.filter
def day(value: datetime | None) -> str:
    """An instant as its UTC date in a <time>; never relative."""
    if value is None:
        return "–"
    value = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}">{}</time>', value.isoformat().replace("+00:00", "Z"), value.date().isoformat()
    )


@register.filter
def instant(value: datetime) -> str:
    """An instant to the minute in UTC, where a day has room for several."""
    value = value.astimezone(UTC)
    written = f"{value:%Y-%m-%d %H:%M} UTC"
    return format_html('<time datetime="{}">{}</time>', value.isoformat().replace("+00:00", "Z"), written)


@register.filter
def count(value: int) -> str:
    """A count with commas at thousands."""
    return f"{value:,}"


@register.filter
def times(value: float | None) -> str:
    """A ratio that names what it is of in its column's head; "–" where there is none."""
    return "–" if value is None else measurement.ratio_text(value, 1)


@register.filter
def share(percent: float) -> str:
    return f"{percent:.0f}"


@register.filter
def percent(value: float) -> str:
    return f"{value:.2f}%"


@register.filter
def size(value: int | None) -> str:
    """A file's size; the exact bytes stand in the JSON."""
    if value is None:
        return "size not stated"
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{_three_digits(value)} {unit}"
        value /= 1024  # type: ignore[assignment]  # shown rounded
    return f"{_three_digits(value)} GiB"


def _three_digits(value: float) -> str:
    """Three significant digits, and all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@register.filter
def head(digest: str, length: int = 12) -> str:
    """The first hex digits of a digest."""
    return f"{digest[: len('sha256:') + length]}…"


@register.filter
def revision(text: str) -> str:
    """A commit by its first hex digits; any other version as it is."""
    return f"{text[:12]}…" if COMMIT.fullmatch(text) else text


@register.filter
def decimals_pad(number: str) -> str:
    """The class that lines decimal points up: a figure with one digit fewer after the point gets one character."""
    return {0: "pad2", 1: "pad1"}.get(len(number.partition(".")[2]), "")


@register.filter
def sentence(text: str) -> str:
    """Somebody's words, closed by a full stop where they did not close them."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


@register.filter
def halves(items: Any) -> list[Any]:
    """A list as the two columns that it is set in, the first longer by at most one; a single item is one column."""
    listed = list(items)
    middle = (len(listed) + 1) // 2
    return [part for part in (listed[:middle], listed[middle:]) if part]


@register.filter
def plural(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"


@register.filter
def humanised(token: str) -> str:
    """A document's token as words: peak_memory is peak memory."""
    return readable.humanised(token)
