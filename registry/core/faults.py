"""What is wrong with a document, in words for the person who wrote it."""

from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from registry.core.fields import PATTERN_WORDS
from registry.core.located import Path, path_text, shown, type_name

MAX_FAULTS = 100  # a hostile document can have a hundred thousand; nobody reads them


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, and where."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.message}" if self.path else self.message


class KindError(ValueError):
    """A value that is not a document of its kind; `faults` holds all that is wrong, in the order of its fields."""

    def __init__(self, faults: list[Fault]) -> None:
        if len(faults) > MAX_FAULTS:
            faults = [*faults[:MAX_FAULTS], Fault((), f"{len(faults) - MAX_FAULTS} more faults are not listed")]
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


def faults_of(error: ValidationError) -> list[Fault]:
    """Translate what pydantic found."""
    return [_fault(detail) for detail in error.errors(include_url=False)]


def _fault(detail: ErrorDetails) -> Fault:
    path: Path = detail["loc"]
    message = _message(detail)
    if path and path[-1] == "[key]":  # pydantic's mark for a map's key
        path, message = path[:-1], f"as a key {message}"
    return Fault(path, message)


def _message(detail: ErrorDetails) -> str:
    kind, given = detail["type"], detail["input"]
    context = detail.get("ctx", {})
    if kind in _EXPECTED:
        return f"must be {_EXPECTED[kind]}, got {type_name(given)}"
    match kind:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return "unknown field"
        case "value_error":
            return str(context["error"])
        case "string_pattern_mismatch":
            return f"{PATTERN_WORDS[context['pattern']]}; got {shown(given)}"
        case "string_too_long":
            return f"must be at most {context['max_length']} characters, has {len(given)}"
        case "literal_error":
            got = shown(given) if isinstance(given, str) else type_name(given)
            return f"must be {context['expected'].replace(chr(39), '')}, got {got}"
        case "too_short":
            return f"must have at least {context['min_length']} {_items(context['min_length'])}, has {len(given)}"
        case "too_long":
            return f"must have at most {context['max_length']} {_items(context['max_length'])}, has {len(given)}"
        case "greater_than":
            return f"must be greater than {context['gt']:g}, is {given}"
        case "greater_than_equal":
            return _bound("least", context["ge"], given)
        case "less_than_equal":
            return _bound("most", context["le"], given)
        case "finite_number":
            return f"must be a finite number, is {given}"
        case "string_unicode":
            return "must be Unicode text, holds half of a surrogate pair"
    return detail["msg"]


_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "an object",
    "list_type": "a list",
}


def _items(count: int) -> str:
    return "item" if count == 1 else "items"


def _bound(side: str, bound: float, given: float) -> str:
    if abs(bound) > 1:  # the only such bound is that of the integers
        digits = str(given) if abs(given) < 10**20 else "a number of more than 20 digits"
        return f"must be within ±(2^53−1), is {digits}"
    return f"must be at {side} {bound:g}, is {given}"
