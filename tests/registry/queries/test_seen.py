"""When a run was first and last seen upstream, also where a file was only found to be unchanged."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.test import Client

from registry.models import Run, Sighting, Source, Sync, SyncFile
from registry.models.syncs import SyncState, Trigger
from registry.queries.seen import SeenUpstream, seen_upstream
from tests.conftest import NOW
from tests.factories import bundle, bundle_of, entries_of, ingest_entries, run_entry

LATER, LAST = NOW + timedelta(days=7), NOW + timedelta(days=14)


def read_again(at: datetime, *, snapshot: str = "1", state: str = SyncState.DONE, is_dry_run: bool = False) -> None:
    """A sync found the file as it was, and so wrote no facts."""
    number = Sync.objects.count()
    sync = Sync.objects.create(
        id=UUID(int=100 + number), source=Source.objects.get(), importer="rows", trigger=Trigger.SCHEDULE, state=state,
        is_dry_run=is_dry_run, requested_at=at,
    )  # fmt: skip
    SyncFile.objects.create(
        id=UUID(int=200 + number), sync=sync, position=0, name="rows", sha256="sha256:" + snapshot * 64, size_bytes=1,
        taken_at=at,
    )  # fmt: skip


def seen() -> SeenUpstream:
    [found] = seen_upstream(Run.objects.values_list("id", flat=True)).values()
    return found


def test_a_run_of_one_file_was_seen_once(db: None) -> None:
    ingest_entries(entries_of(bundle()))
    assert seen() == SeenUpstream(NOW, NOW)


def test_a_run_that_stands_in_a_later_file_was_seen_then(db: None) -> None:
    ingest_entries(entries_of(bundle()))
    ingest_entries(entries_of(bundle()), snapshot="2", now=LATER)
    assert seen() == SeenUpstream(NOW, LATER)


def test_an_unchanged_file_that_was_read_again_was_seen_again(db: None) -> None:
    ingest_entries(entries_of(bundle()))
    read_again(LATER)
    read_again(LAST)
    assert seen() == SeenUpstream(NOW, LAST)
    assert Sighting.objects.count() == 1


@pytest.mark.parametrize(
    "reading",
    [{"state": SyncState.FAILED}, {"state": SyncState.WAITING}, {"is_dry_run": True}, {"snapshot": "2"}],
    ids=["it failed", "it waits for a person", "it was a dry run", "it was another file"],
)
def test_what_no_finished_reading_had_was_not_seen(db: None, reading: dict[str, object]) -> None:
    ingest_entries(entries_of(bundle()))
    read_again(LATER, **reading)
    assert seen() == SeenUpstream(NOW, NOW)


def test_any_number_of_runs_takes_one_query(db: None, django_assert_num_queries: object) -> None:
    ingest_entries(entries_of(bundle_of(*(run_entry(timing__latencyNs__median=ns) for ns in (1, 2, 3)))))
    ids = list(Run.objects.values_list("id", flat=True))
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert len(seen_upstream(ids)) == 3


def test_the_run_s_page_and_its_twin_say_when_it_was_last_seen(db: None, client: Client) -> None:
    ingest_entries(entries_of(bundle()))
    read_again(LATER)
    run = Run.objects.get()
    page = client.get(run.get_absolute_url()).content.decode()
    assert "Seen in rows (" in page
    assert 'Last seen upstream <time datetime="2026-09-08T12:00:00Z">2026-09-08</time>.' in page
    twin = client.get(f"/api/v1{run.get_absolute_url()}").json()
    assert twin["last_seen_at"].startswith("2026-09-08T12:00:00")
