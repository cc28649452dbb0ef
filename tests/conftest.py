"""What every test may rely on: the shared data, the demo registry, a flush that the fact tables' guards survive."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import TransactionTestCase, override_settings

from registry import guards, syncs
from registry.queries import notes, parts
from registry.views import runs as views

SHARED = Path(__file__).resolve().parents[2] / "shared"
STATIC = Path(__file__).resolve().parents[1] / "static"
# Migrations that give the groups of staff their permissions, in order.
GROUPS = (
    ("registry.migrations.0005_staff_groups", "make_groups"),
    ("attestations.migrations.0003_moderators", "extend_groups"),
    ("attestations.migrations.0006_staff", "extend_groups"),
)
NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
REQUIRED = set(filter(None, os.environ.get("KI_REQUIRE", "").split(",")))
AVAILABLE = {
    "shared": (SHARED / "seeds").is_dir(),
    "browser": Path("/usr/bin/chromium").exists(),
}
REASONS = {
    "shared": "the real data is not beside the checkout (../shared)",
    "browser": "Debian's chromium is not installed",
    "postgres": "the configured database is not PostgreSQL (set DATABASE_URL)",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what this machine lacks, with a message; under KI_REQUIRE such a skip is a failure."""
    available = {**AVAILABLE, "postgres": connection.vendor == "postgresql"}
    for item in items:
        for need, is_here in available.items():
            if item.get_closest_marker(need) and not is_here:
                if need in REQUIRED:
                    raise pytest.UsageError(f"KI_REQUIRE={need}, but {REASONS[need]}")
                item.add_marker(pytest.mark.skip(reason=REASONS[need]))


@pytest.fixture(autouse=True)
def storage(settings: Any, tmp_path: Path) -> None:
    """Stored bytes go to a folder of the test's own, and static files are served as they stand in static/."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.STATIC_ROOT = str(STATIC)
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.fixture(autouse=True)
def forgetful() -> None:
    """What the process keeps by digest belongs to one registry; each test has another one."""
    parts._kept._things.clear()
    notes._kept._things.clear()
    views._html._things.clear()


def groups_again() -> None:
    """What migrations put into tables of ordinary rows: a flush takes it, and later tests rely on it."""
    editor = SimpleNamespace(connection=connection)
    for module, make in GROUPS:
        getattr(import_module(module), make)(apps, editor)


@pytest.fixture(scope="session", autouse=True)
def flush_past_the_guards() -> Iterator[None]:
    """A TransactionTestCase empties its tables: the guards go for that, and come back with post_migrate."""
    flush = TransactionTestCase._fixture_teardown

    def guarded(self: TransactionTestCase) -> None:
        guards.remove(connection)
        flush(self)
        guards.install(connection)
        groups_again()

    TransactionTestCase._fixture_teardown = guarded  # type: ignore[method-assign]
    yield
    TransactionTestCase._fixture_teardown = flush  # type: ignore[method-assign]


@pytest.fixture
def demo(db: None) -> None:
    """The bundled registry: 52 runs, imported at NOW."""
    syncs.load_demo(now=NOW)


@pytest.fixture(scope="module")
def shared_demo(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[None]:
    """The bundled registry, loaded once for a module of tests that mostly read; each needs `db`, its own savepoint."""
    media = tmp_path_factory.mktemp("demo") / "media"
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=media):
            syncs.load_demo(now=NOW)
        yield
        transaction.set_rollback(True)
