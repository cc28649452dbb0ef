"""Samples as a reader pastes or uploads them: one number a line, CSV, or the JSON of a measuring program.

- UTF-8, a byte order mark at its start is passed over; line ends LF, CRLF or CR. At most 256 KiB pasted, 4 MiB in a
  file, 10,000 samples.
- A number has ASCII digits, a point for decimals, no separator of thousands, an exponent if need be: 12.5, 1.25e-5.
  It is above 0 and between 1e-18 and 1e18. A unit may stand behind it ("12.5 us"); then it stands behind each.
- One number a line: blank lines and lines that start with # are passed over; the first line may be a header, from which
  a unit is read ("latency_us", "time (ms)", "GB/s").
- CSV: a header line, and cells between commas, semicolons or tabs. The column is the one that is named, else the only
  one that holds numbers throughout. A text with such a separator and no header is refused: 12,5 may be two cells.
- JSON: see `sample_files`.

Whatever the bytes are, nothing but SamplesError is raised, with the line or path that is wrong.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from attestations.core import sample_files
from attestations.core.sample_faults import SamplesError
from attestations.core.units import unit_token
from registry.core.located import shown

__all__ = ["FILE_LIMIT", "MAX_SAMPLES", "PASTED_LIMIT", "Samples", "SamplesError", "read_number", "read_samples"]

PASTED_LIMIT = 256 * 2**10
FILE_LIMIT = 4 * 2**20
MAX_SAMPLES = 10_000
MAX_LINES = 10 * MAX_SAMPLES  # blank lines and comments among them
MAX_COLUMNS = 100
SMALLEST, LARGEST = Decimal("1e-18"), Decimal("1e18")
MAX_CHARACTERS = 60

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_QUANTITY = re.compile(rf"({_NUMBER.pattern})[ \t]*(.*)", re.ASCII | re.DOTALL)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_DIGITS_AND_SEPARATORS = re.compile(r"[+-]?\d[\d.,'_ \u00a0\u2009\u202f]*", re.ASCII)
_LINE_END = re.compile(r"\r\n|\n|\r")
_UNIT_IN_HEADER = re.compile(r"[(\[]\s*([^()\[\]]{1,20}?)\s*[)\]]\s*$|(?:^|[_\s/,-])([^\s_,()\[\]-]{1,20})$")
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, slots=True)
class Samples:
    """What was read, in `unit` (a token, None where none is stated). `read_from` says how, for people.

    Of a file that holds no samples but their mean, `values` is that one value, and `statistic`, `n` and `deviation` say
    what it is of; they are None for samples.
    """

    values: tuple[Decimal, ...]
    unit: str | None
    read_from: str
    statistic: str | None = None
    n: int | None = None
    deviation: Decimal | None = None


def read_samples(data: bytes | str, *, file_name: str | None, named: str | None = None) -> Samples:
    """Read samples that were pasted (`file_name` None) or stand in a file; `named` is a CSV column or a benchmark.

    Raises SamplesError, whose text names the line or path.
    """
    text = _text(data, FILE_LIMIT if file_name is not None else PASTED_LIMIT)
    if text.lstrip(" \t\r\n").startswith(("{", "[")):
        found = sample_files.read(text, named, MAX_SAMPLES)
        values = tuple(_in_range(value, path) for path, value in found.values)
        return Samples(values, found.unit, found.read_from, found.statistic, found.n, found.deviation)
    if text.count("\n") + text.count("\r") > 2 * MAX_LINES:
        raise SamplesError(f"has more than {MAX_LINES:,} lines")
    lines = [(number, line.strip()) for number, line in enumerate(_LINE_END.split(text), start=1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines:
        raise SamplesError("no samples: the text is empty")
    separator = _separator(lines[0][1])
    if separator:
        return _table(lines, separator, named)
    return _list(lines)


def read_number(written: str) -> tuple[Decimal, str | None]:
    """A single value with or without a unit: "12.5 us". Raises SamplesError without a place."""
    text = written.strip()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SamplesError("is not text: it holds half of a surrogate pair") from error
    return _quantity(text)


def _text(data: bytes | str, limit: int) -> str:
    text = _decoded(data, limit) if isinstance(data, bytes) else _encodable(data, limit)
    text = text.removeprefix("\ufeff")
    if (at := text.find("\0")) >= 0:
        raise SamplesError("holds a NUL character", place=_line_at(text, at))
    return text


def _decoded(data: bytes, limit: int) -> str:
    _check_size(len(data), limit)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SamplesError("is UTF-16; save it as UTF-8", place="line 1")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        place = _line_at(data.decode("latin-1"), error.start)
        raise SamplesError(f"is not UTF-8: byte 0x{data[error.start]:02x}", place=place) from error


def _encodable(text: str, limit: int) -> str:
    try:
        _check_size(len(text.encode()), limit)
    except UnicodeEncodeError as error:
        raise SamplesError("holds half of a surrogate pair", place=_line_at(text, error.start)) from error
    return text


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise SamplesError(f"has {size:,} bytes; at most {limit:,} are read")


def _line_at(text: str, offset: int) -> str:
    return f"line {len(_LINE_END.split(text[:offset]))}"


# Numbers


def _quantity(text: str) -> tuple[Decimal, str | None]:
    """A number above 0 and its unit's token. Raises SamplesError without a place."""
    match = _QUANTITY.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if match is None:
        raise SamplesError(_why_no_number(text))
    number, rest = match.groups()
    unit = unit_token(rest) if rest else None
    if rest and unit is None:
        raise SamplesError(_why_no_number(text, rest))
    return _checked(Decimal(number), number), unit


def _why_no_number(text: str, rest: str = "") -> str:
    if not text:
        return "is empty"
    if _NOT_FINITE.fullmatch(text):
        return f"{shown(text)} is not a finite number"
    if _DIGITS_AND_SEPARATORS.fullmatch(text):
        return f"{shown(text)} is not a number here: decimals take a point, thousands no separator"
    return f"{shown(rest)} is no unit that is known here" if rest else f"{shown(text)} is not a number"


def _checked(value: Decimal, written: str) -> Decimal:
    if value <= 0:
        raise SamplesError(f"{shown(written)} is not above 0: no measurement takes no time, or less")
    if not SMALLEST <= value <= LARGEST:
        raise SamplesError(f"{shown(written)} is not between {SMALLEST} and {LARGEST}")
    return value


def _in_range(value: Decimal, path: str) -> Decimal:
    try:
        return _checked(value, str(value))
    except SamplesError as error:
        raise error.at(path) from error


# One number a line


def _list(lines: Sequence[tuple[int, str]]) -> Samples:
    header = None
    if _is_header(lines[0][1]):
        header, lines = lines[0][1], lines[1:]
    if not lines:
        raise SamplesError("no samples: nothing stands under the header")
    values, unit = _column(lines)
    return Samples(values, unit or (header and _header_unit(header)) or None, "one number a line")


def _is_header(text: str) -> bool:
    """Words, that is: what starts as a number, or is one of the words for none, is a faulty sample."""
    return (text[0].isalpha() or text[0] in "%_") and not _NOT_FINITE.fullmatch(text)


def _column(cells: Iterable[tuple[int, str]], column: str | None = None) -> tuple[tuple[Decimal, ...], str | None]:
    """Numbers and the one unit that all or none of them state. Raises SamplesError."""
    values: list[Decimal] = []
    units: dict[str | None, int] = {}
    for line, cell in cells:
        place = f"line {line}" if column is None else f"line {line}, column {column}"
        if len(values) == MAX_SAMPLES:
            raise SamplesError(f"too many samples: at most {MAX_SAMPLES:,} are read", place=place)
        try:
            value, unit = _quantity(cell)
        except SamplesError as error:
            raise error.at(place) from error
        values.append(value)
        units.setdefault(unit, line)
        if len(units) > 1:
            (first, at), (second, _) = units.items()
            raise SamplesError(
                f"mixed units: {second or 'no unit'} here, {first or 'no unit'} in line {at}", place=place
            )
    return tuple(values), next(iter(units), None)


def _header_unit(header: str) -> str | None:
    """latency_us, time (ms), GB/s: a unit at the end of a column's name."""
    if whole := unit_token(header):
        return whole
    match = _UNIT_IN_HEADER.search(header) if len(header) <= MAX_CHARACTERS else None
    return unit_token(match[1] or match[2]) if match else None


# CSV


def _separator(first: str) -> str | None:
    """What divides the first line into cells; None for a list."""
    return max((mark for mark in _SEPARATORS if mark in first), key=first.count, default=None)


def _table(lines: Sequence[tuple[int, str]], separator: str, named: str | None) -> Samples:
    rows = list(_rows(lines, separator))
    (header_line, header), rows = rows[0], rows[1:]
    if not all(_is_header(cell) for cell in header if cell) or not any(header):
        raise SamplesError(
            f"{shown(lines[0][1])} holds {_SEPARATORS[separator]}: decimals take a point, and a table needs a header"
            " line that names its columns",
            place=f"line {header_line}",
        )
    for line, row in rows:
        if len(row) != len(header):
            raise SamplesError(f"{len(row)} cells, the header has {len(header)}", place=f"line {line}")
    if not rows:
        raise SamplesError("no samples: nothing stands under the header")
    column = _chosen(header, rows, named, header_line)
    name = shown(header[column])
    values, unit = _column([(line, row[column]) for line, row in rows], name)
    return Samples(values, unit or _header_unit(header[column]), f"CSV, column {name}")


def _rows(lines: Sequence[tuple[int, str]], separator: str) -> Iterable[tuple[int, list[str]]]:
    """Each line is a row: a quoted cell that goes on over lines is refused."""
    for number, line in lines[: MAX_SAMPLES + 2]:  # one too many is enough to refuse
        if line.count(separator) >= MAX_COLUMNS:
            raise SamplesError(f"has more than {MAX_COLUMNS} cells", place=f"line {number}")
        try:
            rows = list(csv.reader(io.StringIO(line, newline=""), delimiter=separator, strict=True))
        except csv.Error as error:
            message = "is no line of CSV: a quote is not closed, or a cell goes on after it"
            raise SamplesError(message, place=f"line {number}") from error
        yield number, [cell.strip() for row in rows for cell in row]


def _chosen(header: list[str], rows: Sequence[tuple[int, list[str]]], named: str | None, line: int) -> int:
    if named:
        if header.count(named) != 1:
            times = "no column" if named not in header else f"{header.count(named)} columns"
            raise SamplesError(f"has {times} {shown(named)}", place=f"line {line}")
        return header.index(named)
    numeric = [index for index in range(len(header)) if all(_is_number(row[index]) for _, row in rows)]
    if len(numeric) == 1:
        return numeric[0]
    if not numeric:  # one that was meant has a faulty cell: the first that is no number tells where
        return _nearly(header, rows, line)
    names = ", ".join(shown(header[index]) for index in numeric[:10])
    raise SamplesError(f"{len(numeric)} columns hold numbers ({names}): name the one", place=f"line {line}")


def _is_number(cell: str) -> bool:
    match = _QUANTITY.fullmatch(cell) if len(cell) <= MAX_CHARACTERS else None
    return match is not None and (not match[2] or unit_token(match[2]) is not None)


def _nearly(header: list[str], rows: Sequence[tuple[int, list[str]]], line: int) -> int:
    """The only column that starts with a number, so that its faulty cell is named. Raises SamplesError otherwise."""
    starting = [index for index in range(len(header)) if _is_number(rows[0][1][index])]
    if len(starting) != 1:
        raise SamplesError("no column holds numbers throughout: name the one", place=f"line {line}")
    return starting[0]
