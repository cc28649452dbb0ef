"""Who may do what: every route × method × role answers as it is written in expected/."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from tests.permissions.addresses import address
from tests.permissions.asking import ask
from tests.permissions.cast import ROLES, Cast, make_cast, make_world
from tests.permissions.matrix import METHODS, blocks, expectation, routes

# `make permissions` asks every cell. The suite asks GET and POST as everybody, and other methods as a stranger and as
# root; the registry's tables in the admin, which are many and alike, with GET and POST as three.
IS_WHOLE = os.environ.get("KI_WHOLE_MATRIX") == "1"
USUAL = ("GET", "POST")
EXTREMES = ("anonymous", "superuser")
OF_ALIKE = ("reader", "curator", "superuser-without-factor")


def is_asked(route: str, method: str, role: str) -> bool:
    if IS_WHOLE:
        return True
    if route.startswith("admin/registry/"):
        return method in USUAL and role in OF_ALIKE
    return method in USUAL or role in EXTREMES


# Django's own admin templates use variables that they do not set.
pytestmark = [pytest.mark.ignore_template_errors]


@pytest.fixture(scope="module")
def cast(shared_demo: None, django_db_blocker: Any) -> Iterator[Cast]:
    with django_db_blocker.unblock(), transaction.atomic():
        made = make_cast()
        make_world(made)
        yield made
        transaction.set_rollback(True)


def test_every_route_has_one_expectation_and_every_expectation_a_route() -> None:
    known, found = blocks(), routes()
    assert [route for route in found if len(expectation(route, known)) != 1] == []
    used = {id(block) for route in found for block in expectation(route, known)}
    assert [block.routes for block in known if id(block) not in used] == []
    written = [name for block in known for name in block.routes]
    assert [name for name in written if "*" not in name and name not in found] == []


def test_no_expectation_is_a_fault_of_ours() -> None:
    assert [block.routes for block in blocks() if any(s >= 500 for line in block.statuses.values() for s in line)] == []


@pytest.mark.parametrize("role", ROLES)
def test_each_cell_answers_as_written(db: None, cast: Cast, role: str) -> None:
    known, wrong, asked = blocks(), [], 0
    for route in routes():
        [expected] = expectation(route, known)
        path = address(route, cast)
        for method in METHODS:
            if not is_asked(route, method, role):
                continue
            asked += 1
            status, wanted = ask(cast, role, method, path), expected.statuses[method][ROLES.index(role)]
            if status != wanted:
                wrong.append(f"{method} {path} ({route}): {status}, written {wanted} in {expected.file}")
    assert wrong == []
    assert asked >= 300
