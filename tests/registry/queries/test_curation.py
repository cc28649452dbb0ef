"""What curators see of sources, and what needs a person."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry import verification
from registry.models import Link, Mark, Run, Source, SyncRow, UnmappedName
from registry.queries import curation
from tests.conftest import NOW
from tests.registry.pages import recorded_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]
LIGER, SOL = "liger-kernel-bench", "sol-execbench"


def glance(slug: str = LIGER, *, days: int = 0) -> curation.Glance:
    return curation.glances(NOW + timedelta(days=days))[Source.objects.get(slug=slug).pk]


def tasks(*, days: int = 0) -> dict[str, int]:
    """What waits, but the terms, which nobody has read in the demo."""
    found = curation.desk(NOW + timedelta(days=days)).tasks
    return {task.title: task.count for task in found if task.title != "Terms unread for a year"}


def unmapped(**fields: Any) -> UnmappedName:
    made = {"source": Source.objects.get(slug=LIGER), "kind": "gpu", "name": "NVIDIA B300", "example": "relu,…"}
    return UnmappedName.objects.create(id=uuid.uuid4(), first_seen_at=NOW, row_count=3, **(made | fields))


def test_a_source_that_no_sync_read_is_in_order_and_says_never() -> None:
    Source.objects.create(id=uuid.uuid4(), slug="new", name="New", kind="benchmark", created_at=NOW)
    found = glance("new")
    assert (found.state, found.problems, found.last_read_at, found.age) == ("in order", (), None, None)
    assert (found.run_count, found.rejected, found.pending, found.newest) == (0, None, None, None)


def test_a_source_that_was_read_says_when_how_much_and_what_was_not_taken() -> None:
    recorded_sync(requested_at=NOW + timedelta(hours=1), finished_at=NOW + timedelta(hours=1))
    found = glance(days=1)
    assert (found.age, found.run_count, found.rejected, found.pending) == (timedelta(hours=23), 48, 1, 1)


def test_what_is_open_stands_beside_the_source() -> None:
    Source.objects.filter(slug=LIGER).update(schedule="daily")
    recorded_sync(state="waiting", report={"not_indexed": {"EXTRA_COLUMN": 1}, "rejected": {}})
    unmapped()
    assert glance(days=3).problems == (
        "overdue", "1 waiting for approval", "its header drifted", "1 names not settled",
    )  # fmt: skip
    assert glance(days=3).state == "needs a person"


@pytest.mark.parametrize(
    ("fields", "state"), [({"is_enabled": False}, "switched off"), ({"paused_at": NOW}, "paused since 2026-09-01")]
)
def test_a_source_that_nobody_wants_read_says_so(fields: dict[str, Any], state: str) -> None:
    Source.objects.filter(slug=LIGER).update(**fields)
    assert glance().state == state


def test_all_sources_take_as_many_queries_as_one() -> None:
    with CaptureQueriesContext(connection) as few:
        curation.glances(NOW)
    for number in range(20):
        source = Source.objects.create(
            id=uuid.uuid4(), slug=f"new-{number}", name="New", kind="benchmark", created_at=NOW
        )
        recorded_sync(source.slug)
    with CaptureQueriesContext(connection) as many:
        curation.glances(NOW)
    assert len(many) == len(few) <= 6


def test_nothing_waits_where_nothing_does() -> None:
    verification.verify(now=NOW)
    desk = curation.desk(NOW)
    assert (tasks(), desk.verified_at, desk.difference_count) == ({}, NOW, 0)


def test_a_desk_without_a_verification_says_that_there_is_none() -> None:
    desk = curation.desk(NOW)
    assert (desk.verified_at, desk.difference_count) == (None, None)


def test_waiting_syncs_and_names_and_drift_need_a_person() -> None:
    recorded_sync(state="waiting", report={"not_indexed": {"EXTRA_COLUMN": 2}})
    unmapped()
    unmapped(name="settled", is_settled=True)
    assert tasks() == {"Syncs that wait for approval": 1, "Headers that drifted": 1, "Names not settled": 1}


def test_a_failure_needs_a_person_only_where_nothing_is_tried_again_and_nothing_came_after() -> None:
    recorded_sync(state="failed", report={}, requested_at=NOW + timedelta(hours=1))
    assert tasks() == {"Syncs that failed and are not tried again": 1}
    recorded_sync(
        state="failed", report={}, requested_at=NOW + timedelta(hours=2), next_attempt_at=NOW + timedelta(hours=3)
    )
    assert tasks() == {}


def test_a_correction_needs_a_person_until_the_earlier_run_is_superseded() -> None:
    first, second = Run.objects.filter(source__slug=LIGER)[:2]
    SyncRow.objects.create(
        id=uuid.uuid4(), sync=recorded_sync(), kind="correction", reason="VALUE", file="all.csv", key="relu/1",
        text="was 1, is 2", run=first, successor=second,
    )  # fmt: skip
    assert tasks() == {"Rows corrected upstream": 1}
    Mark.objects.create(
        id=uuid.uuid4(), run=first, kind="superseded", at=NOW, successor=second, reason="corrected", by="staff"
    )
    assert tasks() == {}


def test_a_correction_that_was_not_published_needs_nobody() -> None:
    SyncRow.objects.create(
        id=uuid.uuid4(), sync=recorded_sync(state="discarded"), kind="correction", reason="CORRECTED", file="all.csv",
        key="relu/1", text="was 1, is 2", run=Run.objects.filter(source__slug=LIGER).first(), successor=None,
    )  # fmt: skip
    assert tasks() == {}


def test_a_link_is_dead_after_a_week_of_failures() -> None:
    link = Link.objects.create(
        id=uuid.uuid4(), url="https://example.org/gone", shown_on="a source", status="404", failing_since=NOW,
        checked_at=NOW + timedelta(days=6),
    )  # fmt: skip
    assert tasks() == {}
    link.checked_at = NOW + timedelta(days=7)
    link.save()
    assert tasks() == {"Dead links": 1}


def test_terms_are_to_be_read_every_year() -> None:
    def unread(days: int) -> list[str]:
        [task] = [t for t in curation.desk(NOW + timedelta(days=days)).tasks if t.title.startswith("Terms")] or [None]
        return [ref.id for ref in task.first] if task else []

    assert unread(0) == [LIGER, SOL]
    Source.objects.update(terms_read_on=NOW.date())
    assert unread(364) == []
    assert unread(367) == [LIGER, SOL]
