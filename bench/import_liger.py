"""Liger's CSV to published: how fast beyond start-up, and against the raw limit measured beside it."""

from pathlib import Path
from statistics import median
from typing import Any

from bench.databases import DATA, Databases, child, database_name
from bench.import_catalog import MEBIBYTE, told

ROUNDS = 5
CSV = DATA / "liger" / "all_benchmark_data.csv"


def measure(databases: Databases, rounds: int, path: Path = CSV) -> list[dict[str, Any]]:
    """Each round is a process that imports, imports again, and then does the raw limit."""
    measured = []
    for number in range(rounds):
        first, second = databases.empty(), databases.empty()
        measured.append(child(first, "import_liger:measure", path=str(path), second=database_name(second)))
        databases.drop(first)
        databases.drop(second)
        print(f"  round {number + 1}: {told(measured[-1])}")
    return measured


def show(databases: Databases, rounds: int | None) -> None:
    measured = measure(databases, rounds or ROUNDS)
    runs = measured[0]["runs"]
    rates = [runs / round_["import"]["wall_s"] for round_ in measured]
    ratios = [round_["raw"]["wall_s"] / round_["import"]["wall_s"] for round_ in measured]
    cpu_ratios = [round_["raw"]["cpu_s"] / round_["import"]["cpu_s"] for round_ in measured]
    print(f"  {runs:,} rows published")
    print(f"  speed: {median(rates):,.0f} rows/s (wanted: 3,000, or the next figure)")
    print(f"         {median(ratios):.2f} of the raw limit by the clock (wanted: at least 0.5)")
    print(f"         {median(cpu_ratios):.2f} by processor time of this process alone")
    print(f"  memory: {max(round_['peak_bytes'] for round_ in measured) / MEBIBYTE:,.0f} MiB at most")
