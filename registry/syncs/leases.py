"""Who works on a sync: a lease that is claimed, renewed and ended by conditional updates of the sync's own row.

A worker that lost its lease (it stood still for too long, or a person stopped the sync) changes nothing any more: each
of its steps names its lease, and Lost is raised where the row is no longer its own.
"""

import time
import uuid
from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Coalesce

from registry.models import Sync
from registry.models.syncs import SyncState

UNDER_WAY = (SyncState.RUNNING, SyncState.PUBLISHING)
OPEN = (SyncState.QUEUED, *UNDER_WAY)  # one a source, by a constraint of the table
SECONDS_BETWEEN_NOTES = 1.0


class Lost(Exception):
    """The sync is no longer this worker's."""


def lapsed(now: datetime) -> Q:
    """Under way, but owned by nobody: its worker died, or it was approved and waits for one."""
    return Q(state__in=UNDER_WAY) & (Q(lease_until=None) | Q(lease_until__lte=now))


class Lease:
    """One worker's hold on one sync. `sync` is the row as it was claimed; later steps are not read back."""

    def __init__(self, sync: Sync, token: uuid.UUID, now: datetime) -> None:
        self.sync, self.token = sync, token
        self._now, self._began, self._noted = now, time.monotonic(), float("-inf")

    @classmethod
    def claim(cls, sync_id: uuid.UUID, *, now: datetime) -> Self | None:
        """Take a sync that is queued, or whose worker is gone. None: somebody has it, or there is nothing to do."""
        token = uuid.uuid4()
        count = Sync.objects.filter(Q(state=SyncState.QUEUED) | lapsed(now), pk=sync_id).update(
            state=Case(When(state=SyncState.QUEUED, then=Value(SyncState.RUNNING)), default=F("state")),
            lease=token,
            lease_until=now + _length(),
            attempts=F("attempts") + 1,
            started_at=Coalesce("started_at", now),
            next_attempt_at=now,  # should the lease lapse, it is anybody's at once
            error="",
        )
        return cls(Sync.objects.select_related("source").get(pk=sync_id), token, now) if count else None

    def now(self) -> datetime:
        """The instant at which the work was given, and what has passed since."""
        return self._now + timedelta(seconds=time.monotonic() - self._began)

    def step(self, **columns: Any) -> None:
        """Write columns of the row and renew the lease."""
        self._update(lease_until=self.now() + _length(), **columns)

    def end(self, state: SyncState, **columns: Any) -> None:
        """Leave the sync in a state that no worker owns."""
        ending = {"lease": None, "lease_until": None, "next_attempt_at": None, "finished_at": self.now(), "phase": ""}
        self._update(state=state, **(ending | columns))

    def let_go(self) -> None:
        """Leave the sync as it stands to whoever takes it up next."""
        self._update(lease_until=self.now())

    def begin(self, phase: str, total: int | None = None) -> None:
        self.step(phase=phase, done=0, total=total)

    def note(self, done: int | None = None, total: int | None = None) -> None:
        """Say that there is progress, and how far it is; at most once a second."""
        if time.monotonic() - self._noted >= SECONDS_BETWEEN_NOTES:
            self._noted = time.monotonic()
            self.step(**({} if done is None else {"done": done, "total": total}))

    def _update(self, **columns: Any) -> None:
        if not Sync.objects.filter(pk=self.sync.pk, lease=self.token).update(**columns):
            raise Lost(str(self.sync.pk))


def _length() -> timedelta:
    return timedelta(seconds=settings.SYNC_LEASE_SECONDS)
