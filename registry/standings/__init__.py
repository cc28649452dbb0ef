"""The only writer of ranks and records: everything about a group is derived anew from its runs and their marks."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.db import transaction

from registry import bulk
from registry.models import ComparisonGroup, GroupStanding, Mark, Record, Run, Standing
from registry.standings.deriving import AUTHOR, GROUP_COLUMNS, MARK_COLUMNS, RUN_COLUMNS, Derived, Row, derive_rows

__all__ = ["Derived", "derive", "derive_new", "place_new", "refresh"]

CHUNK = 400  # groups at a time: bounds memory, and stays under SQLite's limit of query parameters


def refresh(group_ids: Sequence[UUID]) -> int:
    """Replace the standings and records of these groups. Call it in the transaction that touched them."""
    for start in range(0, len(group_ids), CHUNK):
        chunk = group_ids[start : start + CHUNK]
        derived = derive(chunk)
        with transaction.atomic():
            Standing.objects.filter(group__in=chunk).delete()
            GroupStanding.objects.filter(group__in=chunk).delete()
            Record.objects.filter(group__in=chunk).delete()
            _insert(derived)
    return len(group_ids)


def place_new(groups: Sequence[Row], runs: Iterable[Row], marks: Iterable[Row], authors: Mapping[UUID, str]) -> None:
    """Write the standings and records of groups that are made in this very transaction, from the rows it inserts.

    No other run can be in such a group and nothing stands of it yet, so nothing is read back and nothing is replaced.
    `authors` are by implementation.
    """
    _insert(derive_new(groups, runs, marks, authors))


def _insert(derived: Derived) -> None:
    bulk.insert(Standing, derived.standings)
    bulk.insert(GroupStanding, derived.groups)
    bulk.insert(Record, derived.records)


def derive(group_ids: Sequence[UUID]) -> Derived:
    """What the standings of these groups follow to, read only. Three queries, whatever the number of runs."""
    groups = ComparisonGroup.objects.filter(pk__in=group_ids).values(*GROUP_COLUMNS)
    runs = Run.objects.filter(group__in=group_ids).order_by("observed_at", "id").values(*RUN_COLUMNS)
    marks = Mark.objects.filter(run__group__in=group_ids).values(*MARK_COLUMNS)
    return derive_rows(groups, runs, marks)


def derive_new(
    groups: Iterable[Row], runs: Iterable[Row], marks: Iterable[Row], authors: Mapping[UUID, str]
) -> Derived:
    """The same, of every run and mark of groups as rows that are about to be inserted."""
    told = [run | {AUTHOR: authors[run["implementation_id"]]} for run in runs]
    return derive_rows(groups, sorted(told, key=lambda run: (run["observed_at"], run["id"])), marks)
