"""A worker that is killed (SIGKILL, with all its processes) in the middle of a sync costs time and nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dj_database_url
import psycopg
import pytest
from django.conf import settings
from django.db import connection

from tests.conftest import NOW
from tests.registry.syncs.reading import BYTES, DAY, asked, first_rows, held, liger_source, published, ran, uploaded

ROOT = Path(__file__).parents[3]
STORY = ROOT / "tests/registry/syncs/working.py"
ENDS_WITHIN = 240


@pytest.fixture
def database(tmp_path: Path, django_db_setup: None) -> Iterator[dict[str, str]]:
    """Where a site of its own keeps everything: a database file, or on PostgreSQL a database made for it."""
    place = {"KI_DATA": str(tmp_path / "var"), "KI_MEDIA": str(tmp_path / "var/media")}
    url = os.environ.get("DATABASE_URL", "")
    if connection.vendor == "sqlite":
        yield place
        return
    name = f"{connection.settings_dict['NAME']}_worker"
    config = dj_database_url.parse(url)
    server = {"host": config["HOST"], "port": config["PORT"], "user": config["USER"], "password": config["PASSWORD"]}
    with psycopg.connect(dbname="postgres", autocommit=True, **{k: v for k, v in server.items() if v}) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        admin.execute(f"CREATE DATABASE {name}")
        yield place | {"DATABASE_URL": f"{url.rpartition('/')[0]}/{name}"}
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def told(database: dict[str, str], killed_at: str, tmp_path: Path) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KI_", "DATABASE_"))}
    environment |= database | {
        "DJANGO_SETTINGS_MODULE": "kernelindex.settings", "PYTHONPATH": str(ROOT), "NOTES": str(tmp_path / "notes"),
        "KI_SYNC_LEASE_SECONDS": "8", "KI_SECRET_KEY": settings.SECRET_KEY,
    }  # fmt: skip
    (tmp_path / "notes").touch()
    done = subprocess.run(
        [sys.executable, str(STORY), "story", killed_at], env=environment, capture_output=True, text=True,
        timeout=ENDS_WITHIN,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_one_killed_while_it_publishes(db: None, database: dict[str, str], tmp_path: Path) -> None:
    story = told(database, "publishing:6", tmp_path)
    assert (story["died"], story["left"]) == (-9, ["publishing", 32, 1])
    assert story["rung"] == [0, 1]  # not before its lease has lapsed
    assert (story["state"], story["attempts"], story["error"], story["stopped"]) == ("done", 2, "", 0)
    assert story["differences"] == []
    source = liger_source()
    published(source, first_rows(8))
    ran(uploaded(source, now=NOW + DAY), now=NOW + DAY)
    assert story["held"] == held()


def test_one_killed_while_it_fetches(db: None, database: dict[str, str], tmp_path: Path) -> None:
    story = told(database, "fetching:1", tmp_path)
    assert (story["died"], story["left"]) == (-9, ["running", 8, 1])
    assert story["notes"] == ["page 0", "page 1", "page 1"]  # the page that was held was not asked for again
    assert (story["state"], story["attempts"], story["error"], story["stopped"]) == ("done", 2, "", 0)
    assert story["differences"] == []
    source = liger_source()
    published(source, first_rows(8))
    ran(asked(source, now=NOW + DAY), first_rows(16), BYTES, now=NOW + DAY)
    assert story["held"] == held()
