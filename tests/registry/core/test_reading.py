import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core.reading import (
    BUNDLE_LIMIT_SHELL,
    BUNDLE_LIMIT_WEB,
    DOCUMENT_LIMIT,
    Path,
    ReadingError,
    Syntax,
    path_text,
    read,
    read_json_line,
)


def refusal(data: bytes | str, syntax: Syntax = "json") -> ReadingError:
    with pytest.raises(ReadingError) as caught:
        read(data.encode(errors="surrogatepass") if isinstance(data, str) else data, syntax=syntax)
    return caught.value


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("runs", 3, "run", "spec", "timing", "latencyNs", "median"), "runs[3].run.spec.timing.latencyNs.median"),
        ((0, "a"), "[0].a"),
        (("labels", "a.b"), 'labels["a.b"]'),
        (("labels", ""), 'labels[""]'),
        (("a", "x" * 100), f'a["{"x" * 59}…"]'),
    ],
)
def test_a_path_is_written_as_javascript_would(path: Path, text: str) -> None:
    assert path_text(path) == text


def test_limits_are_those_of_the_product() -> None:
    assert (DOCUMENT_LIMIT, BUNDLE_LIMIT_WEB, BUNDLE_LIMIT_SHELL) == (1048576, 8388608, 67108864)


def test_a_document_of_exactly_the_limit_is_read() -> None:
    assert read(b'"' + b"x" * (DOCUMENT_LIMIT - 2) + b'"', syntax="json").value == "x" * (DOCUMENT_LIMIT - 2)


# 40 texts that are no documents (reliability T15, original-domain 1.2)

CORPUS = [
    # duplicate keys
    ('{"a": 1, "a": 1}', "json", "DUPLICATE_KEY", "line 1: a: is written twice in one object"),
    ('{"a": {\n"b": 1,\n"b": 2}}', "json", "DUPLICATE_KEY", "line 3: a.b: is written twice in one object"),
    ('{"a": 1, "\\u0061": 2}', "json", "DUPLICATE_KEY", "line 1: a: is written twice in one object"),
    ('[{"": 1, "": 2}]', "json", "DUPLICATE_KEY", 'line 1: [0][""]: is written twice in one object'),
    ("a: 1\nb: 2\na: 3", "yaml", "DUPLICATE_KEY", "line 3: a: is written twice in one mapping"),
    ('a: 1\n"a": 3', "yaml", "DUPLICATE_KEY", "line 2: a: is written twice in one mapping"),
    ("a: {b: 1, b: 2}", "yaml", "DUPLICATE_KEY", "line 1: a.b: is written twice in one mapping"),
    # trailing data and several documents
    ('{"a": 1} {"a": 2}', "json", "TRAILING_DATA", 'line 1: has text after the end of the document: "{\\"a\\": 2}"'),
    ("[1]\n]", "json", "TRAILING_DATA", 'line 2: has text after the end of the document: "]"'),
    ("1 2", "json", "TRAILING_DATA", 'line 1: has text after the end of the document: "2"'),
    ("a: 1\n---\nb: 1", "yaml", "MULTIPLE_DOCUMENTS", "line 2: holds a second document"),
    # byte order marks and encodings
    (b"\xef\xbb\xbf{}", "json", "BOM", "line 1: starts with a byte order mark; write plain UTF-8"),
    (b"\xff\xfe{\x00}\x00", "json", "BOM", "line 1: starts with a byte order mark; write plain UTF-8"),
    (b"\xef\xbb\xbfa: 1", "yaml", "BOM", "line 1: starts with a byte order mark; write plain UTF-8"),
    (b'{"a":\n"\xff"}', "json", "NOT_UTF8", "line 2: is not UTF-8: byte 0xff at offset 7"),
    (b'"\xc0\xaf"', "json", "NOT_UTF8", "line 1: is not UTF-8: byte 0xc0 at offset 1"),
    (b'"\xed\xa0\x80"', "json", "NOT_UTF8", "line 1: is not UTF-8: byte 0xed at offset 1"),
    (b'"\xc3"', "json", "NOT_UTF8", "line 1: is not UTF-8: byte 0xc3 at offset 1"),
    (b"a: \x80", "yaml", "NOT_UTF8", "line 1: is not UTF-8: byte 0x80 at offset 3"),
    # NUL
    (b'{"a": "x\x00"}', "json", "NUL_CHARACTER", "line 1: a: holds a NUL character"),
    (b"\x00{}", "json", "NUL_CHARACTER", "line 1: holds a NUL character"),
    ('{"a": ["\\u0000"]}', "json", "NUL_CHARACTER", "line 1: a[0]: holds a NUL character (\\u0000)"),
    ('{"a\\u0000": 1}', "json", "NUL_CHARACTER", "line 1: holds a NUL character (\\u0000)"),
    (b"a: 1\nb: \x00", "yaml", "NUL_CHARACTER", "line 2: holds a NUL character"),
    ('a: "\\0"', "yaml", "NUL_CHARACTER", "line 1: a: holds a NUL character"),
    # halves of surrogate pairs
    ('{"a": "\\ud800"}', "json", "LONE_SURROGATE", "line 1: a: holds half of a surrogate pair (\\ud800)"),
    ('["\\uDC00"]', "json", "LONE_SURROGATE", "line 1: [0]: holds half of a surrogate pair (\\uDC00)"),
    ('["\\ud800\\ud800"]', "json", "LONE_SURROGATE", "line 1: [0]: holds half of a surrogate pair (\\ud800)"),
    ('["\\ud83dx"]', "json", "LONE_SURROGATE", "line 1: [0]: holds half of a surrogate pair (\\ud83d)"),
    ('a: "\\ud800"', "yaml", "LONE_SURROGATE", "line 1: a: is not YAML: found invalid Unicode character escape code"),
    # nothing at all
    ("", "json", "EMPTY", "line 1: is empty"),
    (" \n\t", "json", "EMPTY", "line 2: is empty"),
    ("# only a comment\n", "yaml", "EMPTY", "line 2: is empty"),
    # syntax
    ('{"a": 1,}', "json", "SYNTAX", 'line 1: is not JSON: expected a key in double quotes, found "}"'),
    ("{'a': 1}", "json", "SYNTAX", "line 1: is not JSON: expected a key in double quotes, found \"'a': 1}\""),
    ('{"a" 1}', "json", "SYNTAX", "line 1: a: is not JSON: expected ':', found \"1}\""),
    ("[1, 2", "json", "SYNTAX", "line 1: [1]: is not JSON: expected ',' or ']', found the end of the text"),
    ('["\t"]', "json", "SYNTAX", "line 1: [0]: is not JSON: control character U+0009 must be escaped in a string"),
    ('["\\x41"]', "json", "SYNTAX", 'line 1: [0]: is not JSON: unknown escape "\\\\x"'),
    ('["abc', "json", "SYNTAX", "line 1: [0]: is not JSON: a string has no closing quote"),
    ("// a comment\n{}", "json", "SYNTAX", 'line 1: is not JSON: expected a value, found "// a comment"'),
    ("[True]", "json", "SYNTAX", 'line 1: [0]: is not JSON: expected a value, found "True]"'),
    ("a: [1, 2", "yaml", "SYNTAX", "line 1: a: is not YAML: did not find expected ',' or ']'"),
    ("a:\n\t- 1", "yaml", "SYNTAX", "line 2: a: is not YAML: found character that cannot start any token"),
    # what YAML has and JSON has not
    ("a: !!python/object:os.system 1", "yaml", "CUSTOM_TAG", None),
    ("a: !custom {b: 1}", "yaml", "CUSTOM_TAG", None),
    ("a: !!timestamp 2026-03-27", "yaml", "CUSTOM_TAG", None),
    ("a: !!set {b, c}", "yaml", "CUSTOM_TAG", None),
    ("a: !!int x", "yaml", "SYNTAX", 'line 1: a: "x" is not what its tag "tag:yaml.org,2002:int" says'),
    ("1: a", "yaml", "KEY_NOT_STRING", "line 1: has a key that is not a string: 1 (put it in quotes)"),
    ("a: {true: 1}", "yaml", "KEY_NOT_STRING", "line 1: a: has a key that is not a string: True (put it in quotes)"),
    ("? [a]\n: 1", "yaml", "KEY_NOT_STRING", "line 1: has a key that is not a string but a collection"),
    ("a: *b", "yaml", "UNKNOWN_ALIAS", 'line 1: a: refers to an anchor that is not complete here: "b"'),
    ("a: &b [*b]", "yaml", "UNKNOWN_ALIAS", 'line 1: a[0]: refers to an anchor that is not complete here: "b"'),
    ("%YAML 1.1\n---\na: no", "yaml", "YAML_VERSION", "line 1: declares another version than YAML 1.2"),
]


@pytest.mark.parametrize(("data", "syntax", "reason", "text"), CORPUS)
def test_a_text_that_is_no_document_is_refused_with_path_and_line(
    data: bytes | str, syntax: Syntax, reason: str, text: str | None
) -> None:
    error = refusal(data, syntax)
    assert error.reason == reason
    assert text in (None, str(error))
    assert error.line is not None


def test_an_oversized_text_is_refused_before_it_is_looked_at() -> None:
    error = refusal(b"\xff" * (DOCUMENT_LIMIT + 1))
    assert (error.reason, str(error)) == ("TOO_LARGE", "has more than 1,048,576 bytes")


# Depth (T13)


@pytest.mark.parametrize("depth", [65, 1_000, 100_000, 1_000_000])
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_deep_nesting_is_refused_quickly(syntax: Syntax, opening: str, depth: int) -> None:
    data = (opening * depth)[:DOCUMENT_LIMIT].encode()
    start = time.process_time()
    error = refusal(data, syntax)
    assert time.process_time() - start < 0.25  # 5 ms are measured; a loaded machine gets slack
    assert (error.reason, error.path, error.line) == ("TOO_DEEP", (), 1)


@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_64_levels_are_read_and_65_are_not(syntax: Syntax) -> None:
    read(b"[" * 64 + b"]" * 64, syntax=syntax)
    assert refusal("[" * 65 + "]" * 65, syntax).reason == "TOO_DEEP"
    read(b'{"a":' * 64 + b"1" + b"}" * 64, syntax="json")
    assert refusal('{"a":' * 65 + "1" + "}" * 65).reason == "TOO_DEEP"


def test_brackets_in_strings_are_not_nesting() -> None:
    text = json.dumps(["[" * 100, '"[[[' * 50, "\\" * 7 + "{" * 90, *["]"] * 70, {"[": "}"}])
    assert read(text.encode(), syntax="json").value == json.loads(text)


def test_many_brackets_side_by_side_are_not_nesting() -> None:
    assert read(b"[" + b"[]," * 500 + b"[]]", syntax="json").value == [[]] * 501


# 60 numerals (T14)

ACCEPTED_NUMERALS: list[tuple[str, int | float]] = [
    ("0", 0),
    ("-0", 0),
    ("1", 1),
    ("-1", -1),
    ("999999999999999", 999999999999999),
    ("9007199254740991", 9007199254740991),
    ("-9007199254740991", -9007199254740991),
    ("0.0", 0.0),
    ("-0.0", -0.0),
    ("1.0", 1.0),
    ("126336.0", 126336.0),
    ("0.1", 0.1),
    ("1e3", 1000.0),
    ("1E3", 1000.0),
    ("1e+3", 1000.0),
    ("1e-3", 0.001),
    ("1.0048658277929109e-05", 1.0048658277929109e-05),
    ("9007199254740991.0", 9007199254740991.0),
    ("9.007199254740991e15", 9007199254740991.0),
    ("5e-324", 5e-324),
    ("1e-999", 0.0),
    ("0.1000000000000000055511151231257827", 0.1),
]
REFUSED_NUMERALS: list[tuple[str, str]] = [
    ("9007199254740992", "INTEGER_RANGE"),
    ("-9007199254740992", "INTEGER_RANGE"),
    ("9007199254740993", "INTEGER_RANGE"),
    ("9999999999999999", "INTEGER_RANGE"),
    ("10000000000000000", "INTEGER_RANGE"),
    ("18446744073709551616", "INTEGER_RANGE"),
    ("-18446744073709551616", "INTEGER_RANGE"),
    ("1" + "0" * 400, "INTEGER_RANGE"),
    ("9" * 5_000, "INTEGER_RANGE"),
    ("-" + "9" * 5_000, "INTEGER_RANGE"),
    ("9007199254740992.0", "INTEGER_RANGE"),
    ("-9007199254740992.0", "INTEGER_RANGE"),
    ("9007199254740992.5", "INTEGER_RANGE"),
    ("1e16", "INTEGER_RANGE"),
    ("-1e16", "INTEGER_RANGE"),
    ("1E+16", "INTEGER_RANGE"),
    ("1e300", "INTEGER_RANGE"),
    ("1.7976931348623157e308", "INTEGER_RANGE"),
    ("1e309", "NOT_FINITE"),
    ("-1e309", "NOT_FINITE"),
    ("1e999", "NOT_FINITE"),
    ("1e99999999999999999999", "NOT_FINITE"),
    ("1" + "0" * 400 + ".0", "NOT_FINITE"),
    ("NaN", "NOT_FINITE"),
    ("Infinity", "NOT_FINITE"),
    ("-Infinity", "NOT_FINITE"),
    ("nan", "SYNTAX"),
    ("inf", "SYNTAX"),
    ("-NaN", "SYNTAX"),
    ("+1", "SYNTAX"),
    ("01", "SYNTAX"),
    ("-01", "SYNTAX"),
    ("00", "SYNTAX"),
    (".5", "SYNTAX"),
    ("5.", "SYNTAX"),
    ("1e", "SYNTAX"),
    ("1e+", "SYNTAX"),
    ("1.e5", "SYNTAX"),
    ("--1", "SYNTAX"),
    ("-", "SYNTAX"),
    ("1_000", "SYNTAX"),
    ("1,5", "SYNTAX"),
    ("0x10", "SYNTAX"),
    ("0o17", "SYNTAX"),
    ("0b1", "SYNTAX"),
    ("1 000", "SYNTAX"),
    ("1n", "SYNTAX"),
    ("1.5f", "SYNTAX"),
    ("½", "SYNTAX"),
    ("١", "SYNTAX"),
    ("−1", "SYNTAX"),
    ("1e1.5", "SYNTAX"),
]


@pytest.mark.parametrize(("numeral", "value"), ACCEPTED_NUMERALS)
def test_a_number_is_read_as_written(numeral: str, value: float) -> None:
    read_value = read(f'{{"a": {numeral}}}'.encode(), syntax="json").value
    assert repr(read_value) == repr({"a": value})


@pytest.mark.parametrize(("numeral", "reason"), REFUSED_NUMERALS)
def test_a_numeral_that_is_no_safe_number_is_refused_by_path(numeral: str, reason: str) -> None:
    error = refusal(f'{{"spec": {{"timing":\n{{"median": {numeral}}}}}}}')
    assert (error.reason, error.line) == (reason, 2)
    assert error.path[:2] == ("spec", "timing")
    assert len(str(error)) < 250


def test_the_message_names_line_path_and_number() -> None:
    error = refusal('{"spec":\n {"timing": {"latencyNs": {"median": 9007199254740993}}}}')
    assert str(error) == "line 2: spec.timing.latencyNs.median: integer 9007199254740993 is outside ±(2^53−1)"
    assert str(refusal("[1e999]")) == "line 1: [0]: 1e999 is not a finite number"
    assert str(refusal("[1e16]")) == "line 1: [0]: number 1e16 is outside ±(2^53−1)"


# YAML 1.2 core schema


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("null", None),
        ("~", None),
        ("", None),
        ("Null", None),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("nUll", "nUll"),
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("0123", 123),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1e", "1e"),
        ("2026-03-27", "2026-03-27"),
        ("2026-03-27T06:09:46.000Z", "2026-03-27T06:09:46.000Z"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!int 12", 12),
        ("!!float 12", 12),
        ("! 12", "12"),
        ("=", "="),
        ("<<", "<<"),
        ("|-\n  12", "12"),
        ("&x 7", 7),
    ],
)
def test_a_plain_scalar_means_what_yaml_1_2_says(scalar: str, value: object) -> None:
    reading = read(f"a: {scalar}\n".encode(), syntax="yaml")
    assert reading.value == {"a": value}
    assert type(reading.value["a"]) is type(value)  # type: ignore[index]


@pytest.mark.parametrize(
    ("scalar", "reason"),
    [
        (".inf", "NOT_FINITE"),
        ("-.INF", "NOT_FINITE"),
        (".nan", "NOT_FINITE"),
        ("1e999", "NOT_FINITE"),
        ("9007199254740992", "INTEGER_RANGE"),
        ("0x20000000000000", "INTEGER_RANGE"),
        ("0o400000000000000000", "INTEGER_RANGE"),
        ("1e16", "INTEGER_RANGE"),
        ("9" * 5_000, "INTEGER_RANGE"),
        ("0x" + "f" * 5_000, "INTEGER_RANGE"),
    ],
)
def test_yaml_has_the_same_numbers_as_json(scalar: str, reason: str) -> None:
    error = refusal(f"b: 1\na: {scalar}", "yaml")
    assert (error.reason, error.path, error.line) == (reason, ("a",), 2)


def test_a_merge_key_is_a_plain_key() -> None:
    text = "base: &b {x: 1}\nc:\n  <<: *b\n"
    assert read(text.encode(), syntax="yaml").value == {"base": {"x": 1}, "c": {"<<": {"x": 1}}}


def test_an_alias_is_a_copy() -> None:
    value = read(b"a: &x [1]\nb: *x\n", syntax="yaml").value
    assert value == {"a": [1], "b": [1]}
    assert value["a"] is not value["b"]  # type: ignore[index]


def test_a_hundred_aliases_are_read_and_one_more_is_not() -> None:
    read(b"a: &x 1\nb: [" + b"*x, " * 99 + b"*x]", syntax="yaml")
    assert refusal("a: &x 1\nb: [" + "*x, " * 100 + "*x]", "yaml").reason == "TOO_MANY_ALIASES"


def test_a_billion_laughs_stay_small() -> None:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    assert refusal("\n".join(lines), "yaml").reason in ("TOO_LARGE", "TOO_MANY_ALIASES")


def test_aliases_cannot_grow_a_document_past_its_limit() -> None:
    text = f"a: &x {'x' * 600_000}\nb: [*x, *x]"
    assert str(refusal(text, "yaml")) == "line 2: b[1]: grows by more than 1048576 characters through aliases"


def test_aliases_cannot_nest_past_the_depth() -> None:
    text = f"a: &x {'[' * 60}{']' * 60}\nb: [[[[*x]]]]"
    assert refusal(text, "yaml").reason == "TOO_DEEP"


# Lines

JSON = """{
  "kind": "BenchmarkRun",
  "spec": {
    "runs": [
      {"a": 1},
      {"b":
        2}
    ]
  }
}
"""
YAML = """# a run
kind: BenchmarkRun
spec:
  runs:
    - {a: 1}
    - b:
        2
"""


@pytest.mark.parametrize(
    ("path", "json_line", "yaml_line"),
    [
        ((), 1, 2),
        (("kind",), 2, 2),
        (("spec",), 3, 3),
        (("spec", "runs"), 4, 4),
        (("spec", "runs", 0), 5, 5),
        (("spec", "runs", 0, "a"), 5, 5),
        (("spec", "runs", 1, "b"), 6, 6),
        (("spec", "runs", 0, "missing"), 5, 5),
        (("spec", "missing", "deeper"), 3, 3),
        (("spec", "runs", 9), 4, 4),
        (("kind", "no object"), 2, 2),
        (("metadata",), 1, 2),
    ],
)
def test_a_path_has_the_line_of_its_key_or_of_its_nearest_ancestor(path: Path, json_line: int, yaml_line: int) -> None:
    assert read(JSON.encode(), syntax="json").line_of(path) == json_line
    assert read(YAML.encode(), syntax="yaml").line_of(path) == yaml_line


def test_a_crlf_text_counts_its_lines_once() -> None:
    assert read(b'{\r\n"a": 1,\r\n"b": 2}', syntax="json").line_of(("b",)) == 3
    assert read(b"a: 1\r\nb: 2\r\n", syntax="yaml").line_of(("b",)) == 2


# One line of JSONL


def test_a_line_is_read_as_strictly() -> None:
    assert read_json_line('{"table": "runs", "row": {"v": 1.5, "s": "\\ud83d\\ude00 \\\\u0000"}}') == {
        "table": "runs",
        "row": {"v": 1.5, "s": "\U0001f600 \\u0000"},
    }
    for text in ('{"a": 1, "a": 2}', '["\ud800"]', "\ufeff{}", "[1e999]", ""):
        with pytest.raises(ReadingError):
            read_json_line(text)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-(2.0**53) + 1, 2.0**53 - 1)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner, max_size=4)
    ),
)


@given(json_values, st.booleans(), st.sampled_from([None, 1]))
def test_what_json_writes_is_read_back(value: object, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert read(text.encode(), syntax="json").value == value


@given(st.text(st.sampled_from('[]{}:,"\\ 01.e-+tfnulrasNIy\n\t\0\ud800u')))
def test_any_text_is_read_as_json_reads_it_or_refused_with_its_line(text: str) -> None:
    try:
        value = read_json_line(text)
    except ReadingError as error:
        line = error.line
    else:
        assert value == json.loads(text)
        line = 0
    assert line is not None  # None would mean that decoder and explainer disagree


@given(st.text(st.sampled_from("[]{}:,\"'\\ 01.e-+tfn&*!|>#\n\t\0~axé")))
def test_any_yaml_is_read_or_refused_with_its_line(text: str) -> None:
    line: int | None = 0
    try:
        read(text.encode(), syntax="yaml")
    except ReadingError as error:
        line = error.line
    assert line is not None
