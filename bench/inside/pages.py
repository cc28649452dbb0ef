"""Server time of pages against a trivial page, and queries a page in a small and in a large registry."""

import time
from statistics import median
from typing import Any

from django.db import connection

from bench import synthetic
from bench.inside.site import TRIVIAL, Site, pages, synthetic_pages
from registry.core.digest import sha256
from registry.ingest import SECONDS_A_BATCH, SnapshotFile, ingest

TRIVIALS_A_ROUND = 4  # beside each page: it is short, so its own noise would be most of the ratio's


def measure(*, rounds: int) -> list[dict[str, Any]]:
    """Each page of the loaded registry. Pages and the trivial page are asked in turn."""
    site, named = Site(), pages()
    queries = {name: site.queries(path) for name, path in named.items()}
    seconds: dict[str, list[float]] = {name: [] for name in named}
    beside: dict[str, list[float]] = {name: [] for name in named}
    for _ in range(3):
        _seconds(site, TRIVIAL)
    for _ in range(rounds):
        for name, path in named.items():
            before = [_seconds(site, TRIVIAL) for _ in range(TRIVIALS_A_ROUND)]
            seconds[name].append(_seconds(site, path))
            beside[name] += [*before, *(_seconds(site, TRIVIAL) for _ in range(TRIVIALS_A_ROUND))]
    return [
        {
            "name": name,
            "path": path,
            "queries": queries[name],
            "page_ms": median(seconds[name]) * 1000,
            "trivial_ms": median(beside[name]) * 1000,
            "ratio": median(seconds[name]) / median(beside[name]),
            "html_bytes": len(site.ask(path).body),
        }
        for name, path in named.items()
    ]


def _seconds(site: Site, path: str) -> float:
    began = time.perf_counter()
    site.ask(path)
    return time.perf_counter() - began


def scale(*, counts: list[int]) -> dict[str, Any]:
    """Queries and ratio of each page at each size, the registry growing from one to the next."""
    site = Site()
    found: dict[str, Any] = {}
    for count in counts:
        began = time.perf_counter()
        _grow(count)
        loaded_s = time.perf_counter() - began
        named = synthetic_pages()
        trivial = median(_seconds(site, TRIVIAL) for _ in range(20))
        found[str(count)] = {
            "loaded_s": loaded_s,
            "queries": {name: site.queries(path) for name, path in named.items()},
            "ratio": {name: median(_seconds(site, path) for _ in range(7)) / trivial for name, path in named.items()},
        }
    return found


def _grow(count: int) -> None:
    SECONDS_A_BATCH[connection.vendor] = 60  # nobody waits to write here, and each batch ranks the whole group anew
    now = synthetic.OBSERVED_FROM.replace(month=9)
    snapshot = SnapshotFile("synthetic", sha256(f"synthetic {count}"), count)
    report = ingest(
        synthetic.entries(count), source=synthetic.SOURCE, snapshot=snapshot, now=now, is_all_or_nothing=True
    )
    assert report.read["BenchmarkRun"] == count
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL's autovacuum does within a minute of such growth
