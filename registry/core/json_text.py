"""Strict JSON: the standard decoder with hooks for speed; a second, located reading only of what it refuses.

The decoder says yes or no at C speed. Only after a no does `_Explainer` walk the text to say where and why. It decides
alone on depth, NUL and surrogates, for which the fast path has suspicions and no proof.
"""

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NoReturn

from registry.core.located import MAX_DEPTH, MAX_INTEGER, Path, ReadingError, number_fault, shown

# A string, or the rest of the text where one is never closed: it can't fail, so hostile text can't make it try twice.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = re.compile(r"[^][{}]+")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_SUSPECT_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_START = 16_384
_SAFE_DIGITS = 15  # every integer of so many digits, with or without a sign, is below 2^53


def loads(text: str) -> object:
    """Decode one JSON text. Raises ReadingError naming path and line."""
    try:
        if _is_too_deep(text) or (not text.isascii() and _has_surrogate(text)):
            raise _RefusedError
        value: object = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:  # JSONDecodeError is a ValueError, _RefusedError too
        _explain(text, error)
    if "\\u" in text and _SUSPECT_ESCAPE.search(text):
        _Explainer(text).check()
    return value


class _RefusedError(ValueError):
    """The fast path's no; the explainer finds the words."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RefusedError
    return members


def _integer(digits: str) -> int:
    if len(digits) > _SAFE_DIGITS and (len(digits) > 17 or abs(int(digits)) > MAX_INTEGER):
        raise _RefusedError
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not -MAX_INTEGER <= number <= MAX_INTEGER:
        raise _RefusedError
    return number


def _constant(name: str) -> NoReturn:
    raise _RefusedError


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)


def _is_too_deep(text: str) -> bool:
    """Whether brackets nest deeper than MAX_DEPTH; may say yes of a text that is broken anyway."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    if len(text) > _START and _nests_too_deep(text[:_START]):
        return True  # a bomb is known by its first kilobytes
    return _nests_too_deep(text)


def _nests_too_deep(text: str) -> bool:
    brackets = _NOT_BRACKETS.sub("", _STRING.sub("", text))
    return any(map(MAX_DEPTH.__lt__, accumulate(map(_STEP.__getitem__, brackets))))


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _explain(text: str, refusal: Exception) -> NoReturn:
    _Explainer(text).check()
    raise ReadingError("SYNTAX", f"is not JSON ({refusal})")  # unreachable while decoder and explainer agree


_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_CHARACTERS = re.compile(r'(?:[^"\\\x00-\x1f\ud800-\udfff]++|\\["\\/bfnrt])++')
# Items that can't be at fault, each with its comma: a list of a million of them is passed in one step.
_PLAIN_ITEMS = re.compile(
    r"(?:[ \t\n\r]*+"
    r'(?:-?(?:0|[1-9][0-9]{0,14})|"[^"\\\x00-\x1f\ud800-\udfff,]*+"|true|false|null|\[\]|\{\})'
    r"[ \t\n\r]*+,)++"
)
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_LOW_ESCAPE = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")


class _Explainer:
    """A reading of one text that builds nothing and raises at the first fault, with its path and line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.path: list[str | int] = []

    def check(self) -> None:
        if self.text.startswith("\ufeff"):
            self.fail("BOM", "starts with a byte order mark; write plain UTF-8")
        if not self.peek():
            self.fail("EMPTY", "is empty")
        self.value(1)
        if self.peek():
            self.fail("TRAILING_DATA", f"has text after the end of the document: {shown(self.rest())}")

    def fail(self, reason: str, message: str) -> NoReturn:
        line = self.text.count("\n", 0, self.at) + 1
        raise ReadingError(reason, message, path=tuple(self.path), line=line)

    def rest(self) -> str:
        return self.text[self.at : self.at + 20].split("\n", 1)[0]

    def peek(self) -> str:
        """Return the next character that is not white space, "" at the end."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def expect(self, wanted: str) -> str:
        found = self.peek()
        if found and found in wanted:
            self.at += 1
            return found
        names = " or ".join(f"'{character}'" for character in wanted)
        self.unexpected(f"expected {names}")

    def unexpected(self, expected: str) -> NoReturn:
        if self.text.startswith("\0", self.at):
            self.fail("NUL_CHARACTER", "holds a NUL character")
        found = shown(self.rest()) if self.at < len(self.text) else "the end of the text"
        self.fail("SYNTAX", f"is not JSON: {expected}, found {found}")

    def value(self, depth: int) -> None:
        first = self.peek()
        if first == '"':
            self.string()
        elif first and first in "[{":
            if depth > MAX_DEPTH:
                self.path.clear()  # 64 steps of path would drown the message
                self.fail("TOO_DEEP", f"nests deeper than {MAX_DEPTH} levels")
            self.at += 1
            if first == "{":
                self.members(depth)
            else:
                self.items(depth)
        elif match := _NUMBER.match(self.text, self.at):
            self.number(match)
            self.at = match.end()
        else:
            self.word()

    def members(self, depth: int) -> None:
        seen: set[str] = set()
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            if self.peek() != '"':
                self.unexpected("expected a key in double quotes")
            start = self.at
            self.string()
            key: str = json.loads(self.text[start : self.at])
            self.path.append(key)
            if key in seen:
                self.at = start
                self.fail("DUPLICATE_KEY", "is written twice in one object")
            seen.add(key)
            self.expect(":")
            self.value(depth + 1)
            self.path.pop()
            if self.expect(",}") == "}":
                return

    def items(self, depth: int) -> None:
        if self.peek() == "]":
            self.at += 1
            return
        index = 0
        self.path.append(index)
        while True:
            if plain := _PLAIN_ITEMS.match(self.text, self.at) if depth < MAX_DEPTH else None:
                index += plain[0].count(",")
                self.at = plain.end()
            self.path[-1] = index
            self.value(depth + 1)
            if self.expect(",]") == "]":
                break
            index += 1
        self.path.pop()

    def string(self) -> None:
        self.at += 1
        while not self.text.startswith('"', self.at):
            if match := _CHARACTERS.match(self.text, self.at):
                self.at = match.end()
            elif match := _ESCAPE.match(self.text, self.at):
                self.escape(match)
            else:
                self.broken_string()
        self.at += 1

    def escape(self, match: re.Match[str]) -> None:
        unit = int(match[1], 16)
        if unit == 0:
            self.fail("NUL_CHARACTER", "holds a NUL character (\\u0000)")
        end = match.end()
        if 0xD800 <= unit <= 0xDFFF:
            low = _LOW_ESCAPE.match(self.text, end) if unit < 0xDC00 else None
            if low is None:
                self.fail("LONE_SURROGATE", f"holds half of a surrogate pair ({match[0]})")
            end = low.end()
        self.at = end

    def broken_string(self) -> NoReturn:
        character = self.text[self.at : self.at + 1]
        if character == "\0":
            self.fail("NUL_CHARACTER", "holds a NUL character")
        if "\ud800" <= character <= "\udfff":
            self.fail("LONE_SURROGATE", "holds half of a surrogate pair")
        if character == "\\":
            self.fail("SYNTAX", f"is not JSON: unknown escape {shown(self.text[self.at : self.at + 2])}")
        if character:
            self.fail("SYNTAX", f"is not JSON: control character U+{ord(character):04X} must be escaped in a string")
        self.fail("SYNTAX", "is not JSON: a string has no closing quote")

    def number(self, match: re.Match[str]) -> None:
        if fault := number_fault(match[0], float(match[0]), is_integer=match.lastindex is None):
            self.fail(*fault)

    def word(self) -> None:
        match = _WORD.match(self.text, self.at)
        word = match[0] if match else ""
        if word in ("NaN", "Infinity", "-Infinity"):
            self.fail("NOT_FINITE", f"{word} is not a finite number")
        if word not in ("true", "false", "null"):
            self.unexpected("expected a value")
        self.at += len(word)


class JsonLines:
    """The line of each path of one valid JSON text, found on demand and kept per container.

    Each container is stepped through once, its children skipped at C speed, so a hundred faults of one document cost
    little more than one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._children: dict[Path, dict[str | int, tuple[int, int]]] = {}

    def line_of(self, path: Path) -> int:
        """Give the line of a path's key, or of its nearest ancestor that exists."""
        shown_at = value_at = self._skip(0)
        for depth, step in enumerate(path):
            place = self._places(path[:depth], value_at).get(step)
            if place is None:
                break
            shown_at, value_at = place
        return self._text.count("\n", 0, shown_at) + 1

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _places(self, path: Path, at: int) -> dict[str | int, tuple[int, int]]:
        """Map each child of the container that starts at `at` to where it is shown and where its value starts."""
        if path not in self._children:
            self._children[path] = dict(self._steps(at))
        return self._children[path]

    def _steps(self, at: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        bracket = self._text[at]
        if bracket not in "[{":
            return
        at = self._skip(at + 1)
        index = 0
        while self._text[at] not in "]}":
            child: str | int = index
            shown_at = at
            if bracket == "{":
                child, at = _SCAN(self._text, at)
                at = self._skip(self._skip(at) + 1)  # over the colon
            yield child, (shown_at, at)
            _, at = _SCAN(self._text, at)
            at = self._skip(at)
            if self._text[at] == ",":
                at = self._skip(at + 1)
            index += 1


_SCAN: Any = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # typeshed leaves it out
