"""API-wide policy: problems (RFC 9457) instead of DRF's own error shapes, and their place in the schema.

Imports no app: DRF resolves these dotted names while its own class bodies run.
"""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from drf_spectacular.openapi import AutoSchema
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import set_rollback

PROBLEM_MEDIA_TYPE = "application/problem+json"


class Problem(serializers.Serializer[Any]):
    """RFC 9457. `type` is a stable code as a URN."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="faults by parameter, where the request had any",
    )


def problem(status: int, code: str, detail: str, errors: Any = None) -> Response:
    body = {
        "type": f"urn:kernelindex:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = errors
    return Response(body, status=status, content_type=PROBLEM_MEDIA_TYPE)


def problem_response(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every refusal in one shape. Unknown exceptions stay Django's 500."""
    if isinstance(exc, Http404):
        exc = exceptions.NotFound(str(exc) or None)
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    if not isinstance(exc, exceptions.APIException):
        return None
    set_rollback()
    if isinstance(exc, exceptions.ValidationError):
        return problem(exc.status_code, "invalid-request", "The request has faults; see errors.", exc.detail)
    response = problem(exc.status_code, exc.get_codes().replace("_", "-"), str(exc.detail))
    if isinstance(exc, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


class ProblemAutoSchema(AutoSchema):
    """Adds to each operation the problems that it can answer with, and names operations after their URL names."""

    problems = {"400": "A parameter is wrong", "404": "Nothing under this id"}

    def get_operation_id(self) -> str:
        return str(getattr(self.view, "schema_id", None) or super().get_operation_id())

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is not None:
            reference = self.resolve_serializer(Problem, "response").ref
            for status, description in self.problems.items():
                operation["responses"].setdefault(
                    status, {"description": description, "content": {PROBLEM_MEDIA_TYPE: {"schema": reference}}}
                )
        return operation
