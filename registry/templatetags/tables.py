"""The row of a ranked table, made in one piece: with an include for each of a hundred, they take most of its time."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from attestations.templatetags.safely import escaped as e
from registry.core.axes import Axis
from registry.queries.shapes import RunRow
from registry.templatetags.measures import day, revision, times
from registry.templatetags.plots import bar

register = template.Library()


IN_COLUMN, IN_LINE = "column", "line"  # where a row tells its release, if its table's rows differ in it


@register.simple_tag
def group_row(row: RunRow, axis: Axis, series: int, this: str, releases: str) -> SafeString:
    """One run of a comparison group: rank, who, value with spread, bar, ratio to the best, release, date."""
    ratio = f'<span class="narrow">× best </span>{times(row.ratio_to_best)}' if row.rank else "–"
    return _row(row, axis, series, this, releases, _rank(row), f'<td role="cell" class="num c-ratio">{ratio}</td>')


@register.simple_tag
def variant_row(row: RunRow, axis: Axis, series: int, number: int | None, this: str, releases: str) -> SafeString:
    """One run of a variant in a divided group: its number by value, which is no rank, and no ratio."""
    return _row(row, axis, series, this, releases, str(number or "–"), "")


def _row(row: RunRow, axis: Axis, series: int, this: str, releases: str, first: str, ratio: str) -> SafeString:
    is_this = row.digest == this
    current = ' aria-current="true"' if is_this else ""
    plot = bar(row, axis, series) if row.value else '<span class="quiet">no measurement</span>'
    release = (
        f'<td role="cell" class="c-release"><span class="narrow">release </span>{e(row.release or "–")}</td>'
        if releases == IN_COLUMN
        else ""
    )
    return mark_safe(  # noqa: S308  every text is escaped where it is put in
        f'<tr role="row"{current}><td role="cell" class="c-rank">{first}</td>'
        f'<th role="rowheader" scope="row" class="c-name">{_name(row, is_this=is_this, releases=releases)}</th>'
        f'<td role="cell" class="num main c-value">{_value(row)}</td><td role="cell" class="c-plot">{plot}</td>'
        f'{ratio}{release}<td role="cell" class="c-date">{day(row.observed_at)}</td></tr>'
    )


def _rank(row: RunRow) -> str:
    return f"{row.rank}{' =' if row.tied else ''}" if row.rank else "–"


def _name(row: RunRow, *, is_this: bool, releases: str) -> str:
    """The implementation, its tags, and under it project, version and warnings."""
    name = e(row.implementation.name)
    parts = [f"<b>{name}</b>" if is_this else f'<a href="{e(row.url)}">{name}</a>']
    if row.is_baseline:
        parts.append(' <span class="tag">baseline</span>')
    if row.is_demonstration:
        parts.append(' <span class="tag">demonstration</span>')
    if is_this:
        parts.append(' <span class="here">◂ this run</span>')
    project = "" if row.project == row.implementation.name else f"{e(row.project)}{' ' if row.version else ', '}"
    told = [f"{project}{e(revision(row.version)) if row.version else 'version not published'}"]
    if releases == IN_LINE and row.release and row.release != row.version:
        told.append(f"release {e(row.release)}")
    told += [e(warning.title) for warning in row.warnings]
    parts.append(f'<span class="subline">{" · ".join(told)}</span>')
    return "".join(parts)


def _value(row: RunRow) -> str:
    if row.value is None:
        return "–"
    shown = row.interval or row.spread
    return (
        f'{row.value.number}<span class="unit narrow"> {e(row.value.display_unit)}</span>'
        f'<span class="subline">{shown.text if shown else "no spread published"}</span>'
    )
