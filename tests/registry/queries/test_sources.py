"""A source as an object: terms, what was read, its runs."""

import pytest

from registry.models import Source
from registry.queries import sources

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def test_a_source_says_its_terms_and_what_it_does_not_state() -> None:
    page = sources.source_page("sol-execbench")
    assert (page.title, page.kind, page.run_count, page.ranked_count, page.operation_count) == (
        "NVIDIA SOL-ExecBench", "leaderboard", 4, 4, 1,
    )  # fmt: skip
    assert [(fact.label, fact.value or fact.absent) for fact in page.facts] == [
        ("homepage", "research.nvidia.com/benchmarks/sol-execbench"),
        ("licence", "not stated"),
        ("terms", "Facts of the public leaderboard are shown with their source; submissions' code is not held."),
        ("attribution", "not stated"),
        ("takedown contact", "not stated"),
    ]
    assert [hardware.name for hardware in page.hardware] == ["NVIDIA B200"]
    assert len(page.runs.rows) == 4


def test_the_files_that_were_read_stand_with_their_digest_and_runs_newest_first() -> None:
    assert [
        (snapshot.file_name, snapshot.sha256[:19], snapshot.size_bytes, snapshot.run_count)
        for snapshot in sources.source_page("sol-execbench").snapshots
    ] == [
        ("sol-adaptive-instance-normalization-v1-1.json", "sha256:2755980ecfb5", 15721, 3),
        ("sol-adaptive-instance-normalization.json", "sha256:1e27d8164c90", 8639, 1),
    ]


def test_sources_are_listed_with_most_runs_first() -> None:
    assert [
        (line.source.name, line.kind, line.licence, line.run_count, line.snapshot_count)
        for line in sources.source_lines()
    ] == [
        ("Liger-Kernel benchmarks", "benchmark", "BSD-2-Clause", 48, 1),
        ("NVIDIA SOL-ExecBench", "leaderboard", None, 4, 2),
    ]


def test_an_unknown_source_is_not_found() -> None:
    with pytest.raises(Source.DoesNotExist):
        sources.source_page("none")
