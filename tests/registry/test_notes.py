"""Protocol notes and successions: versions that stay, bundled ones that never overwrite a person's, no rank moved."""

import re
import uuid
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from registry import notes
from registry.core.protocol_notes import NOT_STATED, PERMALINK, TOPICS, NoteError
from registry.importers import catalog_export, flashinfer, sol_execbench
from registry.importers.base import Known, RunEntry
from registry.importers.kernelbot import documents as kernelbot
from registry.importers.liger import documents as liger
from registry.importers.trace_files.runs import trace_protocol
from registry.models import AuditEvent, Protocol, ProtocolNote, ProtocolSuccession, Run, Standing
from registry.snapshots import input_files
from tests.conftest import NOW, SHARED
from tests.factories import bundle_of, digest_of, everything, ingest_bundle, protocol_document, run_entry

ADA = uuid.UUID(int=1)
LATER = NOW + timedelta(days=1)
BY_ADA: dict[str, Any] = {"reason": "read the code", "actor": ADA, "now": NOW}
FAMILY = "family:nvbench"


def note(text: str = NOT_STATED) -> list[dict[str, Any]]:
    url = None if text == NOT_STATED else "https://example.org/"
    return [{"topic": t, "text": text if t == "l2" else NOT_STATED, "url": url if t == "l2" else None} for t in TOPICS]


@pytest.fixture
def protocols(db: None) -> dict[str, Protocol]:
    """Three protocols, each with a run."""
    documents = [protocol_document(name, harness__name=name) for name in ("first", "second", "third")]
    ingest_bundle(bundle_of(*(run_entry(metadata={"name": p["metadata"]["name"]}, protocol=p) for p in documents)))
    return {run.name: run.protocol for run in Run.objects.select_related("protocol")}


# Notes


def test_versions_count_up_and_stay(protocols: dict[str, Protocol]) -> None:
    digest = protocols["first"].digest
    first = notes.write(subject=digest, sentences=note("Flushed."), **BY_ADA)
    second = notes.write(subject=digest, sentences=note("Not flushed."), **BY_ADA | {"now": LATER})
    assert [(n.version, n.actor, n.reason) for n in (first, second)] == [
        (1, ADA, "read the code"),
        (2, ADA, "read the code"),
    ]
    assert ProtocolNote.objects.get(version=1).sentences[2] == {
        "topic": "l2", "text": "Flushed.", "url": "https://example.org/", "chip": None,
    }  # fmt: skip
    assert list(AuditEvent.objects.order_by("at").values_list("action", "target_kind", "target", "detail")) == [
        ("protocol note written", "protocol note", digest, {"version": version}) for version in (1, 2)
    ]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"subject": "nvbench"}, "A subject is a protocol's digest, or family: and a comparability family."),
        ({"subject": "family:"}, "A subject is a protocol's digest"),
        ({"subject": "sha256:" + "0" * 64}, "No protocol here has the digest sha256:000"),
        ({"sentences": note()[1:]}, "Nothing is said of what is timed"),
        ({"reason": " "}, "State a reason: it stands with the version."),
    ],
)
def test_a_note_that_cant_stand_is_refused(db: None, fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(NoteError) as refused:
        notes.write(**{"subject": FAMILY, "sentences": note(), **BY_ADA, **fields})
    assert fault in str(refused.value)
    assert ProtocolNote.objects.count() == AuditEvent.objects.count() == 0


def test_bundled_notes_are_written_once_as_the_site_itself(db: None) -> None:
    loaded = notes.load_bundled(now=NOW)
    assert set(loaded.written) == set(notes.bundled())
    assert (loaded.unchanged, loaded.kept) == ((), ())
    assert set(ProtocolNote.objects.values_list("version", "actor")) == {(1, None)}
    before = everything()
    again = notes.load_bundled(now=LATER)
    assert (again.written, set(again.unchanged)) == ((), set(notes.bundled()))
    assert everything() == before


def test_a_bundled_note_that_changed_is_a_new_version(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.load_bundled(now=NOW)
    told = notes.bundled()
    monkeypatch.setattr(notes, "bundled", lambda: told | {FAMILY: told[FAMILY][:-1] + told["family:kernel_tuner"][-1:]})
    loaded = notes.load_bundled(now=LATER)
    assert loaded.written == (FAMILY,)
    assert list(ProtocolNote.objects.filter(subject=FAMILY).values_list("version", flat=True)) == [2, 1]


def test_what_a_person_wrote_is_never_overwritten(db: None) -> None:
    notes.write(subject=FAMILY, sentences=note("Flushed."), **BY_ADA)
    loaded = notes.load_bundled(now=LATER)
    assert loaded.kept == (FAMILY,)
    assert ProtocolNote.objects.get(subject=FAMILY).actor == ADA


def test_each_bundled_sentence_links_a_file_at_a_commit_or_is_not_stated() -> None:
    for subject, told in notes.bundled().items():
        for sentence in told:
            assert (sentence.text == NOT_STATED) is (sentence.url is None), (subject, sentence)
            assert sentence.url is None or PERMALINK.match(sentence.url), (subject, sentence)
            assert not re.search(r"\s\s|\n", sentence.text), (subject, sentence)
        assert {sentence.topic for sentence in told} == set(TOPICS), subject
        assert sum(sentence.chip is not None for sentence in told) == 3, subject


def protocols_of_the_importers() -> dict[str, dict[str, Any]]:
    """A protocol of each kind that an importer makes, by what it is of."""
    made: dict[str, dict[str, Any]] = {
        f"liger {metric} {timed}": liger.protocol(metric, timed).document
        for metric in ("speed", "memory") for timed in ("forward", "backward", "full", "no-grad-forward")
    }  # fmt: skip
    made |= {f"kernelbot {statistic}": kernelbot.score_protocol(statistic) for statistic in ("geomean", "unspecified")}
    made["kernelbot per case"] = kernelbot.per_case_protocol()
    for dialect in (flashinfer.DIALECT, sol_execbench.DIALECT):
        for timer in ("harness_reported", "cupti", "cuda_events"):
            made[f"{dialect.family} {timer}"] = trace_protocol(dialect, timer)
    return made


def test_every_protocol_of_the_importers_has_a_bundled_note() -> None:
    told = notes.bundled()
    lacking = [
        name
        for name, document in protocols_of_the_importers().items()
        if not {digest_of(document), f"family:{document['spec']['comparability']['family']}"} & told.keys()
    ]
    assert lacking == []
    families = ("nvbench", "nvbench_batch", "triton_perf_report", "kernel_tuner", "sol_execbench_leaderboard")
    assert [family for family in families if f"family:{family}" not in told] == []


@pytest.mark.shared
def test_every_protocol_of_the_original_s_catalog_has_a_bundled_note() -> None:
    told = notes.bundled()
    protocols = {
        entry.protocol["metadata"]["name"]: entry.protocol
        for entry in catalog_export.translate(input_files(next((SHARED / "data/catalog").iterdir())), Known())
        if isinstance(entry, RunEntry)
    }
    assert len(protocols) == 6
    for name, protocol in protocols.items():
        assert {digest_of(protocol), f"family:{protocol['spec']['comparability']['family']}"} & told.keys(), name


# Succession


def test_a_protocol_is_continued_by_another_and_no_rank_moves(protocols: dict[str, Protocol]) -> None:
    before = list(Standing.objects.order_by("pk").values())
    said = notes.succeed(protocols["first"], successor=protocols["second"], **BY_ADA)
    assert (said.protocol, said.successor, said.reason) == (protocols["first"], protocols["second"], "read the code")
    event = AuditEvent.objects.get()
    assert (event.action, event.target, event.detail) == (
        "protocol succeeded", protocols["first"].digest, {"successor": protocols["second"].digest},
    )  # fmt: skip
    assert list(Standing.objects.order_by("pk").values()) == before


def test_the_newest_word_holds_and_an_empty_one_revokes(protocols: dict[str, Protocol]) -> None:
    first, second, third = (protocols[name] for name in ("first", "second", "third"))
    notes.succeed(first, successor=second, **BY_ADA)
    notes.succeed(first, successor=third, **BY_ADA | {"now": LATER})
    with pytest.raises(NoteError, match="This is its successor already"):
        notes.succeed(first, successor=third, **BY_ADA | {"now": LATER})
    notes.succeed(first, successor=None, **BY_ADA | {"now": LATER + timedelta(1)})
    with pytest.raises(NoteError, match="no successor to revoke"):
        notes.succeed(first, successor=None, **BY_ADA | {"now": LATER + timedelta(2)})
    assert ProtocolSuccession.objects.count() == 3


def test_no_protocol_is_continued_by_itself(protocols: dict[str, Protocol]) -> None:
    first, second, third = (protocols[name] for name in ("first", "second", "third"))
    with pytest.raises(NoteError, match="by itself"):
        notes.succeed(first, successor=first, **BY_ADA)
    notes.succeed(first, successor=second, **BY_ADA)
    notes.succeed(second, successor=third, **BY_ADA)
    with pytest.raises(NoteError, match="by itself, directly or by way of others"):
        notes.succeed(third, successor=first, **BY_ADA)
    notes.succeed(second, successor=None, **BY_ADA | {"now": LATER})
    notes.succeed(third, successor=first, **BY_ADA | {"now": LATER})


def test_a_succession_has_a_reason(protocols: dict[str, Protocol]) -> None:
    with pytest.raises(NoteError, match="State a reason"):
        notes.succeed(protocols["first"], successor=protocols["second"], reason="", actor=ADA, now=NOW)
    assert ProtocolSuccession.objects.count() == 0


def test_the_command_says_what_became_of_each_bundled_note(db: None) -> None:
    notes.write(subject=FAMILY, sentences=note("Flushed."), **BY_ADA)
    said = StringIO()
    call_command("load_protocol_notes", stdout=said)
    lines = said.getvalue().splitlines()
    assert "written: family:liger_kernel_bench" in lines
    assert f"kept as a person wrote it: {FAMILY}" in lines
    assert lines[-1] == f"{len(notes.bundled()) - 1} written, 0 unchanged, 1 kept"
