"""Server time of pages, whole export loaded and nothing cached, as multiples of a trivial page's."""

from bench.databases import Databases, child

ROUNDS = 30
COUNTS = (10, 10_000)
ALLOWED_QUERIES = 8


def show(databases: Databases, rounds: int | None) -> None:
    """The trivial page has one query and three lines of template, and passes the same middleware."""
    measured = child(databases.loaded(), "pages:measure", rounds=rounds or ROUNDS)
    for page in measured:
        print(
            f"  {page['name']:<38} {page['ratio']:5.1f}×  {page['queries']:2} queries  {page['html_bytes']:9,} bytes"
            f"  ({page['page_ms']:.1f} ms / {page['trivial_ms']:.2f} ms)"
        )
    print("  wanted: run 8×, allowed 12×; at most 8 queries")
    show_scale(databases)


def show_scale(databases: Databases, counts: tuple[int, ...] = COUNTS) -> None:
    """Queries must not grow with the registry."""
    found = child(databases.empty(), "pages:scale", counts=list(counts))
    for name in found[str(counts[0])]["queries"]:
        queries = [found[str(count)]["queries"][name] for count in counts]
        ratios = " → ".join(f"{found[str(count)]['ratio'][name]:.1f}×" for count in counts)
        verdict = "the same" if len(set(queries)) == 1 else f"NOT the same: {queries}"
        print(
            f"  {name:<20} {queries[0]:2} queries at {' and '.join(f'{c:,}' for c in counts)} runs: {verdict}; {ratios}"
        )
    for count in counts:
        print(f"  {count:,} runs in one group were taken in within {found[str(count)]['loaded_s']:.1f} s")
