"""Many rows in at once: COPY on PostgreSQL, executemany on SQLite, both inside the caller's transaction."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import UUID

try:
    import fcntl
except ImportError:  # pragma: no cover  (Windows has no flock; imports there are one person's)
    fcntl = None  # type: ignore[assignment]

from django.db import connection, models
from django.db.models.fields.json import JSONField

IMPORT_LOCK = 0x6B65726E  # "kern": the advisory lock under which imports are one at a time

Row = dict[str, Any]


def insert(model: type[models.Model], rows: Sequence[Row]) -> None:
    """Insert rows given as {attname: value}, every concrete field present. Raises IntegrityError as Django does."""
    if not rows:
        return
    fields = model._meta.concrete_fields
    table = connection.ops.quote_name(model._meta.db_table)
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    names = [field.attname for field in fields]
    if connection.vendor == "postgresql":
        adapters = [_plain if not isinstance(field, JSONField) else _json for field in fields]
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row([adapt(row[name]) for adapt, name in zip(adapters, names, strict=True)])
        return
    adapters = [_sqlite_adapter(field) for field in fields]
    marks = ", ".join(["%s"] * len(fields))
    values = [[adapt(row[name]) for adapt, name in zip(adapters, names, strict=True)] for row in rows]
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)  # noqa: S608  our own names


def _plain(value: Any) -> Any:
    return value


def _json(value: Any) -> Any:
    return None if value is None else json.dumps(value)


def _hex(value: UUID | None) -> str | None:
    return None if value is None else value.hex


@lru_cache(maxsize=4096)
def _instant(value: datetime | None) -> str | None:
    return None if value is None else connection.ops.adapt_datetimefield_value(value)


def _sqlite_adapter(field: models.Field) -> Callable[[Any], Any]:
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    if isinstance(target, models.UUIDField):
        return _hex
    if isinstance(target, models.DateTimeField):
        return _instant
    return _json if isinstance(target, JSONField) else _plain


@models.ForeignKey.register_lookup
@models.Field.register_lookup
class Among(models.Lookup):  # type: ignore[type-arg]
    """`among` a list of keys, which is one parameter whatever their number: `in` takes one each, and has a limit."""

    lookup_name = "among"
    prepare_rhs = False

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        keys = json.dumps(self._keys(connection))
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, keys]  # noqa: S608  our own column

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s)", [*params, self._keys(connection)]

    def _keys(self, connection: Any) -> list[Any]:
        field = self.lhs.output_field
        return [field.get_db_prep_value(key, connection) for key in self.rhs]


def existing(model: type[models.Model], field: str, keys: Iterable[Any], *columns: str) -> dict[Any, tuple[Any, ...]]:
    """Of these keys, the ones that stand in the table: key -> the asked columns. One query."""
    wanted = list(dict.fromkeys(keys))
    if not wanted:
        return {}
    found = model._default_manager.filter(**{f"{field}__among": wanted}).values_list(field, *columns)
    return {key: tuple(rest) for key, *rest in found.iterator()}


@contextmanager
def one_import_at_a_time() -> Iterator[None]:
    """Hold the registry's import lock: a second import waits, so what one has read of the registry stays true."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [IMPORT_LOCK])
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [IMPORT_LOCK])
        return
    name = str(connection.settings_dict["NAME"])
    if fcntl is None or not Path(name).is_file():  # an in-memory database has one process
        yield
        return
    with Path(f"{name}.import-lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
