"""Read a row's cells for what they are: a value of the right kind, or a refusal that names the column."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal

from registry.core.digest import sha256
from registry.importers.kernelbot.documents import Source, Submission
from registry.importers.kernelbot.pages import Row

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_COUNT = re.compile(r"[1-9]\d{0,8}")
_AXIS = re.compile(r"([a-z][a-z0-9_]{0,60}): (-?\d{1,15})")
_LONG = ("code", "run_result", "run_meta", "run_compilation")  # cells left out where a refused row is shown
_SHOWN = 2_000  # characters of a refused row that are kept


class Refusal(ValueError):
    """A row, or one benchmark of it, is not taken. `column` is where; `is_kept` whether its text is worth keeping."""

    def __init__(self, reason: str, column: str, message: str, *, is_kept: bool = True) -> None:
        super().__init__(message)
        self.reason, self.column, self.is_kept = reason, column, is_kept


@dataclass(frozen=True, slots=True)
class Statistics:
    """One benchmark's times in nanoseconds as published: unrounded."""

    mean: float
    best: float | None
    worst: float | None
    std: float | None
    runs: int | None


def first_of(row: Row, *columns: str) -> tuple[str, object]:
    """The column that a row has of several spellings, and its cell; the first spelling where it has none."""
    column = next((column for column in columns if row.cells.get(column) is not None), columns[0])
    if column in row.truncated:
        raise Refusal("TRUNCATED", column, "the server cut this cell short")
    return column, row.cells.get(column)


def text(row: Row, *columns: str) -> str:
    """A text or a whole number (upstream writes ids as either), not empty, of at most 200 characters."""
    column, value = first_of(row, *columns)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or len(value) > 200:
        raise Refusal("COLUMN", column, f"must be text of at most 200 characters, got {shown(value)}")
    return value.strip()


def optional_text(row: Row, column: str) -> str | None:
    value = row.cells.get(column)
    return value.strip()[:200] or None if isinstance(value, str) and column not in row.truncated else None


def require_ranked(row: Row) -> None:
    """Refuse a run that is not a passed one in leaderboard mode: upstream gives a score to no other."""
    column, passed = first_of(row, "run_passed", "passed")
    if not isinstance(passed, bool):
        raise Refusal("COLUMN", column, f"must be true or false, got {shown(passed)}")
    mode_column, _ = first_of(row, "run_mode", "mode")
    if (mode := text(row, mode_column)) != "leaderboard":
        raise Refusal("NOT_LEADERBOARD", mode_column, f"runs of mode {mode[:40]} have no ranked result", is_kept=False)
    if not passed:
        raise Refusal("NOT_PASSED", column, "the run did not pass upstream's checks", is_kept=False)


def score(row: Row) -> float:
    column, value = first_of(row, "run_score", "score")
    return number(column, value)


def observed(row: Row) -> tuple[str, bool]:
    """The time of submission to the millisecond as UTC, and whether the row states a zone at all."""
    written = text(row, "submission_time")
    try:
        instant = datetime.fromisoformat(written)
    except ValueError as error:
        raise Refusal("TIMESTAMP", "submission_time", f"not an ISO 8601 time: {shown(written)}") from error
    if not 2000 <= instant.year <= 2200 or ":" not in written:
        raise Refusal("TIMESTAMP", "submission_time", f"not a time of this age: {shown(written)}")
    has_zone = instant.tzinfo is not None
    if has_zone:
        instant = instant.astimezone(UTC)
    return f"{instant:%Y-%m-%dT%H:%M:%S}.{instant.microsecond // 1000:03d}Z", has_zone


def submission(row: Row, board_name: str) -> tuple[Submission, bytes | None]:
    """Who sent which code; and the code's bytes where the row has it whole."""
    file_name = optional_text(row, "file_name")
    code = row.cells.get("code")
    data = code.encode() if isinstance(code, str) and code and "code" not in row.truncated else None
    source = Source(sha256(data), len(data), file_name) if data is not None else None
    number_ = text(row, "submission_id")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,59}", number_):
        raise Refusal("COLUMN", "submission_id", f"must be an id, got {shown(number_)}")
    author = optional_text(row, "user_name")
    return Submission(number_, board_name, text(row, "user_id"), author, file_name, source), data


def gpu(row: Row) -> str:
    name = _object(row, "run_system_info").get("gpu")
    if not isinstance(name, str) or not name.strip() or len(name) > 200:
        raise Refusal("COLUMN", "run_system_info.gpu", f"must name the GPU, got {shown(name)}")
    return name.strip()


def labels(row: Row) -> dict[str, str]:
    info = _object(row, "run_system_info")
    stated = {name: info.get(name) for name in ("torch", "platform")}
    return {name: value[:200] for name, value in stated.items() if isinstance(value, str) and value}


def benchmark_count(row: Row) -> int:
    """How many benchmarks run_result has: a flat map in which "benchmark.0.mean" is the first one's mean."""
    result, column = _object(row, "run_result"), "run_result.benchmark-count"
    count = _count(column, result.get("benchmark-count"))
    if count > 1_000 or f"benchmark.{count}.spec" in result or f"benchmark.{count - 1}.spec" not in result:
        raise Refusal("BENCHMARK_COUNT", column, f"states {count}, the map holds another number")
    return count


def statistics(row: Row, place: int) -> Statistics:
    result = _object(row, "run_result")

    def column(name: str) -> str:
        return f"run_result.benchmark.{place}.{name}"

    def cell(name: str) -> object:
        return result.get(f"benchmark.{place}.{name}")

    def optional(name: str) -> float | None:
        return None if cell(name) is None else number(column(name), cell(name), or_zero=name == "std")

    mean = number(column("mean"), cell("mean"))
    if nanoseconds(mean) == 0:
        raise Refusal("VALUE", column("mean"), f"rounds to 0 ns: {shown(cell('mean'))}")
    runs = None if cell("runs") is None else _count(column("runs"), cell("runs"))
    return Statistics(mean, optional("best"), optional("worst"), optional("std"), runs)


def axes(row: Row, place: int) -> dict[str, int]:
    """The axes of a benchmark's spec, "k: 7168; m: 1024; seed: 8135"."""
    spec = _object(row, "run_result").get(f"benchmark.{place}.spec")
    pairs = [_AXIS.fullmatch(part.strip()) for part in spec.split(";")] if isinstance(spec, str) else [None]
    found = {match[1]: int(match[2]) for match in pairs if match}
    if len(found) != len(pairs):
        column = f"run_result.benchmark.{place}.spec"
        raise Refusal("SPEC", column, f'must be "axis: whole number; …" with each axis once, got {shown(spec)}')
    return found


def number(column: str, value: object, *, or_zero: bool = False) -> float:
    """A number over 0, JSON's or as text; of upstream's texts only decimal ones are numbers."""
    read = float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
    if not isinstance(read, int | float) or isinstance(read, bool):
        raise Refusal("VALUE", column, f"must be a number, got {shown(value)}")
    if read < 0 or (read == 0 and not or_zero) or read > 2**53 - 1:
        raise Refusal("VALUE", column, f"must be over 0 and below 2^53, got {shown(value)}")
    return float(read)


def nanoseconds(value: float) -> int:
    """Half up, on the decimal that the double is closest to."""
    return int(Decimal(str(value)).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def _count(column: str, value: object) -> int:
    written = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(written, str) or not _COUNT.fullmatch(written):
        raise Refusal("VALUE", column, f"must be a count, got {shown(value)}")
    return int(written)


def _object(row: Row, column: str) -> dict[str, object]:
    _, value = first_of(row, column)
    if not isinstance(value, dict):
        raise Refusal("COLUMN", column, f"must be an object, got {shown(value)}")
    return value


def shown(value: object) -> str:
    return "nothing" if value is None else repr(value)[:60]


def row_text(row: Row) -> str:
    """A refused row as it stood, without the cells that are long and say nothing of the reason."""
    return json.dumps({name: cell for name, cell in row.cells.items() if name not in _LONG})[:_SHOWN]
