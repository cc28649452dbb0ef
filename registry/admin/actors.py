"""Who did it, by name: rows hold opaque actor ids, and every page of the admin shows whose they are now."""

import uuid
from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.html import format_html

from attestations.queries.names import names

COLUMNS = frozenset({"actor", "requested_by", "decided_by", "approved_by", "assigned_to"})
NOBODY = "–"  # an empty column of actors: nobody yet, or the site itself


class NamedList(ChangeList):
    """A page of a list with the names of all who stand in its rows, looked up in one query."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        found = names(actor for row in self.result_list for actor in self.model_admin.actors_in(row))
        for row in self.result_list:
            row.names_shown = found


class NamesActors:
    """For admins of tables with columns of actors: the columns show names, in lists and on the page of a row."""

    def actors_in(self, row: Any) -> Iterable[uuid.UUID]:
        """The ids that a row of the list shows names of."""
        held = (row.__dict__.get(column) for column in COLUMNS)
        return [actor for actor in held if actor]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return NamedList

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [named(column) for column in super().get_list_display(request)]  # type: ignore[misc]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [named(column) for column in super().get_fields(request, obj)]  # type: ignore[misc]


def named(column: Any) -> Any:
    """What shows a column: for one of actors a function that says the name, else the column itself."""
    return person(column) if column in COLUMNS else column


def person(column: str) -> Callable[[Any], str]:
    def shown(row: Any) -> str:
        return format_html("<bdi>{}</bdi>", name_in(row, getattr(row, column)))

    shown.__name__ = column
    display: Callable[[Any], str] = admin.display(description=column.replace("_", " "))(shown)
    return display


def name_in(row: Any, actor: uuid.UUID | None) -> str:
    """The name of an actor: of those that the list looked up, or asked for alone."""
    if actor is None:
        return NOBODY
    return (row.__dict__.get("names_shown") or names([actor]))[actor]
