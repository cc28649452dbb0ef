"""NVIDIA's SOL-ExecBench: its leaderboard's payloads, and the trace files that its open harness writes.

Of the harness's data set, which is licensed for evaluation only, nothing is read; submissions' code is not published.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import parse_qs, urlsplit

from registry.core.reading import ReadingError, read
from registry.importers.base import Entry, InputFile, Known, Request, SourceEntry, Unreadable
from registry.importers.json_files import TEXT_LIMIT, Item, read_items
from registry.importers.sol_execbench import leaderboard
from registry.importers.sol_execbench.submissions import API, COMPARATOR, SLUG
from registry.importers.trace_files import tree
from registry.importers.trace_files.solutions import Dialect

SOURCE = SourceEntry(
    SLUG,
    "NVIDIA SOL-ExecBench",
    "leaderboard",
    homepage="https://research.nvidia.com/benchmarks/sol-execbench",
    terms=(
        "Facts of the public leaderboard are shown with their source; submissions' code is not held. The site's terms "
        "allow non-commercial use, so its payloads are fetched only when a person has read the terms and asks for it. "
        "The harness is Apache-2.0; the benchmark's data set has an evaluation licence, and is neither read nor shown."
    ),
    attribution="NVIDIA Corporation and the authors of the submissions",
    importer=SLUG,
    location=API,
    hosts=("research.nvidia.com",),
    schedule="off",
    may_store=False,
)
VERSION = "1"
DIALECT = Dialect(
    source=SLUG,
    harness={"name": "SOL-ExecBench", "repository": "https://github.com/NVIDIA/SOL-ExecBench"},
    title="SOL-ExecBench trace harness",
    family="sol_execbench_trace",
    comparator=COMPARATOR,
    author_slug="sol-author-",
    author_id=f"{SLUG}/author/",
    url="https://github.com/NVIDIA/SOL-ExecBench",
)


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield documents, runs and coverage of payloads and traces, whichever the files hold."""
    yield SOURCE
    payloads, traces = leaderboard.Leaderboard(known), tree.Tree(DIALECT, known)
    for file in tree.in_order(files, _kind_of):
        for item in read_items(file):
            if not isinstance(item, Item):
                yield item
            elif leaderboard.kind_of(item):
                yield from payloads.take(item)
            else:
                yield from traces.take(item)
    yield from payloads.coverage()
    yield from traces.coverage()


def _kind_of(item: Item) -> str:
    return leaderboard.kind_of(item) or tree.kind_of(item)


def first(location: str) -> Sequence[Request]:
    return [Request(f"{location}/kernels", "kernels.json")]


def following(request: Request, body: bytes) -> Sequence[Request]:
    """What an answer leads to: of the list, each kernel's details and submissions; of a page, the next page.

    Raises Unreadable where the answer is not one, since half a leaderboard would look like a smaller one.
    """
    data = _data(request, body)
    base = request.url.partition("/kernels")[0].partition("/submissions")[0]
    if isinstance(kernels := data.get("kernels"), list):
        return [further for kernel in kernels for further in _of_kernel(base, _whole(request, kernel, "id"))]
    if isinstance(submissions := data.get("submissions"), list):
        return _next_page(request, base, data, len(submissions))
    return ()


def _of_kernel(base: str, kernel: int) -> list[Request]:
    return [
        Request(f"{base}/kernels/{kernel}", f"kernels/{kernel}.json"),
        Request(f"{base}/submissions?kernel_id={kernel}", f"submissions/{kernel}/0.json"),
    ]


def _next_page(request: Request, base: str, data: dict[str, object], count: int) -> list[Request]:
    asked = parse_qs(urlsplit(request.url).query)
    kernel, offset = asked.get("kernel_id", [""])[0], int(asked.get("offset", ["0"])[0])
    stated, total = _whole(request, data, "offset"), _whole(request, data, "total")
    if stated != offset:
        raise Unreadable(f"{request.name}: asked for submissions from {offset}, got those from {stated}")
    following_offset = offset + count
    if following_offset >= total:
        return []
    if not count:
        raise Unreadable(f"{request.name}: an empty page at {offset} of {total} submissions")
    limit = f"&limit={_whole(request, data, 'limit')}" if "limit" in data else ""
    url = f"{base}/submissions?kernel_id={kernel}&offset={following_offset}{limit}"
    return [Request(url, f"submissions/{kernel}/{following_offset}.json")]


def _data(request: Request, body: bytes) -> dict[str, object]:
    try:
        value = read(body, syntax="json", limit=TEXT_LIMIT).value
    except ReadingError as error:
        raise Unreadable(f"{request.name}: {error}") from error
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, dict):
        raise Unreadable(f'{request.name}: the answer is not {{"data": {{…}}}}')
    return data


def _whole(request: Request, data: object, key: str) -> int:
    value = data.get(key) if isinstance(data, dict) else None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Unreadable(f"{request.name}: {key} must be a whole number")
    return value
