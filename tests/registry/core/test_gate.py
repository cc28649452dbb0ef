"""What waits for a person, as a table."""

import pytest

from registry.core.gate import Read, reasons_to_wait

FIRST = "Nothing of this source has been published before."
NEW = "2 columns are new and unknown to the importer."


def much(corrected: int, published: int, vanished: int) -> str:
    return f"{corrected} of the {published} published rows compared are corrected and {vanished} gone: more than 20%."


@pytest.mark.parametrize(
    ("read", "reasons"),
    [
        (Read(is_first=True), (FIRST,)),
        (Read(is_first=False), ()),
        (Read(is_first=False, published=100), ()),
        (Read(is_first=False, published=100, corrected=20), ()),
        (Read(is_first=False, published=100, corrected=21), (much(21, 100, 0),)),
        (Read(is_first=False, published=100, vanished=21), (much(0, 100, 21),)),
        (Read(is_first=False, published=100, corrected=10, vanished=10), ()),
        (Read(is_first=False, published=100, corrected=10, vanished=11), (much(10, 100, 11),)),
        (Read(is_first=False, published=4, corrected=1), (much(1, 4, 0),)),
        (Read(is_first=False, published=5, vanished=1), ()),
        (Read(is_first=False, published=3, vanished=3), (much(0, 3, 3),)),
        (Read(is_first=False, new_columns=2), (NEW,)),
        (Read(is_first=True, published=2, vanished=2, new_columns=2), (FIRST, much(0, 2, 2), NEW)),
    ],
)
def test_the_gate(read: Read, reasons: tuple[str, ...]) -> None:
    assert reasons_to_wait(read) == reasons


def test_large_counts_are_written_with_their_thousands_apart() -> None:
    [reason] = reasons_to_wait(Read(is_first=False, published=12_000, corrected=2_500, vanished=1))
    assert reason == "2,500 of the 12,000 published rows compared are corrected and 1 gone: more than 20%."
