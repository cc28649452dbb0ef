"""Kinds of mathematics under one comparison key: the upstream's name of what was computed, where its digests agree.

A run names its kind by the label `variant`, outside every digest. A group that holds more than one kind is divided: it
ranks none of its runs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LABEL = "variant"
UNNAMED = "no variant stated"
_WORDS = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True, slots=True)
class Variant:
    """One kind in a group; `name` None: its runs state none, which is a kind beside those that do."""

    name: str | None
    runs: int

    @property
    def title(self) -> str:
        return self.name or UNNAMED


def name_of(labels: Mapping[str, str]) -> str | None:
    return labels.get(LABEL) or None


def variants(names: Iterable[str | None]) -> tuple[Variant, ...]:
    """The kinds of a group's runs in the order of its tables: by name, those without one last."""
    counted = Counter(names)
    return tuple(Variant(name, counted[name]) for name in sorted(counted, key=lambda name: (name is None, name or "")))


def is_divided(kinds: Sequence[Variant]) -> bool:
    return len(kinds) > 1


def why_divided(kinds: Sequence[Variant]) -> str:
    """Why a divided group ranks nothing, in two sentences."""
    names = [kind.name for kind in kinds if kind.name]
    if len(names) < len(kinds):
        names.append("one that is not named")
    told = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"This group holds {_WORDS.get(len(kinds), str(len(kinds)))} kinds of mathematics under one comparison key: "
        f"{told}. The source names them apart and its documents do not, so no run of it is ranked against another."
    )
