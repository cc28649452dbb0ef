"""A source as an object: terms, what was read, its runs."""

import uuid
from datetime import timedelta

import pytest

from registry.importers import sol_execbench
from registry.models import Source, UnmappedName
from registry.queries import sources
from tests.conftest import NOW
from tests.registry.pages import recorded_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def test_a_source_says_its_terms_and_what_it_does_not_state() -> None:
    page = sources.source_page("sol-execbench")
    assert (page.title, page.kind, page.run_count, page.ranked_count, page.operation_count) == (
        "NVIDIA SOL-ExecBench", "leaderboard", 4, 4, 1,
    )  # fmt: skip
    assert [(fact.label, fact.value or fact.absent) for fact in page.facts] == [
        ("homepage", "research.nvidia.com/benchmarks/sol-execbench"),
        ("licence", "not stated"),
        ("terms", sol_execbench.SOURCE.terms),
        ("terms at", "not stated"),
        ("terms last read", "not on record"),
        ("files read", "read and checked, only linked"),
        ("attribution", sol_execbench.SOURCE.attribution),
        ("takedown contact", "not stated"),
        ("read", "when a person asks"),
    ]
    covered = [(part.title, part.total, [(c.thing.name, c.run_count) for c in part.things]) for part in page.coverage]
    assert covered == [
        ("Operations", 1, [("Adaptive instance normalization 2d backward", 4)]),
        ("GPUs", 1, [("NVIDIA B200", 4)]),
        ("Protocols", 2, [
            ("SOL-ExecBench evaluation stack v1.1", 3), ("SOL-ExecBench evaluation stack v1.0", 1),
        ]),
    ]  # fmt: skip
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


def test_the_newest_finished_reading_says_what_was_not_taken_and_which_names_wait() -> None:
    sync = recorded_sync(requested_at=NOW + timedelta(hours=1))
    UnmappedName.objects.create(
        id=uuid.uuid4(), source=sync.source, kind="gpu", name="NVIDIA B300", first_seen_at=NOW, row_count=3,
        example="relu,…",
    )  # fmt: skip
    page = sources.source_page("liger-kernel-bench")
    assert [(line.trigger, line.outcome) for line in page.syncs] == [
        ("by button", "nothing new"), ("at a shell", "published"),
    ]  # fmt: skip
    assert page.not_taken
    assert page.not_taken.rows_url == "/sources/liger-kernel-bench/rows.csv"
    assert [(reason.kind, reason.reason, reason.count) for reason in page.not_taken.reasons] == [
        ("pending", "GPU", 1), ("rejected", "VALUE", 1),
    ]  # fmt: skip
    assert [(name.kind, name.name, name.row_count) for name in page.unmapped] == [("GPU", "NVIDIA B300", 3)]


def test_a_source_that_no_sync_has_read_has_nothing_to_tell_of_it() -> None:
    Source.objects.create(id=uuid.uuid4(), slug="new", name="New", kind="benchmark", created_at=NOW)
    page = sources.source_page("new")
    assert (page.syncs, page.not_taken, page.unmapped) == ((), None, ())
