"""How a leaderboard's problem is written down here: axes, tensors and cases as short lines of text."""

import re
from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass, field

from registry.core.axis_expressions import ExpressionError
from registry.core.axis_expressions import parse as parse_expression

Spec = dict[str, object]
_ARGUMENT = re.compile(r"(\w+): (\w+)\[([\w, ]+)\](?: (\w+))?")


@dataclass(frozen=True, slots=True)
class Argument:
    name: str
    dtype: str
    shape: tuple[int | str, ...]
    layout: str | None

    def document(self) -> Spec:
        tensor: Spec = {"shape": list(self.shape), "dtype": self.dtype}
        if self.layout:
            tensor["layout"] = self.layout
        return {"name": self.name, "tensor": tensor}


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard. `number` is upstream's id where it is known, `task` the problem's folder in reference-kernels.

    `axes` names the variable ones, then constants and derived ones each with its value: "k m; blocks = k // 128".
    `cases` are a suite's, each "axis=value …", after its external id where that is more than its place in the list;
    a board without cases publishes each case on its own, with the case's axes in the row.
    """

    name: str
    number: int | None
    operation: str
    title: str
    family: str
    task: str
    axes: str
    inputs: str
    outputs: str
    statistic: str = ""
    cases: str = ""
    variables: tuple[str, ...] = field(init=False)
    arguments: tuple[Argument, ...] = field(init=False)
    results: tuple[Argument, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.axes.split("; ")[0].split()))
        object.__setattr__(self, "arguments", tuple(_arguments(self.inputs)))
        object.__setattr__(self, "results", tuple(_arguments(self.outputs)))

    @property
    def is_suite(self) -> bool:
        return bool(self.cases)

    def axis_documents(self) -> dict[str, Spec]:
        axes: dict[str, Spec] = {name: {"role": "variable", "type": "integer"} for name in self.variables}
        for name, value in self._settled():
            if value.isdigit():
                axes[name] = {"role": "constant", "type": "integer", "value": int(value)}
            else:
                axes[name] = {"role": "derived", "type": "integer", "expression": value}
        return axes

    def suite_cases(self) -> Iterator[tuple[str, dict[str, int]]]:
        """(external id, axes) of each case in order."""
        for place, text in enumerate(self.cases.split("; ")):
            external_id, _, axes = text.rpartition(": ")
            values = (pair.split("=") for pair in axes.split())
            yield external_id or str(place), {name: int(value) for name, value in values}

    def shapes(self, axes: dict[str, int]) -> dict[str, list[int]] | None:
        """The shape of each input for a case's axes; None where a derived axis can't be computed of earlier ones."""
        known: dict[str, int] = {}
        sizes = ChainMap(axes, known)
        try:
            for name, value in sorted(self._settled(), key=lambda settled: not settled[1].isdigit()):
                known[name] = parse_expression(value).evaluate(sizes)
        except ExpressionError:
            return None
        return {
            argument.name: [size if isinstance(size, int) else sizes[size] for size in argument.shape]
            for argument in self.arguments
        }

    def _settled(self) -> list[tuple[str, str]]:
        """(axis, value or expression) of all but the variable axes."""
        pairs = (part.split(" = ", 1) for part in self.axes.split("; ")[1:])
        return [(name, value) for name, value in pairs]


def _arguments(text: str) -> Iterator[Argument]:
    for part in text.split("; "):
        match = _ARGUMENT.fullmatch(part)
        assert match, part
        name, dtype, dimensions, layout = match.groups()
        shape = tuple(int(size) if size.isdigit() else size for size in dimensions.split(", "))
        yield Argument(name, dtype, shape, layout)
