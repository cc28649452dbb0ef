"""Who may import whom (docs/architecture.md): down the rooms always, across to attestations only at the page."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("kernelindex", "registry", "attestations")
FRAMEWORKS = ("django", "rest_framework", "allauth", "drf_spectacular", "csp", "whitenoise")
PURE = ("registry.core", "registry.importers", "attestations.core", "attestations.agent")

ACTS = (
    "registry.snapshots", "registry.ingest", "registry.staging", "registry.standings", "registry.corrections",
    "registry.auditing", "registry.evidence", "registry.exports", "registry.artifacts", "registry.bulk",
    "registry.guards", "registry.verifying", "registry.verification", "registry.fetching", "registry.links",
    "registry.incidents", "registry.notes", "registry.aliases",
)  # fmt: skip
TESTIMONY = (
    "attestations.attesting", "attestations.reports", "attestations.claims", "attestations.follows",
    "attestations.news", "attestations.letters", "attestations.limits", "attestations.profiles", "attestations.people",
    "attestations.reporters", "attestations.reruns",
)  # fmt: skip
BELOW_TESTIMONY = (
    "attestations.core", "attestations.models", "attestations.queries", *TESTIMONY, "registry.core", "registry.models",
    "registry.auditing", "registry.ingest", "registry.corrections", "registry.evidence", "registry.queries",
)  # fmt: skip
ABOVE = ("registry", "attestations")  # of the page: anything but another room of its row, which PAGES sees to
PAGES = ("views", "api", "admin", "templatetags")

# Room: what it may import besides itself. A room that isn't there yet is passed over.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "registry.core": (),
    "attestations.core": ("registry.core",),
    "registry.importers": ("registry.core",),
    "attestations.agent": ("registry.core", "attestations.core"),
    "registry.models": ("registry.core",),
    "registry.queries": ("registry.core", "registry.models"),
    "registry.filters": ("registry.core", "registry.models"),
    "registry.guards": ("registry.models",),
    "registry.bulk": ("registry.models",),
    "registry.auditing": ("registry.core", "registry.models"),
    "registry.standings": ("registry.core", "registry.models", "registry.bulk"),
    "registry.evidence": ("registry.core", "registry.models", "registry.bulk"),
    "registry.artifacts": ("registry.core", "registry.models", "registry.evidence"),
    # The shape of an entry is where translating meets staging: the types alone, no importer.
    "registry.staging": (
        "registry.core", "registry.models", "registry.bulk", "registry.guards", "registry.importers.base",
    ),
    "registry.incidents": (
        "registry.core", "registry.models", "registry.bulk", "registry.auditing", "registry.standings",
        "registry.corrections",
    ),
    "registry.notes": ("registry.core", "registry.models", "registry.auditing"),
    "registry.ingest": (
        "registry.core", "registry.models", "registry.bulk", "registry.staging", "registry.standings",
        "registry.evidence", "registry.artifacts", "registry.incidents", "registry.importers.base",
    ),
    "registry.snapshots": (
        "registry.core", "registry.models", "registry.artifacts", "registry.ingest", "registry.importers.base",
    ),
    "registry.fetching": ("registry.core", "registry.models", "registry.artifacts", "registry.importers.base"),
    "registry.links": ("registry.core", "registry.models", "registry.fetching", "registry.auditing"),
    "registry.corrections": (
        "registry.core", "registry.models", "registry.auditing", "registry.standings", "registry.evidence",
        "registry.guards",
    ),
    "registry.verifying": ("registry.core", "registry.models", *ACTS),
    "registry.verification": ("registry.core", "registry.models", "registry.verifying"),
    "registry.exports": ("registry.core", "registry.models", "registry.queries"),
    "registry.syncs": ("registry.core", "registry.models", "registry.importers", *ACTS),
    # What a GPU is called is a table of the importers, and settling a name is held to it.
    "registry.aliases": (
        "registry.core", "registry.models", "registry.auditing", "registry.importers.base", "registry.importers.gpus",
    ),
    "registry.schedules": (),
    "registry.apps": ("registry.guards", "registry.schedules"),
    "registry.tasks": (*ACTS, "registry.syncs"),
    "attestations.models": ("attestations.core", "registry.models"),
    **dict.fromkeys(TESTIMONY, BELOW_TESTIMONY),
    "attestations.claims": (*BELOW_TESTIMONY, "registry.fetching"),  # a token file, looked for by the worker
    "attestations.queries": ("attestations.core", "attestations.models", "registry.core", "registry.models",
                             "registry.queries"),
    "attestations.tasks": TESTIMONY,
    "registry.forms": ("registry.core", "registry.models"),
    "attestations.forms": ("attestations.core", "attestations.models"),
    "attestations.account_forms": ("attestations.core", "attestations.models"),
    **{f"{app}.{page}": ABOVE for app in ABOVE for page in PAGES},
    "registry.management": (
        "registry.core", "registry.models", "registry.queries", "registry.importers", "registry.syncs", *ACTS,
    ),
    "registry.urls": ("registry.views", "registry.converters"),
    "registry.converters": ("registry.core",),
    # A page of the admin, though Django makes it before the admin is read: what waits, of either app, and denials.
    "registry.staff": ("registry.queries", "registry.auditing", "attestations.queries", "attestations.profiles"),
    "attestations.urls": ("attestations.views",),
    "kernelindex.settings": (),
    "kernelindex.api": (),
    "kernelindex.accounts": (),
    "kernelindex.wsgi": (),
    "kernelindex.caching": (),
    "kernelindex.account_forms": (),
    "kernelindex.urls": (
        "kernelindex.accounts", "registry.urls", "registry.api.urls", "attestations.urls", "attestations.api.urls",
    ),
}  # fmt: skip


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def files_of(room: str) -> list[Path]:
    path = ROOT / room.replace(".", "/")
    return [path.with_suffix(".py")] if path.with_suffix(".py").exists() else python_files(room.replace(".", "/"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


def told(path: Path, name: object) -> str:
    return f"{path.relative_to(ROOT)} imports {name}"


def room_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_lies_below_it(room: str) -> None:
    broken = [
        told(path, name)
        for path in files_of(room)
        for name in imports(path)
        if within(name, OURS) and not within(name, (room, *MAY_IMPORT[room]))
    ]
    assert broken == []


@pytest.mark.parametrize("app", ABOVE)
@pytest.mark.parametrize("page", PAGES)
def test_no_page_imports_another_room_of_its_row(app: str, page: str) -> None:
    others = tuple(f"{name}.{other}" for name in ABOVE for other in PAGES if other != page)
    broken = [told(path, name) for path in files_of(f"{app}.{page}") for name in imports(path) if within(name, others)]
    assert broken == []


def test_only_the_pages_and_the_commands_stand_above_the_acts() -> None:
    above = tuple(f"{app}.{room}" for app in ABOVE for room in (*PAGES, "urls", "tasks", "management"))
    broken = [
        told(path, name)
        for path in python_files("registry", "attestations")
        if not within(room_of(path), above)
        for name in imports(path)
        if within(name, above)
    ]
    assert broken == []


def test_importers_meet_the_door_in_syncs_only() -> None:
    importers = tuple(
        f"registry.importers.{path.stem}"
        for path in files_of("registry.importers")
        if path.stem not in ("base", "gpus")  # types, and a table of names
    )
    known = ("registry.syncs", "registry.importers", "registry.management.commands.import_source")
    broken = [
        told(path, name)
        for path in python_files(*OURS)
        if not within(room_of(path), known)
        for name in imports(path)
        if within(name, importers) or name == "registry.importers.IMPORTERS"
    ]
    assert broken == []


def test_attestations_are_reached_from_the_registry_s_pages_only() -> None:
    pages = ("registry.staff", *(f"registry.{page}" for page in PAGES))
    broken = [
        told(path, name)
        for path in python_files("registry")
        if not within(room_of(path), pages)
        for name in imports(path)
        if within(name, ("attestations",))
    ]
    assert broken == []


def test_every_module_stands_in_a_room_of_the_table() -> None:
    bare = [f"{app}.{file}" for app in OURS for file in ("__init__", "apps", "migrations")]
    rooms = (*MAY_IMPORT, *bare)
    assert [room_of(path) for path in python_files(*OURS) if not within(room_of(path), rooms)] == []


@pytest.mark.parametrize("room", PURE)
def test_the_pure_rooms_import_no_framework(room: str) -> None:
    broken = [told(path, name) for path in files_of(room) for name in imports(path) if within(name, FRAMEWORKS)]
    assert broken == []


def test_the_core_imports_without_django() -> None:
    standard = sys.stdlib_module_names
    small = {"rfc8785", "yaml", "pydantic", "pydantic_core", "typing_extensions", "registry"}
    found = {name.split(".")[0] for path in files_of("registry.core") for name in imports(path)}
    assert found - standard - small == set()


def test_the_core_reads_no_clock_no_file_and_no_network() -> None:
    forbidden = (
        "datetime.datetime.now",
        "time",
        "socket",
        "urllib",
        "http",
        "requests",
        "os",
        "pathlib",
        "random",
        "uuid.uuid4",
    )
    broken = [
        told(path, name) for path in files_of("registry.core") for name in imports(path) if within(name, forbidden)
    ]
    calls = [
        f"{path.relative_to(ROOT)} calls {call}"
        for path in files_of("registry.core")
        for call in re.findall(r"\b(?:datetime\.now|date\.today|open)\(", path.read_text())
    ]
    assert broken + calls == []


def test_only_fetching_speaks_to_the_network() -> None:
    network = ("socket", "ssl", "http.client", "urllib.request", "httpcore", "httpx", "requests", "aiohttp", "ftplib")
    broken = [
        told(path, name)
        for path in python_files(*OURS)
        if not within(room_of(path), ("registry.fetching",))
        for name in imports(path)
        if within(name, network)
    ]
    assert broken == []


def test_no_page_fetches() -> None:
    pages = tuple(f"{app}.{page}" for app in ABOVE for page in PAGES)
    broken = [
        told(path, name)
        for path in python_files(*OURS)
        if within(room_of(path), pages)
        for name in imports(path)
        if within(name, ("registry.fetching", "registry.links"))
    ]
    assert broken == []


def test_no_import_hides_in_a_function() -> None:
    broken = [
        told(path, f"in {function.name}")
        for path in python_files(*OURS, "tests", "bench")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(function))
    ]
    assert broken == []


def test_no_import_is_relative_or_of_a_star() -> None:
    broken = [
        told(path, "." * node.level + (node.module or ""))
        for path in python_files(*OURS, "tests", "bench")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.level or any(alias.name == "*" for alias in node.names))
    ]
    assert broken == []


def test_every_folder_of_tests_is_a_package() -> None:
    folders = {path.parent for path in python_files("tests")}
    assert sorted(str(folder) for folder in folders if not (folder / "__init__.py").exists()) == []


def test_no_folder_is_a_drawer() -> None:
    drawers = {"utils", "helpers", "common", "misc", "lib", "services", "managers"}
    assert [room_of(path) for path in python_files(*OURS) if drawers & set(room_of(path).split("."))] == []
