"""The database refuses to change a fact, whoever asks and however."""

import datetime
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core import checks
from django.core.management import call_command
from django.db import DatabaseError, connection, models, transaction
from django.db.models.fields.json import JSONField

from attestations.models import (
    Attestation,
    AttestationMark,
    AttestationVersion,
    AuthorNote,
    Claim,
    Report,
    ReportEvent,
)
from registry import artifacts, auditing, corrections, guards
from registry.importers.base import AliasEntry, ArtifactEntry, DocumentEntry, in_line
from registry.models import (
    Incident,
    IncidentReversal,
    NameAlias,
    Operation,
    ProjectRevision,
    ProtocolNote,
    ProtocolSuccession,
    Redaction,
    RedactionRequest,
    Run,
    RunArtifact,
    Sighting,
    Verification,
)
from tests.conftest import NOW
from tests.factories import bundle_of, entries_of, ingest_entries, operation_document, project_document, run_entry

ONE, TWO = uuid.UUID(int=1), uuid.UUID(int=2)
LOG = b"compiled, ran, passed"
OPERATION_ID = uuid.UUID("01a05cd7-2a00-7000-8000-000000000001")
GUARDED = guards.guarded_models()
every_table = pytest.mark.parametrize("model", GUARDED, ids=lambda model: model.__name__)
redactable = pytest.mark.parametrize(
    "model", [model for model in GUARDED if hasattr(model, "REDACTABLE")], ids=lambda model: model.__name__
)


@pytest.fixture
def world(db: None) -> None:
    """One row at least in each guarded table; the revision of the project `gone` is redacted."""
    digest = artifacts.store_bytes(LOG, now=NOW)
    gone = project_document("gone", name="To be removed")
    content = bundle_of(run_entry(evidence={"logs": {"uri": "https://example.org/log", "digest": digest}}))
    operation = DocumentEntry("OperationSpec", operation_document(), in_line("rows", 1), id=OPERATION_ID)
    place = in_line("rows", 1)(())
    ingest_entries(
        [
            operation,
            DocumentEntry("SoftwareProject", gone, in_line("rows", 1)),
            *entries_of(content, upstream_key="row/1"),
            AliasEntry(OPERATION_ID, "multiply", place),
            ArtifactEntry(
                "sha256:" + "9" * 64, "source", "text/x-python", 12, "https://example.org/a.py", "MIT", place
            ),
        ]
    )
    run = Run.objects.get()
    corrections.flag([run], rule="SINGLE_SAMPLE", reason="one sample", actor=ONE, now=NOW)
    cover(run)
    curate(run)
    speak_of(run)
    revision = ProjectRevision.objects.get(name="To be removed")
    request = corrections.request_redaction(revision, reason_class="legal", reason="a court", actor=ONE, now=NOW)
    corrections.approve_redaction(request, citation="cited", actor=TWO, now=NOW)


def cover(run: Run) -> None:
    run.group.coverage.create(
        id=uuid.uuid4(),
        snapshot=run.sightings.get().snapshot,
        offered=3,
        taken=1,
        rule="all",
        at=NOW,
        batch_id=run.batch_id,
    )


def curate(run: Run) -> None:
    """What staff and the site itself append."""
    audit = auditing.record("curated", "run", run.digest, "a reason", ONE, NOW)
    by = {"id": uuid.uuid4(), "at": NOW, "reason": "a reason", "actor": ONE, "audit": audit}
    incident = Incident.objects.create(slug="late", title="Late", text="All late.", criteria={}, effect="note", **by)
    IncidentReversal.objects.create(incident=incident, **by)
    NameAlias.objects.create(kind="gpu", name="NVIDIA B300", target="NVIDIA B200", **by)
    ProtocolNote.objects.create(subject="family:acme", version=1, sentences=[], **by)
    ProtocolSuccession.objects.create(protocol=run.protocol, **by)
    Verification.objects.create(
        id=uuid.uuid4(), started_at=NOW, finished_at=NOW, checked={}, difference_count=0, findings=[]
    )


def speak_of(run: Run) -> None:
    """What people append."""
    said = Attestation.objects.create(id=uuid.uuid4(), run=run, actor=ONE, kind="reproduced", at=NOW)
    AttestationVersion.objects.create(
        id=uuid.uuid4(), attestation=said, number=1, at=NOW, digest="sha256:" + "5" * 64, text="Seen here too.",
        samples="1", relation="own", setup="other", environment_text="A card.", evidence_url="https://example.org/log",
    )  # fmt: skip
    AttestationMark.objects.create(id=uuid.uuid4(), attestation=said, kind="hidden", at=NOW, actor=TWO, reason="Rude.")
    report = Report.objects.create(id=uuid.uuid4(), run=run, at=NOW, reason="other", text="Look at this.")
    ReportEvent.objects.create(id=uuid.uuid4(), report=report, at=NOW, kind="noted", text="Looked at.")
    claim = Claim.objects.create(id=uuid.uuid4(), actor=ONE, source=run.source, at=NOW, method="staff")
    AuthorNote.objects.create(id=uuid.uuid4(), claim=claim, run=run, number=1, at=NOW, text="Mine.")


@pytest.fixture
def deaf_to_replace(world: None) -> Iterator[None]:
    """SQLite as a stranger's connection has it: REPLACE then deletes without firing a DELETE trigger."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA recursive_triggers = OFF")
        yield
        cursor.execute("PRAGMA recursive_triggers = ON")


def row_of(model: type[models.Model]) -> Any:
    rows = model._default_manager.order_by("pk")
    return (rows.exclude(name="") if model is ProjectRevision else rows).first()


def sql(statement: str, *parameters: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def is_refused(act: Callable[[], object], words: str = "is a fact: it is only ever inserted") -> None:
    with pytest.raises(DatabaseError, match=words), transaction.atomic():
        act()


def test_each_guarded_table_has_a_row_to_try(world: None) -> None:
    assert [model.__name__ for model in GUARDED if row_of(model) is None] == []


def test_the_guarded_tables_are_all_but_caches_and_curated_ones(db: None) -> None:
    from_app = {model.__name__ for model in Run._meta.apps.get_app_config("registry").get_models()}
    assert from_app - set(guards.INSERT_ONLY) == {
        "EvidenceLevel", "GroupStanding", "Link", "Project", "Record", "Source", "Standing", "StoredObject", "Sync",
        "SyncFile", "SyncRow", "UnmappedName",
    }  # fmt: skip


@every_table
def test_no_fact_is_updated_or_deleted(world: None, model: type[models.Model]) -> None:
    row, table, key = row_of(model), model._meta.db_table, model._meta.pk.column
    field = next(field for field in model._meta.concrete_fields if not field.primary_key)
    before = list(model._default_manager.order_by("pk").values_list())
    same = {field.attname: getattr(row, field.attname)}
    only = model._default_manager.filter(pk=row.pk)

    is_refused(row.save)
    is_refused(lambda: row.save(update_fields=[field.name]))
    is_refused(lambda: only.update(**same))
    is_refused(lambda: model._default_manager.bulk_update([row], [field.name]))
    is_refused(lambda: model._default_manager.bulk_create(
        [row], update_conflicts=True, unique_fields=["pk"], update_fields=[field.name]
    ), "is a fact|a fact is not replaced")  # fmt: skip
    is_refused(lambda: only._raw_delete(only.db))
    is_refused(lambda: sql(f'UPDATE {table} SET "{field.column}" = "{field.column}"'))
    is_refused(lambda: sql(f'DELETE FROM {table} WHERE "{key}" = %s', stored(row.pk)))
    # Django itself stops at the rows that refer to this one; where there are none the database does.
    is_refused(row.delete, "is a fact|Cannot delete some instances")
    is_refused(only.delete, "is a fact|Cannot delete some instances")

    assert list(model._default_manager.order_by("pk").values_list()) == before


def stored(key: uuid.UUID) -> object:
    return key.hex if connection.vendor == "sqlite" else key


@every_table
@pytest.mark.skipif(connection.vendor != "sqlite", reason="INSERT OR REPLACE is SQLite's")
@pytest.mark.parametrize("statement", ["INSERT OR REPLACE", "REPLACE"])
def test_no_fact_is_replaced(deaf_to_replace: None, model: type[models.Model], statement: str) -> None:
    table, before = model._meta.db_table, list(model._default_manager.order_by("pk").values_list())
    is_refused(lambda: sql(f"{statement} INTO {table} SELECT * FROM {table} LIMIT 1"), "a fact is not replaced")
    sets = ", ".join(f'"{field.column}" = "{field.column}"' for field in model._meta.concrete_fields)
    is_refused(lambda: sql(f"UPDATE OR REPLACE {table} SET {sets}"))
    assert list(model._default_manager.order_by("pk").values_list()) == before


@every_table
@pytest.mark.skipif(connection.vendor != "sqlite", reason="INSERT OR REPLACE is SQLite's")
def test_a_row_with_another_id_does_not_replace_what_is_unique(
    deaf_to_replace: None, model: type[models.Model]
) -> None:
    others = [field.column for field in model._meta.concrete_fields if not field.primary_key]
    first = model._default_manager.values(*[field.attname for field in model._meta.concrete_fields])[0]
    stated = {field.column for field in model._meta.concrete_fields if first[field.attname] is not None}
    if not any(set(columns) <= stated - {"id"} for columns, _ in guards._unique_columns(model)):
        pytest.skip("nothing but the id of this row is unique")
    table, listed = model._meta.db_table, ", ".join(f'"{name}"' for name in others)
    copy = f'INSERT OR REPLACE INTO {table} ("id", {listed}) SELECT %s, {listed} FROM {table} WHERE id = %s'
    is_refused(lambda: sql(copy, uuid.uuid4().hex, first["id"].hex), "a fact is not replaced")


@every_table
@pytest.mark.postgres
def test_no_table_of_facts_is_truncated(world: None, model: type[models.Model]) -> None:
    count = model._default_manager.count()
    is_refused(lambda: sql(f"SET CONSTRAINTS ALL IMMEDIATE; TRUNCATE {model._meta.db_table} CASCADE"))
    assert model._default_manager.count() == count


def test_new_facts_are_inserted_as_ever(world: None) -> None:
    row = row_of(Operation)
    row.pk, row.digest, row.slug = uuid.uuid4(), "sha256:" + "7" * 64, "another"
    row.save(force_insert=True)
    assert Operation.objects.count() == 2


# What a redaction admits


def redact(row: Any) -> None:
    """The row that lets a redaction through: of the row itself, or of the run that it goes with."""
    target = row.run if isinstance(row, Sighting | RunArtifact) else row
    request = RedactionRequest.objects.create(
        id=uuid.uuid4(), at=NOW, target_table=target._meta.db_table, target_id=target.pk, digest="sha256:" + "0" * 64,
        reason_class="legal", reason="a court", requested_by=ONE,
    )  # fmt: skip
    Redaction.objects.create(
        id=uuid.uuid4(), request=request, at=NOW, target_table=target._meta.db_table, target_id=target.pk,
        approved_by=TWO, citation="cited",
    )  # fmt: skip


def other_value(field: models.Field, value: Any) -> object:
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    if isinstance(target, models.UUIDField):
        return uuid.uuid4()
    if isinstance(target, models.DateTimeField):
        return value + datetime.timedelta(days=1)
    if isinstance(target, models.BooleanField):
        return not value
    if isinstance(target, models.IntegerField | models.FloatField):
        return (value or 0) + 1
    return {"changed": 1} if isinstance(target, JSONField) else "changed"


@redactable
def test_without_a_redaction_no_text_is_blanked(world: None, model: Any) -> None:
    only = model.objects.filter(pk=row_of(model).pk)
    for column in model.REDACTABLE:
        is_refused(lambda column=column: only.update(**{column: ""}))


@redactable
def test_a_redaction_admits_only_blanking(world: None, model: Any) -> None:
    row = row_of(model)
    redact(row)
    only = model.objects.filter(pk=row.pk)
    for field in model._meta.concrete_fields:
        change = {field.attname: other_value(field, getattr(row, field.attname))}
        is_refused(lambda change=change: only.update(**change))
        if field.name not in model.REDACTABLE and isinstance(field, models.CharField | models.TextField):
            is_refused(lambda field=field: only.update(**{field.attname: ""}))
    assert only.update(**dict.fromkeys(model.REDACTABLE, "")) == 1
    is_refused(lambda: only._raw_delete(only.db))
    is_refused(lambda: only.update(**{model.REDACTABLE[0]: "back again"}))
    assert [getattr(only.get(), column) for column in model.REDACTABLE] == [""] * len(model.REDACTABLE)


@redactable
def test_a_redaction_of_one_row_does_not_open_another(world: None, model: Any) -> None:
    row = row_of(model)
    redact(row_of(Operation) if model is not Operation else row_of(Run))
    is_refused(lambda: model.objects.filter(pk=row.pk).update(**{model.REDACTABLE[0]: ""}))


# Guards that are missing


@pytest.fixture
def guard() -> tuple[str, str]:
    """The name of one guard of the runs, and the statement that drops it."""
    name = "registry_run_no_update" if connection.vendor == "sqlite" else "registry_run_no_change"
    return name, guards._drop(connection, name, "registry_run")


def faults_of_the_check() -> list[str]:
    found = checks.run_checks(tags=[checks.Tags.database], databases=["default"])
    return [message.msg for message in found if message.id == "registry.E001"]


def test_all_guards_stand_after_migrate(db: None) -> None:
    assert guards.missing(connection) == []
    assert faults_of_the_check() == []


def test_a_missing_guard_is_named(db: None, guard: tuple[str, str]) -> None:
    name, drop = guard
    sql(drop)
    assert guards.missing(connection)[0] == f"{name} is absent"
    assert faults_of_the_check()[0] == f"The guard {name} is absent on default."


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a trigger of SQLite holds its own text")
def test_a_stale_guard_is_named_and_made_anew_on_sqlite(db: None, guard: tuple[str, str]) -> None:
    name, drop = guard
    sql(drop)
    stale = "WHEN NEW.digest <> OLD.digest BEGIN SELECT RAISE(ABORT, 'no'); END"
    sql(f"CREATE TRIGGER {name} BEFORE UPDATE ON registry_run {stale}")
    assert guards.missing(connection) == [f"{name} is altered or switched off"]
    guards.install(connection)
    assert guards.missing(connection) == []


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("ALTER TABLE registry_run DISABLE TRIGGER registry_run_no_change", "registry_run_no_change"),
        (
            "DROP TRIGGER registry_run_no_change ON registry_run; CREATE TRIGGER registry_run_no_change "
            "BEFORE DELETE ON registry_run FOR EACH ROW EXECUTE FUNCTION registry_run_refuse()",
            "registry_run_no_change",
        ),
        (
            "DROP TRIGGER registry_run_no_change ON registry_run; CREATE TRIGGER registry_run_no_change "
            "BEFORE UPDATE OR DELETE ON registry_run FOR EACH ROW WHEN (OLD.status = 'x') "
            "EXECUTE FUNCTION registry_run_refuse()",
            "registry_run_no_change",
        ),
        (
            "CREATE OR REPLACE FUNCTION registry_run_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN NEW; END $$",
            "registry_run_no_change.function",
        ),
        (
            "CREATE OR REPLACE FUNCTION registry_run_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN NULL; END $$",
            "registry_run_no_truncate.function",
        ),
    ],
    ids=["switched off", "less than it was", "conditional", "function of rows", "function of the table"],
)
def test_an_altered_guard_is_named_and_made_anew_on_postgresql(db: None, statement: str, named: str) -> None:
    sql(statement)
    assert guards.missing(connection) == [f"{named} is altered or switched off"]
    guards.install(connection)
    assert guards.missing(connection) == []


def test_migrate_makes_lost_guards_anew(db: None) -> None:
    guards.remove(connection)
    assert len(guards.missing(connection)) >= 2 * len(GUARDED)
    call_command("migrate", verbosity=0)
    assert guards.missing(connection) == []


def test_flush_leaves_the_guards_in_place(db: None) -> None:
    guards.remove(connection)
    call_command("flush", verbosity=0, interactive=False)
    assert guards.missing(connection) == []
