"""Bars, axes and the scaling plot: SVG whose words carry the figures and whose positions follow the axis."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from registry.core.axes import Axis, Tick, from_zero
from registry.queries.shapes import Range, quantity
from registry.templatetags import plots

AXIS = Axis(0.0, 200.0, False, (Tick(0.0, "0"), Tick(50.0, "100"), Tick(100.0, "200")))


def row(value: float | None, low: float | None = None, high: float | None = None, *, is_interval: bool = False) -> Any:
    """A run's row as far as a bar reads it, in units that have no steps."""
    spread = None
    if low is not None and high is not None:
        spread = Range(quantity(low, "tokens_s"), quantity(high, "tokens_s"), "p20 – p80", is_interval)
    shown = None if value is None else quantity(value, "tokens_s")
    return SimpleNamespace(value=shown, spread=spread, interval=None)


@pytest.mark.parametrize(("series", "shape"), [(1, "circle"), (2, "M-3.5-3.5h7v7h-7z"), (3, "M0-4.25"), (4, "M0-4.75")])
def test_each_series_has_a_shape_of_its_own(series: int, shape: str) -> None:
    made = plots.mark(series)
    assert shape in made
    assert f'class="smark s{series}"' in made


def test_a_fifth_series_shares_a_mark_without_failing() -> None:
    assert 'class="smark s0"' in plots.mark(0)


def test_an_axis_head_escapes_its_title_and_writes_its_ticks_where_they_stand() -> None:
    made = plots.axis_head("p20 <b>, µs", AXIS, "log scale")
    assert made.startswith('<span class="axis-title">p20 &lt;b&gt;, µs, log scale</span>')
    assert re.findall(r'<text x="([^"]+)"[^>]*>([^<]+)</text>', made) == [
        ("0.00%", "0"), ("50.00%", "100"), ("100.00%", "200"),
    ]  # fmt: skip
    assert 'x="50.00%" y="13" text-anchor="middle"' in made
    assert 'x="100.00%" y="13" text-anchor="end"' in made


def test_a_bar_says_its_figures_and_stands_at_its_value() -> None:
    made = plots.bar(row(100.0, 80.0, 150.0), AXIS, 2)
    assert 'role="img" aria-label="100 tokens/s, p20 – p80 80 – 150 tokens/s"' in made
    assert '<line class="bar-band" x1="40.00%" x2="75.00%" y1="10.5" y2="10.5"/>' in made
    assert '<g class="s2">' in made
    assert '<svg x="50.00%" y="10.5"' in made


def test_a_run_without_spread_has_a_hollow_mark_and_says_so() -> None:
    made = plots.bar(row(100.0), AXIS, 1)
    assert "no spread published" in made
    assert 'class="bar-mark hollow"' in made
    assert "bar-band" not in made


def test_a_band_narrower_than_three_percent_of_the_axis_is_not_drawn() -> None:
    made = plots.bar(row(100.0, 98.0, 103.0), AXIS, 1)
    assert "bar-band" not in made
    assert "hollow" not in made


def test_a_run_without_a_value_has_no_bar() -> None:
    assert plots.bar(row(None), AXIS, 1) == ""


def test_a_runs_own_range_names_its_statistic() -> None:
    shown = row(100.0, 80.0, 150.0)
    page = SimpleNamespace(
        interval=None, spread=shown.spread, primary=shown.value, statistic="median", range_axis=AXIS
    )  # fmt: skip
    made = plots.range_bar(page, 1)
    assert 'aria-label="median 100 tokens/s, p20 – p80 80 – 150 tokens/s"' in made


def test_a_siblings_line_names_every_implementation_with_its_figure() -> None:
    cell = SimpleNamespace(implementation="A&B", value=quantity(50.0, "tokens_s"), low=None, high=None)
    made = plots.sibling_bar(SimpleNamespace(cells=(None, cell)), AXIS)
    assert 'aria-label="A&amp;B 50 tokens/s"' in made
    assert '<g class="s2">' in made
    assert '<svg x="25.00%"' in made


def scaling(**fields: Any) -> Any:
    base = {
        "axis": "hidden", "statistic": "median", "sizes": (128, 1024, 4096),
        "plot": Axis(1.0, 100.0, True, (Tick(0.0, "1"), Tick(50.0, "10"), Tick(100.0, "100"))),
    }  # fmt: skip
    return SimpleNamespace(**base | fields)


def curve(name: str, series: int, *points: tuple[int, float, float | None, float | None]) -> Any:
    made = tuple(
        SimpleNamespace(size=size, value=quantity(value, "tokens_s"), low=low, high=high)
        for size, value, low, high in points
    )
    return SimpleNamespace(name=name, series=series, points=made)


def test_a_scaling_plot_marks_the_measured_points_alone_and_says_where_its_figures_stand() -> None:
    panel = SimpleNamespace(title="backward", curves=(curve("Liger", 1, (128, 10, 9, 11), (4096, 100, 90, 110)),))
    made = plots.scaling_plot(panel, scaling())
    assert 'aria-label="backward median over hidden; every figure is in the table above"' in made
    assert "<title>Liger, hidden 128: 10 tokens/s</title>" in made
    assert made.count("<title>") == 2
    assert re.findall(r'<polyline class="line" points="([^"]+)"', made) == ["39.5,108.5 237.5,0.5"]
    assert 'class="band"' in made
    assert re.findall(r">([^<]+)</text>", made) == [
        "1", "10", "100", "128", "1k", "4k", "hidden", "Liger",
    ]  # fmt: skip


def test_a_curve_with_an_unpublished_spread_has_no_band() -> None:
    panel = SimpleNamespace(title="full", curves=(curve("Liger", 1, (128, 10, 9, 11), (4096, 100, None, None)),))
    assert 'class="band"' not in plots.scaling_plot(panel, scaling())


def test_a_name_too_long_for_the_frame_is_left_to_the_key_and_none_is_cut() -> None:
    panel = SimpleNamespace(
        title="t",
        curves=(curve("A name of many words", 1, (128, 10, None, None)), curve("B<", 2, (128, 20, None, None))),
    )
    made = plots.scaling_plot(panel, scaling())
    assert re.findall(r'<text class="name s\d"[^>]*>([^<]+)</text>', made) == ["B&lt;"]


def test_names_at_the_ends_of_close_lines_do_not_overlap() -> None:
    panel = SimpleNamespace(
        title="t", curves=(curve("A", 1, (4096, 10, None, None)), curve("B", 2, (4096, 10, None, None)))
    )
    ys = [
        float(y)
        for y in re.findall(r'<text class="name s\d" x="246" y="([^"]+)"', plots.scaling_plot(panel, scaling()))
    ]
    assert ys == [113.0, 127.0]


def test_an_axis_of_a_real_table_starts_at_zero() -> None:
    assert [tick.text for tick in from_zero([126.3]).ticks] == ["0", "50", "100", "150"]
