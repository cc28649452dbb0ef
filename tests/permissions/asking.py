"""Ask one cell of the matrix, and put the registry back."""

from django.db import transaction

from tests.permissions.cast import Cast


def ask(cast: Cast, role: str, method: str, path: str) -> int:
    """The status of an answer; whatever it changed is rolled back."""
    with transaction.atomic():
        status = cast.client(role).generic(method, path, content_type=_type(method)).status_code
        transaction.set_rollback(True)
    return int(status)


def _type(method: str) -> str:
    return "application/x-www-form-urlencoded" if method == "POST" else "application/octet-stream"
