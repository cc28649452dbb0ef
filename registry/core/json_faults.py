"""Where and why a text is not strict JSON: a slow second reading, used on what the decoder of `json_text` refuses."""

import json
import re
from typing import NoReturn

from registry.core.located import MAX_DEPTH, ReadingError, number_fault, shown

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


def check(text: str) -> None:
    """Raise ReadingError for the first fault; return where there is none."""
    _Explainer(text).document()


class _Explainer:
    """A reading of one text that builds nothing and keeps only where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.path: list[str | int] = []

    def document(self) -> None:
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
