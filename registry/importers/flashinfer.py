"""FlashInfer-Bench's published tree: definitions, solutions and the traces of running them, from its data set.

A run's author is the solution's. The data set's revision is no part of a document, so that a new revision does not make
every run anew; all files of a solution are, by one digest.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from urllib.parse import quote

from registry.core.reading import ReadingError, read
from registry.importers.base import Entry, InputFile, Known, Request, SourceEntry, Unreadable
from registry.importers.json_files import SUFFIXES, TEXT_LIMIT, Item, read_items
from registry.importers.trace_files import tree
from registry.importers.trace_files.solutions import Dialect

HOST = "https://huggingface.co"
DATASET = "datasets/flashinfer-ai/flashinfer-trace"
SOURCE = SourceEntry(
    "flashinfer-bench",
    "FlashInfer-Bench",
    "benchmark",
    homepage="https://bench.flashinfer.ai",
    licence="Apache-2.0",
    terms="Definitions, solutions, traces and logs may be stored and shown with the licence notice.",
    attribution="The FlashInfer-Bench authors, and the author of each solution",
    importer="flashinfer-bench",
    location=f"{HOST}/api/{DATASET}",
    # The second and third are where the first sends whoever asks for a large file.
    hosts=("huggingface.co", "cdn-lfs.huggingface.co", "cas-bridge.xethub.hf.co"),
    schedule="weekly",
)
VERSION = "1"
DIALECT = Dialect(
    source=SOURCE.slug,
    harness={"name": "flashinfer-bench", "repository": "https://github.com/flashinfer-ai/flashinfer-bench"},
    title="FlashInfer-Bench trace harness",
    family="flashinfer_bench_trace",
    comparator="flashinfer_bench_eval",
    author_slug="flashinfer-author-",
    author_id="flashinfer-trace/author/",
    url=f"{HOST}/{DATASET}",
    files_url=f"{HOST}/{DATASET}/blob/main/",
    licence="Apache-2.0",
)
FOLDERS = ("definitions", "solutions", "traces")  # workloads stand in the traces too, beside gigabytes of tensors


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield documents, runs and coverage of a tree, whole or in part."""
    yield SOURCE
    traces = tree.Tree(DIALECT, known)
    for file in tree.in_order(files, tree.kind_of):
        for item in read_items(file):
            yield from traces.take(item) if isinstance(item, Item) else (item,)
    yield from traces.coverage()


def first(location: str) -> Sequence[Request]:
    return [Request(location, "info.json")]


def following(request: Request, body: bytes) -> Sequence[Request]:
    """Of the data set's listing, the files to fetch, at the revision that it names. Raises Unreadable."""
    if request.name != "info.json":
        return ()
    try:
        listing = read(body, syntax="json", limit=TEXT_LIMIT).value
    except ReadingError as error:
        raise Unreadable(f"{request.name}: {error}") from error
    revision, siblings = (listing.get("sha"), listing.get("siblings")) if isinstance(listing, dict) else (None, None)
    if not isinstance(revision, str) or not revision.isalnum() or not isinstance(siblings, list):
        raise Unreadable(f'{request.name}: the listing is not {{"sha": <revision>, "siblings": […]}}')
    names = [sibling.get("rfilename") if isinstance(sibling, dict) else None for sibling in siblings]
    return [
        Request(f"{HOST}/{DATASET}/resolve/{revision}/{quote(name)}", name)
        for name in names
        if isinstance(name, str) and _is_wanted(request, PurePosixPath(name))
    ]


def _is_wanted(request: Request, path: PurePosixPath) -> bool:
    if path.is_absolute() or ".." in path.parts or "\\" in str(path):
        raise Unreadable(f"{request.name}: names a file outside the tree: {path}")
    return path.parts[0] in FOLDERS and path.suffix in SUFFIXES
