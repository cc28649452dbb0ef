"""When a run is contested, and in which words."""

import pytest

from attestations.core.contest import contested


@pytest.mark.parametrize(
    ("open_reports", "comparable", "reasons"),
    [
        (0, [], ()),
        (0, ["agrees", "faster", "inconclusive", "not comparable"], ()),
        (1, [], ("1 open report",)),
        (2, ["agrees"], ("2 open reports",)),
        (0, ["slower"], ("1 comparable result slower",)),
        (0, ["slower", "agrees", "slower"], ("2 comparable results slower",)),
        (0, ["incorrect"], ("1 comparable result incorrect",)),
        (
            3,
            ["incorrect", "slower", "slower", "incorrect", "incorrect"],
            ("3 open reports", "2 comparable results slower", "3 comparable results incorrect"),
        ),
    ],
)
def test_a_run_is_contested_for_reasons(open_reports: int, comparable: list[str], reasons: tuple[str, ...]) -> None:
    assert contested(open_reports, comparable) == reasons
