"""What views have in common: how a bad cursor, a missing thing and a conditional request are answered."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.queries import addresses
from registry.queries.keyset import BadCursorError

View = Callable[..., HttpResponse]


def page_view(view: View) -> View:
    """404 for what is not there, 400 with the way back for a cursor that is not this list's; only ever read."""

    @require_safe
    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "\0" in request.path_info:
            raise Http404  # names nothing, and PostgreSQL does not take it as a text
        try:
            return view(request, *args, **kwargs)
        except (ObjectDoesNotExist, ValidationError) as error:
            raise Http404 from error
        except BadCursorError as error:
            return render(request, "400.html", {"detail": str(error)}, status=400)

    return wrapped


def cursor_of(request: HttpRequest) -> str | None:
    return request.GET.get("cursor") or None


def twin_of(request: HttpRequest) -> str:
    """The JSON of this list, with the filters and the cursor that this page has."""
    return addresses.twin(request.get_full_path())
