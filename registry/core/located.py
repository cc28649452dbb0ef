"""Where something stands in a document, the error that says so, and the limits that JSON and YAML share."""

import json
import math
import re

MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1  # the largest integer that JavaScript, and so RFC 8785, can tell from its neighbours

_TYPE_NAMES = {type(None): "null", bool: "a boolean", int: "an integer", float: "a number", str: "a string"}

Path = tuple[str | int, ...]

SHOWN_CHARACTERS = 60
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")


def shown(text: str) -> str:
    """Quote text for a message, cut so that a megabyte of it can't fill a log."""
    cut = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
    return json.dumps(cut, ensure_ascii=not cut.isprintable())


def type_name(value: object) -> str:
    """Name a value's type as a person who writes JSON would: "a string", "an object", "null"."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return _TYPE_NAMES.get(type(value), type(value).__name__)


def path_text(path: Path) -> str:
    """Write a path as `runs[3].spec.timing`; a key that would be ambiguous there is quoted: `labels["a.b"]`."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif len(step) > SHOWN_CHARACTERS or not _PLAIN_KEY.match(step):
            parts.append(f"[{shown(step)}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)


class ReadingError(ValueError):
    """A text that is not a document we accept; `reason` is a stable code, `line` counts from 1 or is None."""

    def __init__(self, reason: str, message: str, *, path: Path = (), line: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        return ": ".join(part for part in (line, path_text(self.path), self.message) if part)


def number_fault(written: str, value: float, *, is_integer: bool) -> tuple[str, str] | None:
    """Say why a number can't be accepted, as (reason, message).

    A float of 2^53 or more is refused as an integer is: its canonical form is written without an exponent, so that it
    could not be read back.
    """
    if abs(value) <= MAX_INTEGER:
        return None
    written = written if len(written) <= SHOWN_CHARACTERS else f"{written[:20]}… ({len(written)} characters)"
    if is_integer or math.isfinite(value):
        return "INTEGER_RANGE", f"{'integer' if is_integer else 'number'} {written} is outside ±(2^53−1)"
    return "NOT_FINITE", f"{written} is not a finite number"
