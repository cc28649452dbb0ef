"""GPU MODE KernelBot: rows of the Hugging Face dataset GPUMODE/kernelbot-data, as its datasets server gives them.

Upstream: pages of 100 rows {rows: [{row, truncated_cells}], num_rows_total}, or the same rows as an array or as JSON
lines, as of 2026-08 (June 9 Researcher Reciprocity License). Three boards publish each benchmark with its statistics:
a run for each. All others publish one score in seconds over their suite: one run, whose measurement is that score and
not a latency. Every row that passed in leaderboard mode is taken. Code that is whole is kept; the server cuts long code
short, and then the implementation has none. Upstream gives times without a zone: flagged.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import parse_qs, urlencode, urlsplit

from registry.core.reading import ReadingError, read
from registry.importers.base import Entry, InputFile, Known, Rejected, Request, SourceEntry
from registry.importers.kernelbot import documents, pages
from registry.importers.kernelbot.rows import Translator

SOURCE = SourceEntry(
    documents.SLUG,
    "GPU MODE KernelBot",
    "leaderboard",
    homepage=documents.DATASET,
    licence="June 9 Researcher Reciprocity License v1.0",
    terms=(
        "Rows and code may be stored, shown and passed on with this notice and the attribution kept. Training AI "
        "models on them is bound to the licence's researcher reciprocity (its Attachment A)."
    ),
    attribution="GPU MODE and the KernelBot dataset contributors",
    importer=documents.SLUG,
    location="https://datasets-server.huggingface.co/rows?dataset=GPUMODE/kernelbot-data&split=train",
    hosts=("datasets-server.huggingface.co",),
    schedule="weekly",
)
VERSION = "1"
PAGE = 100  # rows; the server gives no more at once
CONFIGURATIONS = (  # of the dataset, as its card lists them; another one is fetched by naming it in the location
    "amd_successful_submissions",
    "amd_1_1m_competition",
    "nvidia_nvfp4_submissions",
    "trimul_submissions",
    "helion_b200_nebius",
)


# Fetching


def first(location: str) -> Sequence[Request]:
    """The first page of each configuration, or of the one that the location names."""
    asked = parse_qs(urlsplit(location).query).get("config")
    return [_request(location, config, 0) for config in asked or CONFIGURATIONS]


def following(request: Request, body: bytes) -> Sequence[Request]:
    """The next page, as long as the answer says that there are more rows."""
    try:
        value = read(body, syntax="json", limit=pages.PAGE_LIMIT).value
    except ReadingError:
        return ()  # reading the file says what is wrong
    total = value.get("num_rows_total") if isinstance(value, dict) else None
    query = parse_qs(urlsplit(request.url).query)
    offset = int(query["offset"][0]) + PAGE
    return [_request(request.url, query["config"][0], offset)] if isinstance(total, int) and offset < total else ()


def _request(url: str, config: str, offset: int) -> Request:
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    query |= {"config": config, "offset": str(offset), "length": str(PAGE)}
    return Request(parts._replace(query=urlencode(query, safe="/")).geturl(), f"{config}/{offset:08d}.json")


# Translating


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield each row's documents and runs in the order of the files, coverage last. Raises pages.rows' Unreadable."""
    yield SOURCE
    translator = Translator(known)
    for file in files:
        for row in pages.rows(file):
            yield from [row] if isinstance(row, Rejected) else translator.entries(row)
    yield from translator.offers.coverage()
