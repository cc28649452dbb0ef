"""What the API's views share: one query object in, its dataclass written out, conditional requests answered."""

import dataclasses
import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404
from django.utils.cache import patch_cache_control
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework_dataclasses.serializers import DataclassSerializer

from registry.core.axes import Axis
from registry.queries.keyset import BadCursorError
from registry.queries.shapes import Page

CURSOR = OpenApiParameter("cursor", str, description="`next` of the page before; bound to this list and its filters")


@cache
def serializer_of(shape: type) -> type[DataclassSerializer]:
    """The serializer of a page's dataclass: every field but where things are drawn (axes of plots)."""
    drawn = [f.name for f in dataclasses.fields(shape) if f.type in (Axis, Axis | None)]
    nested = {
        f.name: serializer_of(inner)(many=is_many, allow_null=is_optional)
        for f in dataclasses.fields(shape)
        if f.name not in drawn
        for inner, is_many, is_optional in (_dataclass_in(f.type),)
        if inner
    }
    named = [f.name for f in dataclasses.fields(shape) if f.name not in drawn]  # in the dataclass's own order
    meta = type("Meta", (), {"dataclass": shape, "fields": named})
    return type(f"{shape.__name__}Serializer", (DataclassSerializer,), {"Meta": meta, **nested})


@cache
def page_of(row: type) -> type[serializers.Serializer]:
    """The serializer of a list's answer."""
    members = {
        "results": serializer_of(row)(many=True),
        "next": serializers.CharField(allow_null=True, help_text="cursor of the next page; null on the last one"),
        "total": serializers.IntegerField(help_text="rows in the whole list"),
    }
    return type(f"{row.__name__}PageSerializer", (serializers.Serializer,), members)


def _dataclass_in(annotation: Any) -> tuple[type | None, bool, bool]:
    """The dataclass that an annotation speaks of, whether of many, and whether it may be absent."""
    arguments = getattr(annotation, "__args__", ())
    is_optional = type(None) in arguments
    if is_optional:
        annotation = next(a for a in arguments if a is not type(None))
        arguments = getattr(annotation, "__args__", ())
    is_many = getattr(annotation, "__origin__", None) is tuple
    inner = arguments[0] if is_many else annotation
    return (inner, is_many, is_optional) if dataclasses.is_dataclass(inner) else (None, False, False)


class TwinView(APIView):
    """A page's facts as JSON. Subclasses say how to ask; `parameters` are those that `described` names."""

    parameters: frozenset[str] = frozenset()

    def ask(self, request: Request, **kwargs: Any) -> Any:
        raise NotImplementedError

    def get(self, request: Request, **kwargs: Any) -> Response:
        answer = self.answer(request, **kwargs)
        response = Response(serializer_of(type(answer))(answer).data)
        return conditional(request, response)

    def answer(self, request: Request, **kwargs: Any) -> Any:
        """Ask, and turn what may go wrong into a problem: a parameter that nobody reads among it."""
        if unknown := sorted(request.query_params.keys() - self.parameters):
            known = ", ".join(sorted(self.parameters)) or "none"
            raise exceptions.ValidationError({name: [f"unknown parameter; known here: {known}"] for name in unknown})
        if "\0" in request.path_info:  # names nothing, and PostgreSQL does not take it as a text; nor below
            raise Http404("nothing under this id")
        if holding := sorted(name for name, value in request.query_params.items() if "\0" in value):
            raise exceptions.ValidationError({name: ["holds a NUL character"] for name in holding})
        try:
            return self.ask(request, **kwargs)
        except (ObjectDoesNotExist, ValidationError) as error:
            raise Http404("nothing under this id") from error
        except BadCursorError as error:
            raise exceptions.ValidationError({"cursor": [str(error)]}) from error


class ListView(TwinView):
    """A keyset page of rows: `{"results": […], "next": …, "total": …}`; `next` is a cursor, null on the last page."""

    row: type

    def ask_page(self, request: Request, **kwargs: Any) -> tuple[tuple[Any, ...], Page]:
        raise NotImplementedError

    def ask(self, request: Request, **kwargs: Any) -> tuple[tuple[Any, ...], Page]:
        return self.ask_page(request, **kwargs)

    def get(self, request: Request, **kwargs: Any) -> Response:
        found, page = self.answer(request, **kwargs)
        results = serializer_of(self.row)(list(found), many=True).data
        return conditional(request, Response({"results": results, "next": page.next, "total": page.total}))


def conditional(request: Request, response: Response) -> Response:
    """An entity tag over what would be sent; 304 where the reader has it already."""
    response.accepted_renderer, response.accepted_media_type = request.accepted_renderer, request.accepted_media_type
    response.renderer_context = {}
    body = response.rendered_content
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    given = [given.strip().removeprefix("W/") for given in request.headers.get("If-None-Match", "").split(",")]
    if tag in given or "*" in given:
        response = Response(status=304)
    response["ETag"] = tag
    patch_cache_control(response, public=True, max_age=0, must_revalidate=True)
    return response


def described(operation_id: str, response: Any, summary: str, *parameters: OpenApiParameter) -> Callable[[type], type]:
    """The place of a view in the schema."""

    def decorate(view: type) -> type:
        extended = extend_schema(
            operation_id=operation_id, responses={200: response}, summary=summary, parameters=list(parameters)
        )
        inherited = view.get  # type: ignore[attr-defined]  # every view of ours has one

        def get(self: Any, request: Request, **kwargs: Any) -> Response:
            return inherited(self, request, **kwargs)

        view.parameters = frozenset(parameter.name for parameter in parameters)  # type: ignore[attr-defined]
        view.get = extended(get)  # type: ignore[attr-defined]  # its own: the schema is written onto the function
        return view

    return decorate
