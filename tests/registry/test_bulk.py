"""Keys that stand in a table: asked for at once, whatever their number and whatever stands in them."""

import uuid
from typing import Any

from registry import bulk
from registry.models import Run, Source
from tests.conftest import NOW
from tests.factories import bundle_of, ingest_bundle, run_entry

AWKWARD = ("acme", 'a "quoted" one', "a,b", "{braces}", "back\\slash", "ünï")


def test_keys_are_found_among_forty_thousand_in_one_query(db: None, django_assert_num_queries: Any) -> None:
    for number, slug in enumerate(AWKWARD):
        Source.objects.create(id=uuid.UUID(int=number), slug=slug, name=slug, kind="benchmark", created_at=NOW)
    wanted = [*(f"none {number}" for number in range(40_000)), *AWKWARD]
    with django_assert_num_queries(1):
        found = bulk.existing(Source, "slug", wanted, "id")
    assert found == {slug: (uuid.UUID(int=number),) for number, slug in enumerate(AWKWARD)}


def test_rows_are_found_by_id_and_by_whom_they_refer_to(db: None) -> None:
    ingest_bundle(bundle_of(run_entry(metadata={"name": "a"}), run_entry(metadata={"name": "b"}, status="timeout")))
    runs = list(Run.objects.all())
    assert bulk.existing(Run, "pk", [runs[0].pk, uuid.UUID(int=7)], "name") == {runs[0].pk: (runs[0].name,)}
    assert set(Run.objects.filter(group__among=[runs[0].group_id])) == set(runs)


def test_no_keys_ask_nothing(db: None, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert bulk.existing(Source, "slug", []) == {}
