from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core.durations import MAX_NS, DurationError, nanoseconds


@pytest.mark.parametrize(
    ("written", "ns"),
    [
        (0, 0),
        (126336, 126336),
        (MAX_NS, 9007199254740991),
        ("0 ns", 0),
        ("12ns", 12),
        ("1.001 us", 1001),  # the original's float arithmetic rejected this one
        ("1.001 µs", 1001),  # U+00B5
        ("1.001 μs", 1001),  # U+03BC
        ("0.008 ms", 8000),
        ("0.126336 ms", 126336),
        ("1.5ms", 1500000),
        ("1.500000000 us", 1500),  # zeros past the nanosecond say nothing
        ("007 us", 7000),
        ("2 s", 2000000000),
        ("0.000000001 s", 1),
        ("9007199254740991 ns", 9007199254740991),
    ],
)
def test_a_duration_is_whole_nanoseconds(written: int | str, ns: int) -> None:
    assert nanoseconds(written) == ns


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("0.0000005 ms", '"0.0000005 ms" is not a whole number of nanoseconds'),
        ("0.5 ns", '"0.5 ns" is not a whole number of nanoseconds'),
        (-1, "a duration can't be negative"),
        (MAX_NS + 1, "a duration can't exceed 2^53−1 ns (about 104 days)"),
        ("9007199254740992 ns", "a duration can't exceed 2^53−1 ns (about 104 days)"),
        ("9007200 s", "a duration can't exceed 2^53−1 ns (about 104 days)"),
        (True, 'must be integer nanoseconds or a duration such as "1.5 ms", got a boolean'),
        (8.0, 'must be integer nanoseconds or a duration such as "1.5 ms", got a number'),
        (None, 'must be integer nanoseconds or a duration such as "1.5 ms", got null'),
        *[
            (text, f'"{text}" is not a duration: write digits and a unit of ns, us, µs, ms, s ("1.5 ms")')
            for text in (
                "",
                "5",
                "ms",
                ".5 ms",
                "5. ms",
                "-1 ms",
                "+1 ms",
                "1e3 ns",
                "1,5 ms",
                "1  ms",
                " 1 ms",
                "1 ms ",
            )
        ],
        *[
            (text, f'"{text}" is not a duration: write digits and a unit of ns, us, µs, ms, s ("1.5 ms")')
            for text in ("1 MS", "1 min", "1 sec", "0x10 ns", "١ ms", "NaN ms", "Infinity s")
        ],
        ("1 ms\n", r'"1 ms\n" is not a duration: write digits and a unit of ns, us, µs, ms, s ("1.5 ms")'),
    ],
)
def test_any_other_spelling_is_refused_with_its_reason(written: int | str, message: str) -> None:
    with pytest.raises(DurationError) as refusal:
        nanoseconds(written)
    assert str(refusal.value) == message


def test_a_megabyte_of_digits_is_refused_and_not_echoed() -> None:
    with pytest.raises(DurationError) as refusal:
        nanoseconds("9" * 1_000_000 + " ns")
    assert len(str(refusal.value)) < 200


@given(st.integers(0, 10**12), st.sampled_from([("ns", 0), ("us", 3), ("ms", 6), ("s", 9)]))
def test_every_whole_number_of_nanoseconds_can_be_written_in_every_unit(ns: int, unit: tuple[str, int]) -> None:
    name, places = unit
    assert nanoseconds(f"{Decimal(ns).scaleb(-places):f} {name}") == ns
