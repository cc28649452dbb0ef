"""What no route may do: change anything on a GET, take a POST of another site, lead to another site."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.test import Client

from tests.permissions.addresses import address
from tests.permissions.cast import Cast
from tests.permissions.matrix import routes
from tests.permissions.test_matrix import cast  # noqa: F401  the fixture

pytestmark = [pytest.mark.ignore_template_errors]
# Tables that reading may write: sessions, and the counts and caches behind rate limits.
OF_READING = {"django_session", "usersessions_usersession"}
# The route, and why a POST of another site is taken there.
TAKEN_FROM_ANYWHERE = {"mail/<uuid:key>/off/": "one-click unsubscribe (RFC 8058): the key in the address is the right"}


def state() -> dict[str, str]:
    """Table -> digest of its rows."""
    found = {}
    with connection.cursor() as cursor:
        for table in sorted({m._meta.db_table for m in apps.get_models()} - OF_READING):
            cursor.execute(f'SELECT * FROM "{table}"')
            rows = sorted(json.dumps(row, default=str) for row in cursor.fetchall())
            found[table] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return found


@pytest.fixture
def put_back(db: None, cast: Cast) -> Iterator[Cast]:  # noqa: F811
    with transaction.atomic():
        yield cast
        transaction.set_rollback(True)


@pytest.mark.parametrize("role", ["anonymous", "newcomer", "author", "superuser"])
def test_reading_changes_nothing(put_back: Cast, role: str) -> None:
    before = state()
    changed = []
    for route in routes():
        path = address(route, put_back)
        if route.startswith("admin/") and role != "superuser":
            continue
        with transaction.atomic():
            put_back.client(role).get(path)
            after = state()
            changed += [f"{path}: {table}" for table in before if after[table] != before[table]]
            transaction.set_rollback(True)
    assert changed == []


def stranger(cast: Cast, role: str) -> Client:  # noqa: F811
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.cookies.load(cast.cookies[role])
    return client


def takes_posts(cast: Cast, role: str, path: str) -> bool:  # noqa: F811
    with transaction.atomic():
        status = cast.client(role).post(path).status_code
        transaction.set_rollback(True)
    return status not in (404, 405, 403)


@pytest.mark.parametrize("role", ["anonymous", "author", "superuser"])
@pytest.mark.parametrize("origin", ["", "https://evil.example", "null"])
def test_no_route_takes_a_post_without_the_token_or_of_another_origin(put_back: Cast, role: str, origin: str) -> None:
    token = "a" * 32
    taken = []
    for route in routes():
        path = address(route, put_back)
        if not takes_posts(put_back, role, path):
            continue
        client = stranger(put_back, role)
        headers: dict[str, Any] = {}
        data = {}
        if origin:  # with the right token, as a leaked one would be
            client.cookies[settings.CSRF_COOKIE_NAME] = token
            data, headers = {"csrfmiddlewaretoken": token}, {"HTTP_ORIGIN": origin}
        with transaction.atomic():
            if client.post(path, data, **headers).status_code != 403 and route not in TAKEN_FROM_ANYWHERE:
                taken.append(path)
            transaction.set_rollback(True)
    assert taken == []
