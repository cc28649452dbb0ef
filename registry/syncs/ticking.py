"""Once a minute: what the schedules ask for, what is to be tried again, and what a dead worker left."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from registry.core.retries import RING_AGAIN
from registry.core.schedules import INTERVALS, next_reading
from registry.models import Source, Sync
from registry.models.sources import Schedule
from registry.models.syncs import SyncState, Trigger
from registry.syncs import asking, bell
from registry.syncs.errors import SyncError
from registry.syncs.leases import lapsed


@dataclass(frozen=True, slots=True)
class Tick:
    """What a tick asked for (slugs of sources), how many bells it rang, and what it passed over and why."""

    asked: tuple[str, ...]
    rung: int
    passed_over: tuple[str, ...]

    def __str__(self) -> str:
        asked = f"asked for {', '.join(self.asked)}" if self.asked else "asked for nothing"
        return "; ".join((asked, f"{self.rung} bells", *self.passed_over))


def tick(*, now: datetime) -> Tick:
    """Ask once for each source that is due, however many readings were missed, and ring for what no worker has."""
    outcomes = [_ask(source, now) for source in _due(now)]
    rung = sum(_ring_again(sync, now) for sync in _to_ring(now))
    return Tick(
        tuple(slug for slug, because in outcomes if not because),
        rung,
        tuple(because for _, because in outcomes if because),
    )


def _due(now: datetime) -> Iterator[Source]:
    """Sources whose time has come. One that is new to its schedule is first due an interval from now."""
    scheduled = Source.objects.exclude(schedule=Schedule.OFF).exclude(location="")
    for source in scheduled.filter(next_sync_at=None):
        _move(source, next_reading(source.schedule, now))
    yield from scheduled.filter(next_sync_at__lte=now)


def _ask(source: Source, now: datetime) -> tuple[str, str]:
    """The source's slug, and why it was not asked for. What may not be read stays due, and is read when it may."""
    if because := asking.unreadable_because(source):
        return source.slug, because
    try:
        with transaction.atomic():
            if not _move(source, _next_slot(source, now)):
                return source.slug, f"{source.name} was asked for by another tick."
            asking.request(source, trigger=Trigger.SCHEDULE, actor=None, now=now)
    except SyncError as error:  # at work on something else: due again at the next tick
        return source.slug, str(error)
    return source.slug, ""


def _next_slot(source: Source, now: datetime) -> datetime:
    """The first time of its schedule that lies ahead; those missed are not made up for."""
    assert source.next_sync_at is not None  # it is due
    interval = INTERVALS[source.schedule]
    return source.next_sync_at + interval * ((now - source.next_sync_at) // interval + 1)


def _move(source: Source, when: datetime | None) -> bool:
    return bool(Source.objects.filter(pk=source.pk, next_sync_at=source.next_sync_at).update(next_sync_at=when))


def _to_ring(now: datetime) -> Iterator[Sync]:
    in_vain = Q(state=SyncState.QUEUED) | Q(state=SyncState.FAILED) | lapsed(now)
    yield from Sync.objects.select_related("source").filter(in_vain, next_attempt_at__lte=now).order_by("requested_at")


def _ring_again(sync: Sync, now: datetime) -> bool:
    """Ring for it, and not again for a while: bells that wait behind a long sync do not pile up."""
    is_retry = sync.state == SyncState.FAILED
    if is_retry and asking.unreadable_because(sync.source):
        return False
    try:
        with transaction.atomic():
            is_mine = Sync.objects.filter(pk=sync.pk, state=sync.state, next_attempt_at=sync.next_attempt_at).update(
                state=SyncState.QUEUED if is_retry else sync.state, next_attempt_at=now + RING_AGAIN
            )
            if is_mine:
                bell.ring(sync.pk)
    except IntegrityError:  # another sync of the source is at work, and reads what this one would
        return False
    return bool(is_mine)
