"""The CSV as records: what a file must be, and what each cell must be before any name in it is looked up."""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from registry.core.reading import MAX_INTEGER, ReadingError, read_json_line
from registry.importers.base import InputFile, Place, Skipped, Unreadable

COLUMNS = (
    "kernel_name",
    "kernel_provider",
    "kernel_operation_mode",
    "metric_name",
    "metric_unit",
    "x_name",
    "x_label",
    "x_value",
    "y_value_50",
    "y_value_20",
    "y_value_80",
    "extra_benchmark_config_str",
    "gpu_name",
    "timestamp",
    "liger_version",
)
NAMES = ("kernel_name", "kernel_provider", "gpu_name", "x_name", "x_value")
LONGEST_NAME = 200  # of a name that a person can settle
UNITS = {"speed": "ms", "memory": "MB"}
PASSES = ("forward", "backward", "full", "no-grad-forward")
# What documents can state: a time is a whole number of nanoseconds, from 1 on.
SMALLEST, LARGEST = 0.5e-6, MAX_INTEGER // 10**6
SHOWN = 60  # characters of a cell that a message shows

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9A-Za-z]+)+(?:[-+.][0-9A-Za-z.]+)*")


class Refusal(ValueError):
    """A row can't be taken: a stable reason, the column that says so, and why."""

    def __init__(self, reason: str, column: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.column = reason, column


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it stands: its last line, its text, and its cells by column; None where there are too few or many.

    `is_cut`: the file ends inside it.
    """

    line: int
    text: str
    cells: Mapping[str, str] | None
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A record whose cells are what their columns say. Names in it may still be unknown.

    `values` are by quantile: 50 always; 20 and 80 only where upstream states a number.
    """

    kernel: str
    provider: str
    timed_pass: str
    metric: str
    swept: str
    x: str
    configuration: str
    gpu: str
    timestamp: str
    release: str
    values: Mapping[str, float]


def records(file: InputFile) -> Iterator[Record | Skipped]:
    """The records of a file, after a word on each column that this importer does not know. Raises Unreadable."""
    reader = None
    taken: list[str] = []
    try:
        with file.path.open(encoding="utf-8", newline="") as stream:
            reader = csv.reader(_noted(stream, taken), strict=True)
            header = next(reader, [])
            _check_header(file.name, header)
            for column in header:
                if column not in COLUMNS:
                    yield Skipped("EXTRA_COLUMN", Place(file.name, 1, column[:SHOWN]))
            taken.clear()
            for cells in reader:
                text = "".join(taken)
                taken.clear()
                by_column = dict(zip(header, cells, strict=True)) if len(cells) == len(header) else None
                yield Record(reader.line_num, text.rstrip("\r\n"), by_column, is_cut=not text.endswith(("\n", "\r")))
    except UnicodeDecodeError as error:
        raise Unreadable(f"{file.name}: is not UTF-8: {_undecodable(file)}") from error
    except csv.Error as error:
        line = f"line {max(reader.line_num, 1)}: " if reader else ""
        raise Unreadable(f"{file.name}: {line}{error}") from error
    except OSError as error:
        raise Unreadable(f"{file.name}: {error}") from error


def _noted(lines: Iterator[str], taken: list[str]) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise csv.Error("holds a NUL character: this is no CSV")
        taken.append(line)
        yield line


def _check_header(name: str, header: list[str]) -> None:
    if header and header[0].startswith("\ufeff"):
        raise Unreadable(f"{name}: line 1: starts with a byte order mark; upstream writes plain UTF-8")
    if lacking := [column for column in COLUMNS if column not in header]:
        raise Unreadable(f"{name}: line 1: the header lacks {', '.join(lacking)}")
    if twice := sorted({column for column in header if header.count(column) > 1}):
        raise Unreadable(f"{name}: line 1: the header names {', '.join(twice)} more than once")


def _undecodable(file: InputFile) -> str:
    """Which byte, and where. The file is read again, by lines: the decoder tells only its place in a block."""
    with file.path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return f"line {number}: byte 0x{line[error.start]:02x}"
    return "its end"


def row(record: Record) -> Row:
    """Read a record's cells for what they are. Raises Refusal at the first one that is something else."""
    cells = record.cells
    if cells is None:
        raise Refusal("COLUMN_COUNT", "", "a record has as many cells as the header has columns")
    if record.is_cut:
        raise Refusal("TRUNCATED", "", "the file ends inside this record: upstream ends each with a line break")
    metric = cells["metric_name"]
    if metric not in UNITS:
        raise Refusal("UNKNOWN_METRIC", "metric_name", f"is speed or memory, got {metric[:SHOWN]!r}")
    if cells["metric_unit"] != UNITS[metric]:
        unit = cells["metric_unit"][:SHOWN]
        raise Refusal("UNIT", "metric_unit", f"{metric} is stated in {UNITS[metric]}, got {unit!r}")
    if cells["kernel_operation_mode"] not in PASSES:
        unknown = cells["kernel_operation_mode"][:SHOWN]
        raise Refusal("UNKNOWN_PASS", "kernel_operation_mode", f"is one of {', '.join(PASSES)}, got {unknown!r}")
    for column in NAMES:
        if not 0 < len(cells[column]) <= LONGEST_NAME:
            raise Refusal("NAME", column, f"must be of 1 to {LONGEST_NAME} characters, got {len(cells[column]):,}")
    for column, pattern, words in (
        ("timestamp", _TIMESTAMP, "must be YYYY-MM-DD HH:MM:SS"),
        ("liger_version", _RELEASE, "must be a release such as 0.7.0"),
    ):
        if not pattern.fullmatch(cells[column]):
            raise Refusal(column.upper(), column, f"{words}, got {cells[column][:SHOWN]!r}")
    return Row(
        cells["kernel_name"],
        cells["kernel_provider"],
        cells["kernel_operation_mode"],
        metric,
        cells["x_name"],
        cells["x_value"],
        cells["extra_benchmark_config_str"],
        cells["gpu_name"],
        timestamp(cells["timestamp"]),
        cells["liger_version"],
        _values(cells),
    )


@lru_cache(maxsize=1024)
def timestamp(text: str) -> str:
    """The same text where it is a time of the calendar: a sweep's rows share one."""
    try:
        datetime.fromisoformat(text)
    except ValueError as error:
        raise Refusal("TIMESTAMP", "timestamp", f"must be YYYY-MM-DD HH:MM:SS, got {text!r}") from error
    return text


@lru_cache(maxsize=4096)
def configuration(text: str) -> Mapping[str, object]:
    """The configuration of a row, which its sweep shares. Not to be changed. Raises Refusal."""
    try:
        read = read_json_line(text)
    except ReadingError as error:
        raise Refusal("CONFIG", "extra_benchmark_config_str", str(error)[:300]) from error
    if not isinstance(read, dict):
        raise Refusal("CONFIG", "extra_benchmark_config_str", "must be a JSON object")
    return read


def _values(cells: Mapping[str, str]) -> dict[str, float]:
    found = {}
    for quantile in ("50", "20", "80"):
        column = f"y_value_{quantile}"
        text = cells[column]
        if not _NUMBER.fullmatch(text) and not _NOT_A_NUMBER.fullmatch(text):
            raise Refusal("VALUE", column, f"not a number: {text[:SHOWN]!r}")
        value = float(text)
        if 0 < value < float("inf"):
            if not SMALLEST <= value <= LARGEST:
                raise Refusal("VALUE", column, f"out of range: {text[:SHOWN]!r}")
            found[quantile] = value
        elif quantile == "50" or value == value:  # upstream pads a spread that it has not measured with nan
            raise Refusal("VALUE", column, f"must be finite and above 0, got {text[:SHOWN]!r}")
    if not found.get("20", 0) <= found["50"] <= found.get("80", LARGEST):
        raise Refusal("QUANTILES", "y_value_50", "must lie between y_value_20 and y_value_80")
    return found
