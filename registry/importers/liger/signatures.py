"""How the table of kernels is written: tensors as `x[rows,hidden]:int64`, axes of a case as `tokens=B*T vocab=x`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from registry.core import axis_expressions

Dimension = str | int

_TENSOR = re.compile(r"([a-z_]+)\[([a-z0-9_,]+)\](?::([a-z0-9]+))?")
_AXIS = re.compile(r"([a-z][a-z0-9_]*)=([A-Za-z_][A-Za-z0-9_]*(?:\*[A-Za-z_][A-Za-z0-9_]*)*)")


@dataclass(frozen=True, slots=True)
class Tensor:
    """An argument of a kernel. `dtype` None: the case's own float type."""

    name: str
    shape: tuple[Dimension, ...]
    dtype: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which upstream's scripts state a case: what was swept, and where each axis stands in the row.

    An axis is a product of members of the configuration; `x` is the swept value. A row is read so only where its
    members are as in `only`.
    """

    swept: tuple[str, ...]
    axes: Mapping[str, tuple[str, ...]]
    only: Mapping[str, object]

    @property
    def members(self) -> frozenset[str]:
        return frozenset(member for factors in self.axes.values() for member in factors if member != "x")

    def fits(self, swept: str, stated: Mapping[str, object]) -> bool:
        """Whether a row of these members (no null among them) states its case so."""
        return (
            swept in self.swept
            and self.members <= stated.keys()
            and all(stated.get(member) == value for member, value in self.only.items())
        )


def by(swept: str, axes: str, **only: object) -> Reading:
    """The reading of `by("H N", "rows=M hidden=x")`. Raises ValueError where the axes can't be read."""
    read: dict[str, tuple[str, ...]] = {}
    for word in axes.split():
        match = _AXIS.fullmatch(word)
        if match is None or match[1] in read:
            raise ValueError(f"can't read {word!r}: each axis is written once, like tokens=B*T")
        read[match[1]] = tuple(match[2].split("*"))
    return Reading(tuple(swept.split()), read, only)


@dataclass(frozen=True)
class Kernel:
    """A kernel of upstream's scripts, as the documents already published from them describe it.

    `scalars` are constants, or members of the configuration; `fixed` members say which mathematics was timed, and must
    be as written here. `dtype` is given where the scripts imply it and the rows do not state it. `is_variant` marks
    kernels whose documents equal those of other mathematics: their runs carry the kernel's name.
    """

    title: str
    family: str
    signature: str
    readings: Sequence[Reading]
    derived: Mapping[str, str] = field(default_factory=dict)
    scalars: Mapping[str, str | float] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
    dtype: str | None = None
    is_variant: bool = False

    @cached_property
    def inputs(self) -> tuple[Tensor, ...]:
        return _tensors(self.signature.split("->")[0])

    @cached_property
    def outputs(self) -> tuple[Tensor, ...]:
        return _tensors(self.signature.split("->")[1])

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The variable axes by first use in the shapes."""
        used = [size for tensor in (*self.inputs, *self.outputs) for size in tensor.shape if isinstance(size, str)]
        return tuple(dict.fromkeys(axis for axis in used if axis not in self.derived))

    @cached_property
    def expressions(self) -> dict[str, axis_expressions.Expression]:
        return {axis: axis_expressions.parse(text) for axis, text in self.derived.items()}


def _tensors(text: str) -> tuple[Tensor, ...]:
    found = [_TENSOR.fullmatch(word) for word in text.split()]
    assert all(found), text
    return tuple(
        Tensor(match[1], tuple(int(size) if size.isdigit() else size for size in match[2].split(",")), match[3])
        for match in found
        if match
    )
