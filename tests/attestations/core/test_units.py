"""Units as written, and conversion by decimals."""

from decimal import Decimal

import pytest

from attestations.core.units import DIMENSIONS, UnitError, converted, unit_token
from registry.core.ranking import DIRECTIONS


@pytest.mark.parametrize(
    ("written", "token"),
    [
        ("ns", "ns"), ("nsec", "ns"), ("nanoseconds", "ns"),
        ("us", "us"),
        ("µs", "us"),  # micro sign
        ("μs", "us"),  # Greek mu
        (" ms ", "ms"), ("msec", "ms"), ("millisecond", "ms"),
        ("sec", "s"), ("s", "s"),
        ("seconds", "s"),
        ("GB/s", "gb_s"),
        ("gb_s", "gb_s"), ("TB/s", "tb_s"), ("tb_s", "tb_s"), ("gib_s", "gib_s"),
        ("GiB/s", "gib_s"),
        ("TFLOP/s", "tflops"),
        ("TFLOPS", "tflops"),
        ("MiB", "mib"), ("mib", "mib"), ("KiB", "kib"), ("kib", "kib"), ("GiB", "gib"), ("gib", "gib"),
        ("MB", "mb"), ("mb", "mb"), ("GB", "gb"), ("gb", "gb"), ("B", "b"), ("bytes", "bytes"), ("byte", "b"),
        ("GFLOP/s", "gflops"), ("gflops", "gflops"), ("tflops", "tflops"), ("tokens_s", "tokens_s"),
        ("items/s", "items_s"), ("items_s", "items_s"), ("requests/s", "requests_s"), ("percent", "percent"),
        ("%", "percent"),
        ("tokens/s", "tokens_s"),
        ("Gb/s", None),  # bits or bytes
        ("KB", None),  # 1,000 or 1,024
        ("MS", None),
        ("", None),
        ("furlongs", None),
    ],
)  # fmt: skip
def test_a_unit_is_read_as_people_write_it(written: str, token: str | None) -> None:
    assert unit_token(written) == token


@pytest.mark.parametrize(
    ("value", "unit", "to", "expected"),
    [
        ("209.8", "us", "ns", "209800"),
        ("1.001", "us", "ns", "1001"),
        ("0.2098", "ms", "us", "209.8"),
        ("1", "s", "ms", "1000"),
        ("1", "gib", "mib", "1024"),
        ("1", "gib", "b", "1073741824"),
        ("1.5", "gb", "mb", "1500"),
        ("1", "tb_s", "gb_s", "1000"),
        ("1", "gib_s", "gb_s", "1.073741824"),
        ("2", "kib", "bytes", "2048"),
        ("1", "mib", "kib", "1024"),
        ("3", "mb", "b", "3000000"),
        ("0.7", "tflops", "gflops", "700"),
        ("12", "furlongs", "furlongs", "12"),
    ],
)
def test_values_convert_exactly_within_a_dimension(value: str, unit: str, to: str, expected: str) -> None:
    assert converted(Decimal(value), unit, to) == Decimal(expected)


@pytest.mark.parametrize(
    ("unit", "to", "text"),
    [
        ("us", "gb_s", "a duration is not a bandwidth"),
        ("gflops", "gb_s", "an arithmetic rate is not a bandwidth"),
        ("mib", "ms", "an amount of memory is not a duration"),
        ("furlongs", "ms", "in furlongs is not a duration"),
        ("ms", "furlongs", "a duration is not in furlongs"),
        ("tokens_s", "items_s", "a token rate is not an item rate"),
        ("requests_s", "percent", "a request rate is not a share"),
    ],
)
def test_units_of_two_dimensions_do_not_convert(unit: str, to: str, text: str) -> None:
    with pytest.raises(UnitError) as error:
        converted(Decimal(1), unit, to)
    assert str(error.value) == text


def test_every_unit_that_runs_are_ranked_in_is_known() -> None:
    known = {token for tokens in DIMENSIONS.values() for token in tokens}
    assert {unit for _, units in DIRECTIONS.values() for unit in units} <= known
