"""Strict JSON: the standard decoder with hooks for speed; a second, located reading only of what it refuses.

The decoder says yes or no at C speed. Only after a no does `json_faults` walk the text to say where and why. It decides
alone on depth, NUL and surrogates, for which the fast path has suspicions and no proof.
"""

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NoReturn

from registry.core import json_faults
from registry.core.located import MAX_DEPTH, MAX_INTEGER, Path, ReadingError

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
        json_faults.check(text)
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
    json_faults.check(text)
    raise ReadingError("SYNTAX", f"is not JSON ({refusal})")  # unreachable while decoder and explainer agree


_SPACE = re.compile(r"[ \t\n\r]*")


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

    def text_of(self, path: Path) -> str:
        """Give the words of the value at a path. Raises KeyError where there is none."""
        value_at = self._skip(0)
        for depth, step in enumerate(path):
            _, value_at = self._places(path[:depth], value_at)[step]
        _, end = _SCAN(self._text, value_at)
        return self._text[value_at:end]

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
