"""Queries whose SQL is written once a process and then run with other parameters.

Django writes the SQL of a queryset anew each time. For the wide joins behind a run's page that takes longer than the
database does, and the text is the same for every run: so it is kept, and the parameters are put in.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet, UUIDField

Row = dict[str, Any]
_UUID = UUIDField()


class Prepared:
    """A values() queryset with named parameters: `Prepared(build, run=UUID, first=int).rows(run=…, first=…)`.

    `build` gets one stand-in a parameter and must use each as a plain value of a filter, where it reaches the SQL as a
    parameter of its own; a stand-in that does not come back raises LookupError at the first use.
    """

    def __init__(self, build: Callable[..., QuerySet[Any]], **parameters: type) -> None:
        self.build, self.parameters = build, parameters
        self._made: dict[str, SimpleNamespace] = {}

    def rows(self, **values: Any) -> list[Row]:
        """Run it and give its rows, by the names that values() was asked for."""
        made = self._made.get(connection.vendor) or self._make()
        prepared = {name: _prepare(value) for name, value in values.items()}
        with connection.cursor() as cursor:
            cursor.execute(made.sql, [prepared[slot] if slot else constant for slot, constant in made.slots])
            found = cursor.fetchall()
        if made.converters:
            found = made.compiler.apply_converters(found, made.converters)
        return [dict(zip(made.names, row, strict=True)) for row in found]

    def _make(self) -> SimpleNamespace:
        stand_ins = {name: _stand_in(kind, index) for index, (name, kind) in enumerate(self.parameters.items())}
        queryset = self.build(**stand_ins)
        compiler = queryset.query.get_compiler(connection=connection)
        sql, constants = compiler.as_sql()
        names = {_prepare(value): name for name, value in stand_ins.items()}
        slots = [(names.get(constant) if constant.__hash__ else None, constant) for constant in constants]
        missing = self.parameters.keys() - {slot for slot, _ in slots}
        if missing:
            raise LookupError(f"{', '.join(sorted(missing))} reach the SQL as no parameter")
        query = queryset.query
        made = SimpleNamespace(
            sql=sql,
            slots=slots,
            names=[*query.extra_select, *query.values_select, *query.annotation_select],
            compiler=compiler,
            converters=compiler.get_converters([column for column, *_ in compiler.select]),
        )
        self._made[connection.vendor] = made
        return made


def _stand_in(kind: type, index: int) -> Any:
    """A value that nothing else in a query is: the text of a parameter is found again by it."""
    if kind is UUID:
        return UUID(int=0x5EED_0000_0000_4000_8000_0000_0000_0000 + index)
    return {int: 1_903_726_450 + index, str: f"stand-in {index}"}[kind]


def _prepare(value: Any) -> Any:
    return _UUID.get_db_prep_value(value, connection) if isinstance(value, UUID) else value


def nested(row: Row) -> SimpleNamespace:
    """A row as an object: `implementation__project__slug` is read as `.implementation.project.slug`."""
    root = SimpleNamespace()
    for name, value in row.items():
        *path, last = name.split("__")
        at = root
        for step in path:
            if not hasattr(at, step):
                setattr(at, step, SimpleNamespace())
            at = getattr(at, step)
        setattr(at, last, value)
    return root
