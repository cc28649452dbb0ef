"""What a verification has found so far, and how its checks read the registry: in chunks, as plain rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import models

from registry import bulk
from registry.core.digest import canonical
from registry.models import Redaction

Row = dict[str, Any]
Model = type[models.Model]
CHUNK = 400  # rows or groups in memory at a time
HELD = 4_000  # rows that a lookup keeps before it starts anew
SHOWN = 200  # characters of a value that a difference shows
UNDERIVABLE = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it follows. `row`: the digest (a group's key) where one row has it, else the id."""

    check: str
    table: str
    row: str
    column: str
    stored: str
    derived: str
    text: str

    def __str__(self) -> str:
        place = " ".join(filter(None, (self.table, self.row, self.column)))
        told = f" (stored {self.stored}; derived {self.derived})" if self.stored or self.derived else ""
        return f"{self.check} {place}: {self.text}{told}"


@dataclass(slots=True)
class Findings:
    """Collects differences and counts. `redactions` are the (table, id) for which a redaction stands."""

    on_progress: Callable[[int], None]
    redactions: frozenset[tuple[str, UUID]] = frozenset()
    differences: list[Difference] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    unrecomputable_batches: int = 0

    def __post_init__(self) -> None:
        self.redactions = frozenset(Redaction.objects.values_list("target_table", "target_id"))

    def is_redacted(self, model: Model, row_id: UUID) -> bool:
        return (table_of(model), row_id) in self.redactions

    def add(
        self, check: str, model: Model | str, row: Any, column: str, text: str, *, stored: Any = "", derived: Any = ""
    ) -> None:
        table = model if isinstance(model, str) else table_of(model)
        self.differences.append(Difference(check, table, str(row), column, _shown(stored), _shown(derived), text))

    def compare(
        self, check: str, model: Model, row: Any, stored: Mapping[str, Any], derived: Mapping[str, Any], text: str
    ) -> None:
        """One difference for each column of `derived` that is stored otherwise."""
        for column, value in derived.items():
            if not _is_same(stored[column], value):
                self.add(check, model, row, column, text, stored=stored[column], derived=value)

    @contextmanager
    def deriving(self, model: Model, row: Any) -> Iterator[None]:
        """Name the row from which nothing can be derived, and go on."""
        try:
            yield
        except UNDERIVABLE as error:
            self.add("NOT_DERIVABLE", model, row, "canonical", f"its columns can't be derived: {_told(error)}")

    def read(self, model: Model, rows: Sized) -> None:
        """Count rows as checked."""
        self.rows[table_of(model)] += len(rows)
        self.on_progress(self.rows.total())


class Lookup:
    """Rows of a table by id, as far as they are wanted, shaped once by `shape`; absent for an id that dangles."""

    def __init__(self, model: Model, *columns: str, shape: Callable[..., Any]) -> None:
        self.model, self.columns, self.shape = model, columns, shape
        self.held: dict[Any, Any] = {}

    def load(self, ids: Iterable[Any]) -> None:
        wanted = set(ids)
        if len(self.held) > HELD:
            self.held = {key: value for key, value in self.held.items() if key in wanted}
        lacking = wanted - self.held.keys()
        if lacking:
            for key, row in bulk.existing(self.model, "pk", lacking, *self.columns).items():
                self.held[key] = self.shape(*row)

    def get(self, row_id: Any) -> Any:
        return self.held.get(row_id)


def table_of(model: Model) -> str:
    return model._meta.db_table


def chunks(queryset: "models.QuerySet[Any]", *columns: str) -> Iterator[list[Row]]:
    """The rows of a query as {attname: value}, CHUNK at a time."""
    rows = queryset.order_by("pk").values(*columns).iterator(chunk_size=CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def name_column(model: Model) -> str:
    """The column that names a row of this table in a difference."""
    for name in ("digest", "key"):
        if any(field.name == name and field.unique for field in model._meta.concrete_fields):
            return name
    return str(model._meta.pk.attname)


def _is_same(stored: Any, derived: Any) -> bool:
    if isinstance(stored, dict | list) and isinstance(derived, dict | list):
        return canonical(stored) == canonical(derived)
    return bool(stored == derived)


def _shown(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:SHOWN]
