"""Samples as people bring them: every form by a table, every refusal with its place, and bytes of any kind."""

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attestations.core.samples import (
    FILE_LIMIT,
    MAX_SAMPLES,
    PASTED_LIMIT,
    Samples,
    SamplesError,
    read_number,
    read_samples,
)


def pasted(data: bytes | str, named: str | None = None) -> Samples:
    return read_samples(data, file_name=None, named=named)


@pytest.mark.parametrize(
    ("text", "values", "unit", "read_from"),
    [
        ("1.5\n1.6\n", "1.5 1.6", None, "one number a line"),
        ("1.5\r\n1.6\r\n", "1.5 1.6", None, "one number a line"),
        ("1.5\r1.6", "1.5 1.6", None, "one number a line"),
        ("\ufeff1.5\n", "1.5", None, "one number a line"),
        ("\n\n 1.5 \n\n\t1.6\t\n\n", "1.5 1.6", None, "one number a line"),
        ("# warm\n1.5\n# cold\n1.6", "1.5 1.6", None, "one number a line"),
        ("1.25e-5\n1E-3\n+2\n.5\n3.", "0.0000125 0.001 2 0.5 3", None, "one number a line"),
        ("1.50\n007", "1.50 7", None, "one number a line"),
        ("12.5 us\n12.6us\n12.7\tµs", "12.5 12.6 12.7", "us", "one number a line"),
        ("100 GB/s\n101 GB/s", "100 101", "gb_s", "one number a line"),
        ("latency_us\n12.5", "12.5", "us", "one number a line"),
        ("time (ms)\n12.5", "12.5", "ms", "one number a line"),
        ("Latency [µs]\n12.5", "12.5", "us", "one number a line"),
        ("GB/s\n100", "100", "gb_s", "one number a line"),
        ("ms\n1.5", "1.5", "ms", "one number a line"),
        ("latency\n12.5", "12.5", None, "one number a line"),
        ("samples (us)\n1 ns", "1", "ns", "one number a line"),  # what stands at the number counts
        ("name,ms\na,1.5\nb,1.6\n", "1.5 1.6", "ms", 'CSV, column "ms"'),
        ("name;time [us]\na;1.5\nb;1.6", "1.5 1.6", "us", 'CSV, column "time [us]"'),
        ("name\tlatency\na\t1.5 ms\nb\t1.6 ms", "1.5 1.6", "ms", 'CSV, column "latency"'),
        ('"name","ms"\n"a, b","1.5"\n', "1.5", "ms", 'CSV, column "ms"'),
        ("# made by hand\nname,ms\n\na,1.5\n", "1.5", "ms", 'CSV, column "ms"'),
        ("[1.5, 2, 1e-3]", "1.5 2 0.001", None, "JSON list"),
        ('\ufeff {"unit": "ms", "samples": [1.5, 1.6]}', "1.5 1.6", "ms", "JSON samples"),
        ('{"samples": [1]}', "1", None, "JSON samples"),
    ],
)
def test_samples_are_read(text: str, values: str, unit: str | None, read_from: str) -> None:
    expected = Samples(tuple(map(Decimal, values.split())), unit, read_from)
    assert pasted(text) == expected
    assert pasted(text.encode()) == expected
    assert read_samples(text.encode(), file_name="samples.txt") == expected


@pytest.mark.parametrize(
    ("named", "values", "unit"), [("ms", "1.5 1.6", "ms"), ("M", "128 256", None), ("GB/s", "10 11", "gb_s")]
)
def test_of_several_columns_the_named_one_is_read(named: str, values: str, unit: str | None) -> None:
    found = pasted("M,ms,GB/s\n128,1.5,10\n256,1.6,11\n", named)
    assert found == Samples(tuple(map(Decimal, values.split())), unit, f'CSV, column "{named}"')


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "no samples: the text is empty"),
        (" \n\n", "no samples: the text is empty"),
        ("# nothing\n", "no samples: the text is empty"),
        ("latency_us\n", "no samples: nothing stands under the header"),
        ("name,ms\n", "no samples: nothing stands under the header"),
        ("1.5\n0\n", 'line 2: "0" is not above 0: no measurement takes no time, or less'),
        ("1.5\n0.000", 'line 2: "0.000" is not above 0: no measurement takes no time, or less'),
        ("-1.5", 'line 1: "-1.5" is not above 0: no measurement takes no time, or less'),
        ("-0", 'line 1: "-0" is not above 0: no measurement takes no time, or less'),
        ("1\n\n\n\n\n\nnan", 'line 7: "nan" is not a finite number'),
        ("NaN", 'line 1: "NaN" is not a finite number'),
        ("1\ninf", 'line 2: "inf" is not a finite number'),
        ("-Infinity", 'line 1: "-Infinity" is not a finite number'),
        ("1e999", 'line 1: "1e999" is not between 1E-18 and 1E+18'),
        ("1e-999", 'line 1: "1e-999" is not between 1E-18 and 1E+18'),
        ("1e19", 'line 1: "1e19" is not between 1E-18 and 1E+18'),
        ("1e99999", 'line 1: "99" is no unit that is known here'),
        ("1 234.5", 'line 1: "1 234.5" is not a number here: decimals take a point, thousands no separator'),
        ("1'234.5", 'line 1: "1\'234.5" is not a number here: decimals take a point, thousands no separator'),
        ("1_000", 'line 1: "1_000" is not a number here: decimals take a point, thousands no separator'),
        ("1\u202f234", 'line 1: "1\\u202f234" is not a number here: decimals take a point, thousands no separator'),
        ("1.234.567", 'line 1: "1.234.567" is not a number here: decimals take a point, thousands no separator'),
        ("1.5\n12,5", 'line 2: "12,5" is not a number here: decimals take a point, thousands no separator'),
        (
            "1,234.5\n",
            'line 1: "1,234.5" holds commas: decimals take a point, and a table needs a header line that names its'
            " columns",
        ),
        (
            "12,5\n12,6\n",
            'line 1: "12,5" holds commas: decimals take a point, and a table needs a header line that names its'
            " columns",
        ),
        (
            "12.5;12.6\n",
            'line 1: "12.5;12.6" holds semicolons: decimals take a point, and a table needs a header line that names'
            " its columns",
        ),
        ("1 us\n2 ms", "line 2: mixed units: ms here, us in line 1"),
        ("1 us\n2", "line 2: mixed units: no unit here, us in line 1"),
        ("1\n2 us", "line 2: mixed units: us here, no unit in line 1"),
        ("1.5 parsecs", 'line 1: "parsecs" is no unit that is known here'),
        ("1.5 # warm", 'line 1: "# warm" is no unit that is known here'),
        ("0x10", 'line 1: "x10" is no unit that is known here'),
        ("١٢", 'line 1: "١٢" is not a number'),  # Arabic-Indic digits
        ("１２", 'line 1: "１２" is not a number'),  # full-width
        ("½", 'line 1: "½" is not a number'),
        ("1.5\nlatency", 'line 2: "latency" is not a number'),
        ("--1", 'line 1: "--1" is not a number'),
        ("1\u20282", 'line 1: "\\u20282" is no unit that is known here'),  # a line separator ends no line
        ("1\u200b", 'line 1: "\\u200b" is no unit that is known here'),
        ("1\n1\x00", "line 2: holds a NUL character"),
        ("1\n\ud800", "line 2: holds half of a surrogate pair"),
        (b"1\n\xff\xff", "line 2: is not UTF-8: byte 0xff"),
        (b"\xff\xfe1\x00\n\x00", "line 1: is UTF-16; save it as UTF-8"),
        (b"\xfe\xff\x001", "line 1: is UTF-16; save it as UTF-8"),
        ("name,ms\na,1.5\nb\n", "line 3: 1 cells, the header has 2"),
        ("name,ms\na,1.5\nb,1,6\n", "line 3: 3 cells, the header has 2"),
        ("name,ms\na,1.5\nb,fast\n", 'line 3, column "ms": "fast" is not a number'),
        ("name,ms\na,1.5\nb,\n", 'line 3, column "ms": is empty'),
        ("name,ms\na,-1.5\n", 'line 2, column "ms": "-1.5" is not above 0: no measurement takes no time, or less'),
        ('name;ms\na;"12,5"\n', "line 1: no column holds numbers throughout: name the one"),
        ("M,N\n1,2\n", 'line 1: 2 columns hold numbers ("M", "N"): name the one'),
        ("a,a\n1,2\n", 'line 1: 2 columns hold numbers ("a", "a"): name the one'),
        ('a,b\n1,"2\n', "line 2: is no line of CSV: a quote is not closed, or a cell goes on after it"),
        ("[]", "no samples: the list is empty"),
        ("[1, 0]", '[1]: "0" is not above 0: no measurement takes no time, or less'),
        ("[1, -2.5]", '[1]: "-2.5" is not above 0: no measurement takes no time, or less'),
        ('[1, "2"]', "[1]: must be a number, got a string"),
        ("[1, true]", "[1]: must be a number, got a boolean"),
        ("[1, [2]]", "[1]: must be a number, got a list"),
        ("[1, NaN]", "line 1: [1]: NaN is not a finite number"),
        ("[1, 1e999]", "line 1: [1]: 1e999 is not a finite number"),
        ("[1,\n 1e-300]", '[1]: "1E-300" is not between 1E-18 and 1E+18'),
        ("[1,", "line 1: [1]: is not JSON: expected a value, found the end of the text"),
        ('{"samples": []}', "samples: no samples: the list is empty"),
        ('{"samples": [null]}', "samples[0]: must be a number, got null"),
        ('{"samples": [1], "unit": "parsec"}', 'unit: "parsec" is no unit that is known here'),
        ('{"samples": [1], "unit": 5}', 'unit: "5" is no unit that is known here'),
        ('{"a": 1, "a": 2}', "line 1: a: is written twice in one object"),
        ("{}", "is JSON, and neither of pyperf, pytest-benchmark or nvbench, nor a list of numbers"),
        ('{"benchmarks": []}', "is JSON, and neither of pyperf, pytest-benchmark or nvbench, nor a list of numbers"),
        ('{"benchmarks": [1]}', "is JSON, and neither of pyperf, pytest-benchmark or nvbench, nor a list of numbers"),
    ],
)
def test_what_can_not_be_read_is_refused_with_its_place(data: bytes | str, message: str) -> None:
    with pytest.raises(SamplesError) as error:
        pasted(data)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("named", "message"),
    [("us", 'line 1: has no column "us"'), ("M", 'line 1: has 2 columns "M"'), ("x", 'line 2, column "x": "a"')],
)
def test_a_named_column_must_be_there_once_and_hold_numbers(named: str, message: str) -> None:
    with pytest.raises(SamplesError) as error:
        pasted("M,M,x\n1,2,a\n", named)
    assert str(error.value).startswith(message)


def test_too_many_samples_are_refused_in_each_form() -> None:
    numbers = ["1"] * (MAX_SAMPLES + 1)
    for text, place in (
        ("\n".join(numbers), "line 10001: "),
        ("name,ms\n" + "\n".join(f"a,{number}" for number in numbers), 'line 10002, column "ms": '),
        (f"[{','.join(numbers)}]", ""),
        (json.dumps({"samples": [1] * (MAX_SAMPLES + 1)}), "samples: "),
    ):
        with pytest.raises(SamplesError) as error:
            pasted(text)
        assert str(error.value) == f"{place}too many samples: at most 10,000 are read"
    assert len(pasted("\n".join(numbers[1:])).values) == MAX_SAMPLES


def test_a_paste_and_a_file_have_limits_in_bytes() -> None:
    long = b"1.5\n" + b"#" * (PASTED_LIMIT - 4)
    assert len(pasted(long).values) == 1
    with pytest.raises(SamplesError, match="has 262,145 bytes; at most 262,144 are read"):
        pasted(long + b"\n")
    with pytest.raises(SamplesError, match="at most 262,144 are read"):
        pasted("µ" * (PASTED_LIMIT // 2 + 1))
    file = b"1.5\n" + b"#" * (FILE_LIMIT - 4)
    assert len(read_samples(file, file_name="a.txt").values) == 1
    with pytest.raises(SamplesError, match="has 4,194,305 bytes; at most 4,194,304 are read"):
        read_samples(file + b"\n", file_name="a.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time (" + " " * 1_000_000 + "ms", "no samples: nothing stands under the header"),
        ("1.5" + "\n" * 200_001, "has more than 100,000 lines"),
        ("a" + ",a" * 100, "line 1: has more than 100 cells"),
        ("a,b\n1" + ",1" * 2_000_000, "line 2: has more than 100 cells"),
    ],
)
def test_lines_and_cells_without_end_are_refused_before_they_are_read(text: str, message: str) -> None:
    with pytest.raises(SamplesError) as error:
        read_samples(text, file_name="a.csv")
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("written", "value", "unit"),
    [
        ("209.8", "209.8", None),
        (" 209.8 µs ", "209.8", "us"),
        ("1.5e3ns", "1500", "ns"),
        ("0.7 TFLOP/s", "0.7", "tflops"),
    ],
)
def test_a_single_value_is_read_with_its_unit(written: str, value: str, unit: str | None) -> None:
    assert read_number(written) == (Decimal(value), unit)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "is empty"),
        ("1,5", '"1,5" is not a number here: decimals take a point, thousands no separator'),
        ("fast", '"fast" is not a number'),
        ("-1", '"-1" is not above 0: no measurement takes no time, or less'),
        ("\ud800", "is not text: it holds half of a surrogate pair"),
        ("1" * 61, f'"{"1" * 59}…" is not a number here: decimals take a point, thousands no separator'),
    ],
)
def test_a_single_value_that_is_none_is_refused(written: str, message: str) -> None:
    with pytest.raises(SamplesError) as error:
        read_number(written)
    assert str(error.value) == message


PIECES = (
    *"0123456789.,;:+-eE#\"'[]{}\n\r\t \0",
    *("nan", "inf", "us", "ms", "1e999", "\ufeff", "\u2028", "\ud800", "null"),
    *('{"samples":', '{"benchmarks":[{', '"runs":[{"values":[', '"stats":{"data":[', '"states":[{', "]}]}]}"),
)
NEARLY = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def outcome(data: bytes | str, file_name: str | None, named: str | None) -> Samples | SamplesError:
    try:
        return read_samples(data, file_name=file_name, named=named)
    except SamplesError as error:
        return error


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.binary(max_size=200), st.text(max_size=200), NEARLY),
    st.sampled_from([None, "file"]),
    st.sampled_from([None, "a"]),
)
def test_nothing_but_a_samples_error_is_raised(data: bytes | str, file_name: str | None, named: str | None) -> None:
    found = outcome(data, file_name, named)
    if isinstance(found, SamplesError):
        assert str(found).isprintable()
    else:
        assert found.values
        assert all(value > 0 and value.is_finite() for value in found.values)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 10**9).map(lambda digits: Decimal(digits).scaleb(-4)), min_size=1, max_size=50))
def test_numbers_that_were_written_are_the_numbers_that_are_read(values: list[Decimal]) -> None:
    for text in ("\n".join(map(str, values)), "name,us\n" + "".join(f"a,{value}\n" for value in values)):
        assert pasted(text).values == tuple(values)
