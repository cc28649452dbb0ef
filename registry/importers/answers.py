"""Facts that a tool's file does not state, asked of the one who brings it: every question at once, no guess.

Answers come by name, as `--fact name=value` or from a companion file. One that makes no sense refuses the whole input.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import TypeVar

from registry.core.naming import slugify
from registry.importers.base import MissingFacts, Question, Unreadable

Read = TypeVar("Read")
TOKEN = re.compile(r"[a-z][a-z0-9_]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")
LONGEST = 2_000


class Answers:
    """What was answered. Questions without an answer collect until `settle`, and stand for "" until then."""

    def __init__(self, given: Mapping[str, object]) -> None:
        self._given = dict(given)
        self._missing: list[Question] = []
        self._asked: set[str] = set()

    def ask(self, question: Question) -> str:
        """The answer as text. One with choices is one of them."""
        answer = self.maybe(question)
        if answer is None:
            self._missing.append(question)
        return answer or ""

    def maybe(self, question: Question) -> str | None:
        """The answer to a question that may stay open."""
        self._asked.add(question.name)
        value = self._given.get(question.name)
        if isinstance(value, list) and all(isinstance(item, str | int) for item in value):
            value = ", ".join(map(str, value))
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
            raise refused(question.name, f"must be text of at most {LONGEST:,} characters, got {value!r}"[:200])
        if question.choices and value not in question.choices:
            raise refused(question.name, f"must be one of {', '.join(question.choices)}, got {value[:60]!r}")
        return value.strip()

    def mapping(self, question: Question) -> Mapping[str, object] | None:
        """The answer where it is an object of a companion file."""
        value = self._given.get(question.name)
        if isinstance(value, Mapping):
            self._asked.add(question.name)
            return value
        return None

    def read(self, question: Question, reader: Callable[[str], Read], *, is_needed: bool = True) -> Read | None:
        """The answer as `reader` makes of it, whose ValueError says what is wrong; None where there is none."""
        answer = self.ask(question) if is_needed else self.maybe(question)
        if not answer:
            return None
        try:
            return reader(answer)
        except ValueError as error:
            raise refused(question.name, str(error)) from error

    def settle(self) -> None:
        """Raise MissingFacts where a question is open, Unreadable where an answer belongs to none."""
        for name in self._given:
            if name not in self._asked:
                raise refused(name, f"answers no question here; asked are {', '.join(sorted(self._asked))}")
        if self._missing:
            raise MissingFacts(self._missing)


def refused(name: str, message: str) -> Unreadable:
    return Unreadable(f"fact {name}: {message}")


# What answers are read as


def token(text: str) -> str:
    if not TOKEN.fullmatch(text):
        raise ValueError(f"must be small letters, digits and _, got {text[:60]!r}")
    return text


def slug(text: str) -> str:
    if slugify(text) != text:
        raise ValueError(f"must be small letters, digits and hyphens, at most 100, got {text[:60]!r}")
    return text


def short(text: str) -> str:
    if len(text) > 100:
        raise ValueError(f"must have at most 100 characters, got {len(text)}")
    return text


def commit(text: str) -> str:
    if not _COMMIT.fullmatch(text):
        raise ValueError(f"must be 40 hex digits in lower case, got {text[:60]!r}")
    return text


def https(text: str) -> str:
    if not re.fullmatch(r"https://[^\s/]+\S*", text):
        raise ValueError(f"must be an https address, got {text[:60]!r}")
    return text


def instant(text: str) -> tuple[str, bool]:
    """An instant in UTC, and whether its time of day is known: a bare date stands for its first second."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return f"{date.fromisoformat(text)}T00:00:00Z", False
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"must be a date or a time with its zone, got {text[:60]!r}") from error
    if found.tzinfo is None or not 2000 <= found.year <= 2200:
        raise ValueError(f"must be a date or a time with its zone, of this age, got {text[:60]!r}")
    found = found.astimezone(UTC)
    return f"{found:%Y-%m-%dT%H:%M:%S}.{found.microsecond // 1000:03d}Z", True
