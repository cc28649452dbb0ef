"""Throw-away databases for the figures, and child processes that run Django on them.

Everything made here is gone at the end: folders under the system's temporary folder, PostgreSQL databases whose names
start with bench_. BENCH_POSTGRES names another server than the local one.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
CATALOG = DATA / "catalog"
SERVER = os.environ.get("BENCH_POSTGRES", "postgres://postgres@127.0.0.1:5432")
VENDORS = ("sqlite", "postgres")
Environment = dict[str, str]


class Databases:
    """Databases of one vendor. Use it as a context manager, which drops them."""

    def __init__(self, vendor: str) -> None:
        self.vendor = vendor
        self.folder = Path(tempfile.mkdtemp(prefix="bench_"))
        self.name = f"bench_{secrets.token_hex(4)}"
        self.made: list[str] = []
        self._template: Environment | None = None
        self._loaded: Environment | None = None

    def __enter__(self) -> "Databases":
        return self

    def __exit__(self, *raised: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.made:
            self._on_server(*(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)" for name in self.made))

    def empty(self) -> Environment:
        """A migrated database without rows; static files are collected for all of them."""
        if self._template is None:
            self._template = self._new()
            manage(self._template, "migrate", "--verbosity", "0")
            manage(self._template, "createcachetable")
            manage(self._template, "collectstatic", "--noinput", "--verbosity", "0")
        return self._new(of=self._template)

    def loaded(self) -> Environment:
        """The whole catalog export and the bundled registry. Made once; figures only read it."""
        if self._loaded is None:
            self._loaded = self.empty()
            manage(self._loaded, "import_source", "catalog-export", "--path", str(catalog()))
            manage(self._loaded, "load_demo")
            self._settle(self._loaded)
        return self._loaded

    def drop(self, environment: Environment) -> None:
        """Give a database up before the end."""
        if self.vendor == "postgres":
            self._on_server(f"DROP DATABASE {database_name(environment)} WITH (FORCE)")
            self.made.remove(database_name(environment))
        shutil.rmtree(environment["KI_DATA"])

    def _new(self, *, of: Environment | None = None) -> Environment:
        data = self.folder / secrets.token_hex(4)
        data.mkdir()
        environment = {
            "DJANGO_SETTINGS_MODULE": "kernelindex.settings",
            "KI_DATA": str(data),
            "KI_STATIC": str(self.folder / "static"),
        }
        if self.vendor == "sqlite":
            if of:
                shutil.copy(database_name(of), database_name(environment))
            return environment
        name = f"{self.name}_{len(self.made)}"
        self.made.append(name)
        self._on_server(f"CREATE DATABASE {name}" + (f" TEMPLATE {database_name(of)}" if of else ""))
        return environment | {
            "DATABASE_URL": f"{SERVER}/{name}",
            "KI_ALLOW_GENERATED_SECRET": "1",
            "KI_CONN_MAX_AGE": "3600",
        }

    def _settle(self, environment: Environment) -> None:
        """Let PostgreSQL know its tables, as autovacuum would a minute later."""
        if self.vendor == "postgres":
            with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as server:
                server.execute("VACUUM ANALYZE")

    def _on_server(self, *statements: str) -> None:
        with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as server:
            for statement in statements:
                server.execute(statement.encode())


def database_name(environment: Environment) -> str:
    """What DATABASES["default"]["NAME"] is under this environment."""
    if "DATABASE_URL" in environment:
        return environment["DATABASE_URL"].rpartition("/")[2]
    return str(Path(environment["KI_DATA"]) / "registry.sqlite3")


def catalog() -> Path:
    """The catalog export beside the checkout, in the folder that the project's other real data is in."""
    found = sorted(CATALOG.glob("*.jsonl.zst"))
    if not found:
        raise SystemExit(f"no catalog export: {CATALOG} has no .jsonl.zst")
    return found[-1]


def manage(environment: Environment, *arguments: str) -> None:
    """Run a management command, quietly. What it says is shown only if it fails."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=_whole(environment), capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"manage.py {' '.join(arguments)} exited {done.returncode}:\n{done.stdout}{done.stderr}")


def child(environment: Environment, function: str, **arguments: Any) -> Any:
    """Run `module:function` of bench.inside in a process of its own and return what it returned."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.child", f"bench.inside.{function}", json.dumps(arguments)],
        cwd=ROOT,
        env=_whole(environment),
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{function} exited {done.returncode}")
    return json.loads(done.stdout.rstrip().rpartition("\n")[2])


def _whole(environment: Environment) -> Environment:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("KI_", "DATABASE_URL"))}
    return inherited | environment
