"""What verify_registry costs a document, as a multiple of reading and hashing it once more."""

from statistics import median

from bench.databases import Databases, child

ROUNDS = 3


def show(databases: Databases, rounds: int | None) -> None:
    """verify_registry also recomputes keys, columns, batches, standings, records and levels."""
    measured = child(databases.loaded(), "verify:measure", rounds=rounds or ROUNDS)
    ratio = median(round_["verify_s"] / round_["rehash_s"] for round_ in measured)
    last = measured[-1]
    each_ms = median(round_["verify_s"] for round_ in measured) / last["documents"] * 1000
    print(f"  {last['documents']:,} documents, {last['rows']:,} rows, {last['differences']} differences")
    print(f"  {ratio:.1f}× reading and hashing every document, {each_ms:.2f} ms a document")
    print(f"  memory: {max(round_['peak_bytes'] for round_ in measured) / 2**20:,.0f} MiB at most")
