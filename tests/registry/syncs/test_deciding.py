"""Approving and discarding: once, with a reason, audited."""

from typing import Any

import pytest

from registry import syncs
from registry.models import AuditEvent, Run, Source, Sync
from registry.syncs.errors import SyncError
from tests.conftest import NOW
from tests.registry.syncs.reading import BYTES, CURATOR, DAY, MINUTE, asked, liger_source, ran, uploaded


@pytest.fixture
def source(db: None) -> Source:
    return liger_source()


@pytest.fixture
def waiting(source: Source) -> Sync:
    return ran(uploaded(source))


def test_an_approval_is_kept_with_the_sync_and_audited(waiting: Sync) -> None:
    syncs.approve(waiting, actor=CURATOR, reason="Looks right.", now=NOW + DAY)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.decided_by, waiting.decided_at, waiting.decision_reason, waiting.finished_at) == (
        "publishing", CURATOR, NOW + DAY, "Looks right.", None,
    )  # fmt: skip
    event = AuditEvent.objects.get(action="sync approved")
    assert (event.target, event.reason, event.detail) == (
        str(waiting.pk), "Looks right.", {"source": "liger-kernel-bench"},
    )  # fmt: skip


def test_attempts_count_anew_for_what_was_approved(waiting: Sync) -> None:
    Sync.objects.update(attempts=8)
    syncs.approve(waiting, actor=CURATOR, reason="Looks right.", now=NOW)
    assert ran(waiting).state == "done"


def test_a_discarded_sync_publishes_nothing(waiting: Sync) -> None:
    syncs.discard(waiting, actor=CURATOR, reason="Upstream is broken.", now=NOW + DAY)
    waiting = ran(waiting)
    assert (waiting.state, waiting.decision_reason, waiting.finished_at) == (
        "discarded", "Upstream is broken.", NOW + DAY,
    )  # fmt: skip
    assert Run.objects.count() == 0
    assert AuditEvent.objects.get(action="sync discarded").reason == "Upstream is broken."


def test_of_two_who_decide_one_is_told(waiting: Sync) -> None:
    other = Sync.objects.get()
    syncs.approve(waiting, actor=CURATOR, reason="Looks right.", now=NOW)
    with pytest.raises(SyncError, match=r"This sync is publishing: nothing is to be decided\."):
        syncs.discard(other, actor=CURATOR, reason="Looks wrong.", now=NOW)
    assert AuditEvent.objects.filter(action__in=("sync approved", "sync discarded")).count() == 1


@pytest.mark.parametrize("state", ["queued", "running", "publishing", "done", "failed", "discarded"])
def test_only_what_waits_is_approved(source: Source, state: str) -> None:
    sync = asked(source)
    Sync.objects.update(state=state)
    with pytest.raises(SyncError, match="nothing is to be decided"):
        syncs.approve(sync, actor=CURATOR, reason="So.", now=NOW)
    assert (Sync.objects.get().state, Sync.objects.get().decided_by) == (state, None)


@pytest.mark.parametrize(
    ("state", "is_let_go"),
    [
        ("queued", True),
        ("waiting", True),
        ("failed", True),
        ("running", False),
        ("publishing", False),
        ("done", False),
        ("discarded", False),
    ],
)
def test_what_a_worker_has_and_what_is_over_is_not_discarded(source: Source, state: str, is_let_go: bool) -> None:
    sync = asked(source)
    Sync.objects.update(state=state)
    if is_let_go:
        syncs.discard(sync, actor=CURATOR, reason="So.", now=NOW)
        assert Sync.objects.values_list("state", "next_attempt_at").get() == ("discarded", None)
    else:
        with pytest.raises(SyncError, match="nothing is to be decided"):
            syncs.discard(sync, actor=CURATOR, reason="So.", now=NOW)


def test_an_approval_has_to_wait_for_a_sync_that_is_at_work(waiting: Sync, source: Source) -> None:
    later = asked(source, now=NOW + MINUTE)
    with pytest.raises(SyncError, match="Another sync of this source is at work"):
        syncs.approve(waiting, actor=CURATOR, reason="Looks right.", now=NOW + MINUTE)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.decided_by) == ("waiting", None)
    assert not AuditEvent.objects.filter(action="sync approved").exists()
    syncs.discard(later, actor=CURATOR, reason="Not now.", now=NOW + MINUTE)
    syncs.approve(waiting, actor=CURATOR, reason="Looks right.", now=NOW + MINUTE)
    assert ran(waiting, BYTES).state == "done"


@pytest.mark.parametrize("act", [syncs.approve, syncs.discard])
def test_a_decision_needs_a_reason(waiting: Sync, act: Any) -> None:
    with pytest.raises(SyncError, match="State a reason"):
        act(waiting, actor=CURATOR, reason=" \n", now=NOW)
