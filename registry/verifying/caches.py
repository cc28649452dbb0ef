"""Caches: standings, records and levels stand exactly as their one writer derives them now."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from registry import evidence, standings
from registry.models import ComparisonGroup, EvidenceLevel, GroupStanding, Record, Run, Standing
from registry.verifying.findings import UNDERIVABLE, Findings, Model, Row, chunks

FOLLOWS = "is not what follows from the runs and their marks"


def standings_follow(findings: Findings) -> None:
    for groups in chunks(ComparisonGroup.objects.all(), "id", "key"):
        for ids, derived in _derived(findings, groups):
            _compare(findings, Standing, ids, ("run_id", "group_id"), derived.standings)
            _compare(findings, GroupStanding, ids, ("group_id",), derived.groups)
            _compare(findings, Record, ids, ("group_id", "run_id"), derived.records)


def _derived(findings: Findings, groups: list[Row]) -> Iterator[tuple[list[UUID], standings.Derived]]:
    """All groups at once; where a broken row keeps them from being derived each alone, but for the one that can't."""
    ids = [group["id"] for group in groups]
    try:
        yield ids, standings.derive(ids)
    except UNDERIVABLE:
        for group in groups:
            try:
                derived = standings.derive([group["id"]])
            except UNDERIVABLE as error:
                text = f"no standings can be derived: {type(error).__name__}: {error}"
                findings.add("NOT_DERIVABLE", ComparisonGroup, group["key"], "", text)
            else:
                yield [group["id"]], derived


def _compare(findings: Findings, model: Model, group_ids: list[UUID], key: tuple[str, ...], derived: list[Row]) -> None:
    stored = list(model._default_manager.filter(group__in=group_ids).values())
    findings.read(model, stored)
    _compare_rows(findings, model, key, stored, derived)


def _compare_rows(
    findings: Findings, model: Model, key: tuple[str, ...], stored: list[Row], derived: list[Row]
) -> None:
    """By key: rows that are missing, rows that are extra, and each column that differs."""

    def keyed(rows: list[Row]) -> dict[tuple[Any, ...], Row]:
        return {tuple(row[name] for name in key): row for row in rows}

    there, due = keyed(stored), keyed(derived)
    pk = str(model._meta.pk.attname)
    for row_key, row in due.items():
        if row_key in there:
            findings.compare("CACHE", model, there[row_key][pk], there[row_key], row, FOLLOWS)
        else:
            findings.add("MISSING", model, row[pk], "", "follows from the runs and their marks, and is not there")
    extra = [row for row in stored if due.get(tuple(row[name] for name in key), {}).get(pk) != row[pk]]
    for row in extra:
        findings.add("EXTRA", model, row[pk], "", "does not follow from the runs and their marks")


def levels_follow(findings: Findings) -> None:
    for runs in chunks(Run.objects.all(), "id"):
        ids = [run["id"] for run in runs]
        due = [evidence.level_row(run_id, facts) for run_id, facts in evidence.facts_of(ids).items()]
        stored = list(EvidenceLevel.objects.filter(run__in=ids).values())
        findings.read(EvidenceLevel, stored)
        _compare_rows(findings, EvidenceLevel, ("run_id",), stored, due)
