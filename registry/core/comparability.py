"""Which runs measured the same thing: the comparison key, and why two runs may not be compared."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from registry.core.digest import canonical, sha256
from registry.core.measurement import Primary

PARTS = ("operation", "workload", "protocol", "environment", "correctness", "metric")
NO_METRIC = "none"


class Profile(StrEnum):
    """How a run's number came about; the value is the page's text."""

    SOURCE_NATIVE = "source-native comparison"
    STRICT_EXACT = "strict exact comparison"


class Absent(Enum):
    """The side of a difference that has no such field, kept apart from every JSON value."""

    ABSENT = "absent"

    def __str__(self) -> str:
        return self.value


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Difference:
    """One differing leaf, its path written like `spec.cases[3].axes.h`."""

    path: str
    left: Any
    right: Any


def metric_key(primary: Primary | None) -> str:
    return f"{primary.metric}:{primary.statistic}:{primary.unit}" if primary else NO_METRIC


def correctness_digest(workload_spec: Mapping[str, Any]) -> str:
    return sha256(canonical({"correctness": workload_spec["correctness"]}))


def comparison_key(
    *, operation: str, workload: str, protocol: str, environment: str, correctness: str, metric: str
) -> str:
    """The group of a run, bit for bit as in the original. `operation` is the one that the workload names."""
    return sha256(
        canonical(
            {
                "v": 1,
                "operation": operation,
                "workload": workload,
                "protocol": protocol,
                "environment": environment,
                "correctness": correctness,
                "metric": metric,
            }
        )
    )


def profile(run_spec: Mapping[str, Any]) -> Profile:
    return Profile.SOURCE_NATIVE if "sourceNative" in run_spec else Profile.STRICT_EXACT


def differing_parts(left: Mapping[str, str], right: Mapping[str, str]) -> tuple[str, ...]:
    """Names out of `PARTS` that keep two groups apart; each side maps every part to its digest (or metric key)."""
    return tuple(part for part in PARTS if left[part] != right[part])


def parts_text(parts: tuple[str, ...]) -> str:
    """The parts as the end of a sentence: "protocol and environment differ"."""
    if not parts:
        return "nothing differs"
    *head, last = parts
    return f"{', '.join(head)} and {last} differ" if head else f"{last} differs"


def differences(left: Any, right: Any) -> tuple[Difference, ...]:
    """Every differing leaf of two JSON values, by path; a branch that one side lacks is listed leaf by leaf."""
    return tuple(_differences(left, right, ""))


def _differences(left: Any, right: Any, path: str) -> Iterator[Difference]:
    sides = [side for side in (left, right) if side is not ABSENT]
    if any(sides) and all(isinstance(side, dict) for side in sides):
        for key in sorted({key for side in sides for key in side}):
            yield from _differences(_member(left, key), _member(right, key), _joined(path, key))
    elif any(sides) and all(isinstance(side, list) for side in sides):
        for index in range(max(map(len, sides))):
            yield from _differences(_member(left, index), _member(right, index), f"{path}[{index}]")
    elif left != right or isinstance(left, bool) is not isinstance(right, bool):  # True is not 1 in JSON
        yield Difference(path, left, right)


def _member(side: Any, key: str | int) -> Any:
    if isinstance(key, int):
        return side[key] if side is not ABSENT and key < len(side) else ABSENT
    return side.get(key, ABSENT) if side is not ABSENT else ABSENT


def _joined(path: str, key: str) -> str:
    if not re.fullmatch(r"\w[\w-]*", key):
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key
