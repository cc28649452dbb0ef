"""Kinds of mathematics: what divides a group, in which order, and the sentence that says so."""

import pytest

from registry.core.variants import Variant, is_divided, name_of, variants, why_divided


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], []),
        ([None, None], [(None, 2)]),
        (["token", "token"], [("token", 2)]),
        (["token", "sequence", "token"], [("sequence", 1), ("token", 2)]),
        ([None, "token"], [("token", 1), (None, 1)]),
    ],
)
def test_kinds_are_counted_by_name_those_without_one_last(
    names: list[str | None], expected: list[tuple[str | None, int]]
) -> None:
    found = variants(names)
    assert [(kind.name, kind.runs) for kind in found] == expected
    assert is_divided(found) is (len(expected) > 1)


@pytest.mark.parametrize(("labels", "name"), [({}, None), ({"variant": ""}, None), ({"variant": "a", "b": "c"}, "a")])
def test_a_run_names_its_kind_by_a_label(labels: dict[str, str], name: str | None) -> None:
    assert name_of(labels) == name


def test_a_kind_without_a_name_says_so() -> None:
    assert (Variant(None, 1).title, Variant("token", 1).title) == ("no variant stated", "token")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a", "b"], "two kinds of mathematics under one comparison key: a and b."),
        (["a", None], "two kinds of mathematics under one comparison key: a and one that is not named."),
        (["a", "b", "c"], "three kinds of mathematics under one comparison key: a, b and c."),
        (["a", "b", "c", "d", "e"], "5 kinds of mathematics under one comparison key: a, b, c, d and e."),
    ],
)
def test_the_sentence_names_every_kind(names: list[str | None], told: str) -> None:
    assert told in why_divided(variants(names))
