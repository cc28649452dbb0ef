"""verify_registry: a registry that was only written by its own acts holds, and each of 100 corruptions is named.

A corruption is done to a copy: inside a transaction that is rolled back, with the guards off and foreign keys deferred.
"""

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection, models, transaction
from django.test import override_settings

from registry import artifacts, bulk, corrections, guards, incidents, notes, syncs
from registry.core.digest import canonical, sha256
from registry.importers.base import AliasEntry, ArtifactEntry, DocumentEntry, Entry, Place, RunEntry, SourceEntry
from registry.ingest import SnapshotFile, ingest
from registry.models import (
    Artifact,
    AuditEvent,
    Batch,
    ComparisonGroup,
    Coverage,
    Environment,
    EvidenceFact,
    EvidenceLevel,
    GroupStanding,
    Hardware,
    Implementation,
    Incident,
    IncidentReversal,
    Mark,
    Operation,
    OperationAlias,
    Project,
    ProjectRevision,
    Protocol,
    ProtocolNote,
    ProtocolSuccession,
    Record,
    Redaction,
    Run,
    RunArtifact,
    Sighting,
    Snapshot,
    Source,
    Standing,
    StoredObject,
    Sync,
    Workload,
)
from registry.verifying import Difference, VerifyReport, verify
from tests.conftest import NOW

LATER = NOW + timedelta(days=1)
MUCH_LATER = NOW + timedelta(days=2)
ALICE, BOB = UUID(int=1), UUID(int=2)
NOBODY = UUID("00000000-0000-7000-8000-000000000000")
SAMPLES = b"209838\n209840\n"
Cast = SimpleNamespace

pytestmark = pytest.mark.django_db


# --- the registry that is verified: the demo, an import as from an export, and each act of staff


def export_like() -> Iterator[Entry]:
    """Rows of a kind that the demo lacks: aliases, artifacts, files of runs, a second revision, marks by the source."""
    bundle = json.loads(syncs.DEMO_SOL.read_text())
    place = Place("export.jsonl", 7, "")
    operation_id = UUID(int=11)
    project = copy.deepcopy(bundle["projects"][0])
    project["spec"]["homepage"] = "https://example.org/ac4k"
    yield DocumentEntry("SoftwareProject", project, lambda path: place, slug="sol-user-ac4k")
    yield DocumentEntry("OperationSpec", bundle["operations"][0], lambda path: place, id=operation_id)
    yield AliasEntry(operation_id, "adain backward", place)
    yield ArtifactEntry(sha256(b"kernel"), "source", "text/plain", 6, "https://example.org/k.cu", "MIT", place)
    for number, value in ((1, 209_000), (2, 208_000), (3, 207_000)):
        entry = copy.deepcopy(bundle["runs"][0])
        spec = entry["run"]["spec"]
        spec["timing"]["latencyNs"]["mean"] = value
        spec["observedAt"] = f"2026-07-1{number}T00:00:00Z"
        spec["sourceNative"]["externalId"] = f"more-{number}"
        if number == 1:
            spec["evidence"] = {
                "rawSamples": {"uri": "https://example.org/samples.csv", "digest": sha256(SAMPLES)},
                "logs": {"uri": "https://example.org/log.txt", "digest": sha256(b"a log that is not held")},
            }
        yield RunEntry(
            entry["run"],
            entry["protocol"],
            entry["environment"],
            lambda path: place,
            id=UUID(int=20 + number),
            published_at=datetime(2026, 8, 1, 10, 0, 0, 123456, UTC),
            withdrawn=(datetime(2026, 8, 2, tzinfo=UTC), "measured with the wrong clock") if number == 2 else None,
            supersedes=UUID(int=22) if number == 3 else None,
        )


def import_export() -> None:
    source = SourceEntry("catalog-export", "A catalog's export", "channel")
    ingest(export_like(), source=source, snapshot=SnapshotFile("export.jsonl", sha256(b"export"), 6), now=LATER)


def act(cast: Cast) -> None:
    staff: dict[str, Any] = {"reason": "a reason", "now": MUCH_LATER}
    corrections.withdraw([cast.withdrawn], actor=ALICE, **staff)
    [cast.flag] = corrections.flag([cast.flagged], rule="DISQUALIFIED_UPSTREAM", actor=ALICE, **staff)
    [mark] = corrections.flag([cast.cleared], rule="IMPLAUSIBLE", actor=ALICE, **staff)
    [cast.clearing] = corrections.clear([mark], actor=BOB, **staff)
    cast.supersession = corrections.supersede(cast.superseded, successor=cast.successor, actor=ALICE, **staff)
    request = corrections.request_redaction(cast.redacted, reason_class="legal", actor=ALICE, **staff)
    cast.redaction = corrections.approve_redaction(request, citation="as cited", actor=BOB, now=MUCH_LATER)
    corrections.request_redaction(cast.seed, reason_class="legal", actor=ALICE, **staff)
    told = {"text": "a text", "evidence_url": "", "criteria": {"protocols": [cast.first.protocol.digest]}}
    incidents.publish(title="noted", effect="note", actor=ALICE, **told, **staff)
    mistaken = incidents.publish(title="mistaken", effect="unrank", actor=ALICE, **told, **staff)
    incidents.reverse(mistaken, actor=BOB, **staff)
    notes.load_bundled(now=MUCH_LATER)
    notes.succeed(cast.seed.protocol, successor=cast.first.protocol, actor=ALICE, **staff)


def make_cast() -> Cast:
    trio = list(Run.objects.filter(group__standing__run_count=3, source__slug="sol-execbench").order_by("value"))
    swept = list(Run.objects.filter(source__slug="liger-kernel-bench").order_by("group_id", "value"))
    seed = Run.objects.get(external_id="16893")
    first, second, third = trio
    return Cast(
        seed=seed, first=first, second=second, third=third, best=swept[0], next=swept[1], withdrawn=swept[2],
        flagged=swept[4], cleared=swept[6], superseded=swept[8], successor=swept[9], redacted=swept[11],
        swept=swept[14], other=swept[16],
    )  # fmt: skip


@pytest.fixture(scope="class")
def loaded(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[Cast]:
    """Load once for all tests of a class, in a transaction around theirs."""
    media = tmp_path_factory.mktemp("verified") / "media"
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=media), transaction.atomic():
        syncs.load_demo(now=NOW)
        artifacts.store_bytes(SAMPLES, now=NOW)
        cast = make_cast()
        import_export()
        cast.sampled = Run.objects.get(external_id="more-1")
        act(cast)
        connection.check_constraints()
        cast.media = media
        django_db_blocker.block()
        yield cast
        django_db_blocker.unblock()
        transaction.set_rollback(True)
    django_db_blocker.restore()


@pytest.fixture
def cast(loaded: Cast, db: None, settings: Any, tmp_path: Path) -> Cast:
    """The loaded registry, with a copy of its files."""
    settings.MEDIA_ROOT = tmp_path / "copy"
    shutil.copytree(loaded.media, settings.MEDIA_ROOT)
    return loaded


# --- what holds


def test_the_demo_holds(demo: None) -> None:
    report = verify()
    assert report.differences == ()
    assert report.rows["registry_run"] == 52
    assert report.seconds < 5


def test_an_empty_registry_holds(db: None) -> None:
    assert verify().holds


VERIFIED: tuple[type[models.Model], ...] = (
    Artifact, AuditEvent, Batch, ComparisonGroup, Coverage, Environment, EvidenceFact, EvidenceLevel, GroupStanding,
    Hardware, Implementation, Incident, IncidentReversal, Mark, Operation, OperationAlias, Project, ProjectRevision,
    Protocol, ProtocolNote, ProtocolSuccession, Record, Redaction, corrections.RedactionRequest, Run, RunArtifact,
    Sighting, Snapshot, Standing, StoredObject, Workload,
)  # fmt: skip


def test_the_command_exits_0_and_counts_when_all_holds(demo: None) -> None:
    out = StringIO()
    call_command("verify_registry", stdout=out)
    assert "  registry_run: 52\n" in out.getvalue()
    assert "all holds" in out.getvalue()


def test_the_command_names_each_difference_and_exits_1(demo: None) -> None:
    EvidenceLevel.objects.filter(run=make_cast().seed).update(level="verified")
    out = StringIO()
    with pytest.raises(SystemExit) as exit_code:
        call_command("verify_registry", stdout=out)
    assert exit_code.value.code == 1
    assert "CACHE registry_evidencelevel " in out.getvalue()
    assert "(stored verified; derived reported)" in out.getvalue()


def test_the_command_writes_json(demo: None) -> None:
    seed = make_cast().seed
    EvidenceLevel.objects.filter(run=seed).update(level="verified")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("verify_registry", "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert report["holds"] is False
    assert report["rows"]["registry_run"] == 52
    assert report["differences"] == [
        {
            "check": "CACHE",
            "table": "registry_evidencelevel",
            "row": str(seed.pk),
            "column": "level",
            "stored": "verified",
            "derived": "reported",
            "text": "is not what follows from the runs and their marks",
        }
    ]


# A copy of a row with these columns its own. Not here: tables with one row for each run or group; sources, which are
# curated; audit events, of which one that tells of no mark and no redaction is as good as any.
SMUGGLED: dict[type[models.Model], dict[str, Any]] = {
    Artifact: {"digest": sha256("another")},
    Batch: {},
    ComparisonGroup: {"key": sha256("another")},
    Coverage: {"snapshot_id": NOBODY},
    Environment: {"digest": sha256("another")},
    EvidenceFact: {},
    Hardware: {"slug": "another"},
    Implementation: {"name": "another"},
    Incident: {"slug": "another"},
    Mark: {},
    Operation: {"digest": sha256("another"), "slug": "another"},
    OperationAlias: {"alias": "another"},
    Project: {"slug": "another"},
    ProjectRevision: {"digest": sha256("another")},
    Protocol: {"digest": sha256("another")},
    ProtocolNote: {"version": 2},
    ProtocolSuccession: {},
    Record: {},
    Redaction: {"request_id": NOBODY, "target_id": NOBODY},
    corrections.RedactionRequest: {},
    Run: {"digest": sha256("another")},
    RunArtifact: {"role": "another"},
    Sighting: {"snapshot_id": NOBODY},
    Snapshot: {"sha256": sha256("another")},
    StoredObject: {"digest": sha256("another")},
    Workload: {"digest": sha256("another")},
}


# --- how a corruption is done


def put(row: models.Model, **columns: Any) -> None:
    assert type(row)._default_manager.filter(pk=row.pk).update(**columns) == 1


def drop(model: type[models.Model], **which: Any) -> None:
    query = model._default_manager.filter(**which)
    assert query.exists()
    query._raw_delete(query.db)  # past Django's own protection of what is referred to


def add(row: models.Model, **columns: Any) -> None:
    values = type(row)._default_manager.filter(pk=row.pk).values().get()
    bulk.insert(type(row), [values | columns])


def rehash(row: Any, text: str) -> None:
    put(row, canonical=text, digest=sha256(text))


def sql(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def swap(left: Any, right: Any, *columns: str) -> None:
    put(left, **{column: getattr(right, column) for column in columns})
    put(right, **{column: getattr(left, column) for column in columns})


def flip(text: str) -> str:
    """Change one digit of a text: the last that is no zero."""
    at = max(text.rfind(digit) for digit in "123456789")
    return f"{text[:at]}{int(text[at]) % 9 + 1}{text[at + 1 :]}"


def file_of(digest: str) -> Path:
    return Path(default_storage.path(artifacts.object_path(digest)))


def standing(run: Run) -> Standing:
    return Standing.objects.get(run=run)


def of_group(run: Run) -> GroupStanding:
    return GroupStanding.objects.get(group=run.group_id)


def sighting(run: Run) -> Sighting:
    return Sighting.objects.get(run=run)


def by_staff(run: Run) -> Mark:
    return Mark.objects.get(run=run, batch=None)


def by_source(run: Run) -> Mark:
    return Mark.objects.exclude(batch=None).get(run=run)


def with_field(run: Run) -> str:
    document = json.loads(run.canonical)
    document["spec"]["verified"] = True
    return canonical(document)


def relabelled(row: Any) -> str:
    return canonical(json.loads(row.metadata) | {"title": "The fastest kernel"})


def drop_guard(run: Run) -> None:
    if connection.vendor == "sqlite":
        sql("DROP TRIGGER registry_run_no_update")
    else:
        sql("DROP TRIGGER registry_run_no_change ON registry_run")


def weaken_guard() -> None:
    if connection.vendor == "sqlite":
        sql(
            "DROP TRIGGER registry_mark_no_delete",
            "CREATE TRIGGER registry_mark_no_delete BEFORE DELETE ON registry_mark BEGIN SELECT 1; END",
        )
    else:
        sql(
            "CREATE OR REPLACE FUNCTION registry_mark_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$guard$ BEGIN RETURN NEW; END $guard$"
        )


def double_the_alias() -> None:
    """The table anew, without its constraints, with its row twice."""
    table = OperationAlias._meta.db_table
    sql(
        f"CREATE TABLE registry_copy AS SELECT * FROM {table} UNION ALL SELECT * FROM {table}",
        f"DROP TABLE {table}",
        f"ALTER TABLE registry_copy RENAME TO {table}",
    )


def digest(of: str) -> Callable[[Cast], Any]:
    return lambda c: getattr(c, of).digest


def pk(of: str) -> Callable[[Cast], Any]:
    return lambda c: getattr(c, of).pk


def batch(of: str) -> Callable[[Cast], Any]:
    return lambda c: getattr(c, of).batch_id


# --- the corruptions: what is done; check, table, column and row by which it must be named

Corruption = tuple[str, Callable[[Cast], Any], str, str, str, Callable[[Cast], Any]]
BYTES: list[Corruption] = [
    ("a digit of a run's bytes", lambda c: put(c.seed, canonical=flip(c.seed.canonical)),
     "DIGEST", "registry_run", "canonical", digest("seed")),
    ("a digit of an operation's bytes", lambda c: put(c.seed.operation, canonical=flip(c.seed.operation.canonical)),
     "DIGEST", "registry_operation", "canonical", lambda c: c.seed.operation.digest),
    ("a digit of a workload's bytes", lambda c: put(c.seed.workload, canonical=flip(c.seed.workload.canonical)),
     "DIGEST", "registry_workload", "canonical", lambda c: c.seed.workload.digest),
    ("a digit of a protocol's bytes", lambda c: put(c.seed.protocol, canonical=flip(c.seed.protocol.canonical)),
     "DIGEST", "registry_protocol", "canonical", lambda c: c.seed.protocol.digest),
    ("a digit of an environment's bytes",
     lambda c: put(c.seed.environment, canonical=flip(c.seed.environment.canonical)),
     "DIGEST", "registry_environment", "canonical", lambda c: c.seed.environment.digest),
    ("a digit of an implementation's bytes",
     lambda c: put(c.seed.implementation, canonical=flip(c.seed.implementation.canonical)),
     "DIGEST", "registry_implementation", "canonical", lambda c: c.seed.implementation.pk),
    ("a letter of a project's bytes",
     lambda c: put(ac4k().newest, canonical=ac4k().newest.canonical.replace("ac4k", "ac5k")),
     "DIGEST", "registry_projectrevision", "canonical", lambda c: ac4k().newest_id),
    ("a space in a run's bytes, hashed anew", lambda c: rehash(c.seed, c.seed.canonical.replace(",", ", ", 1)),
     "NOT_CANONICAL", "registry_run", "canonical", lambda c: sha256(c.seed.canonical.replace(",", ", ", 1))),
    ("a faster time in a run's bytes, hashed anew",
     lambda c: rehash(c.seed, c.seed.canonical.replace("209838", "109838")),
     "DERIVED", "registry_run", "value", lambda c: sha256(c.seed.canonical.replace("209838", "109838"))),
    ("a run's bytes cut short", lambda c: put(c.seed, canonical=c.seed.canonical[:-1]),
     "NOT_JSON", "registry_run", "canonical, metadata", digest("seed")),
    ("a member that no run has, hashed anew", lambda c: rehash(c.seed, with_field(c.seed)),
     "SHAPE", "registry_run", "canonical, metadata", lambda c: sha256(with_field(c.seed))),
    ("a protocol's bytes for a run's", lambda c: put(c.seed, canonical=c.seed.protocol.canonical),
     "KIND", "registry_run", "canonical", digest("seed")),
    ("the bytes of two runs swapped", lambda c: swap(c.first, c.second, "canonical"),
     "DIGEST", "registry_run", "canonical", digest("second")),
    ("a run blanked", lambda c: put(c.seed, canonical=""),
     "BLANK_WITHOUT_REDACTION", "registry_run", "canonical", digest("seed")),
]  # fmt: skip
DIGESTS: list[Corruption] = [
    ("a run's digest", lambda c: put(c.seed, digest=sha256("another")),
     "DIGEST", "registry_run", "canonical", lambda c: sha256("another")),
    ("a workload's digest", lambda c: put(c.seed.workload, digest=sha256("another")),
     "REFERENCE", "registry_run", "workload_id", digest("seed")),
    ("an artifact's digest", lambda c: put(Artifact.objects.get(), digest=sha256("another")),
     "BATCH_CONTENTS", "registry_batch", "contents", lambda c: Artifact.objects.get().batch_id),
    ("a run's file's digest", lambda c: put(samples(), digest=sha256("another")),
     "DERIVED", "registry_runartifact", "digest", lambda c: samples().pk),
    ("a snapshot's sha256", lambda c: put(sighting(c.seed).snapshot, sha256=sha256("another")),
     "ROW_ID", "registry_snapshot", "id", lambda c: sighting(c.seed).snapshot_id),
    ("a stored object's digest", lambda c: put(StoredObject.objects.get(pk=sha256(SAMPLES)), digest=sha256("another")),
     "STORED_FILE", "registry_storedobject", "digest", lambda c: sha256("another")),
]  # fmt: skip
METADATA: list[Corruption] = [
    ("a run's title in its metadata", lambda c: put(c.seed, metadata=relabelled(c.seed)),
     "METADATA_DIGEST", "registry_run", "metadata", digest("seed")),
    ("metadata's own sha256", lambda c: put(c.seed, metadata_sha256=sha256("another")),
     "METADATA_DIGEST", "registry_run", "metadata", digest("seed")),
    ("metadata and its sha256 and the column", lambda c: put(
        c.seed, metadata=relabelled(c.seed), metadata_sha256=sha256(relabelled(c.seed)), title="The fastest kernel"),
     "BATCH_CONTENTS", "registry_batch", "contents", batch("seed")),
    ("a space in metadata, hashed anew", lambda c: put(
        c.seed, metadata=c.seed.metadata + " ", metadata_sha256=sha256(c.seed.metadata + " ")),
     "NOT_CANONICAL", "registry_run", "metadata", digest("seed")),
]  # fmt: skip
REFERENCES: list[Corruption] = [
    ("a run's workload", lambda c: put(c.best, workload=c.seed.workload),
     "REFERENCE", "registry_run", "workload_id", digest("best")),
    ("a run's implementation", lambda c: put(c.first, implementation=c.second.implementation),
     "REFERENCE", "registry_run", "implementation_id", digest("first")),
    ("a run's protocol", lambda c: put(c.seed, protocol=c.first.protocol),
     "REFERENCE", "registry_run", "protocol_id", digest("seed")),
    ("a run's operation", lambda c: put(c.seed, operation=c.best.operation),
     "REFERENCE", "registry_run", "operation_id", digest("seed")),
    ("a run's source", lambda c: put(c.seed, source=c.best.source),
     "BATCH_CONTENTS", "registry_batch", "contents", batch("seed")),
    ("a workload's operation", lambda c: put(c.seed.workload, operation=c.best.operation),
     "REFERENCE", "registry_workload", "operation_id", lambda c: c.seed.workload.digest),
    ("an implementation's project", lambda c: put(c.seed.implementation, project=c.best.implementation.project),
     "BATCH_CONTENTS", "registry_batch", "contents", lambda c: c.seed.implementation.batch_id),
    ("an environment's hardware", lambda c: put(c.seed.environment, hardware=c.best.environment.hardware),
     "REFERENCE", "registry_environment", "hardware_id", lambda c: c.seed.environment.digest),
    ("a batch's source", lambda c: put(c.seed.batch, source=c.best.source),
     "REFERENCE", "registry_batch", "source_id", batch("seed")),
    ("a run of an implementation that is not there", lambda c: put(c.seed, implementation_id=NOBODY),
     "DANGLING", "registry_run", "implementation_id", digest("seed")),
    ("a successor that is not there", lambda c: put(c.supersession, successor_id=NOBODY),
     "DANGLING", "registry_mark", "successor_id", pk("supersession")),
    ("hardware that is gone", lambda c: drop(Hardware, pk=c.seed.environment.hardware_id),
     "DANGLING", "registry_environment", "hardware_id", lambda c: c.seed.environment.digest),
]  # fmt: skip
KEYS: list[Corruption] = [
    ("a group's key", lambda c: put(c.seed.group, key=sha256("another")),
     "GROUP_KEY", "registry_comparisongroup", "key", lambda c: sha256("another")),
    ("a group's protocol", lambda c: put(c.seed.group, protocol=c.first.protocol),
     "GROUP_KEY", "registry_comparisongroup", "key", lambda c: c.seed.group.key),
    ("a group's correctness", lambda c: put(c.seed.group, correctness=sha256("another")),
     "DERIVED", "registry_comparisongroup", "correctness", lambda c: c.seed.group.key),
    ("two runs in each other's group", lambda c: swap(c.seed, c.first, "group_id"),
     "GROUP_KEY", "registry_run", "group_id", digest("first")),
]  # fmt: skip
DERIVED: list[Corruption] = [
    ("a run's value", lambda c: put(c.seed, value=109838.0), "DERIVED", "registry_run", "value", digest("seed")),
    ("a run's date of observation", lambda c: put(c.seed, observed_at=NOW),
     "DERIVED", "registry_run", "observed_at", digest("seed")),
    ("a workload's axes", lambda c: put(c.best.workload, axes={"N": 1}),
     "DERIVED", "registry_workload", "axes", lambda c: c.best.workload.digest),
    ("a protocol's statistic", lambda c: put(c.best.protocol, statistic="mean"),
     "DERIVED", "registry_protocol", "statistic", lambda c: c.best.protocol.digest),
    ("a GPU's form factor", lambda c: put(c.best.environment.hardware, form_factor="NVL"),
     "DERIVED", "registry_hardware", "form_factor", lambda c: c.best.environment.hardware_id),
    ("an implementation's author", lambda c: put(c.seed.implementation, author="somebody else"),
     "DERIVED", "registry_implementation", "author", lambda c: c.seed.implementation_id),
    ("a project's name", lambda c: put(ac4k(), name="ac5k"), "NEWEST", "registry_project", "name", lambda c: ac4k().pk),
    ("a project's newest revision", lambda c: put(ac4k(), newest=ac4k().revisions.earliest("created_at")),
     "NEWEST", "registry_project", "newest_id", lambda c: ac4k().pk),
]  # fmt: skip
BATCHES: list[Corruption] = [
    ("a run backdated", lambda c: put(c.best, published_at=NOW - timedelta(days=365)),
     "BATCH_CONTENTS", "registry_batch", "contents", batch("best")),
    ("an operation's address", lambda c: put(c.seed.operation, slug="another"),
     "BATCH_CONTENTS", "registry_batch", "contents", lambda c: c.seed.operation.batch_id),
    ("an implementation's address", lambda c: put(c.seed.implementation, slug="another"),
     "BATCH_CONTENTS", "registry_batch", "contents", lambda c: c.seed.implementation.batch_id),
    ("what was taken of a source", lambda c: put(coverage(c.best), taken=250),
     "BATCH_CONTENTS", "registry_batch", "contents", lambda c: coverage(c.best).batch_id),
    ("a sighting's upstream key", lambda c: put(sighting(c.seed), upstream_key="submission/1"),
     "ROW_ID", "registry_sighting", "upstream_key", lambda c: sighting(c.seed).pk),
    ("an alias", lambda c: put(OperationAlias.objects.get(), alias="gemm"),
     "BATCH_CONTENTS", "registry_batch", "contents", lambda c: OperationAlias.objects.get().batch_id),
    ("a batch's instant", lambda c: put(c.seed.batch, at=LATER),
     "ROW_ID", "registry_batch", "id", batch("seed")),
    ("a batch's contents", lambda c: put(c.seed.batch, contents=sha256("another")),
     "BATCH_CONTENTS", "registry_batch", "contents", batch("seed")),
    ("a batch's counts", lambda c: put(c.best.batch, counts=c.best.batch.counts | {"registry_run": 47}),
     "BATCH_COUNT", "registry_run", "", batch("best")),
    ("a run moved to another batch", lambda c: put(c.best, batch=c.first.batch),
     "BATCH_COUNT", "registry_run", "", batch("first")),
]  # fmt: skip
CACHES: list[Corruption] = [
    ("a rank", lambda c: put(standing(c.third), rank=1), "CACHE", "registry_standing", "rank", pk("third")),
    ("two positions swapped", lambda c: swap(standing(c.first), standing(c.second), "position"),
     "CACHE", "registry_standing", "position", pk("second")),
    ("a ratio to the best", lambda c: put(standing(c.second), ratio=1.01),
     "CACHE", "registry_standing", "ratio", pk("second")),
    ("a reason taken away", lambda c: put(standing(c.withdrawn), reasons=[]),
     "CACHE", "registry_standing", "reasons", pk("withdrawn")),
    ("a group's best", lambda c: put(of_group(c.first), best=c.second),
     "CACHE", "registry_groupstanding", "best_id", lambda c: c.first.group_id),
    ("a record's kind", lambda c: put(record(c.seed), kind="took the lead"),
     "CACHE", "registry_record", "kind", lambda c: record(c.seed).pk),
    ("a record gone", lambda c: drop(Record, run=c.seed),
     "MISSING", "registry_record", "", lambda c: record(c.seed).pk),
    ("a record of nobody's lead", lambda c: add(record(c.seed), id=NOBODY, run_id=c.withdrawn.pk),
     "EXTRA", "registry_record", "", lambda c: NOBODY),
    ("a standing gone", lambda c: drop(Standing, run=c.seed), "MISSING", "registry_standing", "", pk("seed")),
    ("a level raised", lambda c: put(c.seed.evidence, level="replicated"),
     "CACHE", "registry_evidencelevel", "level", pk("seed")),
    ("a level gone", lambda c: drop(EvidenceLevel, run=c.seed), "MISSING", "registry_evidencelevel", "", pk("seed")),
]  # fmt: skip
ROWS: list[Corruption] = [
    ("a run gone", lambda c: drop(Run, pk=c.best.pk), "BATCH_COUNT", "registry_run", "", batch("best")),
    ("a run smuggled in", lambda c: add(c.best, id=NOBODY, digest=sha256("another")),
     "BATCH_COUNT", "registry_run", "", batch("best")),
    ("a sighting gone", lambda c: drop(Sighting, run=c.best), "BATCH_COUNT", "registry_sighting", "", batch("best")),
    ("a source's flag gone", lambda c: drop(Mark, pk=by_source(c.best).pk),
     "BATCH_COUNT", "registry_mark", "", batch("best")),
    ("an artifact gone", lambda c: drop(Artifact), "BATCH_COUNT", "registry_artifact", "",
     lambda c: Artifact.objects.get().batch_id),
    ("a run's file gone", lambda c: drop(RunArtifact, role="log"),
     "MISSING", "registry_runartifact", "role", digest("sampled")),
    ("an alias twice, its constraint gone", lambda c: double_the_alias(),
     "NOT_UNIQUE", "registry_operationalias", "id", lambda c: OperationAlias.objects.get().pk),
    ("a group without runs", lambda c: add(c.seed.group, id=NOBODY, key=sha256("another")),
     "EMPTY_GROUP", "registry_comparisongroup", "", lambda c: sha256("another")),
    ("a project without revisions", lambda c: add(ac4k(), id=NOBODY, slug="another"),
     "NO_REVISION", "registry_project", "newest_id", lambda c: NOBODY),
    ("a batch gone", lambda c: drop(Batch, pk=c.seed.batch_id),
     "DANGLING", "registry_run", "batch_id", digest("seed")),
]  # fmt: skip
EVIDENCE: list[Corruption] = [
    ("a fact gone", lambda c: drop(EvidenceFact, run=c.sampled),
     "MISSING", "registry_evidencefact", "run_id", pk("sampled")),
    ("a fact of a run that has no files", lambda c: add(EvidenceFact.objects.get(), id=NOBODY, run_id=c.seed.pk),
     "UNBACKED_FACT", "registry_evidencefact", "detail", lambda c: NOBODY),
]  # fmt: skip
MARKS: list[Corruption] = [
    ("a withdrawal that no act made", lambda c: add(by_staff(c.withdrawn), id=NOBODY, run_id=c.seed.pk, audit_id=None),
     "MARK_WITHOUT_AUDIT", "registry_mark", "audit_id", lambda c: NOBODY),
    ("a withdrawal gone, its act on record", lambda c: drop(Mark, run=c.withdrawn, batch=None),
     "AUDIT_WITHOUT_MARK", "registry_auditevent", "", lambda c: by_staff(c.withdrawn).audit_id),
    ("a mark's reason", lambda c: put(by_staff(c.withdrawn), reason="another"),
     "MARK_AUDIT", "registry_mark", "reason", lambda c: by_staff(c.withdrawn).pk),
    ("an act's actor", lambda c: put(c.flag.audit, actor=BOB), "MARK_AUDIT", "registry_mark", "actor", pk("flag")),
    ("a flag that blocks no more", lambda c: put(c.flag, is_blocking=False),
     "MARK", "registry_mark", "is_blocking", pk("flag")),
    ("a clearing of another run's flag", lambda c: put(c.clearing, clears=c.flag),
     "MARK", "registry_mark", "clears_id", pk("clearing")),
    ("a supersession by nobody", lambda c: put(c.supersession, successor=None),
     "MARK", "registry_mark", "successor_id", pk("supersession")),
]  # fmt: skip
REDACTIONS: list[Corruption] = [
    ("a redaction gone", lambda c: drop(Redaction, pk=c.redaction.pk),
     "BLANK_WITHOUT_REDACTION", "registry_run", "canonical", digest("redacted")),
    ("a redaction by one person", lambda c: put(c.redaction, approved_by=ALICE),
     "REDACTION", "registry_redaction", "approved_by", pk("redaction")),
    ("a redaction that nobody asked for", lambda c: drop(corrections.RedactionRequest, pk=c.redaction.request_id),
     "DANGLING", "registry_redaction", "request_id", pk("redaction")),
    ("a redaction's act off the record", lambda c: drop(AuditEvent, action="redacted"),
     "REDACTION_WITHOUT_AUDIT", "registry_redaction", "", pk("redaction")),
    ("a redacted name put back", lambda c: put(c.redacted, name="put back"),
     "REDACTION_INCOMPLETE", "registry_run", "name", digest("redacted")),
    ("the value of a redacted run", lambda c: put(c.redacted, value=1.0),
     "BATCH_CONTENTS", "registry_batch", "contents", batch("redacted")),
]  # fmt: skip
OBJECTS: list[Corruption] = [
    ("a stored file altered", lambda c: file_of(sha256(SAMPLES)).write_bytes(SAMPLES[::-1]),
     "STORED_FILE", "registry_storedobject", "digest", lambda c: sha256(SAMPLES)),
    ("a stored file gone", lambda c: file_of(sha256(SAMPLES)).unlink(),
     "STORED_FILE", "registry_storedobject", "path", lambda c: sha256(SAMPLES)),
    ("a snapshot's size", lambda c: put(sighting(c.seed).snapshot, size_bytes=1),
     "STORED_SIZE", "registry_snapshot", "size_bytes", lambda c: sighting(c.seed).snapshot_id),
    ("a stored object's row gone", lambda c: drop(StoredObject, pk=sha256(SAMPLES)),
     "MISSING", "registry_storedobject", "digest", lambda c: sha256(SAMPLES)),
]  # fmt: skip
GUARDS: list[Corruption] = [
    ("a guard dropped", lambda c: drop_guard(c.seed), "GUARD", "registry_run", "", lambda c: GUARD_DROPPED),
    ("a guard that lets through", lambda c: weaken_guard(), "GUARD", "registry_mark", "", lambda c: GUARD_WEAKENED),
]  # fmt: skip
IS_SQLITE = connection.vendor == "sqlite"
GUARD_DROPPED = "registry_run_no_update" if IS_SQLITE else "registry_run_no_change"
GUARD_WEAKENED = "registry_mark_no_delete" if IS_SQLITE else "registry_mark_no_change.function"
GROUPS = (BYTES, DIGESTS, METADATA, REFERENCES, KEYS, DERIVED, BATCHES, CACHES, ROWS, EVIDENCE, MARKS, REDACTIONS,
          OBJECTS, GUARDS)  # fmt: skip
CORRUPTIONS = [corruption for group in GROUPS for corruption in group]


def ac4k() -> Project:
    return Project.objects.get(name__in=("ac4k", "ac5k"), revisions__homepage__isnull=False)


def samples() -> RunArtifact:
    return RunArtifact.objects.get(role="raw samples")


def coverage(run: Run) -> Coverage:
    return Coverage.objects.get(group=run.group_id)


def record(run: Run) -> Record:
    return Record.objects.get(run=run)


def test_a_hundred_corruptions_are_listed_each_by_its_own_name() -> None:
    assert len({name for name, *_ in CORRUPTIONS}) == len(CORRUPTIONS) == 100


def corrupted(cast: Cast, corrupt: Callable[[Cast], Any], *, keep_guards: bool) -> VerifyReport:
    with transaction.atomic():
        if not keep_guards:
            guards.remove(connection)
        corrupt(cast)
        report = verify()
        transaction.set_rollback(True)
    return report


def shown(differences: list[Difference]) -> str:
    return "\n".join(map(str, differences)) or "nothing was found"


class TestTheLoadedRegistry:
    def test_a_registry_holds_after_every_kind_of_act(self, cast: Cast) -> None:
        report = verify()
        assert report.differences == ()
        assert report.redacted == {"registry_run": 1, "registry_sighting": 1}
        assert report.rows == {model._meta.db_table: model._default_manager.count() for model in VERIFIED}

    def test_importing_twice_leaves_a_registry_that_holds(self, cast: Cast) -> None:
        import_export()
        syncs.load_demo(now=MUCH_LATER)
        assert verify().differences == ()

    def test_what_only_some_rows_may_have_once_is_named(self, cast: Cast) -> None:
        def queue_twice(c: Cast) -> None:
            sql("DROP INDEX one_sync_at_a_time")
            source = Sync.objects.order_by("requested_at").values_list("source", flat=True)[:1]
            for sync in Sync.objects.filter(source__in=list(source))[:1]:
                Sync.objects.filter(pk=sync.pk).update(state="queued")
                add(sync, id=NOBODY, state="running")

        report = corrupted(cast, queue_twice, keep_guards=True)
        assert [(d.check, d.table, d.column, d.text) for d in report.differences] == [
            ("NOT_UNIQUE", "registry_sync", "source", "stands 2 times")
        ]

    def test_a_value_that_its_column_cant_hold_is_named(self, cast: Cast) -> None:
        if connection.vendor != "sqlite":
            return  # PostgreSQL refuses it
        statement = f"UPDATE registry_run SET source_id = 'nobody' WHERE id = '{cast.seed.pk.hex}'"
        report = corrupted(cast, lambda c: sql(statement), keep_guards=False)
        unreadable = [d for d in report.differences if d.check == "UNREADABLE"]
        assert [(d.table, d.row, d.column) for d in unreadable] == [("registry_run", cast.seed.digest, "source_id")]
        assert any(d.check == "CHECK_FAILED" and d.text.startswith("runs did not finish") for d in report.differences)

    def test_a_redacted_implementation_leaves_its_batch_only_counted(self, cast: Cast) -> None:
        with transaction.atomic():
            staff: dict[str, Any] = {"reason_class": "personal_data", "reason": "a name", "now": MUCH_LATER}
            request = corrections.request_redaction(cast.seed.implementation, actor=ALICE, **staff)
            corrections.approve_redaction(request, citation="as cited", actor=BOB, now=MUCH_LATER)
            report = verify()
            transaction.set_rollback(True)
        assert report.unrecomputable_batches == 1
        assert report.redacted["registry_implementation"] == 1

    @pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda corruption: corruption[0])
    def test_each_corruption_is_found_and_named(self, cast: Cast, corruption: Corruption) -> None:
        _, corrupt, check, table, column, row = corruption
        named = str(row(cast))
        report = corrupted(cast, corrupt, keep_guards=check == "GUARD")
        found = [d for d in report.differences if d.check != "GUARD" or check == "GUARD"]
        assert (check, table, column, named) in {(d.check, d.table, d.column, d.row) for d in found}, shown(found)
        assert all(d.text and d.check != "CHECK_FAILED" for d in found), shown(found)

    def test_a_removed_guard_is_all_that_is_found_of_it(self, cast: Cast) -> None:
        report = corrupted(cast, lambda c: None, keep_guards=False)
        assert {d.check for d in report.differences} == {"GUARD"}
        assert len(report.differences) == len(guards.expected(connection))

    def test_a_row_gone_from_any_table_is_found(self, cast: Cast) -> None:
        for model in (*VERIFIED, Source):
            row = model._default_manager.order_by("-pk").first()
            report = corrupted(cast, lambda c, row=row: drop(type(row), pk=row.pk), keep_guards=False)
            assert {d.check for d in report.differences} - {"GUARD"}, f"{model.__name__} gone, nothing was found"

    def test_a_row_smuggled_into_any_table_is_found(self, cast: Cast) -> None:
        for model, columns in SMUGGLED.items():
            row = model._default_manager.order_by("pk").first()
            own_id = {} if model is StoredObject else {"id": NOBODY}
            report = corrupted(cast, lambda c, row=row, new=own_id | columns: add(row, **new), keep_guards=False)
            assert {d.check for d in report.differences} - {"GUARD"}, f"{model.__name__} added, nothing was found"
