"""What a person decides on a sync: publish what waits, or leave it."""

import uuid
from datetime import datetime

from django.db import IntegrityError, transaction

from registry import auditing
from registry.models import Sync
from registry.models.syncs import SyncState
from registry.syncs import bell
from registry.syncs.errors import SyncError

DISCARDABLE = (SyncState.QUEUED, SyncState.WAITING, SyncState.FAILED)


def approve(sync: Sync, *, actor: uuid.UUID, reason: str, now: datetime) -> None:
    """Let a worker publish what a sync read and what waits for a person."""
    _require_reason(reason)
    try:
        with transaction.atomic():
            _decide(
                sync, (SyncState.WAITING,), actor, reason, now,
                state=SyncState.PUBLISHING, attempts=0, next_attempt_at=now, finished_at=None,
            )  # fmt: skip
            auditing.record("sync approved", "sync", str(sync.pk), reason, actor, now, {"source": sync.source.slug})
            bell.ring(sync.pk)
    except IntegrityError as error:
        raise SyncError("Another sync of this source is at work; approve this one when it has ended.") from error


def discard(sync: Sync, *, actor: uuid.UUID, reason: str, now: datetime) -> None:
    """Publish nothing of a sync: of one that waits, that no worker has taken up yet, or that failed."""
    _require_reason(reason)
    with transaction.atomic():
        _decide(
            sync, DISCARDABLE, actor, reason, now,
            state=SyncState.DISCARDED, next_attempt_at=None, finished_at=now,
        )  # fmt: skip
        auditing.record("sync discarded", "sync", str(sync.pk), reason, actor, now, {"source": sync.source.slug})


def _decide(
    sync: Sync, states: tuple[SyncState, ...], actor: uuid.UUID, reason: str, now: datetime, **columns: object
) -> None:
    """One conditional update, so that of two who decide at once one is told."""
    decision = {"decided_at": now, "decided_by": actor, "decision_reason": reason}
    if not Sync.objects.filter(pk=sync.pk, state__in=states).update(**decision, **columns):
        sync.refresh_from_db()
        raise SyncError(f"This sync is {sync.get_state_display()}: nothing is to be decided.")


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise SyncError("State a reason: it is kept with the sync.")
