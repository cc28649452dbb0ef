"""Print what the site answers today, in the form of expected/, for a person to read and correct.

pytest tests/permissions/draft.py -s      (not collected with the suite)
"""

from collections import defaultdict
from typing import Any

import pytest

from tests.permissions.addresses import address
from tests.permissions.asking import ask
from tests.permissions.cast import ROLES, Cast
from tests.permissions.matrix import METHODS, blocks, expectation, routes
from tests.permissions.test_matrix import cast  # noqa: F401  the fixture

pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
Answers = tuple[tuple[str, tuple[int, ...]], ...]


def test_draft(db: None, cast: Cast, capsys: Any) -> None:  # noqa: F811  the fixture
    found: dict[Answers, list[str]] = defaultdict(list)
    known = blocks()
    for route in routes():
        if len(expectation(route, known)) != 1:
            path = address(route, cast)
            found[tuple((m, tuple(ask(cast, role, m, path) for role in ROLES)) for m in METHODS)].append(route)
    with capsys.disabled():
        for answers, names in found.items():
            print("\n" + "\n".join(names))
            same: dict[tuple[int, ...], list[str]] = defaultdict(list)
            for method, statuses in answers:
                same[statuses].append(method)
            for statuses, methods in same.items():
                print(f"  {' '.join(methods):<42} {' '.join(map(str, statuses))}")
