"""Levels follow from recorded facts, and from nothing else."""

from typing import Any
from uuid import UUID

import pytest

from registry import artifacts, corrections, evidence
from registry.core.evidence import Level
from registry.models import EvidenceFact, EvidenceLevel, Run
from tests.conftest import NOW
from tests.factories import bundle_of, implementation_document, ingest_bundle, run_entry

LOG = b"compiled, ran, passed"
LOG_DIGEST = "sha256:916f5fce0520cc316eb13a294af8cfe1350b3e83b13c0d75a899143db0c223a9"
SAMPLES = b"[1000, 1001]"


def logged(**implementation: object) -> dict[str, object]:
    """A bundle whose run names a log."""
    document = implementation_document(**implementation)
    log = {"uri": "https://example.org/log", "digest": LOG_DIGEST}
    return bundle_of(
        run_entry(implementation=document, evidence={"logs": log}),
        implementations=[{"projectSlug": "acme", "manifest": document}],
    )


def level() -> tuple[str, str]:
    row = EvidenceLevel.objects.get()
    return row.level, row.policy


def test_a_run_is_reported_when_it_comes_in(db: None) -> None:
    ingest_bundle(logged())
    assert level() == ("reported", "evidence-v1")


def test_a_run_is_reproducible_once_a_log_that_it_names_is_stored(db: None) -> None:
    ingest_bundle(logged())
    artifacts.store_bytes(LOG, now=NOW)
    assert level() == ("reproducible", "evidence-v1")
    assert EvidenceFact.objects.get().detail == {"digest": LOG_DIGEST, "role": "log"}


def test_a_log_that_was_stored_before_the_run_came_counts_as_well(db: None) -> None:
    artifacts.store_bytes(LOG, now=NOW)
    ingest_bundle(logged())
    assert level() == ("reproducible", "evidence-v1")


def test_other_bytes_raise_nothing(db: None) -> None:
    ingest_bundle(logged())
    artifacts.store_bytes(b"another log", now=NOW)
    assert level() == ("reported", "evidence-v1")
    assert EvidenceFact.objects.count() == 0


def test_without_a_commit_or_a_mirrored_source_a_log_raises_nothing(db: None) -> None:
    ingest_bundle(logged(projectRevision={"repository": "https://example.org/acme", "version": "1.0"}))
    artifacts.store_bytes(LOG, now=NOW)
    assert level() == ("reported", "evidence-v1")


def test_a_mirrored_source_stands_in_for_repository_and_commit(db: None) -> None:
    ingest_bundle(logged(projectRevision={}, source={"contentDigest": "sha256:" + "a" * 64}))
    artifacts.store_bytes(LOG, now=NOW)
    assert level() == ("reproducible", "evidence-v1")


def test_marks_and_time_raise_nothing(db: None) -> None:
    ingest_bundle(logged())
    run = Run.objects.get()
    corrections.flag([run], rule="SINGLE_SAMPLE", reason="seen by staff", actor=UUID(int=1), now=NOW)
    corrections.withdraw([run], reason="withdrawn", actor=UUID(int=1), now=NOW)
    evidence.refresh([run.id])
    assert level() == ("reported", "evidence-v1")


def test_the_same_bytes_are_one_fact_however_often_they_come(db: None) -> None:
    ingest_bundle(logged())
    for _ in range(2):
        artifacts.store_bytes(LOG, now=NOW)
    assert evidence.record_stored([LOG_DIGEST], now=NOW) == []
    assert EvidenceFact.objects.count() == 1


def test_raw_samples_count_as_a_log_does(db: None) -> None:
    digest = "sha256:0f8a43cc452cb526fcf8b3d40efae817dfd0f5fc9165b608a871d263654b210a"
    samples = {"uri": "https://example.org/samples", "digest": digest}
    ingest_bundle(bundle_of(run_entry(timing__rawSamples=samples)))
    assert artifacts.store_bytes(SAMPLES, now=NOW) == digest
    assert EvidenceFact.objects.get().detail == {"digest": digest, "role": "raw samples"}
    assert level() == ("reproducible", "evidence-v1")


def test_a_lost_level_is_derived_anew(db: None) -> None:
    ingest_bundle(logged())
    artifacts.store_bytes(LOG, now=NOW)
    EvidenceLevel.objects.update(level="replicated")
    evidence.refresh(list(Run.objects.values_list("id", flat=True)))
    assert level() == ("reproducible", "evidence-v1")


def test_the_demo_is_reported_throughout(demo: None) -> None:
    assert set(EvidenceLevel.objects.values_list("level", flat=True)) == {"reported"}


@pytest.mark.parametrize(
    ("is_reachable", "raw_stored", "expected"),
    [
        (False, False, Level.REPORTED),
        (True, False, Level.REPORTED),
        (False, True, Level.REPORTED),
        (True, True, Level.REPRODUCIBLE),
    ],
)
def test_both_facts_are_needed(is_reachable: bool, raw_stored: bool, expected: Level) -> None:
    row = evidence.level_row(UUID(int=1), evidence.facts(is_reachable=is_reachable, raw_stored=raw_stored))
    assert row == {"run_id": UUID(int=1), "level": str(expected), "policy": "evidence-v1"}


def test_facts_are_read_in_two_queries_whatever_the_number_of_runs(demo: None, django_assert_num_queries: Any) -> None:
    run_ids = list(Run.objects.values_list("id", flat=True))
    with django_assert_num_queries(2):
        facts = evidence.facts_of(run_ids)
    assert len(facts) == 52
