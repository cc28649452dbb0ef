"""The six kinds of things that are followed: how a run belongs to one, and what each is called."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ObjectDoesNotExist

from attestations.models import Thing
from registry.models import ComparisonGroup, Hardware, Operation, Project, Run, Source
from registry.queries import addresses
from registry.queries.shapes import Ref

Key = tuple[str, str]  # thing, target
TARGET = re.compile(r"[A-Za-z0-9_:-]{1,120}")  # slugs and digests
REDACTED = "redacted"


@dataclass(frozen=True, slots=True)
class Kind:
    """`path` leads from a run to the column that names the thing, `column` is that column in its own table."""

    path: str
    model: Any
    column: str
    columns: tuple[str, ...]
    name: Callable[..., str]
    address: Callable[[str], str]


def _run_name(implementation: str, operation: str, workload: str, hardware: str) -> str:
    return f"{implementation or REDACTED}: {operation or REDACTED}, {workload}, {hardware}"


def _group_name(operation: str, timed_pass: str | None, workload: str, hardware: str) -> str:
    passed = f", {timed_pass} pass" if timed_pass else ""
    return f"{operation or REDACTED}{passed}, {workload}, {hardware}"


def _plain_name(name: str) -> str:
    return name or REDACTED


KINDS: Mapping[str, Kind] = {
    Thing.GROUP: Kind(
        "group__key", ComparisonGroup, "key",
        ("operation__display_name", "protocol__timed_pass", "workload__label", "environment__hardware__name"),
        _group_name, addresses.group,
    ),
    Thing.OPERATION: Kind(
        "operation__slug", Operation, "slug", ("display_name",), _plain_name, addresses.operation
    ),
    Thing.PROJECT: Kind(
        "implementation__project__slug", Project, "slug", ("name",), _plain_name, addresses.project
    ),
    Thing.HARDWARE: Kind(
        "environment__hardware__slug", Hardware, "slug", ("name",), _plain_name, addresses.hardware
    ),
    Thing.SOURCE: Kind("source__slug", Source, "slug", ("name",), _plain_name, addresses.source),
    Thing.RUN: Kind(
        "digest", Run, "digest",
        ("implementation__display_name", "operation__display_name", "workload__label", "environment__hardware__name"),
        _run_name, addresses.run,
    ),
}  # fmt: skip


def could_be(thing: str, target: str) -> bool:
    """Whether a thing could be called so at all: anything may be sent, and a database refuses some of it."""
    return thing in KINDS and TARGET.fullmatch(target) is not None


def targets_by_thing(keys: Iterable[Key]) -> dict[str, list[str]]:
    """Targets of each kind, each once, in the order of the kinds."""
    found: dict[str, dict[str, None]] = {thing: {} for thing in KINDS}
    for thing, target in keys:
        found[thing][target] = None
    return {thing: list(targets) for thing, targets in found.items() if targets}


def refs(keys: Iterable[Key]) -> dict[Key, Ref]:
    """Name and address of each thing that there is; one query a kind."""
    found: dict[Key, Ref] = {}
    for thing, targets in targets_by_thing(keys).items():
        kind = KINDS[thing]
        rows = kind.model.objects.filter(**{f"{kind.column}__in": targets}).values_list(kind.column, *kind.columns)
        for target, *names in rows:
            found[thing, target] = Ref(target, kind.name(*names), kind.address(target))
    return found


def ref(thing: str, target: str) -> Ref:
    """One thing. Raises ObjectDoesNotExist for a kind or a target that is none."""
    found = refs([(thing, target)]) if could_be(thing, target) else {}
    if not found:
        raise ObjectDoesNotExist(f"{thing} {target}")
    return found[thing, target]
