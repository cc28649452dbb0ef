"""A comparison group as its page shows it: the ranked table, what is held equal, the groups beside it."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from registry.core import comparability, measurement, ranking
from registry.core.axes import Axis, from_zero
from registry.models import ComparisonGroup, Coverage, GroupStanding, Run
from registry.queries import addresses, keyset, notes, parts, rows, variants
from registry.queries.elsewhere import Elsewhere, elsewhere, parts_of
from registry.queries.notes import ProtocolNotes
from registry.queries.prepared import Prepared, nested
from registry.queries.shapes import Fact, Page, RunRow
from registry.queries.siblings import Siblings, siblings
from registry.queries.summaries import SUMMARY_COLUMNS, Summary, summary
from registry.queries.variants import VariantPart, VariantTable

ROWS_A_PAGE = 100
Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CoverageNote:
    """What upstream offered for this group and what was taken; `offered` None where the source's total is unknown."""

    offered: int | None
    taken: int
    rule: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Undigested:
    """A label outside the digests that differs between the group's runs."""

    name: str
    values: int
    examples: tuple[str, ...]
    absent: int


@dataclass(frozen=True, slots=True)
class GroupPage:
    """Everything on a group's page; its JSON twin is this object."""

    summary: Summary
    profile: str
    policy: str
    held_equal: tuple[Fact, ...]
    protocol_notes: ProtocolNotes
    correctness_digest: str
    unit: str | None
    rows: tuple[RunRow, ...]
    variants: tuple[VariantPart, ...]
    has_releases: bool
    page: Page
    counts_text: str
    coverage: CoverageNote | None
    coverage_text: str
    undigested: tuple[Undigested, ...]
    observed_from: datetime
    observed_to: datetime
    elsewhere: tuple[Elsewhere, ...]
    siblings: Siblings | None
    axis: Axis
    range_name: str | None
    unranked_count: int
    standing_text: str

    @property
    def tables(self) -> tuple[VariantTable, ...]:
        """The rows of a divided group under its variants."""
        return variants.tables(self.variants, self.rows)


def group_page(key: str, *, cursor: str | None = None) -> GroupPage:
    """The page of a group. Raises ComparisonGroup.DoesNotExist, or keyset.BadCursorError."""
    whole = ComparisonGroup.objects.select_related(
        "operation", "workload", "protocol", "environment__hardware", "standing"
    )
    group = whole.annotate(**notes.counted()).get(key=key)
    found, following = _rows(group, cursor)
    unit = rows.column_unit(found)
    run_rows = tuple(rows.row(columns, unit) for columns in found)
    values = [columns["value"] for columns in found if columns["value"] is not None]
    highs = [columns[end] for columns in found for end in ("spread_high", "interval_high") if columns[end] is not None]
    standing = group.standing
    coverage = coverage_note(group.id)
    workload_spec = json.loads(group.workload.canonical or "{}").get("spec", {})
    return GroupPage(
        summary=summary(_columns_of(group), unit),
        profile=profile_text(found),
        policy=standing.policy,
        held_equal=_held_equal(group, workload_spec),
        protocol_notes=notes.of_protocol(group.protocol.digest, parts.protocol_family(group.protocol.canonical), group),
        correctness_digest=group.correctness,
        unit=unit,
        rows=run_rows,
        variants=variants.parts_of(standing.variants),
        has_releases=len({row.release for row in run_rows}) > 1,
        page=Page(following, standing.run_count),
        counts_text=counts_text(standing.run_count, standing.ranked_count),
        coverage=coverage,
        coverage_text=coverage_text(standing, coverage),
        undigested=undigested(standing),
        observed_from=standing.oldest_observed_at,
        observed_to=standing.newest_observed_at,
        elsewhere=elsewhere(parts_of(group)) if group.metric else (),
        siblings=siblings(group),
        axis=from_zero([*values, *highs], measurement.scale(group.unit, unit)),
        range_name=range_name(run_rows),
        unranked_count=standing.run_count - standing.ranked_count,
        standing_text=variants.why(standing.variants) or standing_text(standing, run_rows),
    )


def _rows(group: ComparisonGroup, cursor: str | None) -> tuple[list[Columns], str | None]:
    """The rows of one page of a group's table, by position: ranked runs first, then the others."""
    return keyset.page(
        rows.wide(Run.objects.filter(standing__group=group)),
        order=("standing__position", "id"),
        scope=f"group:{group.key}",
        cursor=cursor,
        limit=ROWS_A_PAGE,
    )


def _columns_of(group: ComparisonGroup) -> Columns:
    return ComparisonGroup.objects.values(*SUMMARY_COLUMNS).get(pk=group.pk)


def _held_equal(group: ComparisonGroup, workload_spec: dict[str, Any]) -> tuple[Fact, ...]:
    operation, workload, protocol, environment = group.operation, group.workload, group.protocol, group.environment
    comparator = workload_spec.get("correctness", {}).get("comparator")
    metric = f"{group.metric} · {group.statistic} · {measurement.unit_word(group.unit)}" if group.metric else None
    return (
        Fact("operation", "operation", operation.display_name, url=addresses.operation(operation.slug)),
        Fact("workload", "workload", workload.label, url=addresses.workload(workload.digest)),
        Fact("protocol", "protocol", protocol.label, url=addresses.protocol(protocol.digest)),
        Fact("environment", "environment", environment.label, url=addresses.environment(environment.digest)),
        Fact("correctness", "correctness", comparator, absent=None if comparator else "redacted"),
        Fact("metric", "metric", metric, absent=None if metric else "its runs state no primary value"),
    )


def profile_text(found: list[Columns]) -> str:
    """Profiles are judged per pair; a group's page names the ones that occur on it."""
    told = {
        comparability.Profile.SOURCE_NATIVE if columns["is_source_native"] else comparability.Profile.STRICT_EXACT
        for columns in found
    }
    return ", ".join(sorted(map(str, told)))


def range_name(run_rows: tuple[RunRow, ...]) -> str | None:
    """What the bars of a table show: the interval where rows state one, else the spread; None where none do."""
    names = {r.name for row in run_rows for r in (row.interval or row.spread,) if r}
    return ", ".join(sorted(names)) or None


def counts_text(run_count: int, ranked_count: int) -> str:
    runs = f"{run_count:,} run{'s' * (run_count != 1)}"
    if ranked_count == run_count:
        return f"{runs}, {'ranked' if run_count == 1 else 'both ranked' if run_count == 2 else 'all ranked'}"
    return f"{runs}, {ranked_count:,} ranked"


def standing_text(standing: GroupStanding, shown: tuple[RunRow, ...]) -> str:
    """What the ranks rest on: ties, unranked runs, whether the lead is known to be real, what the bars are."""
    told = []
    if standing.ranked_count > 1:
        tied = any(row.tied for row in shown)
        told.append("Tied runs share a rank." if tied else "No ties on this page.")
        if standing.next_separability and standing.best_value is not None and standing.next_ratio is not None:
            apart = ranking.Separability[standing.next_separability]
            lead = ranking.lead(standing.best_value, standing.best_value * standing.next_ratio, apart)
            told.append(f"Between ranks 1 and 2: {lead.text} ({apart}).")
    elif standing.run_count == 1:
        told.append("Only entry so far: one run alone says nothing about being fast.")
    unranked = standing.run_count - standing.ranked_count
    told.append(f"{unranked:,} not ranked, each with its reason." if unranked else "No run is left unranked.")
    if any(row.spread for row in shown):
        told.append("A spread of samples is not an uncertainty interval: overlap of two spreads makes no tie.")
    return " ".join(told)


COVERAGE = Prepared(
    lambda group: (
        Coverage.objects.filter(group_id=group).order_by("-at", "-id").values("offered", "taken", "rule", "at")[:1]
    ),
    group=UUID,
)


def coverage_note(group_id: Any) -> CoverageNote | None:
    rows_found = COVERAGE.rows(group=group_id)
    if not rows_found:
        return None
    found = nested(rows_found[0])
    offered = "a total that the source does not state" if found.offered is None else f"{found.offered:,} runs"
    text = f"the source lists {offered}, {found.taken:,} taken ({found.rule}, {found.at:%Y-%m-%d})"
    return CoverageNote(found.offered, found.taken, found.rule, found.at, text)


def coverage_text(standing: Any, note: CoverageNote | None) -> str:
    """Runs and authors of a group, and how much of the source they are."""
    runs, authors = standing.run_count, standing.author_count
    told = f"{runs:,} run{'s' * (runs != 1)} by {authors:,} author{'s' * (authors != 1)}"
    return f"{told}; {note.text if note else 'source total unknown'}"


def undigested(standing: Any) -> tuple[Undigested, ...]:
    return tuple(
        Undigested(label["name"], label["values"], tuple(label["examples"]), label["absent"])
        for label in standing.undigested
    )
