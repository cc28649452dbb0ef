"""The field types that documents are made of: tokens, digests, bounded text and numbers, durations, instants."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, StringConstraints, WithJsonSchema, WrapValidator
from pydantic_core import Url, ValidationError

from registry.core.durations import DurationError, nanoseconds
from registry.core.located import MAX_INTEGER, shown, type_name

# Rust's regex: `$` is the end of the text, never the place before a last newline.
TOKEN = r"^[a-z][a-z0-9_]*$"  # noqa: S105
SLUG = r"^[a-z0-9][a-z0-9-]*$"
NAME = r"^[a-z0-9][a-z0-9._-]*$"
DIGEST = r"^sha256:[0-9a-f]{64}$"
COMMIT = r"^[0-9a-f]{40}$"
EXPRESSION = r"^[a-z0-9_+\-*%/() ]*$"
NO_NUL = r"^[^\x00]*$"

PATTERN_WORDS = {
    TOKEN: "must be a token: a small letter, then small letters, digits and _",
    SLUG: "must be a slug: small letters, digits and -, not starting with -",
    NAME: "must be a name: small letters, digits, '.', '_' and -, starting with a letter or digit",
    DIGEST: "must be a digest: sha256: and 64 hex digits in lower case",
    COMMIT: "must be a full commit: 40 hex digits in lower case",
    EXPRESSION: "may hold only small letters, digits, _ + - * % / ( ) and spaces",
    NO_NUL: "can't hold a NUL character",
}


def text(characters: int, pattern: str = NO_NUL) -> StringConstraints:
    """Bound a string; the empty string is allowed where the pattern allows it."""
    return StringConstraints(strict=True, max_length=characters, pattern=pattern)


def _as_written(value: Any, check: Callable[[Any], float]) -> Any:
    check(value)
    return value


AS_WRITTEN = WrapValidator(_as_written)  # 1 stays 1: pydantic would hand back 1.0

Token = Annotated[str, StringConstraints(strict=True, pattern=TOKEN)]
Slug = Annotated[str, text(100, SLUG)]
Name = Annotated[str, text(200, NAME)]
Digest = Annotated[str, StringConstraints(strict=True, pattern=DIGEST)]
Commit = Annotated[str, StringConstraints(strict=True, pattern=COMMIT)]
Text50 = Annotated[str, text(50)]
Text100 = Annotated[str, text(100)]
Text200 = Annotated[str, text(200)]
Text500 = Annotated[str, text(500)]
Text1000 = Annotated[str, text(1000)]
Text2000 = Annotated[str, text(2000)]

Flag = Annotated[bool, Field(strict=True)]
Integer = Annotated[int, Field(strict=True, ge=-MAX_INTEGER, le=MAX_INTEGER)]
Count = Annotated[int, Field(strict=True, ge=1, le=MAX_INTEGER)]
CountFromZero = Annotated[int, Field(strict=True, ge=0, le=MAX_INTEGER)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-MAX_INTEGER, le=MAX_INTEGER), AS_WRITTEN]
NumberFromZero = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=MAX_INTEGER), AS_WRITTEN]
PositiveNumber = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=MAX_INTEGER), AS_WRITTEN]
Ratio = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1), AS_WRITTEN]


def _https(url: str) -> str:
    try:
        parsed = Url(url)  # the WHATWG rules, as browsers have them
    except ValidationError:
        parsed = None
    if parsed is None or parsed.scheme != "https" or not parsed.host or not _HTTPS.fullmatch(url):
        raise ValueError(f"must be an https URL, got {shown(url)}")
    return url


_HTTPS = re.compile(r"(?i:https)://[^\x00-\x20\x7f]+")
HttpsUrl = Annotated[
    str,
    text(2000),
    AfterValidator(_https),
    Field(json_schema_extra={"format": "uri", "pattern": r"^[Hh][Tt]{2}[Pp][Ss]://"}),
]

_INSTANT = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?Z")


def instant(text: str) -> datetime:
    """Read an instant such as `2026-03-27T06:09:46.000Z`; digits past the microsecond are cut. Raises ValueError."""
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise ValueError(f"must be an instant in UTC such as 2026-03-27T06:09:46.000Z, got {shown(text)}")
    year, month, day, hour, minute, second, fraction = match.groups(default="0")
    microsecond = int(fraction[:6].ljust(6, "0"))
    try:
        return datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), microsecond, UTC)
    except ValueError as error:
        raise ValueError(f"names a date or time that doesn't exist: {shown(text)}") from error


def _instant_as_written(text: str) -> str:
    instant(text)
    return text


Instant = Annotated[
    str,
    Field(strict=True),
    AfterValidator(_instant_as_written),
    Field(json_schema_extra={"format": "date-time", "pattern": "Z$"}),
]


def _duration(value: Any) -> int:
    try:
        return nanoseconds(value)
    except DurationError as error:
        raise ValueError(str(error)) from error


Duration = Annotated[
    int,
    PlainValidator(_duration),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": MAX_INTEGER},
                {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? ?(ns|us|[\u00b5\u03bc]s|ms|s)$", "maxLength": 64},
            ]
        }
    ),
]

_AXIS = re.compile(TOKEN[:-1] + r"\Z")


def _dimension(value: Any) -> int | str:
    if isinstance(value, str) and _AXIS.match(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER:
        return value
    got = shown(value) if isinstance(value, str) else value if type(value) in (int, float) else type_name(value)
    raise ValueError(f"must be an axis name or a whole number from 0, got {got}")


Dimension = Annotated[
    int | str,
    PlainValidator(_dimension),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_INTEGER}, {"type": "string", "pattern": TOKEN}]}
    ),
]


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be")


def _as_set(items: list[str]) -> list[str]:
    return sorted(set(items), key=_utf16)


AS_SET = AfterValidator(_as_set)  # order and repetition of these lists mean nothing, so the digest must not see them
