"""The colours of static/css/site.css against shared/design/README.md: exact values, WCAG contrast in both themes.

Reads the stylesheet only: no database, no Django.
"""

import itertools
import re
from pathlib import Path

import pytest

STYLESHEET = Path(__file__).resolve().parent.parent / "static" / "css" / "site.css"

# token: (light, dark), the table of design/README.md
TABLE = {
    "paper": ("#ffffff", "#141517"),
    "wash": ("#f6f5f1", "#1c1e21"),
    "mark": ("#fff4cf", "#2e2712"),
    "warn-wash": ("#fdf3dc", "#2a2313"),
    "bad-wash": ("#fcecea", "#301c1a"),
    "ink": ("#1a1b1d", "#ebeae6"),
    "ink-2": ("#494b50", "#c0c1bf"),
    "ink-3": ("#62646a", "#a0a2a4"),
    "link": ("#0b4f9c", "#93bff6"),
    "focus": ("#0b4f9c", "#93bff6"),
    "ok": ("#1b6b3a", "#84cf9d"),
    "warn": ("#835400", "#e6b85c"),
    "bad": ("#a8231c", "#f49a92"),
    "s1": ("#1d5fa9", "#7fb3f2"),
    "s2": ("#b4470d", "#f29a63"),
    "s3": ("#2c6e49", "#83cfa0"),
    "s4": ("#7d3c8c", "#d59ae3"),
    "edge": ("#84857f", "#7d8085"),
    "mark-edge": ("#b07a00", "#d9a83a"),
    "rule-2": ("#b9b7ae", "#54575c"),
    "rule": ("#e4e2db", "#2c2e32"),
}
GROUNDS = ("paper", "wash", "mark", "warn-wash", "bad-wash")
TEXTS = ("ink", "ink-2", "ink-3", "link", "ok", "warn", "bad")
# Series colours are also the names at the ends of the lines, on paper.
MARKS = ("edge", "mark-edge", "focus", "s1", "s2", "s3", "s4")
DECORATION = ("rule-2", "rule")


def stylesheet():
    return re.sub(r"/\*.*?\*/", " ", STYLESHEET.read_text(encoding="utf-8"), flags=re.S)


def colours(block):
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{3,8})\b", block))


def tokens(theme):
    text = stylesheet()
    light = colours(re.search(r":root\s*{(.*?)}", text, re.S).group(1))
    if theme == "light":
        return light
    dark = re.search(r"@media \(prefers-color-scheme: dark\)\s*{\s*:root\s*{(.*?)}", text, re.S)
    return {**light, **colours(dark.group(1))}


def luminance(value):
    channels = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def pairs(fronts):
    return list(itertools.product(("light", "dark"), fronts, GROUNDS))


def test_the_formula_is_that_of_wcag():
    assert round(contrast("#ffffff", "#000000"), 2) == 21.0
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tokens_are_those_of_the_design(theme):
    column = 0 if theme == "light" else 1
    assert tokens(theme) == {name: values[column] for name, values in TABLE.items()}


@pytest.mark.parametrize(("theme", "text", "ground"), pairs(TEXTS))
def test_text_reaches_4_5(theme, text, ground):
    found = tokens(theme)
    assert contrast(found[text], found[ground]) >= 4.5


@pytest.mark.parametrize(("theme", "mark", "ground"), pairs(MARKS))
def test_marks_and_borders_reach_3(theme, mark, ground):
    found = tokens(theme)
    assert contrast(found[mark], found[ground]) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_filled_button_and_series_names_reach_4_5(theme):
    found = tokens(theme)
    assert contrast(found["paper"], found["ink"]) >= 4.5
    for name in ("s1", "s2", "s3", "s4"):
        assert contrast(found[name], found["paper"]) >= 4.5


def test_every_colour_of_the_table_has_a_use_that_is_checked():
    assert set(TABLE) == {*GROUNDS, *TEXTS, *MARKS, *DECORATION}


def test_no_colour_outside_the_tokens():
    rules = re.sub(r":root\s*{.*?}", " ", stylesheet(), flags=re.S)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl)a?\(", rules) == []


def test_decoration_is_never_text_or_the_border_of_a_field():
    rules = re.findall(r"([^{}]+){([^{}]*)}", stylesheet())
    for selector, body in rules:
        if "var(--rule" in body:
            assert not re.search(r"(?<![\w-])(?:color|fill):\s*var\(--rule", body) or "::before" in selector, selector
            assert not re.search(r"\b(?:input|select|textarea)\b", selector), selector


def test_nothing_is_smaller_than_13_pixels():
    sizes = re.findall(r"font(?:-size)?:[^;}]*?(\d*\.?\d+)rem", stylesheet())
    assert sizes
    assert min(float(size) for size in sizes) >= 0.8125
