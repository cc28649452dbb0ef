"""Who speaks for a project or a source: read anew each time, in one query."""

import uuid
from typing import Any

import pytest

from attestations.models import ClaimState, Method
from attestations.profiles import actor_of
from attestations.queries.claims import claimed_by, is_claimant
from tests.attestations.claiming import acme, claimed_run, granted, moved_to, upstream
from tests.people import member

pytestmark = pytest.mark.django_db


def test_a_claimant_speaks_for_the_runs_of_the_project(django_assert_num_queries: Any) -> None:
    run, author, reader = claimed_run(), member("author"), member("reader")
    granted(author)
    theirs, others = actor_of(author), actor_of(reader)
    with django_assert_num_queries(1):
        assert is_claimant(theirs, run)
    assert not is_claimant(others, run)


def test_a_claimant_speaks_for_the_runs_of_the_source() -> None:
    run, author = claimed_run(), member("author")
    granted(author, source=upstream(), basis="bench.example.org")
    assert is_claimant(actor_of(author), run)


@pytest.mark.parametrize("state", [state for state in ClaimState if state != ClaimState.GRANTED])
def test_a_claim_that_is_not_granted_gives_no_rights(state: ClaimState) -> None:
    run, author = claimed_run(), member("author")
    granted(author, state=state)
    assert not is_claimant(actor_of(author), run)


def test_rights_end_when_the_project_names_another_repository() -> None:
    run, author, staff_checked = claimed_run(), member("author"), member("known")
    granted(author)
    granted(staff_checked, method=Method.STAFF, basis="")
    moved_to("https://github.com/someone-else/kernels")
    assert not is_claimant(actor_of(author), run)
    assert is_claimant(actor_of(staff_checked), run)


def test_rights_end_with_the_account() -> None:
    run, author, closed = claimed_run(), member("author"), member("closed")
    granted(author)
    granted(closed)
    actors = {actor_of(author), actor_of(closed)}
    author.delete()
    closed.is_active = False
    closed.save()
    assert [is_claimant(actor, run) for actor in actors] == [False, False]
    assert claimed_by([acme().pk]) == set()


def test_many_things_and_claimants_are_one_query(django_assert_num_queries: Any) -> None:
    claimed_run()
    author, second = member("author"), member("second")
    granted(author)
    granted(second)
    granted(author, source=upstream(), basis="bench.example.org")
    pairs = {
        (acme().pk, actor_of(author)), (acme().pk, actor_of(second)), (upstream().pk, actor_of(author)),
    }  # fmt: skip
    project_ids, source_ids = [acme().pk, uuid.uuid4()], [upstream().pk]
    with django_assert_num_queries(1):
        assert claimed_by(project_ids, source_ids) == pairs
    assert claimed_by(project_ids) == {pair for pair in pairs if pair[0] == acme().pk}
    assert claimed_by() == set()
