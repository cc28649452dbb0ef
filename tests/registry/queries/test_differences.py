"""Why two groups are two: every differing leaf, by the part of the key that it belongs to."""

import pytest

from registry.models import ComparisonGroup
from registry.queries import differences
from registry.queries.differences import Leaf
from tests.registry.pages import LIGER_KEY, SOL_KEY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
SOL_V11_KEY = "sha256:add079be99ec831795df7787b100c958724c093d2c59d45f649654d2443101f5"


def test_two_stacks_differ_in_protocol_and_environment() -> None:
    page = differences.why_not_page(SOL_KEY, SOL_V11_KEY)
    assert page.verdict == "not ranked together because protocol and environment differ"
    assert [(part.name, part.keeps_apart, part.leaves) for part in page.parts] == [
        ("operation", False, ()),
        ("workload", False, ()),
        ("protocol", True, (Leaf("harness.version", "v1.0", "v1.1"),)),
        ("environment", True, (Leaf("software.libraries.evaluation_stack", "v1.0", "v1.1"),)),
        ("correctness", False, ()),
        ("metric", False, ()),
    ]
    assert [side.key for side in page.sides] == [SOL_KEY, SOL_V11_KEY]
    assert (page.left.run_count, page.right.run_count) == (1, 3)


def test_the_other_way_round_the_sides_are_swapped() -> None:
    page = differences.why_not_page(SOL_V11_KEY, SOL_KEY)
    assert page.parts[2].leaves == (Leaf("harness.version", "v1.1", "v1.0"),)


def test_what_one_side_does_not_state_is_none() -> None:
    page = differences.why_not_page(SOL_KEY, LIGER_KEY)
    protocol = next(part for part in page.parts if part.name == "protocol")
    assert Leaf("harness.repository", None, "https://github.com/linkedin/Liger-Kernel") in protocol.leaves
    assert [part.name for part in page.parts if part.keeps_apart] == [
        "operation", "workload", "protocol", "environment", "correctness", "metric",
    ]  # fmt: skip


def test_a_group_beside_itself_is_one_group() -> None:
    page = differences.why_not_page(SOL_KEY, SOL_KEY)
    assert page.verdict == "one comparison group"
    assert [part.leaves for part in page.parts] == [()] * 6


@pytest.mark.parametrize(("key", "other"), [(SOL_KEY, "sha256:" + "0" * 64), ("sha256:" + "0" * 64, SOL_KEY)])
def test_an_unknown_key_is_not_found(key: str, other: str) -> None:
    with pytest.raises(ComparisonGroup.DoesNotExist):
        differences.why_not_page(key, other)
