"""The tables of a divided group: one for each kind of mathematics, ordered by value, none of its runs ranked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from registry.core import variants
from registry.core.variants import Variant
from registry.queries.shapes import Reason, RunRow

WITHHELD = "FLAGGED_OPERATION_MISMATCH"


@dataclass(frozen=True, slots=True)
class VariantPart:
    """One kind of mathematics in a divided group. `before`: how many rows of the group's table stand before its own."""

    name: str | None
    title: str
    run_count: int
    before: int

    def number(self, row: RunRow) -> int | None:
        """The row's number in its table; None for a run that would not be ranked in a group of its own either."""
        is_withheld_alone = [reason.code for reason in row.reasons] == [WITHHELD]
        return row.position - self.before if is_withheld_alone and row.position else None


@dataclass(frozen=True, slots=True)
class VariantTable:
    """The rows of one part that stand on a page."""

    part: VariantPart
    rows: tuple[RunRow, ...]

    @property
    def numbered(self) -> tuple[tuple[int | None, RunRow], ...]:
        """Each row with its number and the reasons that are its own: the page says the group's once."""
        return tuple((self.part.number(row), replace(row, reasons=_own(row.reasons))) for row in self.rows)


def _own(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    return tuple(reason for reason in reasons if reason.code != WITHHELD) or reasons


def parts_of(stored: Sequence[Mapping[str, Any]]) -> tuple[VariantPart, ...]:
    """The parts of a group from what its standing holds; none where one kind leaves it whole."""
    kinds = kinds_of(stored)
    if not variants.is_divided(kinds):
        return ()
    return tuple(
        VariantPart(kind.name, kind.title, kind.runs, sum(other.runs for other in kinds[:number]))
        for number, kind in enumerate(kinds)
    )


def kinds_of(stored: Sequence[Mapping[str, Any]]) -> tuple[Variant, ...]:
    return tuple(Variant(kind["name"], kind["runs"]) for kind in stored)


def why(stored: Sequence[Mapping[str, Any]]) -> str | None:
    """Why the group ranks nothing; None where it is whole."""
    kinds = kinds_of(stored)
    return variants.why_divided(kinds) if variants.is_divided(kinds) else None


def tables(parts: Sequence[VariantPart], rows: Iterable[RunRow]) -> tuple[VariantTable, ...]:
    """The rows of a page under their parts; a part without a row on it is left out."""
    listed = tuple(rows)
    made = (VariantTable(part, tuple(row for row in listed if row.variant == part.name)) for part in parts)
    return tuple(table for table in made if table.rows)
