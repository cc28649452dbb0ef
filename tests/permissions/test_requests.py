"""What no route may do: change anything on a GET, take a POST of another site, lead to another site."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.permissions.addresses import address
from tests.permissions.cast import Cast
from tests.permissions.matrix import routes
from tests.permissions.test_matrix import cast  # noqa: F401  the fixture

pytestmark = [pytest.mark.ignore_template_errors]
# Tables that reading may write: sessions, and the counts and caches behind rate limits.
OF_READING = {"django_session", "usersessions_usersession"}
# The route, and why a POST of another site is taken there.
TAKEN_FROM_ANYWHERE = {"mail/<uuid:key>/off/": "one-click unsubscribe (RFC 8058): the key in the address is the right"}


WRITES = re.compile(r'^\s*(?:INSERT INTO|UPDATE|DELETE FROM|REPLACE INTO)\s+"?(\w+)', re.I)


def written(queries: CaptureQueriesContext) -> list[str]:
    """The tables that these statements write."""
    found = [WRITES.match(query["sql"]) for query in queries.captured_queries]
    return sorted({match[1] for match in found if match} - OF_READING)


@pytest.fixture
def put_back(db: None, cast: Cast) -> Iterator[Cast]:  # noqa: F811
    with transaction.atomic():
        yield cast
        transaction.set_rollback(True)


@pytest.mark.parametrize("role", ["anonymous", "newcomer", "author", "superuser"])
def test_reading_changes_nothing(put_back: Cast, role: str) -> None:
    changed = []
    for route in routes():
        path = address(route, put_back)
        if route.startswith("admin/") and role != "superuser":
            continue
        with transaction.atomic(), CaptureQueriesContext(connection) as queries:
            put_back.client(role).get(path)
            transaction.set_rollback(True)
        changed += [f"{path}: {table}" for table in written(queries)]
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
def test_no_route_takes_a_post_without_the_token_or_of_another_origin(put_back: Cast, role: str) -> None:
    """With another origin the token is the right one, as a leaked one would be."""
    token = "a" * 32
    taken, asked = [], 0
    for route in routes():
        path = address(route, put_back)
        if route in TAKEN_FROM_ANYWHERE or not takes_posts(put_back, role, path):
            continue
        asked += 1
        for origin in ("", "https://evil.example", "null"):
            client = stranger(put_back, role)
            headers: dict[str, Any] = {"HTTP_ORIGIN": origin} if origin else {}
            if origin:
                client.cookies[settings.CSRF_COOKIE_NAME] = token
            with transaction.atomic():
                if client.post(path, {"csrfmiddlewaretoken": token} if origin else {}, **headers).status_code != 403:
                    taken.append(f"{path} from {origin or 'nowhere'}")
                transaction.set_rollback(True)
    assert taken == []
    assert asked > 10
