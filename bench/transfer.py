"""What a browser loads for a run page: HTML, style sheet and script, gzipped."""

from bench.databases import Databases, child

ALLOWED = 40_000


def show(databases: Databases, rounds: int | None) -> None:
    """Bytes need no rounds."""
    for page in child(databases.loaded(), "transfer:measure"):
        total = sum(page["sizes"].values())
        parts = " + ".join(f"{size:,} {kind}" for kind, size in page["sizes"].items())
        print(f"  {page['name']:<38} {total:6,} bytes = {parts}; {total / ALLOWED:.2f} of what is allowed")
        if not page["is_sent_gzipped"]:
            print(f"    the site itself sends the HTML as {page['html_raw']:,} bytes: compression is left to a proxy")
