"""An operation as an object: every workload on every GPU under every protocol, and who holds the best."""

import pytest

from registry.models import Operation
from registry.queries import keyset, operations
from tests.registry.pages import OPERATION, SOL_OPERATION

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def test_the_matrix_has_a_row_for_each_workload_and_a_column_for_each_pass() -> None:
    matrix = operations.operation_page(OPERATION).matrix
    assert [(column.label, column.unit, column.direction) for column in matrix.columns] == [
        ("forward", "µs", "lower is better"), ("backward", "µs", "lower is better"), ("full", "µs", "lower is better"),
    ]  # fmt: skip
    assert [(span.hardware.name, span.columns) for span in matrix.spans] == [("NVIDIA H100 80GB HBM3", 3)]
    assert (matrix.row_axis, matrix.constants, matrix.total_rows, matrix.next) == (
        "hidden",
        "rows 4096 · bf16",
        8,
        None,
    )
    assert [
        (row.workload.name, [cell.value and cell.value.number for (cell,) in row.cells]) for row in matrix.rows
    ] == [
        ("128", ["7.33", "7.94", "25.9"]),
        ("256", ["7.39", "8.35", "34.8"]),
        ("512", ["8.48", "10.6", "31.7"]),
        ("1,024", ["11.3", "14.7", "47.2"]),
        ("2,048", ["17.1", "23.3", "75.6"]),
        ("4,096", ["27.9", "39.4", "87.1"]),
        ("8,192", ["50.2", "72.4", "119.4"]),
        ("16,384", ["94.4", "137.1", "229.0"]),
    ]
    assert matrix.shared_measure is not None
    assert (matrix.first_row, matrix.last_row) == (1, 8)


def test_a_cell_names_its_winner_and_how_far_the_next_is() -> None:
    (cell,) = operations.operation_page(OPERATION).matrix.rows[0].cells[2]
    assert (cell.implementation, cell.run_count, cell.ranked_count, cell.tied) == ("PyTorch", 2, 2, 0)
    assert round(cell.next_ratio or 0, 2) == 4.79


def test_counts_and_holders_are_of_the_whole_operation() -> None:
    page = operations.operation_page(OPERATION)
    assert (page.run_count, page.group_count, page.implementation_count, page.holder_count) == (48, 24, 2, 2)
    assert [(h.implementation, h.held, h.is_baseline, h.licence, h.series) for h in page.holders] == [
        ("Liger", 20, False, "BSD-2-Clause", 1), ("PyTorch", 4, True, "BSD-3-Clause", 2),
    ]  # fmt: skip


def test_the_scaling_plot_has_a_panel_for_each_pass_and_every_measured_size() -> None:
    scaling = operations.operation_page(OPERATION).scaling
    assert scaling is not None
    assert (scaling.axis, scaling.statistic, scaling.unit) == ("hidden", "median", "µs")
    assert scaling.sizes == (128, 256, 512, 1024, 2048, 4096, 8192, 16384)
    assert [(panel.title, [curve.name for curve in panel.curves]) for panel in scaling.panels] == [
        ("forward", ["Liger", "PyTorch"]), ("backward", ["Liger", "PyTorch"]), ("full", ["Liger", "PyTorch"]),
    ]  # fmt: skip
    full = scaling.panels[2].curves[0]
    assert [point.value.number for point in full.points] == [
        "124.1", "88.4", "78.9", "77.4", "75.6", "87.1", "119.4", "229.0",
    ]  # fmt: skip
    assert [tick.text for tick in scaling.plot.ticks] == ["5", "10", "50", "100", "500", "1,000"]


def test_two_stacks_of_one_suite_are_two_columns_and_no_curve() -> None:
    page = operations.operation_page(SOL_OPERATION)
    assert [column.label for column in page.matrix.columns] == [
        "SOL-ExecBench evaluation stack v1.0", "SOL-ExecBench evaluation stack v1.1",
    ]  # fmt: skip
    assert [[cell.value and cell.value.text for cell in cells] for row in page.matrix.rows for cells in row.cells] == [
        ["209.8 µs"], ["138.9 µs"],
    ]  # fmt: skip
    assert (page.scaling, page.matrix.row_axis) == (None, None)
    assert page.summary == (
        "Inputs grad_output [n, c, h, w], x [n, c, h, w], weight [c], mean [n, c, 1, 1] and 1 more, outputs grad_input "
        "[n, c, h, w], grad_weight [c], grad_bias [c]. Nothing is mutated; determinism is not specified."
    )


def test_the_definition_lists_axes_inputs_outputs_and_semantics() -> None:
    assert [(fact.label, fact.value) for fact in operations.operation_page(OPERATION).facts] == [
        ("family", "relu-squared"),
        ("axis rows", "variable"),
        ("axis hidden", "variable"),
        ("input x", "float [rows, hidden]"),
        ("output y", "float [rows, hidden]"),
        ("mutation", "none"),
        ("determinism", "unspecified"),
    ]


def test_the_cursor_of_another_matrix_or_of_a_workload_that_it_lacks_is_refused() -> None:
    last = [operations.operation_page(OPERATION).matrix.rows[-1].workload.id]
    past = operations.operation_page(OPERATION, cursor=keyset.write(last, f"matrix {OPERATION}")).matrix
    assert (past.rows, past.next) == ((), None)
    with pytest.raises(keyset.BadCursorError, match="another list"):
        operations.operation_page(OPERATION, cursor=keyset.write(last, "matrix other"))
    with pytest.raises(keyset.BadCursorError, match="not in this table"):
        operations.operation_page(OPERATION, cursor=keyset.write(["sha256:0"], f"matrix {OPERATION}"))


def test_an_unknown_operation_is_not_found() -> None:
    with pytest.raises(Operation.DoesNotExist):
        operations.operation_page("none")
