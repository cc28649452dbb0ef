"""Files whose bytes come inside an input: stored under their digest before a row names them, and evidence like any."""

import pytest

from registry import artifacts
from registry.core.digest import sha256
from registry.importers.base import BytesEntry, Entry, in_line
from registry.models import Artifact, EvidenceFact, EvidenceLevel, Run, RunArtifact, Source, StoredObject
from registry.staging import reader
from registry.verifying import verify
from tests.conftest import NOW
from tests.factories import bundle_of, counts, entries_of, ingest_entries, run_entry, told

LOG = b"warm-up 25\nsamples 100\n"
DIGEST = sha256(LOG)


def log(data: bytes = LOG, *, digest: str = DIGEST) -> BytesEntry:
    return BytesEntry(digest, data, "log", "text/plain", "trace.log", in_line("rows", 9)(("log",)))


def logged(*files: BytesEntry) -> list[Entry]:
    """A run whose document names the log."""
    content = bundle_of(run_entry(evidence={"logs": {"uri": "https://example.org/trace.log", "digest": DIGEST}}))
    return [*files, *entries_of(content)]


def test_the_bytes_are_held_described_and_count_as_evidence(db: None) -> None:
    report = ingest_entries(logged(log()))
    stored = artifacts.open_stored(DIGEST)
    assert stored is not None
    with stored:
        assert stored.read() == LOG
    artifact = Artifact.objects.get()
    assert (artifact.digest, artifact.kind, artifact.media_type, artifact.file_name, artifact.size_bytes) == (
        DIGEST, "log", "text/plain", "trace.log", 23,
    )  # fmt: skip
    assert EvidenceFact.objects.get().detail == {"digest": DIGEST, "role": "log"}
    assert EvidenceLevel.objects.get().level == "reproducible"
    assert (report.read["Artifact"], report.new["Artifact"]) == (1, 1)
    assert verify().differences == ()


def test_bytes_that_come_after_their_run_count_all_the_same(db: None) -> None:
    ingest_entries([*logged(), log()])
    assert EvidenceLevel.objects.get().level == "reproducible"


def test_bytes_that_come_later_raise_the_level_of_a_run_that_is_held(db: None) -> None:
    ingest_entries(logged())
    assert EvidenceLevel.objects.get().level == "reported"
    ingest_entries(logged(log()), snapshot="2")
    assert EvidenceLevel.objects.get().level == "reproducible"
    assert verify().differences == ()


def test_bytes_of_another_digest_are_rejected_with_their_place(db: None) -> None:
    report = ingest_entries(logged(log(b"cut short")))
    assert told(report) == [
        f"DIGEST_MISMATCH rows: line 9: log: the input states {DIGEST}, its 9 bytes hash to {sha256(b'cut short')}"
    ]
    assert (StoredObject.objects.count(), Artifact.objects.count(), Run.objects.count()) == (0, 0, 1)


def test_a_dry_run_stores_nothing(db: None) -> None:
    report = ingest_entries(logged(log()), is_dry_run=True)
    assert (counts(), artifacts.open_stored(DIGEST), report.new["Artifact"]) == ({}, None, 1)


def test_the_same_bytes_twice_are_stored_once(db: None) -> None:
    report = ingest_entries(logged(log(), log()))
    assert (report.new["Artifact"], report.known["Artifact"]) == (1, 1)
    assert ingest_entries(logged(log())).batches == 0
    assert StoredObject.objects.count() == 1


def test_a_source_that_lets_nothing_be_stored_has_its_files_described_only(db: None) -> None:
    ingest_entries([])
    ingest_entries(logged())
    Source.objects.update(may_store=False)
    ingest_entries(logged(log()), snapshot="2")
    assert (StoredObject.objects.count(), Artifact.objects.count()) == (0, 1)
    assert EvidenceLevel.objects.get().level == "reported"
    assert verify().differences == ()


def test_many_bytes_fill_a_window(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WINDOW_BYTES", 20)
    report = ingest_entries(logged(log(), log(b"other", digest=sha256(b"other"))))
    assert (report.new["Artifact"], StoredObject.objects.count(), RunArtifact.objects.count()) == (2, 2, 1)


def test_files_are_stored_at_the_instant_of_the_import(db: None) -> None:
    ingest_entries(logged(log()))
    assert StoredObject.objects.get().stored_at == NOW
