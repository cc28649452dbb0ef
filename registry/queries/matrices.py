"""The matrix of an operation: workloads by hardware and protocol, and the tables that it stands in."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any

from registry.queries.shapes import Quantity, Ref

ABREAST = 3  # columns that fit beside each other


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """A protocol under one hardware; `label` is the timed pass where it has one, else the protocol's name."""

    hardware: Ref
    runner: str | None
    protocol: Ref
    label: str
    metric: str | None
    statistic: str | None
    direction: str | None
    unit: str | None


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The best eligible run of one comparison group. `value` None: the group has no eligible run, and says why."""

    group_url: str
    value: Quantity | None
    implementation: str | None
    series: int
    run_count: int
    ranked_count: int
    tied: int
    next_ratio: float | None


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A workload. `cells` follow the columns; each holds one group or several (the stated environment differs)."""

    workload: Ref
    cells: tuple[tuple[MatrixCell, ...], ...]


@dataclass(frozen=True, slots=True)
class HardwareSpan:
    hardware: Ref
    runner: str | None
    columns: int


@dataclass(frozen=True, slots=True)
class MatrixTable:
    """The columns of a matrix that stand abreast, all of one measure, and the rows that have a cell in them."""

    columns: tuple[MatrixColumn, ...]
    spans: tuple[HardwareSpan, ...]
    rows: tuple[MatrixRow, ...]

    @property
    def measure(self) -> MatrixColumn:
        """Any column: metric, statistic and direction are those of all."""
        return self.columns[0]

    @property
    def unit(self) -> str | None:
        """None where the columns are shown in several: each then names its own."""
        units = {column.unit for column in self.columns if column.unit}
        return units.pop() if len(units) == 1 else None


@dataclass(frozen=True, slots=True)
class Matrix:
    columns: tuple[MatrixColumn, ...]
    spans: tuple[HardwareSpan, ...]
    rows: tuple[MatrixRow, ...]
    total_rows: int
    first_row: int
    next: str | None
    constants: str
    row_axis: str | None

    @property
    def last_row(self) -> int:
        return self.first_row + len(self.rows) - 1

    @property
    def shared_measure(self) -> MatrixColumn | None:
        """Any column, where all show the same metric, statistic, direction and unit: it is said once, above."""
        measures = {(c.metric, c.statistic, c.direction, c.unit) for c in self.columns}
        return self.columns[0] if len(measures) == 1 else None

    @property
    def tables(self) -> tuple[MatrixTable, ...]:
        """One for each measure, and for each hardware where the columns of a measure do not fit beside each other."""
        by_measure: dict[Any, list[int]] = defaultdict(list)
        for index, column in enumerate(self.columns):
            by_measure[(column.metric, column.statistic, column.direction)].append(index)
        made = (self._table(block) for indexes in by_measure.values() for block in self._abreast(indexes))
        return tuple(table for table in made if table.rows)

    def _abreast(self, indexes: list[int]) -> Iterator[list[int]]:
        if len(indexes) <= ABREAST:
            yield indexes
            return
        for _, of in groupby(indexes, lambda index: (self.columns[index].hardware, self.columns[index].runner)):
            block = list(of)
            size = ceil(len(block) / ceil(len(block) / ABREAST))  # as even as can be
            yield from (block[start : start + size] for start in range(0, len(block), size))

    def _table(self, indexes: list[int]) -> MatrixTable:
        columns = tuple(self.columns[index] for index in indexes)
        rows = (MatrixRow(row.workload, tuple(row.cells[index] for index in indexes)) for row in self.rows)
        spans = (
            HardwareSpan(hardware, runner, len(list(of)))
            for (hardware, runner), of in groupby(columns, lambda column: (column.hardware, column.runner))
        )
        return MatrixTable(columns, tuple(spans), tuple(row for row in rows if any(row.cells)))
