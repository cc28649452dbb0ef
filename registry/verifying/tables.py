"""What holds of every table alike: guards stand, references resolve, rows are unique, values can be read."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from django.db.models import Count

from registry import guards
from registry.verifying.findings import Findings, Model, name_column, table_of


def guards_stand(findings: Findings) -> None:
    for fault in guards.missing(connection):
        name, _, state = fault.partition(" is ")
        table = name.partition("_no_")[0]
        findings.add("GUARD", table, name, "", f"the guard is {state}: run migrate, which makes it anew")


def references_resolve(findings: Findings) -> None:
    """Foreign keys, which SQLite does not check where they are switched off, nor PostgreSQL for a replica's role."""
    for model in _all_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey):
                for name, value in _dangling(model, field):
                    findings.add(
                        "DANGLING",
                        model,
                        name,
                        field.attname,
                        f"names a row of {table_of(field.related_model)} that is not there",
                        stored=value,
                    )


def _dangling(model: Model, field: "models.ForeignKey[Any, Any]") -> Iterator[tuple[str, str]]:
    quote = connection.ops.quote_name
    target = field.target_field
    name, column = quote(model._meta.get_field(name_column(model)).column), quote(field.column)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT t.{name}, t.{column} FROM {quote(table_of(model))} t "  # noqa: S608  our own names
            f"LEFT JOIN {quote(table_of(field.related_model))} r ON r.{quote(target.column)} = t.{column} "
            f"WHERE t.{column} IS NOT NULL AND r.{quote(target.column)} IS NULL"
        )
        while rows := cursor.fetchmany(500):
            yield from ((_name(of_row), _name(value)) for of_row, value in rows)


def rows_are_unique(findings: Findings) -> None:
    """Uniqueness as the models state it, should the database's own index have gone or been damaged."""
    for model in _all_models():
        singles = [(field.name,) for field in model._meta.concrete_fields if field.unique]
        constraints = [c for c in model._meta.constraints if isinstance(c, models.UniqueConstraint)]
        together = [tuple(constraint.fields) for constraint in constraints if constraint.condition is None]
        repeated = [(columns, found) for columns in (*singles, *together) for found in _repeated(model, columns)]
        for constraint in constraints:
            if constraint.condition is not None:
                repeated += [(constraint.fields, found) for found in _repeated_where(model, constraint)]
        for columns, (value, times) in repeated:
            findings.add("NOT_UNIQUE", model, value, ", ".join(columns), f"stands {times} times")


def _repeated(model: Model, columns: tuple[str, ...]) -> list[tuple[str, int]]:
    """The first column's value and how often the columns stand together more than once; absent values never clash."""
    names = [connection.ops.quote_name(model._meta.get_field(name).column) for name in columns]
    present = " AND ".join(f"{name} IS NOT NULL" for name in names)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT MIN({_text(names[0])}), COUNT(*) FROM {table_of(model)} WHERE {present} "  # noqa: S608  our own names
            f"GROUP BY {', '.join(names)} HAVING COUNT(*) > 1"
        )
        return [(_name(value), times) for value, times in cursor.fetchall()]


def _repeated_where(model: Model, constraint: models.UniqueConstraint) -> list[tuple[str, int]]:
    """The same, of a constraint that holds only for some of the rows."""
    rows = model._default_manager.filter(constraint.condition).order_by().values_list(*constraint.fields)
    return [(_name(value), times) for value, *_, times in rows.annotate(times=Count("pk")).filter(times__gt=1)]


def _text(name: str) -> str:
    return f"CAST({name} AS text)"  # PostgreSQL has no least UUID


def values_are_readable(findings: Findings) -> None:
    """Name each value that its column's type can't be read from; SQLite stores any text in any column."""
    for model in _all_models():
        quote = connection.ops.quote_name
        converters = [
            (field.attname, connection.ops.get_db_converters(column) + field.get_db_converters(connection), column)
            for field in model._meta.concrete_fields
            for column in [field.get_col(table_of(model))]
        ]
        name = [field.attname for field in model._meta.concrete_fields].index(name_column(model))
        columns = ", ".join(quote(field.column) for field in model._meta.concrete_fields)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {columns} FROM {quote(table_of(model))}")  # noqa: S608  our own names
            while rows := cursor.fetchmany(500):
                for row in rows:
                    _read_each(findings, model, _name(row[name]), row, converters)


def _read_each(findings: Findings, model: Model, name: str, row: tuple[Any, ...], converters: list[Any]) -> None:
    for value, (attname, functions, column) in zip(row, converters, strict=True):
        read = value
        try:
            for convert in functions:
                read = convert(read, column, connection)
        except Exception as error:  # whatever a converter raises, the value is what it could not read
            text = f"can't be read as its type: {type(error).__name__}: {error}"
            findings.add("UNREADABLE", model, name, attname, text, stored=value)


def _all_models() -> list[Model]:
    return list(apps.get_app_config("registry").get_models())


def _name(value: Any) -> str:
    """A raw value as rows are named: SQLite keeps a UUID as 32 hex digits."""
    try:
        return str(UUID(value)) if isinstance(value, str) and len(value) == 32 else str(value)
    except ValueError:
        return str(value)
