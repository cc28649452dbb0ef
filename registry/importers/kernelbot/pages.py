"""Files of KernelBot rows, row by row: pages of the datasets server, plain arrays, JSON lines of any length."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

from registry.core.reading import Path, ReadingError, path_text, read, read_json_line
from registry.importers.base import InputFile, Place, Rejected, Unreadable

PAGE_LIMIT = 64 * 2**20  # bytes of a file that is one JSON text; a page of 100 rows with their code has a few MiB
LINE_LIMIT = 8 * 2**20  # bytes of one line of JSON lines
LINES = (".jsonl", ".ndjson")
_MARKS = {b"\xef\xbb\xbf": "a byte order mark", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells, those that the server cut short, and where it stands. `total` is what the page's query has."""

    cells: dict[str, object]
    truncated: frozenset[str]
    file: str
    line: int
    path: Path
    total: int | None = None

    def place(self, *path: str | int) -> Place:
        return Place(self.file, self.line, path_text((*self.path, *path)))


def rows(file: InputFile) -> Iterator[Row | Rejected]:
    """Yield the rows of a file. Raises Unreadable where it is no text of rows at all."""
    try:
        with file.path.open("rb") as stream:
            if file.name.endswith(LINES):
                yield from _lines(stream, file.name)
            else:
                yield from _page(stream.read(PAGE_LIMIT + 1), file.name)
    except OSError as error:
        raise Unreadable(f"{file.name}: {error.strerror}") from error


def _page(data: bytes, name: str) -> Iterator[Row | Rejected]:
    try:
        reading = read(data, syntax="json", limit=PAGE_LIMIT)
    except ReadingError as error:
        hint = f"; a longer file has one row a line and ends in {LINES[0]}" if error.reason == "TOO_LARGE" else ""
        raise Unreadable(f"{name}: {error}{hint}") from error
    listed = _listed(reading.value)
    if listed is None:
        raise Unreadable(f"{name}: line 1: must be a list of rows or {{rows: [{{row, truncated_cells}}]}}")
    for path, item, total in listed:
        yield _row(item, total, name, reading.line_of(path), path)


def _lines(stream: io.BufferedReader, name: str) -> Iterator[Row | Rejected]:
    number, data = 0, b""
    while data := stream.readline(LINE_LIMIT):
        number += 1
        if number == 1:
            _refuse_marks(data, name)
        if len(data) == LINE_LIMIT and not data.endswith(b"\n"):
            while (data := stream.readline(LINE_LIMIT)) and not data.endswith(b"\n"):
                pass
            yield Rejected("TOO_LARGE", Place(name, number, ""), f"the line has more than {LINE_LIMIT:,} bytes")
        elif data.strip():
            yield from _line(data, name, number)
    if not number:
        raise Unreadable(f"{name}: is empty")


def _line(data: bytes, name: str, number: int) -> Iterator[Row | Rejected]:
    try:
        value = read_json_line(data.decode())
    except UnicodeDecodeError as error:
        yield Rejected("NOT_UTF8", Place(name, number, ""), f"byte 0x{data[error.start]:02x} at offset {error.start}")
    except ReadingError as error:
        yield Rejected(error.reason, Place(name, number, path_text(error.path)), error.message)
    else:
        is_page = isinstance(value, dict) and isinstance(value.get("rows"), list)
        for path, item, total in (is_page and _listed(value)) or [((), value, None)]:
            yield _row(item, total, name, number, path)


def _listed(value: object) -> list[tuple[Path, object, int | None]] | None:
    """The rows of a whole text, each with its path and the page's total; None where it is no list of rows."""
    if isinstance(value, dict):
        found, total = value.get("rows"), value.get("num_rows_total")
        above: Path = ("rows",)
    else:
        found, total, above = value, None, ()
    if not isinstance(found, list):
        return None
    return [((*above, index), item, total if isinstance(total, int) else None) for index, item in enumerate(found)]


def _row(item: object, total: int | None, file: str, line: int, path: Path) -> Row | Rejected:
    if not isinstance(item, dict) or not isinstance(item.get("row", item), dict):
        return Rejected("SHAPE", Place(file, line, path_text(path)), "a row is an object of columns")
    if "row" not in item:
        return Row(item, frozenset(), file, line, path, total)
    cut = item.get("truncated_cells")
    truncated = frozenset(map(str, cut)) if isinstance(cut, list) else frozenset()
    return Row(item["row"], truncated, file, line, (*path, "row"), total)


def _refuse_marks(data: bytes, name: str) -> None:
    for mark, told in _MARKS.items():
        if data.startswith(mark):
            raise Unreadable(f"{name}: line 1: starts with {told}; write plain UTF-8")
