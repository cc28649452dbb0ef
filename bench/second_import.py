"""An import done again from equal bytes: what it writes, and how much faster it is than the first."""

from statistics import median
from typing import Any

from bench import import_catalog, import_liger
from bench.databases import Databases

ROUNDS = 3


def show(databases: Databases, rounds: int | None) -> None:
    """As the command and a sync do it, which know an input by its files, importer and names; and read in full."""
    for name, measure in (("Liger's CSV", import_liger.measure), ("the catalog export", import_catalog.measure)):
        print(f"  {name}")
        _show(measure(databases, rounds or ROUNDS))


def _show(measured: list[dict[str, Any]]) -> None:
    new = {str(round_["new_of_second"]) for round_ in measured}
    batches = sum(round_["batches_of_second"] for round_ in measured)
    print(f"  new in the second: {', '.join(new)}; batches written: {batches}")
    for how, name in (("as import_source does it", "seen_again"), ("read in full all the same", "second")):
        faster = median(round_["import"]["wall_s"] / round_[name]["wall_s"] for round_ in measured)
        cpu_faster = median(round_["import"]["cpu_s"] / round_[name]["cpu_s"] for round_ in measured)
        print(f"  {how}: {faster:.1f}× faster by the clock, {cpu_faster:.1f}× by processor time (wanted: 5×)")
