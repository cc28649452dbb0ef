"""The written expectation: blocks of routes, and below them what each method answers to each role.

    runs/<digest:reference>/
      GET HEAD   200 200 200 …     one status for each role, in the order of cast.ROLES
      POST       405 …

Several routes above one block share it. `*` in a route stands for any text; a route that is written out in full goes
before one with a star. No cell is implied: each route names every method of METHODS.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from django.urls import get_resolver

from tests.permissions.cast import ROLES

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
FOLDER = Path(__file__).resolve().parent / "expected"


@dataclass(frozen=True, slots=True)
class Block:
    """Routes that answer alike; `statuses` is method -> one status a role."""

    file: str
    routes: tuple[str, ...]
    statuses: dict[str, tuple[int, ...]]


def routes() -> list[str]:
    """Every route of the site, as its patterns read from the root."""
    return list(dict.fromkeys(_walk(get_resolver(), "")))


def _walk(resolver: Any, above: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        path = above + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _walk(pattern, path)
        else:
            yield path


def blocks() -> list[Block]:
    return [block for path in sorted(FOLDER.glob("*.txt")) for block in read(path)]


def read(path: Path) -> list[Block]:
    found: list[Block] = []
    names: list[str] = []
    statuses: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if line.startswith("  "):
            words = line.split()
            methods = [word for word in words if not word.isdigit()]
            codes = tuple(int(word) for word in words if word.isdigit())
            assert len(codes) == len(ROLES), f"{path.name}:{number}: {len(codes)} statuses for {len(ROLES)} roles"
            assert set(methods) <= set(METHODS), f"{path.name}:{number}: {methods}"
            statuses |= dict.fromkeys(methods, codes)
            continue
        if statuses:
            assert set(statuses) == set(METHODS), f"{path.name}:{number}: methods {sorted(statuses)}"
            found.append(Block(path.name, tuple(names), statuses))
            names, statuses = [], {}
        if line.strip():
            names.append(line.strip().strip('"'))
    assert not names, f"{path.name}: routes without statuses: {names}"
    return found


def expectation(route: str, known: list[Block]) -> list[Block]:
    """The block that names the route in full, else those whose star takes it in."""
    exact = [block for block in known if route in block.routes]
    if exact:
        return exact
    starred = [b for b in known for name in b.routes if "*" in name and fnmatchcase(route, _escaped(name))]
    return starred


def _escaped(name: str) -> str:
    return re.sub(r"[\[?]", lambda m: f"[{m[0]}]", name)
