"""The one strict reader: bytes of JSON or YAML 1.2 become plain objects, or an error that names path and line."""

from dataclasses import dataclass, field
from typing import Literal

from registry.core import json_text, yaml_text
from registry.core.located import MAX_DEPTH, MAX_INTEGER, Path, ReadingError, path_text

__all__ = [
    "BUNDLE_LIMIT_SHELL",
    "BUNDLE_LIMIT_WEB",
    "DOCUMENT_LIMIT",
    "MAX_DEPTH",
    "MAX_INTEGER",
    "Path",
    "Reading",
    "ReadingError",
    "decode",
    "path_text",
    "read",
    "read_json_line",
]

MEBIBYTE = 2**20
DOCUMENT_LIMIT = MEBIBYTE
BUNDLE_LIMIT_SHELL = 64 * MEBIBYTE
BUNDLE_LIMIT_WEB = 8 * MEBIBYTE

Syntax = Literal["json", "yaml"]

_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says, and where it says it."""

    value: object
    _lines: json_text.JsonLines | yaml_text.YamlLines = field(repr=False, compare=False)

    def line_of(self, path: Path) -> int:
        """Give the line (from 1) of a path, or of its nearest ancestor where the path itself is absent."""
        return self._lines.line_of(path)


def read(data: bytes, *, syntax: Syntax, limit: int = DOCUMENT_LIMIT) -> Reading:
    """Read one text of at most `limit` bytes. Raises ReadingError at the first thing that is wrong."""
    text = decode(data, limit)
    if syntax == "json":
        return Reading(json_text.loads(text), json_text.JsonLines(text))
    value, lines = yaml_text.loads(text, limit=limit)
    return Reading(value, lines)


def read_json_line(text: str) -> object:
    """Read one line of JSONL as strictly as `read`, at close to the speed of json.loads. Lines count within `text`."""
    return json_text.loads(text)


def decode(data: bytes, limit: int) -> str:
    """Take bytes as UTF-8 without a mark. Raises ReadingError."""
    if len(data) > limit:
        raise ReadingError("TOO_LARGE", f"has more than {limit:,} bytes")
    if data.startswith(_BYTE_ORDER_MARKS):
        raise ReadingError("BOM", "starts with a byte order mark; write plain UTF-8", line=1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise ReadingError("NOT_UTF8", message, line=line) from error
