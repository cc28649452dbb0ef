"""The releases of an implementation, as its sightings name them."""

import pytest

from registry.models import Implementation
from registry.queries import documents
from tests.factories import bundle_of, entries_of, ingest_entries
from tests.registry.pages import timed

pytestmark = pytest.mark.django_db


def sighted(*releases: tuple[str, str]) -> documents.EntityPage:
    """The page of an implementation with a run of each (release, day)."""
    for number, (release, day) in enumerate(releases, start=1):
        entry = timed(1000 + number, observedAt=f"2026-{day}T00:00:00Z")
        ingest_entries(entries_of(bundle_of(entry), release=release), snapshot=str(number))
    return documents.implementation_page(str(Implementation.objects.get().pk))


def test_releases_are_listed_by_first_observation_with_their_runs() -> None:
    page = sighted(("0.10", "05-01"), ("0.9", "03-01"), ("0.9", "04-01"))
    assert [
        (line.release, line.run_count, f"{line.observed_from:%m-%d}", f"{line.observed_to:%m-%d}")
        for line in page.releases
    ] == [("0.9", 2, "03-01", "04-01"), ("0.10", 1, "05-01", "05-01")]


def test_one_release_is_no_list() -> None:
    assert sighted(("0.9", "03-01"), ("0.9", "04-01")).releases == ()
