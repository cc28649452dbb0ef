"""The tables that a matrix stands in: one a measure, one a hardware where columns do not fit beside each other."""

import itertools

import pytest

from registry.queries.matrices import Matrix, MatrixCell, MatrixColumn, MatrixRow
from registry.queries.shapes import Ref

CELL = MatrixCell("/groups/g/", None, None, 0, 1, 0, 0, None)


def ref(name: str) -> Ref:
    return Ref(name, name, f"/{name}/")


def column(hardware: str, label: str, metric: str = "latency", unit: str = "µs") -> MatrixColumn:
    return MatrixColumn(ref(hardware), None, ref(label), label, metric, "median", "lower is better", unit)


def matrix(*columns: MatrixColumn, rows: tuple[str, ...] = ()) -> Matrix:
    """Rows are written as one character a column: x for a cell, - for none."""
    made = tuple(
        MatrixRow(ref(f"w{number}"), tuple((CELL,) if mark == "x" else () for mark in marks))
        for number, marks in enumerate(rows or ("x" * len(columns),))
    )
    return Matrix(columns, (), made, len(made), 1, None, "", None)


def told(made: Matrix) -> list[tuple[str, str | None, list[str], list[tuple[str, int]], list[str]]]:
    return [
        (
            table.measure.metric or "",
            table.unit,
            [column.label for column in table.columns],
            [(span.hardware.name, span.columns) for span in table.spans],
            [row.workload.name for row in table.rows],
        )
        for table in made.tables
    ]


def test_columns_of_one_measure_that_fit_are_one_table_under_their_hardware() -> None:
    made = matrix(column("A", "forward"), column("A", "full"), column("B", "full"))
    assert told(made) == [("latency", "µs", ["forward", "full", "full"], [("A", 2), ("B", 1)], ["w0"])]
    assert made.shared_measure is not None


def test_each_measure_is_a_table_of_its_own() -> None:
    made = matrix(column("A", "forward"), column("A", "full", "memory", "MiB"), column("B", "forward"))
    assert told(made) == [
        ("latency", "µs", ["forward", "forward"], [("A", 1), ("B", 1)], ["w0"]),
        ("memory", "MiB", ["full"], [("A", 1)], ["w0"]),
    ]
    assert made.shared_measure is None


def test_columns_that_do_not_fit_stand_in_a_table_for_each_hardware_without_its_empty_rows() -> None:
    passes = ("forward", "backward", "full")
    columns = [column(hardware, label) for hardware, label in itertools.product("AB", passes)]
    assert told(matrix(*columns, rows=("xxx---", "---xx-", "x--x--"))) == [
        ("latency", "µs", list(passes), [("A", 3)], ["w0", "w2"]),
        ("latency", "µs", list(passes), [("B", 3)], ["w1", "w2"]),
    ]


def test_more_columns_of_one_hardware_than_fit_are_cut() -> None:
    made = matrix(*(column("A", f"p{number}") for number in range(4)))
    assert [[c.label for c in table.columns] for table in made.tables] == [["p0", "p1"], ["p2", "p3"]]


def test_columns_in_several_units_name_their_own() -> None:
    assert [table.unit for table in matrix(column("A", "forward"), column("A", "full", unit="ms")).tables] == [None]


@pytest.mark.parametrize("columns", [(), (column("A", "forward"),)])
def test_a_table_without_a_row_is_left_out(columns: tuple[MatrixColumn, ...]) -> None:
    assert matrix(*columns, rows=("-" * len(columns),)).tables == ()
