"""The state of the site as an object."""

from datetime import timedelta

import pytest

from registry import verification
from registry.models import Source
from registry.queries import status
from tests.conftest import NOW
from tests.registry.pages import recorded_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]
LIGER = "liger-kernel-bench"


def state_of(slug: str, *, days: int = 0) -> status.SourceState:
    [found] = [s for s in status.source_states(NOW + timedelta(days=days)) if s.source.id == slug]
    return found


def test_what_a_verification_found_is_kept_and_told() -> None:
    verification.verify(now=NOW)
    [line] = status.status_page(NOW).verifications
    assert (line.started_at, line.differences, line.findings) == (NOW, 0, ())
    assert line.rows > 400


def test_a_source_is_overdue_past_its_schedule_and_a_half() -> None:
    Source.objects.filter(slug=LIGER).update(schedule="weekly")
    recorded_sync()
    assert [state_of(LIGER, days=days).is_overdue for days in (0, 10, 11)] == [False, False, True]
    assert state_of(LIGER).last_read_at == NOW


@pytest.mark.parametrize("fields", [{"is_enabled": False}, {"paused_at": NOW}, {"schedule": "off"}])
def test_one_that_nobody_wants_read_is_never_overdue(fields: dict[str, object]) -> None:
    Source.objects.filter(slug=LIGER).update(**{"schedule": "daily", **fields})
    assert not state_of(LIGER, days=400).is_overdue


def test_a_failure_counts_until_something_was_read_after_it() -> None:
    recorded_sync(state="failed", finished_at=NOW + timedelta(hours=1), report={})
    assert state_of(LIGER).failing
    recorded_sync(finished_at=NOW + timedelta(hours=2))
    assert not state_of(LIGER).failing


def test_what_waits_is_counted() -> None:
    recorded_sync(state="waiting")
    recorded_sync(state="queued", finished_at=None)
    page = status.status_page(NOW)
    assert (page.open_syncs, page.waiting_syncs, page.unmapped_names, page.incidents_in_force) == (1, 1, 0, 0)
    assert (page.run_count, page.newest_published_at) == (52, NOW)
