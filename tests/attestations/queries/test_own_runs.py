"""Whose work a reproduction is of: declared, or known by a claim."""

import pytest

from attestations.queries import attestations
from registry.queries import runs
from tests.attestations.claiming import claimed_run, granted, upstream
from tests.attestations.people import kept, statement
from tests.people import member

pytestmark = pytest.mark.django_db


def test_who_speaks_for_the_project_or_the_source_measures_an_own_run() -> None:
    run, author, host, other = claimed_run(), member("author"), member("host"), member("other")
    granted(author)
    granted(host, source=upstream(), basis="bench.example.org")
    for user in (author, host, other):
        kept(user, statement(value="1", unit="us"), run=run.digest)
    found = {entry.author.name: entry for entry in attestations.testimony(runs.find(run.digest)).entries}
    assert {name: entry.is_own_run for name, entry in found.items()} == {"author": True, "host": True, "other": False}
    assert {name: entry.acm and entry.acm.word for name, entry in found.items()} == {
        "author": "repeatability", "host": "repeatability", "other": "reproducibility",
    }  # fmt: skip
