"""Axes and tensors as lines of text: what they mean and what they can't be."""

import pytest

from registry.importers.problems import Problem, ProblemError, Tensor, settled_axes, tensors


def test_tensors_are_read_with_their_dtypes_sizes_and_layouts() -> None:
    assert tensors("a: bf16[m, 16] row_major; b[k]", "fp32") == (
        Tensor("a", "bf16", ("m", 16), "row_major"),
        Tensor("b", "fp32", ("k",), None),
    )


def test_axes_are_variable_constant_or_derived() -> None:
    problem = Problem(("m", "k"), settled_axes("heads = 16; blocks = (k + 127) // 128"), (), ())
    assert problem.axes() == {
        "m": {"role": "variable", "type": "integer"},
        "k": {"role": "variable", "type": "integer"},
        "heads": {"role": "constant", "type": "integer", "value": 16},
        "blocks": {"role": "derived", "type": "integer", "expression": "(k + 127) // 128"},
    }


def test_shapes_follow_from_a_case_s_axes() -> None:
    problem = Problem(("k",), settled_axes("blocks = k // size; size = 128"), tensors("a: fp8[k, blocks, size, 3]"), ())
    assert problem.shapes({"k": 300}) == {"a": [300, 2, 128, 3]}


@pytest.mark.parametrize(
    ("settled", "inputs"), [("", "a: fp8[k, n]"), ("b = k // 0", "a: fp8[b]"), ("b = n + 1", "a: fp8[b]")]
)
def test_shapes_that_do_not_follow_are_none(settled: str, inputs: str) -> None:
    assert Problem(("k",), settled_axes(settled), tensors(inputs), ()).shapes({"k": 3}) is None


@pytest.mark.parametrize("text", ["a", "a: fp32", "a: fp32[]", "A: fp32[m]", "a: fp32[m] diagonal", "a: fp32[m,,k]"])
def test_a_tensor_that_can_t_be_read_is_told(text: str) -> None:
    with pytest.raises(ProblemError, match="a tensor is written"):
        tensors(text)


def test_a_tensor_without_dtype_needs_one() -> None:
    with pytest.raises(ProblemError, match="a states no dtype"):
        tensors("a[m]")


@pytest.mark.parametrize("text", ["heads", "heads =", "Heads = 1", "a = b = c"])
def test_an_axis_that_can_t_be_read_is_told(text: str) -> None:
    with pytest.raises(ProblemError, match="an axis is settled by"):
        settled_axes(text)
