"""Memory of a large import: KernelBot's rows, 20,000 and then 200,000 of them, each into a fresh database."""

from bench.databases import Databases, child
from bench.import_catalog import MEBIBYTE

COUNTS = (20_000, 200_000)
ALLOWED = 500 * 2**20


def show(databases: Databases, rounds: int | None) -> None:
    """One round: bytes hardly move from one to the next, and it takes minutes."""
    peaks = []
    for count in COUNTS:
        database = databases.empty()
        found = child(database, "kernelbot_200k:measure", count=count)
        databases.drop(database)
        peaks.append(found["peak_bytes"])
        print(
            f"  {count:,} rows, {found['runs']:,} runs: {found['peak_bytes'] / MEBIBYTE:,.0f} MiB at most,"
            f" of which {found['before_bytes'] / MEBIBYTE:,.0f} before it began; {found['wall_s']:,.0f} s,"
            f" {found['runs'] / found['wall_s']:,.0f} runs/s; {found['rejected']:,} rejected"
        )
    print(
        f"  {peaks[1] / peaks[0]:.2f}× the memory for ten times the rows; {peaks[1] / ALLOWED:.2f} of what is allowed"
    )
