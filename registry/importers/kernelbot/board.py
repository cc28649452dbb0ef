"""A leaderboard of KernelBot: its problem, and the cases of its suite."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from registry.importers.problems import Problem, settled_axes, tensors


@dataclass(frozen=True, slots=True)
class Board:
    """`number` is upstream's id where it is known, `task` the problem's folder in reference-kernels.

    `axes`, `inputs` and `outputs` are lines as `problems` reads them. `cases` are a suite's, each "axis=value …" after
    its external id where that is more than its place in the list; a board without cases publishes each case on its own,
    with the case's axes in the row.
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
    problem: Problem = field(init=False, compare=False)

    def __post_init__(self) -> None:
        variables, _, settled = self.axes.partition(";")
        problem = Problem(tuple(variables.split()), settled_axes(settled), tensors(self.inputs), tensors(self.outputs))
        object.__setattr__(self, "problem", problem)

    @property
    def is_suite(self) -> bool:
        return bool(self.cases)

    def suite_cases(self) -> Iterator[tuple[str, dict[str, int]]]:
        """(external id, axes) of each case in order."""
        for place, text in enumerate(self.cases.split("; ")):
            external_id, _, axes = text.rpartition(": ")
            values = (pair.split("=") for pair in axes.split())
            yield external_id or str(place), {name: int(value) for name, value in values}
