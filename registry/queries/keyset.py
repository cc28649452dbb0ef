"""Pages by keyset: a cursor holds the last row's sort values, signed, and bound to the list that it came from."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core import signing
from django.db.models import Q, QuerySet

SALT = "registry.keyset"
LIMIT = 100


class BadCursorError(ValueError):
    """The cursor is not one of ours, or belongs to another list."""


def page(
    rows: QuerySet[Any], *, order: Sequence[str], scope: str, cursor: str | None, limit: int = LIMIT
) -> tuple[list[Any], str | None]:
    """Return up to `limit` rows (or values() of rows) after the cursor, and the cursor after them.

    `order` names plain non-null columns, "-" first for descending; the last must be unique. `scope` names the list and
    its filters: a cursor of another one is refused with BadCursorError.
    """
    fields = [field.removeprefix("-") for field in order]
    if cursor:
        rows = rows.filter(_after(order, read(cursor, scope, len(order))))
    found = list(rows.order_by(*order)[: limit + 1])
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], write([_value(last, field) for field in fields], scope)


def _after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows past these values in this order: the first column decides, each next one among equals."""
    condition = Q()
    for depth, name in enumerate(order):
        field = name.removeprefix("-")
        equal = {order[i].removeprefix("-"): values[i] for i in range(depth)}
        operator = "lt" if name.startswith("-") else "gt"
        condition |= Q(**equal, **{f"{field}__{operator}": values[depth]})
    return condition


def _value(row: Any, column: str) -> Any:
    return row[column] if isinstance(row, dict) else getattr(row, column)


def write(values: Sequence[Any], scope: str) -> str:
    """A cursor for the row of these sort values."""
    plain = [[_tag(value), value.isoformat() if isinstance(value, datetime) else str(value)] for value in values]
    return signing.Signer(salt=SALT).sign_object([scope, plain])  # without a timestamp: an entity tag covers it


def _tag(value: Any) -> str:
    return {datetime: "t", UUID: "u", int: "i", str: "s"}[type(value)]


READERS: dict[str, Callable[[str], Any]] = {"t": datetime.fromisoformat, "u": UUID, "i": int, "s": str}


def read(cursor: str, scope: str, length: int) -> list[Any]:
    """The sort values of a cursor of this scope. Raises BadCursorError for anything else."""
    try:
        found_scope, plain = signing.Signer(salt=SALT).unsign_object(cursor)
        values = [READERS[tag](text) for tag, text in plain]
    except (signing.BadSignature, ValueError, TypeError, KeyError, json.JSONDecodeError) as error:
        raise BadCursorError("the cursor is not one that this list gave") from error
    if found_scope != scope or len(values) != length:
        raise BadCursorError("the cursor belongs to another list or another filter")
    return values
