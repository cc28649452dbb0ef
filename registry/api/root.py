"""The API's front door: what there is, as addresses."""

from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.queries.lists import LISTINGS

NOUNS = ("home", "search", "runs", "groups", "sources", "incidents", "reports", "status", *LISTINGS)


class Root(APIView):
    @extend_schema(
        operation_id="root",
        summary="The lists there are",
        responses={200: {"type": "object", "additionalProperties": {"type": "string"}}},
    )
    def get(self, request: Request) -> Response:
        return Response({noun: f"/api/v1/{noun}/" for noun in NOUNS} | {"schema": "/api/v1/openapi.json"})


class NotFound(APIView):
    """Any other path under the API: a problem, not a page."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise exceptions.NotFound("no such resource; /api/v1/ lists what there is")

    def get(self, request: HttpRequest, **kwargs: Any) -> Response:
        raise exceptions.NotFound
