"""The status page."""

import pytest
from django.test import Client

from registry import verification
from registry.models import EvidenceLevel, Source
from tests.conftest import NOW
from tests.registry.pages import lacks, queries_of, recorded_sync

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("demo")
def test_it_says_that_all_holds_and_how_fresh_each_source_is(client: Client) -> None:
    recorded_sync()
    Source.objects.filter(slug="sol-execbench").update(is_enabled=False)
    verification.verify(now=NOW)
    page = client.get("/status/")
    assert lacks(
        page, "52 runs, the newest published 2026-09-01", "2026-09-01 all holds", "Liger-Kernel benchmarks weekly",
        "NVIDIA SOL-ExecBench when a person asks switched off", "waiting for a person 0",
    ) == []  # fmt: skip
    assert queries_of(client, "/status/") <= 8


@pytest.mark.usefixtures("demo")
def test_what_does_not_hold_is_told_in_public(client: Client) -> None:
    level = EvidenceLevel.objects.first()
    assert level
    EvidenceLevel.objects.filter(pk=level.pk).update(level="verified")
    verification.verify(now=NOW)
    assert lacks(client.get("/status/"), "1 difference", "registry_evidencelevel") == []


def test_an_empty_site_says_what_is_not_there_yet(client: Client) -> None:
    assert (
        lacks(client.get("/status/"), "No verification is on record yet.", "No source has been added yet.", "0 runs")
        == []
    )
