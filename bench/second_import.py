"""An import done again from equal bytes: what it writes, and how much faster it is than the first."""

from statistics import median
from typing import Any

from bench import import_catalog, import_liger
from bench.databases import Databases

ROUNDS = 3


def show(databases: Databases, rounds: int | None) -> None:
    """The whole second reading, as an import at a shell does it; a sync of known files is not read at all."""
    for name, measure in (("Liger's CSV", import_liger.measure), ("the catalog export", import_catalog.measure)):
        print(f"  {name}")
        _show(measure(databases, rounds or ROUNDS))


def _show(measured: list[dict[str, Any]]) -> None:
    new = {str(round_["new_of_second"]) for round_ in measured}
    batches = sum(round_["batches_of_second"] for round_ in measured)
    faster = median(round_["import"]["wall_s"] / round_["second"]["wall_s"] for round_ in measured)
    cpu_faster = median(round_["import"]["cpu_s"] / round_["second"]["cpu_s"] for round_ in measured)
    print(f"  new in the second: {', '.join(new)}; batches written: {batches}")
    print(f"  {faster:.1f}× faster by the clock (wanted: 5×), {cpu_faster:.1f}× by processor time")
