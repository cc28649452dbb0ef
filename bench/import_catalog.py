"""The import of the whole catalog export: what it takes in, how fast against the raw limit, in how much memory."""

from statistics import median
from typing import Any

from bench.databases import Databases, catalog, child, database_name

ROUNDS = 3
MEBIBYTE = 2**20


def measure(databases: Databases, rounds: int) -> list[dict[str, Any]]:
    """Import, second import and raw limit take turns: each round is a process that does one after the other."""
    measured = []
    for number in range(rounds):
        first, second = databases.empty(), databases.empty()
        round_ = child(
            first, "import_catalog:measure", path=str(catalog()), second=database_name(second), is_checked=number == 0
        )
        databases.drop(first)
        databases.drop(second)
        measured.append(round_)
        print(f"  round {number + 1}: {told(round_)}")
    return measured


def show(databases: Databases, rounds: int | None) -> None:
    measured = measure(databases, rounds or ROUNDS)
    _show_counts(measured[0])
    ratios = [round_["raw"]["wall_s"] / round_["import"]["wall_s"] for round_ in measured]
    cpu_ratios = [round_["raw"]["cpu_s"] / round_["import"]["cpu_s"] for round_ in measured]
    peak = max(round_["peak_bytes"] for round_ in measured)
    print(f"  speed: {median(ratios):.2f} of the raw limit by the clock (wanted: at least 0.5)")
    print(f"         {median(cpu_ratios):.2f} by processor time of this process alone")
    print(f"  memory: {peak / MEBIBYTE:,.0f} MiB at most (allowed: 1,024)")


def told(round_: dict[str, Any]) -> str:
    done, again, raw = round_["import"], round_["second"], round_["raw"]
    parts = ", ".join(f"{name} {raw[f'{name}_s']:.1f}" for name in ("parse", "digest", "insert"))
    return (
        f"import {done['wall_s']:.1f} s (processor {done['cpu_s']:.1f}),"
        f" again {again['wall_s']:.1f} s (processor {again['cpu_s']:.1f}),"
        f" raw limit {raw['wall_s']:.1f} s (processor {raw['cpu_s']:.1f}; {parts})"
    )


def _show_counts(round_: dict[str, Any]) -> None:
    for name, count in round_["counts"].items():
        told = ", ".join(f"{n:,} {word}" for word, n in count.items()) if isinstance(count, dict) else f"{count:,}"
        print(f"  {name}: {told or 'none'}")
