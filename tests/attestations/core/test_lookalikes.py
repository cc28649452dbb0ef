"""Skeletons: equal for what is taken for each other, unequal for what is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attestations.core.lookalikes import SKELETON_LENGTH, skeleton


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alice", "a11ce"),
        ("AIice", "a11ce"),
        ("bob.stone", "b0bst0ne"),
        ("modern", "rn0dern"),
        ("rnodern", "rn0dern"),
        ("vvarp", "warp"),
        ("сосо", "c0c0"),  # Cyrillic
        ("Вера", "bepa"),  # reads as ASCII in its capitals
        ("ΝΙΚ", "n1k"),  # Greek
        ("ﬂash", "f1ash"),
        ("ニ", "二"),  # kana ni for Han two
        ("rené", "rené"),
        ("m" * 90, ("rn" * 90)[:SKELETON_LENGTH]),
        ("-._", ""),
        ("", ""),
    ],
)
def test_a_text_has_a_skeleton(text: str, expected: str) -> None:
    assert skeleton(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rené", "rene"),
        ("mara", "maria"),
        ("δ", "d"),
        ("мария", "мариа"),
        ("王", "玉"),
        ("clan", "dan"),
        ("5am", "sam"),
    ],
)
def test_what_is_told_apart_has_two_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_one_and_case_and_separators_of_ascii_do_not_count(text: str) -> None:
    found = skeleton(text)
    assert len(found) <= SKELETON_LENGTH
    if text.isascii():
        assert skeleton(text.upper()) == found == skeleton("-".join(text))
