"""The database's own refusal to change facts: triggers on every insert-only table, on SQLite and on PostgreSQL.

Triggers are dropped and made anew after each migrate, since SQLite loses them when a table is rebuilt and
IF NOT EXISTS would keep a stale one. The one way past is a redaction: an UPDATE that only blanks redactable text
columns of a row for which a Redaction row stands.
"""

from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.fields.json import JSONField

INSERT_ONLY = (
    "Artifact",
    "AuditEvent",
    "Batch",
    "ComparisonGroup",
    "Coverage",
    "Environment",
    "EvidenceFact",
    "Hardware",
    "Implementation",
    "Incident",
    "IncidentReversal",
    "Mark",
    "NameAlias",
    "Operation",
    "OperationAlias",
    "ProjectRevision",
    "Protocol",
    "ProtocolNote",
    "ProtocolSuccession",
    "Redaction",
    "RedactionRequest",
    "Run",
    "RunArtifact",
    "Sighting",
    "Snapshot",
    "Verification",
    "Workload",
)
REDACTED = ""  # what a redacted text column holds
REFUSAL = "is a fact: it is only ever inserted. Correct it with a mark, or blank it by a redaction"


def guarded_models() -> list[type[models.Model]]:
    """The registry's facts, and what another app's configuration names as insert-only."""
    also = [config.get_model(name) for config in apps.get_app_configs() for name in getattr(config, "insert_only", ())]
    return [*(apps.get_model("registry", name) for name in INSERT_ONLY), *also]


def install(connection: BaseDatabaseWrapper) -> None:
    """Drop and make all guards of this database."""
    with connection.cursor() as cursor:
        for statements in expected(connection).values():
            for statement in statements:
                cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper) -> None:
    """Take the guards off. For a test's flush and for the corruption tests; nothing of the site calls it."""
    with connection.cursor() as cursor:
        for name, table in _names(connection):
            cursor.execute(_drop(connection, name, table))


def install_after_migrate(sender: Any, using: str, **kwargs: Any) -> None:
    connection = connections[using]
    tables = set(connection.introspection.table_names())
    if all(model._meta.db_table in tables for model in guarded_models()):  # not while migrating backwards
        install(connection)


def check_guards(app_configs: Any, databases: list[str] | None, **kwargs: Any) -> list[CheckMessage]:
    """System check: each guard stands in the database with the text that this version would write."""
    messages: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        if connection.settings_dict["NAME"] and "registry_run" in connection.introspection.table_names():
            messages += [
                Error(f"The guard {fault} on {alias}.", hint="Run migrate, which makes it anew.", id="registry.E001")
                for fault in missing(connection)
            ]
    return messages


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Name each guard that is absent or differs from what this version would write."""
    found = _found(connection)
    return [
        f"{name} is {'absent' if name not in found else 'altered or switched off'}"
        for name, statements in expected(connection).items()
        if found.get(name) != _comparable(connection, statements[-1])
    ]


def expected(connection: BaseDatabaseWrapper) -> dict[str, list[str]]:
    """Guard name -> the statements that drop and make it, in order."""
    make = _sqlite if connection.vendor == "sqlite" else _postgresql
    guards: dict[str, list[str]] = {}
    for model in guarded_models():
        guards |= make(connection, model)
    return guards


# --- what may be blanked


def _blanking(model: type[models.Model], same: str) -> str | None:
    """The SQL condition under which an UPDATE is a redaction; None for a model that has nothing to redact.

    `same` is the vendor's null-safe equality.
    """
    redactable = getattr(model, "REDACTABLE", ())
    if not redactable:
        return None
    owner = getattr(model, "REDACTED_WITH", "id")
    owner_table = "registry_run" if owner == "run_id" else model._meta.db_table
    conditions = [
        "EXISTS (SELECT 1 FROM registry_redaction r "  # noqa: S608  names of our own tables
        f"WHERE r.target_table = '{owner_table}' AND r.target_id = OLD.{owner})"
    ]
    for field in model._meta.concrete_fields:
        column = field.column
        kept = f'NEW."{column}" {same} OLD."{column}"'
        if isinstance(field, JSONField):
            kept = f'CAST(NEW."{column}" AS text) {same} CAST(OLD."{column}" AS text)'
        conditions.append(f"({kept} OR NEW.\"{column}\" = '{REDACTED}')" if field.name in redactable else kept)
    return " AND ".join(conditions)


# --- SQLite


def _sqlite(connection: BaseDatabaseWrapper, model: type[models.Model]) -> dict[str, list[str]]:
    table = model._meta.db_table
    refuse = f"SELECT RAISE(ABORT, '{table} {REFUSAL}');"
    blanking = _blanking(model, "IS")
    unless = f"WHEN NOT ({blanking}) " if blanking else ""
    taken = " OR ".join(
        f'EXISTS (SELECT 1 FROM "{table}" WHERE '  # noqa: S608  names of our own tables
        + " AND ".join([*(f'"{c}" = NEW."{c}"' for c in columns), *(f"NEW.\"{c}\" <> '{REDACTED}'" for c in named)])
        + ")"
        for columns, named in _unique_columns(model)
    )
    bodies = {
        "update": f"BEFORE UPDATE ON {table} {unless}BEGIN {refuse} END",
        "delete": f"BEFORE DELETE ON {table} BEGIN {refuse} END",
        # REPLACE deletes without firing DELETE triggers where recursive_triggers is off, so it's met on its way in.
        "replace": f"BEFORE INSERT ON {table} WHEN {taken} BEGIN "
        f"SELECT RAISE(ABORT, '{table} has this row: UNIQUE constraint failed, and a fact is not replaced'); END",
    }
    return {
        f"{table}_no_{verb}": [
            _drop(connection, f"{table}_no_{verb}", table),
            f"CREATE TRIGGER {table}_no_{verb} {body}",
        ]
        for verb, body in bodies.items()
    }


def _unique_columns(model: type[models.Model]) -> list[tuple[list[str], list[str]]]:
    """Columns that are unique together, and those of them that a conditional constraint wants to hold a name."""
    found: list[tuple[list[str], list[str]]] = [([f.column], []) for f in model._meta.concrete_fields if f.unique]
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            columns = [model._meta.get_field(name).column for name in constraint.fields]
            named = [c for c in columns if constraint.condition and c in getattr(model, "REDACTABLE", ())]
            found.append((columns, named))
    return found


# --- PostgreSQL


def _postgresql(connection: BaseDatabaseWrapper, model: type[models.Model]) -> dict[str, list[str]]:
    table = model._meta.db_table
    blanking = _blanking(model, "IS NOT DISTINCT FROM")
    admit = f"IF TG_OP = 'UPDATE' AND ({blanking}) THEN RETURN NEW; END IF; " if blanking else ""
    function = (
        f"CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $guard$ BEGIN {admit}"
        f"RAISE EXCEPTION '{table} {REFUSAL}' USING ERRCODE = 'restrict_violation'; END $guard$"
    )
    # OLD and NEW do not exist for a statement trigger, so TRUNCATE has a function of its own.
    truncate = (
        f"CREATE OR REPLACE FUNCTION {table}_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $guard$ BEGIN "
        f"RAISE EXCEPTION '{table} {REFUSAL}' USING ERRCODE = 'restrict_violation'; END $guard$"
    )
    row, whole = f"{table}_no_change", f"{table}_no_truncate"
    return {
        row: [
            function,
            _drop(connection, row, table),
            f"CREATE TRIGGER {row} BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
        ],
        f"{row}.function": [function],
        whole: [
            truncate,
            _drop(connection, whole, table),
            f"CREATE TRIGGER {whole} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT "
            f"EXECUTE FUNCTION {table}_refuse_truncate()",
        ],
        f"{whole}.function": [truncate],
    }


# --- reading back what stands

_BEFORE_EACH_UPDATE_OR_DELETE = 27  # pg_trigger.tgtype: 1 row + 2 before + 8 delete + 16 update
_BEFORE_TRUNCATE = 34  # 2 before + 32 truncate


def _names(connection: BaseDatabaseWrapper) -> list[tuple[str, str]]:
    verbs = ("update", "delete", "replace") if connection.vendor == "sqlite" else ("change", "truncate")
    return [(f"{m._meta.db_table}_no_{verb}", m._meta.db_table) for m in guarded_models() for verb in verbs]


def _drop(connection: BaseDatabaseWrapper, name: str, table: str) -> str:
    return f"DROP TRIGGER IF EXISTS {name}" + ("" if connection.vendor == "sqlite" else f" ON {table}")


def _comparable(connection: BaseDatabaseWrapper, statement: str) -> str:
    """The part of a statement that the database gives back as it was written."""
    if connection.vendor == "sqlite":
        return statement
    if "$guard$" in statement:
        return statement.split("$guard$")[1]
    return f"enabled {_BEFORE_TRUNCATE if 'TRUNCATE' in statement else _BEFORE_EACH_UPDATE_OR_DELETE}"


def _found(connection: BaseDatabaseWrapper) -> dict[str, str]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            return dict(cursor.fetchall())
        cursor.execute(
            "SELECT t.tgname, t.tgenabled, t.tgtype, t.tgqual IS NULL AND t.tgattr = ''::int2vector, p.prosrc "
            "FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal"
        )
        found: dict[str, str] = {}
        for name, enabled, kind, is_unconditional, source in cursor.fetchall():
            found[name] = f"enabled {kind}" if enabled == "O" and is_unconditional else "switched off"
            found[f"{name}.function"] = source
        return found
