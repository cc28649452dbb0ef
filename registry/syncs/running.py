"""A worker's part: fetch, translate, judge, publish, each step on a row that is this worker's alone.

Every step can be done again: pages that were fetched are not fetched again, and the door knows what it holds already.
So a worker that is killed costs the time since, and nothing else.
"""

import logging
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from registry.core import gate
from registry.core.retries import MOST_ATTEMPTS, pause_after
from registry.fetching import FetchError, fetch_input
from registry.importers.base import MissingFacts, Unreadable
from registry.ingest import IngestReport
from registry.models import Sync
from registry.models.syncs import SyncState, Trigger
from registry.syncs import accounting, asking, fetched
from registry.syncs.leases import Lease, Lost
from registry.syncs.reading import Reading, reading_of, same_input

logger = logging.getLogger(__name__)
UNKNOWN_COLUMN = "EXTRA_COLUMN"  # as importers call one that they pass over
BY_MACHINE = (Trigger.SCHEDULE, Trigger.BUTTON)  # read from the source's location: the newest reading replaces others


def run(sync_id: UUID, *, now: datetime, fetch: fetched.Fetch = fetch_input) -> str:
    """Carry a sync as far as it goes without a person, and say how far that was. Nothing to do: nothing is done."""
    lease = Lease.claim(sync_id, now=now)
    if lease is None:
        return "nothing to do: no such sync is free"
    try:
        _carry_on(lease, fetch)
    except Lost:
        return "no longer this worker's"
    except MissingFacts as missing:
        _fail(lease, "\n".join(f"{question.name}: {question.text}" for question in missing.questions))
    except Unreadable as error:
        _fail(lease, f"Unreadable, nothing was taken: {error}")
    except FetchError as error:
        _fail(lease, f"Not fetched: {error}", may_pass=error.may_pass)
    except SystemExit:  # the queue's time for one task is up: another goes on from here
        lease.let_go()
        raise
    except Exception as error:  # whatever it is, it is the sync's failure and not the queue's to repeat
        logger.exception("sync %s failed", sync_id)
        _fail(lease, f"Failed within: {type(error).__name__}. The log says where.", may_pass=True)
    return str(Sync.objects.only("state").get(pk=sync_id).get_state_display())


def _carry_on(lease: Lease, fetch: fetched.Fetch) -> None:
    sync = lease.sync
    if sync.attempts > MOST_ATTEMPTS:
        return _fail(lease, f"Given up: {MOST_ATTEMPTS} workers died of it.")
    if sync.state == SyncState.PUBLISHING:  # approved, or left half published
        with reading_of(sync) as reading:
            return _publish(lease, reading)
    if because := asking.unreadable_because(sync.source):
        return lease.end(SyncState.DISCARDED, decision_reason=because)
    if sync.trigger in BY_MACHINE:
        fetched.fetch_files(lease, fetch)
    with reading_of(sync) as reading:
        fingerprint = reading.fingerprint()
        lease.step(fingerprint=fingerprint)
        before = None if sync.is_dry_run else same_input(sync.source, fingerprint, but=sync)
        if before and _stands(before, sync):
            return _repeat(lease, before)
        lease.begin("translating")
        report = reading.ingest(now=lease.now(), is_dry_run=True, on_read=lease.note)
        lease.begin("checking")
        reasons = _reasons_to_wait(sync, report)
        _tell(lease, report, waits_because="\n".join(reasons))
        if sync.is_dry_run:
            return lease.end(SyncState.DONE)
        if not reasons:
            return _publish(lease, reading)
        if report.known.get("BenchmarkRun"):  # what the source takes back does not wait
            reading.ingest(now=lease.now(), is_said_by_source_only=True, on_read=lease.note)
        with transaction.atomic():
            _replace_earlier(lease)
            lease.end(SyncState.WAITING)


def _publish(lease: Lease, reading: Reading) -> None:
    lease.step(state=SyncState.PUBLISHING, phase="writing", done=0, total=None)
    report = reading.ingest(now=lease.now(), on_read=lease.note, on_write=lease.note)
    with transaction.atomic():
        _tell(lease, report)
        _replace_earlier(lease)
        lease.end(SyncState.DONE)


def _reasons_to_wait(sync: Sync, report: IngestReport) -> tuple[str, ...]:
    if sync.decided_at:  # approved, and publishing it failed
        return ()
    if sync.trigger == Trigger.SHELL:  # a person's act at a shell; they may have asked to look first
        return (sync.waits_because,) if sync.waits_because else ()
    last = Sync.objects.filter(source=sync.source, state=SyncState.DONE, is_dry_run=False).first()
    changes = Counter(report.changes)
    columns_before = last.report.get("not_indexed", {}).get(UNKNOWN_COLUMN, 0) if last else 0
    return gate.reasons_to_wait(
        gate.Read(
            is_first=last is None,
            published=changes["known"] + changes["corrected"] + changes["vanished"],
            corrected=changes["corrected"],
            vanished=changes["vanished"],
            new_columns=max(0, report.skipped.get(UNKNOWN_COLUMN, 0) - columns_before),
        )
    )


def _tell(lease: Lease, report: IngestReport, **columns: Any) -> None:
    with transaction.atomic():
        lease.step(report=accounting.report_json(report), changes=report.changes, **columns)
        accounting.keep_rows(lease.sync, report, now=lease.now())


def _stands(before: Sync, sync: Sync) -> bool:
    """Whether what came of the same input holds for this sync too. A person who asks anew may decide anew."""
    return before.state != SyncState.DISCARDED or sync.trigger == Trigger.SCHEDULE


def _repeat(lease: Lease, before: Sync) -> None:
    """The same input again: seen once more, and what came of it before stands."""
    if before.state == SyncState.DONE:
        return lease.end(SyncState.DONE, report=unchanged(before), changes=nothing_changed(before))
    what = "waits for a person" if before.state == SyncState.WAITING else f"was discarded: {before.decision_reason}"
    lease.end(SyncState.DISCARDED, decision_reason=f"The same input, read {before.requested_at:%Y-%m-%d}, {what}")


def unchanged(before: Sync) -> dict[str, Any]:
    """The report of an input that was read before: all that was new then is known now."""
    report: Mapping[str, Any] = before.report
    known = dict(Counter(report["new"]) + Counter(report["known"]))
    first = {"same_as": str(before.pk), "read_on": f"{before.requested_at:%Y-%m-%d}"}
    nothing = {"new": {}, "known": known, "flagged": {}, "groups_touched": 0, "batches": 0}
    return {**report, **nothing, **({} if "same_as" in report else first)}


def nothing_changed(before: Sync) -> dict[str, int]:
    """The same of its rows: all that stood in the input are known, and no more of them are gone."""
    standing = sum(before.changes.get(name, 0) for name in ("new", "known", "corrected", "remeasured"))
    return {**dict.fromkeys(before.changes, 0), "known": standing} if before.changes else {}


def _replace_earlier(lease: Lease) -> None:
    """What an earlier reading of the same place still waits for is out of date."""
    sync = lease.sync
    if sync.trigger in BY_MACHINE and not sync.is_dry_run:
        Sync.objects.filter(source=sync.source, state=SyncState.WAITING, trigger__in=BY_MACHINE).exclude(
            pk=sync.pk
        ).update(
            state=SyncState.DISCARDED, decided_at=lease.now(), decision_reason="A later reading of the source stands."
        )


def _fail(lease: Lease, error: str, *, may_pass: bool = False) -> None:
    """End in failure: to be tried again after a pause, each twice the last, where the cause may pass."""
    pause = pause_after(lease.sync.attempts) if may_pass else None
    try:
        lease.end(SyncState.FAILED, error=error, next_attempt_at=lease.now() + pause if pause else None)
    except Lost:
        logger.warning("sync %s failed after its lease had gone: %s", lease.sync.pk, error)
