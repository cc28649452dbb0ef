"""What a batch's digest is taken of: one line a row, which a redaction does not change."""

from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.db import models

from registry.core.digest import sha256
from registry.core.json_writing import writer
from registry.models import Artifact, Implementation

Row = dict[str, Any]
Model = type[models.Model]
# Redactable texts that follow from no document: only `contents` tells that they are as they were.
UNVOUCHED: dict[Model, tuple[str, ...]] = {Implementation: ("slug",), Artifact: ("file_name", "uri")}


def contents_line(model: Model, row: Row) -> str:
    """A row as its batch's `contents` digests it: table, id, and a digest of its columns.

    Left out, so that a batch can be recomputed after a redaction too, are the texts that one may blank and that
    something else vouches for: bytes by their digest, names by the bytes that they follow from, the key of a sighting
    by the id that is made of it.
    """
    told = _write([row[name] for name in _told_columns(model)])
    return f"{model._meta.db_table} {row['id']} {sha256(told)}"


@cache
def _told_columns(model: Model) -> tuple[str, ...]:
    left_out = {"batch_id", *getattr(model, "REDACTABLE", ())} - set(UNVOUCHED.get(model, ()))
    return tuple(field.attname for field in model._meta.concrete_fields if field.attname not in left_out)


@lru_cache(maxsize=4_096)  # ids and instants come in many rows of a batch
def _told(value: datetime | UUID) -> str:
    """What JSON has no word for."""
    return value.hex if isinstance(value, UUID) else value.astimezone(UTC).isoformat()


_write = writer(item_separator=", ", key_separator=": ", default=_told)
