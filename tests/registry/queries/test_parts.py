"""Parts of pages that one document alone decides."""

import pytest

from registry.queries import parts


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        ({"dtype": "bf16", "shape": [4096, 4096]}, "bf16 [4096, 4096]"),
        ({"dtype": "fp8", "shape": []}, "fp8 []"),
        (
            {"dtype": "fp32", "shape": [8], "layout": "strided", "strides": [1], "alignmentBytes": 16,
             "data": {"generator": "normal", "seed": 0}},
            "fp32 [8] · strided · strides [1] · aligned to 16 B · data by normal, seed 0",
        ),
    ],
)  # fmt: skip
def test_a_tensor_is_told_in_one_line(tensor: dict[str, object], text: str) -> None:
    assert parts.tensor_text(tensor) == text
