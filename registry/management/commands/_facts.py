"""Facts that a file does not state, on a command line: answers in, open questions out."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from registry.core.reading import ReadingError, read
from registry.importers.base import Question

OPEN = (
    "the file does not say, nothing was written. Answer by --fact NAME=VALUE, or fill in the companion file that\n"
    "stands in the output and give it by --facts FILE:"
)


class FactsError(ValueError):
    """The answers can't be read as such; the text says what is wrong."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--facts", type=Path, help="a companion file (YAML or JSON) of facts that the file leaves open")
    parser.add_argument(
        "--fact", action="append", default=[], metavar="NAME=VALUE", help="one fact; wins over the file"
    )


def of(options: dict[str, Any]) -> dict[str, object]:
    """The answers by name: the companion's, then those given one by one. Raises FactsError."""
    facts = _companion(options["facts"]) if options["facts"] else {}
    for given in options["fact"]:
        name, equals, value = given.partition("=")
        if not equals or not name.strip():
            raise FactsError(f"--fact is NAME=VALUE, got {given[:60]!r}")
        facts[name.strip()] = value.strip()
    return facts


def _companion(path: Path) -> dict[str, object]:
    try:
        value = read(path.read_bytes(), syntax="json" if path.suffix == ".json" else "yaml").value
    except OSError as error:
        raise FactsError(f"{path}: {error.strerror}") from error
    except ReadingError as error:
        raise FactsError(f"{path.name}: {error}") from error
    if not isinstance(value, dict):
        raise FactsError(f"{path.name}: line 1: a companion file is an object, one key a fact")
    return dict(value)


def asked(questions: Sequence[Question]) -> str:
    """The open questions for people."""
    return "\n".join(f"  {question.name}: {_told(question)}" for question in questions)


def skeleton(questions: Sequence[Question]) -> str:
    """A companion file to be filled in; what stays empty stays open."""
    return "".join(f'# {_told(question)}\n{question.name}: ""\n' for question in questions)


def as_json(questions: Sequence[Question]) -> str:
    told = [
        {"name": one.name, "text": one.text, "choices": list(one.choices), "example": one.example} for one in questions
    ]
    return json.dumps({"missing": told}, indent=2) + "\n"


def _told(question: Question) -> str:
    if question.choices:
        return f"{question.text} ({', '.join(question.choices)})"
    return f"{question.text}, such as {question.example}" if question.example else question.text
