"""Files of JSON as upstreams publish them: one text or one object a line, each object with its place and its words."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from registry.core.json_text import JsonLines, loads
from registry.core.located import shown, type_name
from registry.core.reading import Path, ReadingError, decode, path_text
from registry.importers.base import InputFile, Pending, Place, Rejected, Skipped, Unreadable

TEXT_LIMIT = 64 * 2**20
LINE_LIMIT = 8 * 2**20  # a trace with its log; a solution's sources stand in texts of their own
ROW_CHARACTERS = 2000
SUFFIXES = (".json", ".jsonl", ".ndjson")
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


class Refusal(ValueError):
    """Why an object is not taken, and where that stands in it."""

    def __init__(self, reason: str, place: Place, message: str) -> None:
        super().__init__(message)
        self.reason, self.place = reason, place


class UnknownNameRefusal(Refusal):
    """An object that waits until a person says what a name stands for."""

    def __init__(self, kind: str, name: str, place: Place) -> None:
        super().__init__("UNKNOWN_NAME", place, f"it is not known what {kind} {shown(name)} is")
        self.kind, self.name = kind, name


@dataclass(frozen=True, slots=True)
class _Words:
    """A text that was read: a whole file, or the line of one that starts at `first_line`."""

    file: str
    first_line: int
    text: str
    lines: JsonLines


@dataclass(frozen=True, slots=True)
class Item:
    """A JSON object of a file. Its readers give a member's value, or raise Refusal with the member's place."""

    value: dict[str, object]
    path: Path
    _words: _Words

    @property
    def file(self) -> str:
        return self._words.file

    @property
    def row(self) -> str:
        """The object as it stands in the file, as far as a report quotes it."""
        return self._words.lines.text_of(self.path)[:ROW_CHARACTERS]

    def place(self, *path: str | int) -> Place:
        whole = (*self.path, *path)
        line = self._words.first_line - 1 + self._words.lines.line_of(whole)
        return Place(self._words.file, line, path_text(whole))

    def locate(self, path: Path) -> Place:
        """Where a document that was made of this object stands; its own path is named behind the object's."""
        place = self.place()
        return Place(place.file, place.line, f"{place.path} → {path_text(path)}".strip() if path else place.path)

    def refusal(self, reason: str, message: str, *path: str | int) -> Refusal:
        return Refusal(reason, self.place(*path), message)

    def has(self, key: str) -> bool:
        """Whether a member has a value; null is how these upstreams write none."""
        return self.value.get(key) is not None

    def text(self, key: str) -> str:
        value = self.value.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong("text", key)
        return value

    def text_or_none(self, key: str) -> str | None:
        return self.text(key) if self.value.get(key) not in (None, "") else None

    def integer(self, key: str) -> int:
        value = self.value.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong("a whole number", key)
        return value

    def number_or_none(self, key: str) -> int | float | None:
        """A finite number. Absent, null, and the words for what is not finite ("NaN", "Infinity") are None."""
        value = self.value.get(key)
        if value is None or (isinstance(value, str) and _is_not_finite(value)):
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong("a number", key)
        return value

    def item(self, key: str) -> "Item":
        value = self.value.get(key)
        if not isinstance(value, dict):
            raise self._wrong("an object", key)
        return Item(value, (*self.path, key), self._words)

    def items(self, key: str) -> Iterator["Item"]:
        values = self.value.get(key)
        if not isinstance(values, list):
            raise self._wrong("a list", key)
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                raise self.refusal("SHAPE", f"must be an object, got {type_name(value)}", key, index)
            yield Item(value, (*self.path, key, index), self._words)

    def _wrong(self, wanted: str, key: str) -> Refusal:
        value = self.value.get(key)
        if value is None:
            return self.refusal("MISSING_FIELD", f"{key} is missing", key)
        got = shown(value) if isinstance(value, str) else type_name(value)
        return self.refusal("SHAPE", f"must be {wanted}, got {got}", key)


def _is_not_finite(word: str) -> bool:
    try:
        return not math.isfinite(float(word))
    except ValueError:
        return False


def told(item: Item, refusal: Refusal, key: str | None = None) -> Rejected | Pending:
    """The entry that an object leaves when it is not taken."""
    if isinstance(refusal, UnknownNameRefusal):
        return Pending(refusal.kind, refusal.name, refusal.place, str(refusal), key, item.row)
    return Rejected(refusal.reason, refusal.place, str(refusal), key, item.row)


def read_items(file: InputFile) -> Iterator[Item | Rejected | Skipped]:
    """The objects of a file, a list's one by one. What can't be read is rejected by place; other files are skipped."""
    if PurePosixPath(file.name).suffix.lower() not in SUFFIXES:
        yield Skipped("OTHER_FILE", Place(file.name, None, ""))
        return
    try:
        with file.path.open("rb") as opened:
            head = opened.readline(LINE_LIMIT + 1)
            if head.startswith(LFS_POINTER):
                message = "is a pointer of Git LFS, not the file that it points to"
                yield Rejected("LFS_POINTER", Place(file.name, 1, ""), message, row=head.decode(errors="replace"))
            elif _is_lines(file.name, head):
                yield from _lines(file.name, head, opened)
            else:
                yield from _whole(file.name, head + opened.read(TEXT_LIMIT + 1 - len(head)))
    except OSError as error:
        raise Unreadable(f"{file.name}: {error.strerror}") from error


def _is_lines(name: str, head: bytes) -> bool:
    """Whether a file holds one object a line, which its name does not always say."""
    first = head.strip()
    if first.startswith(b"{") and first.endswith(b"}"):
        return True
    return not name.endswith(".json") and first != b"{" and not first.startswith(b"[")


def _lines(file: str, line: bytes, rest: Iterator[bytes]) -> Iterator[Item | Rejected]:
    number = 0
    while line:
        number += 1
        if line.strip():
            yield from _read(file, number, line.rstrip(b"\r\n"), limit=LINE_LIMIT)
        line = next(rest, b"")


def _whole(file: str, data: bytes) -> Iterator[Item | Rejected]:
    yield from _read(file, 1, data, limit=TEXT_LIMIT)


def _read(file: str, first_line: int, data: bytes, *, limit: int) -> Iterator[Item | Rejected]:
    try:
        text = decode(data, limit)
        value = loads(text)
    except ReadingError as error:
        place = Place(file, first_line - 1 + (error.line or 1), path_text(error.path))
        quoted = data[: 4 * ROW_CHARACTERS].decode(errors="replace")[:ROW_CHARACTERS]
        yield Rejected(error.reason, place, error.message, row=quoted)
        return
    words = _Words(file, first_line, text, JsonLines(text))
    objects = [((index,), member) for index, member in enumerate(value)] if isinstance(value, list) else [((), value)]
    for path, member in objects:
        if isinstance(member, dict):
            yield Item(member, path, words)
        else:
            place = Place(file, first_line - 1 + words.lines.line_of(path), path_text(path))
            yield Rejected("SHAPE", place, f"must be an object, got {type_name(member)}", row=text[:ROW_CHARACTERS])
