"""Bundles: lists of documents in JSON or YAML, as people write them and as submissions carry them.

A bundle has the lists `projects`, `operations`, `workloads`, `implementations` (each {projectSlug, manifest}) and
`runs` (each {run, protocol, environment, implementation?: {project, name}}). A lone {run, protocol, environment} is a
bundle of one run.
"""

from collections.abc import Iterator
from pathlib import Path as FilePath

from registry.core.reading import Path, Reading, ReadingError, path_text, read
from registry.importers.base import (
    DocumentEntry,
    Entry,
    Locate,
    Place,
    Rejected,
    RunEntry,
    SourceEntry,
    Unreadable,
)

SOURCE = SourceEntry("community", "Community", "community")
LISTS = {
    "projects": "SoftwareProject",
    "operations": "OperationSpec",
    "workloads": "WorkloadCase",  # or WorkloadSuite: the document says
    "implementations": "ImplementationRevision",
}
RUN_KEYS = {"run", "protocol", "environment"}


def read_file(path: FilePath, *, limit: int) -> Reading:
    """Read a bundle's file. Raises Unreadable with the place of the first fault."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)  # what is too large is not read to its end
        return read(data, syntax="json" if path.suffix == ".json" else "yaml", limit=limit)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    except ReadingError as error:
        raise Unreadable(f"{path.name}: {error}") from error


def translate(reading: Reading, *, file: str) -> Iterator[Entry]:
    """Yield the entries of a bundle in the order of LISTS, then its runs."""
    locate = _from(reading, file, ())
    bundle = reading.value
    if not isinstance(bundle, dict):
        yield Rejected("SHAPE", locate(()), "a bundle is an object of lists")
        return
    if bundle.keys() >= RUN_KEYS:
        yield from _run(bundle, locate, ())
        return
    for key in bundle.keys() - LISTS.keys() - {"runs"}:
        known = ", ".join([*LISTS, "runs"])
        yield Rejected("UNKNOWN_FIELD", locate((key,)), f"unknown list; a bundle has {known}")
    for name, kind in LISTS.items():
        for index, item in _items(bundle, name):
            if item is _NOT_A_LIST:
                yield Rejected("SHAPE", locate((name,)), "must be a list")
            elif name == "implementations":
                yield from _implementation(item, locate, (name, index))
            else:
                yield DocumentEntry(_kind(item, kind), item, _from(reading, file, (name, index)))
    for index, item in _items(bundle, "runs"):
        if item is _NOT_A_LIST:
            yield Rejected("SHAPE", locate(("runs",)), "must be a list")
        else:
            yield from _run(item, locate, ("runs", index))


_NOT_A_LIST = object()


def _items(bundle: dict[str, object], name: str) -> list[tuple[int, object]]:
    items = bundle.get(name, [])
    return list(enumerate(items)) if isinstance(items, list) else [(0, _NOT_A_LIST)]


def _kind(item: object, default: str) -> str:
    kind = item.get("kind") if isinstance(item, dict) else None
    return "WorkloadSuite" if default == "WorkloadCase" and kind == "WorkloadSuite" else default


def _from(reading: Reading, file: str, prefix: Path) -> Locate:
    return lambda path: Place(file, reading.line_of(prefix + path), path_text(prefix + path))


def _under(locate: Locate, prefix: Path) -> Locate:
    return lambda path: locate(prefix + path)


def _unknown(item: dict[str, object], known: set[str], locate: Locate, prefix: Path) -> Iterator[Rejected]:
    for key in item.keys() - known:
        yield Rejected(
            "UNKNOWN_FIELD", locate((*prefix, key)), f"unknown field; known here: {', '.join(sorted(known))}"
        )


def _implementation(item: object, locate: Locate, prefix: Path) -> Iterator[Entry]:
    if not isinstance(item, dict) or not isinstance(item.get("projectSlug"), str) or "manifest" not in item:
        yield Rejected("SHAPE", locate(prefix), "must be {projectSlug: <slug of a project>, manifest: {…}}")
        return
    yield from _unknown(item, {"projectSlug", "manifest"}, locate, prefix)
    yield DocumentEntry(
        "ImplementationRevision", item["manifest"], _under(locate, (*prefix, "manifest")), project=item["projectSlug"]
    )


def _run(item: object, locate: Locate, prefix: Path) -> Iterator[Entry]:
    if not isinstance(item, dict) or not item.keys() >= RUN_KEYS:
        lacking = ", ".join(sorted(RUN_KEYS - (item.keys() if isinstance(item, dict) else set())))
        yield Rejected("SHAPE", locate(prefix), f"must be {{run, protocol, environment}}; lacks {lacking}")
        return
    yield from _unknown(item, {*RUN_KEYS, "implementation"}, locate, prefix)
    named = item.get("implementation")
    row = None
    if named is not None:
        if not (isinstance(named, dict) and named.keys() == {"project", "name"} and all(map(_is_text, named.values()))):
            yield Rejected("SHAPE", locate((*prefix, "implementation")), "must be {project: <slug>, name: <name>}")
            return
        row = (named["project"], named["name"])
    yield RunEntry(item["run"], item["protocol"], item["environment"], _under(locate, prefix), implementation=row)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
