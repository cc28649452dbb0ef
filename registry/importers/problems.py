"""An operation's axes and tensors as short lines of text, for tables of ours and for people's answers.

Axes: the variable ones, then constants and derived ones each with its value: "m k; blocks = k // 128; heads = 16".
Tensors: "a: bf16[m, k] row_major; scale: fp32[m, blocks]".
"""

import re
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass

from registry.core.axis_expressions import ExpressionError
from registry.core.axis_expressions import parse as parse_expression

Spec = dict[str, object]
_WORD = r"[a-z][a-z0-9_]*"
LONGEST_NUMBER = 15  # digits: below 2^53
_SIZES = rf"(?:\d{{1,15}}|{_WORD})(?:, ?(?:\d{{1,15}}|{_WORD}))*"
_TENSOR = re.compile(rf"({_WORD})(?:: ?({_WORD}))?\[({_SIZES})\](?: (row_major|col_major|contiguous|strided))?")
_SETTLED = re.compile(rf"({_WORD}) ?= ?([a-z0-9_+\-*/%() ]{{1,200}})")


class ProblemError(ValueError):
    """A line that can't be read; its text says what was expected."""


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    dtype: str
    shape: tuple[int | str, ...]
    layout: str | None

    def document(self) -> Spec:
        tensor: Spec = {"shape": list(self.shape), "dtype": self.dtype}
        if self.layout:
            tensor["layout"] = self.layout
        return {"name": self.name, "tensor": tensor}


def tensors(text: str, dtype: str | None = None) -> tuple[Tensor, ...]:
    """Read tensors; `dtype` is that of those which state none. Raises ProblemError."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        match = _TENSOR.fullmatch(part)
        if match is None:
            raise ProblemError(f'a tensor is written "name: dtype[axis, axis]", got {part[:60]!r}')
        name, stated, sizes, layout = match.groups()
        if not (stated or dtype):
            raise ProblemError(f"{name} states no dtype")
        shape = tuple(int(size) if size.isdigit() else size for size in re.split(", ?", sizes))
        found.append(Tensor(name, stated or str(dtype), shape, layout))
    return tuple(found)


def settled_axes(text: str) -> dict[str, int | str]:
    """Read constants and derived axes, "heads = 16; blocks = k // 128". Raises ProblemError."""
    found: dict[str, int | str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        match = _SETTLED.fullmatch(part)
        if match is None:
            raise ProblemError(f'an axis is settled by "axis = number or expression", got {part[:60]!r}')
        name, value = match.groups()
        found[name] = int(value) if value.isdigit() and len(value) <= LONGEST_NUMBER else value.strip()
    return found


@dataclass(frozen=True, slots=True)
class Problem:
    variables: tuple[str, ...]
    settled: Mapping[str, int | str]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    def axes(self) -> dict[str, Spec]:
        axes: dict[str, Spec] = {name: {"role": "variable", "type": "integer"} for name in self.variables}
        for name, value in self.settled.items():
            said: Spec = {"role": "constant"} if isinstance(value, int) else {"role": "derived"}
            word = "value" if isinstance(value, int) else "expression"
            axes[name] = said | {"type": "integer", word: value}
        return axes

    def shapes(self, axes: Mapping[str, int]) -> dict[str, list[int]] | None:
        """The shape of each input for a case's axes; None where a derived axis can't be computed of earlier ones."""
        constants = {name: value for name, value in self.settled.items() if isinstance(value, int)}
        derived: dict[str, int] = {}
        sizes = ChainMap(dict(axes), constants, derived)
        try:
            for name, value in self.settled.items():
                if isinstance(value, str):
                    derived[name] = parse_expression(value).evaluate(sizes)
            return {
                tensor.name: [size if isinstance(size, int) else sizes[size] for size in tensor.shape]
                for tensor in self.inputs
            }
        except (ExpressionError, KeyError):
            return None
