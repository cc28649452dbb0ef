"""Files of JSON: what can't be read is told by file, line and path, in one vocabulary for both importers of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.importers import flashinfer, json_files, sol_execbench
from registry.importers.base import InputFile, Rejected, Skipped, Unreadable
from registry.importers.json_files import Item, read_items
from tests.registry.importers.reading import translated

TRACE = '{"definition": "d", "workload": {"axes": {}}, "solution": "s"}'


def read(tmp_path: Path, name: str, data: bytes) -> list[Any]:
    path = tmp_path / name
    path.write_bytes(data)
    return list(read_items(InputFile(name, path)))


@pytest.mark.parametrize(
    ("name", "data", "reason", "place", "message"),
    [
        ("a.json", b"", "EMPTY", "line 1", "is empty"),
        ("a.json", b'{"data": {"kernels": [', "SYNTAX", "line 1: data.kernels[0]", "found the end of the text"),
        ("a.json", b'{\n"data": [1, 2\n', "SYNTAX", "line 3: data[1]", "expected ',' or ']', found the end"),
        ("a.json", b'{\n"data": [1, 2,\n]}', "SYNTAX", "line 3: data[2]", 'expected a value, found "]}"'),
        ("a.json", b'{"a": 1,}', "SYNTAX", "line 1", 'expected a key in double quotes, found "}"'),
        ("a.json", b"{'a': 1}", "SYNTAX", "line 1", "expected a key in double quotes"),
        ("a.json", b'{"a": 1} {"b": 2}', "TRAILING_DATA", "line 1", "has text after the end of the document"),
        ("a.json", b'\xef\xbb\xbf{"a": 1}', "BOM", "line 1", "starts with a byte order mark"),
        ("a.json", '{"a": 1}'.encode("utf-16"), "BOM", "line 1", "starts with a byte order mark"),
        ("a.json", '{"a": 1}'.encode("utf-16-le"), "NUL_CHARACTER", "line 1", "holds a NUL character"),
        ("a.json", b'{\n"a": "\xff"}', "NOT_UTF8", "line 2", "is not UTF-8: byte 0xff at offset 8"),
        ("a.json", b'{"a": 1,\n"a": 2}', "DUPLICATE_KEY", "line 2: a", "is written twice in one object"),
        ("a.json", b'{"a": NaN}', "NOT_FINITE", "line 1: a", "NaN is not a finite number"),
        ("a.json", b'{"a": -Infinity}', "NOT_FINITE", "line 1: a", "-Infinity is not a finite number"),
        ("a.json", b'{"a": 9007199254740993}', "INTEGER_RANGE", "line 1: a", "is outside"),
        ("a.json", b'{"a": 1e999}', "NOT_FINITE", "line 1: a", "is not a finite number"),
        ("a.json", b'{"a": ' + b"[" * 80 + b"]" * 80 + b"}", "TOO_DEEP", "line 1", "nests deeper than 64 levels"),
        ("a.json", b'{"a": "\\ud800"}', "LONE_SURROGATE", "line 1: a", "half of a surrogate pair"),
        ("a.json", b"7", "SHAPE", "line 1", "must be an object, got an integer"),
        ("a.json", b'[{"a": 1},\nnull]', "SHAPE", "line 2: [1]", "must be an object, got null"),
        ("a.json", b"<!doctype html>\n<html>", "SYNTAX", "line 1", "expected a value"),
        ("a.jsonl", b'{"a": 1}\n{"a": 2\n{"a": 3}\n', "SYNTAX", "line 2", "found the end of the text"),
        ("a.jsonl", b'{"a": 1}\r\n\r\n{"a": tru}\r\n', "SYNTAX", "line 3: a", "expected a value"),
        ("a.jsonl", b'{"a": 1}\n[1]\n', "SHAPE", "line 2: [0]", "must be an object, got an integer"),
        (
            "a.jsonl",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
            "LFS_POINTER",
            "line 1",
            "is a pointer of Git LFS, not the file that it points to",
        ),
    ],
)
def test_what_can_not_be_read_is_told_by_its_place(
    tmp_path: Path, name: str, data: bytes, reason: str, place: str, message: str
) -> None:
    [rejected] = [found for found in read(tmp_path, name, data) if isinstance(found, Rejected)]
    assert (rejected.reason, str(rejected.place)) == (reason, f"{name}: {place}")
    assert message in rejected.message
    assert rejected.row is not None


@pytest.mark.parametrize("importer", [flashinfer, sol_execbench])
@pytest.mark.parametrize(
    "data", [b"", b"[", b"\xff\xfe", b"[[]]", b"{}", b'{"data": 1}', b'{"data": {}}', b'{"data": {"kernels": 1}}']
)
def test_a_file_that_is_nothing_of_an_upstream_is_rejected_whole(importer: Any, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    source, rejected = translated(importer, tmp_path)
    assert source == importer.SOURCE
    assert isinstance(rejected, Rejected)


def test_the_lines_around_a_bad_one_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, "a.jsonl", b'{"a": 1}\n{"a": }\n{"a": 3}')
    assert [item.value for item in found if isinstance(item, Item)] == [{"a": 1}, {"a": 3}]


def test_a_row_is_quoted_as_it_stands_up_to_its_limit(tmp_path: Path) -> None:
    long = '{"a":  "' + "x" * 3000 + '"}'
    first, second = read(tmp_path, "a.json", f'[ {{ "a" : 1.50 }},\n{long}]'.encode())
    assert first.row == '{ "a" : 1.50 }'
    assert second.row == long[:2000]
    assert str(second.place("a")) == "a.json: line 2: [1].a"


def test_a_text_past_its_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "TEXT_LIMIT", 20)
    monkeypatch.setattr(json_files, "LINE_LIMIT", 10)
    [text] = read(tmp_path, "a.json", b"{\n" + b" " * 30)
    [line, *_] = read(tmp_path, "a.jsonl", b'{"a": "' + b"x" * 30 + b'"}')
    assert (text.reason, text.message) == ("TOO_LARGE", "has more than 20 bytes")
    assert (line.reason, line.message) == ("TOO_LARGE", "has more than 10 bytes")


@pytest.mark.parametrize("name", ["README.md", "kernel.cu", "a.safetensors"])
def test_a_file_of_another_kind_is_skipped(tmp_path: Path, name: str) -> None:
    [skipped] = read(tmp_path, name, b"{}")
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "OTHER_FILE"


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"a\.json: No such file"):
        list(read_items(InputFile("a.json", tmp_path / "a.json")))


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1), (1.5, 1.5), (None, None), ("NaN", None), ("Infinity", None), ("-Infinity", None)],
)
def test_words_for_what_is_not_finite_are_no_number(tmp_path: Path, value: object, number: object) -> None:
    [item] = read(tmp_path, "a.json", json.dumps({"a": value}).encode())
    assert item.number_or_none("a") == number


@pytest.mark.parametrize("value", ["None", "0.0%", "1.5", True, [1], {}])
def test_what_is_no_number_is_refused(tmp_path: Path, value: object) -> None:
    [item] = read(tmp_path, "a.json", json.dumps({"a": value}).encode())
    with pytest.raises(json_files.Refusal, match="must be a number"):
        item.number_or_none("a")
