"""The front page as an object: live counts, newest records, sources, sizes of groups."""

from datetime import UTC, datetime

import pytest

from registry.models import Source
from registry.queries import home
from tests.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def test_the_counts_are_those_of_the_demo() -> None:
    page = home.home_page()
    assert (page.run_count, page.group_count, page.operation_count, page.implementation_count, page.rerun_count) == (
        52, 26, 2, 6, 0,
    )  # fmt: skip
    assert page.newest_published_at == NOW


def test_runs_are_shared_out_by_source_and_groups_by_size() -> None:
    page = home.home_page()
    assert [(share.name, share.count, round(share.percent, 1)) for share in page.sources] == [
        ("Liger-Kernel benchmarks", 48, 92.3), ("NVIDIA SOL-ExecBench", 4, 7.7),
    ]  # fmt: skip
    assert [(share.name, share.count) for share in page.group_sizes] == [
        ("1: nothing to rank against", 1), ("2", 24), ("3", 1), ("4 to 19", 0), ("20 or more", 0),
    ]  # fmt: skip


def test_the_newest_record_names_what_it_beat() -> None:
    first, second, *_ = home.newest_records()
    assert (first.kind, first.run.value and first.run.value.text, first.run.implementation.name) == (
        "took the lead", "138.9 µs", "Amir M. Mir | SF Tensor",
    )  # fmt: skip
    assert (first.previous and first.previous.text, first.previous_name, round(first.ratio or 0, 2)) == (
        "209.4 µs", "ac4k", 0.66,
    )  # fmt: skip
    assert first.at == datetime(2026, 7, 28, 13, 14, 49, tzinfo=UTC)
    assert (second.kind, second.previous, second.ratio) == ("first measurement", None, None)
    assert len(home.newest_records()) == 8
    assert len(home.newest_records(3)) == 3


def test_the_offered_searches_are_made_of_what_is_here() -> None:
    names = [example.name for example in home.home_page().examples]
    assert names == [
        "adaptive instance normalization 2d backward B200", "relu squared H100", "sha256:37c96da68276",
    ]  # fmt: skip


def test_runs_of_the_demonstration_count_in_none_of_it() -> None:
    Source.objects.filter(slug="sol-execbench").update(slug="demonstration")
    page = home.home_page()
    assert page.run_count == 48
    assert [share.name for share in page.sources] == ["Liger-Kernel benchmarks"]
    assert {record.run.source.id for record in page.records} == {"liger-kernel-bench"}
    assert (page.group_count, page.operation_count, page.implementation_count) == (24, 1, 2)
