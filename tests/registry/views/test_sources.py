"""Source pages: terms, what was read, all runs."""

import pytest
from django.test import Client

from registry.models import Source
from tests.conftest import NOW
from tests.registry.pages import lacks, publish, publish_group, queries_of, timed

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("demo")
def test_a_source_says_its_terms_what_was_read_and_what_it_does_not_state(client: Client) -> None:
    page = client.get("/sources/sol-execbench/")
    assert lacks(
        page,
        "NVIDIA SOL-ExecBench",
        "4 runs of 1 operation, 4 ranked",
        "licence – not stated",
        "terms Facts of the public leaderboard are shown with their source; submissions' code is not held.",
        "takedown contact – not stated",
        "sol-adaptive-instance-normalization.json sha256:1e27d8164c90… 8.44 KiB runs 1 2026-09-01",
        "sol-adaptive-instance-normalization-v1-1.json sha256:2755980ecfb5… 15.4 KiB runs 3 2026-09-01",
        "NVIDIA B200",
        "209.8 µs ac4k",
    ) == []  # fmt: skip
    assert queries_of(client, "/sources/sol-execbench/") <= 9


@pytest.mark.usefixtures("demo")
def test_the_list_says_each_sources_licence_runs_and_newest_observation(client: Client) -> None:
    assert lacks(
        client.get("/sources/"),
        "2 sources.",
        "Liger-Kernel benchmarks liger-kernel-bench benchmark BSD-2-Clause runs 48 2026-03-27",
        "NVIDIA SOL-ExecBench sol-execbench leaderboard – not stated runs 4 2026-07-28",
    ) == []  # fmt: skip
    assert queries_of(client, "/sources/") <= 8


def test_a_source_without_runs_says_so(client: Client) -> None:
    Source.objects.create(
        id="01a0352b-0000-7000-8000-000000000001", slug="new", name="New", kind="benchmark", created_at=NOW
    )
    page = client.get("/sources/new/")
    assert lacks(page, "Nothing has been read from it yet.", "No run of it has been published yet.", "0 runs") == []
    assert lacks(client.get("/sources/"), "– no runs", "1 source.") == []


def test_a_page_takes_as_many_queries_for_2_runs_as_for_42(client: Client) -> None:
    publish(timed(100), timed(101))
    few = queries_of(client, "/sources/community/")
    publish_group(40)
    assert queries_of(client, "/sources/community/") == few


def test_an_unknown_source_is_not_found(client: Client) -> None:
    assert client.get("/sources/none/").status_code == 404


def test_a_channel_says_how_many_runs_came_by_it(client: Client) -> None:
    publish(timed(100), timed(101))
    Source.objects.update(kind="channel")
    assert (
        lacks(client.get("/sources/community/"), "A channel: 2 runs came by it, each of the source that it names.")
        == []
    )
