"""Figures as upstreams write them: milliseconds, times of day, names too long for a document."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal

from registry.core.digest import sha256
from registry.core.located import shown
from registry.core.naming import slugify

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_HASH_DIGITS = 8
_KEY_CHARACTERS = 500


def nanoseconds(milliseconds: float) -> int:
    """Round as the published runs do: the double times 1e6 in double arithmetic, then half up. Raises ValueError."""
    ns = int(Decimal(milliseconds * 1e6).quantize(Decimal(1), rounding=ROUND_HALF_UP)) if milliseconds < 1e15 else 0
    if ns <= 0:
        raise ValueError(f"must be a time of a nanosecond or more, got {milliseconds!r} ms")
    return ns


def instant(written: str) -> tuple[str, bool]:
    """A time in UTC, cut to milliseconds as published runs have it, and whether a zone was stated. Raises ValueError.

    A time without a zone is read as UTC.
    """
    match = _INSTANT.fullmatch(written)
    if match is None:
        raise ValueError(f"must be a time such as 2026-07-03T03:55:35.544, got {shown(written)}")
    try:
        moment = datetime.fromisoformat(written)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"names a time that does not exist: {shown(written)}") from error
    if not 2000 <= moment.year <= 2200:
        raise ValueError(f"is not a time of this century: {shown(written)}")
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z", match[1] is not None


def cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def bounded_key(parts: Iterable[str]) -> str:
    """Upstream's key made of parts; one that is longer than the registry holds ends in its hash instead."""
    key = "/".join(parts)
    if len(key) <= _KEY_CHARACTERS:
        return key
    digest = sha256(key)
    return f"{key[: _KEY_CHARACTERS - len(digest) - 1]}…{digest}"


def slug(text: str) -> str:
    """A slug that is never empty: of a name without ASCII letters and digits, the start of its hash."""
    return slugify(text) or sha256(text).removeprefix("sha256:")[:_HASH_DIGITS]
