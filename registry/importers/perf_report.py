"""The CSV that Triton's `perf_report` saves: one row a case, first its axes, then one column a provider.

Axes are written as floats ("512.000000"). A provider's column may name the unit ("Triton (TFLOPS)"); else the file says
neither what is measured, nor in which unit, nor on what: all that is asked. Each provider is an implementation; those
of one project are read at a time.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from registry.importers import brought, subject
from registry.importers.answers import Answers, refused
from registry.importers.base import (
    Entry,
    InputFile,
    Known,
    Place,
    Question,
    Rejected,
    Skipped,
    Unreadable,
    brought_by_people,
    no_more,
)
from registry.importers.brought import Bench, Measured, NoRunError
from registry.importers.bundle import SOURCE as SOURCE
from registry.importers.problems import Spec

VERSION = "2"
first, following = brought_by_people, no_more
DURATIONS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
UNITS = {**dict.fromkeys(DURATIONS, "latency"), **dict.fromkeys(("tflops", "gflops", "gb_s", "tb_s"), "throughput")}
SPELLINGS = {"gb/s": "gb_s", "gbps": "gb_s", "tb/s": "tb_s", "tflop/s": "tflops", "gflop/s": "gflops", "µs": "us"}
AXES = Question("axes", "The columns that are axes, in order: the first ones of the file", example="M, N, K")
PROVIDERS = Question("providers", "The columns of this project's code; the others are left out", example="Triton")
METRIC = Question(
    "metric", "What is measured: of latency less is better, of throughput more", ("latency", "throughput"), "latency"
)
UNIT = Question("unit", "The unit of all providers' columns", tuple(UNITS), "ms")
STATISTIC = Question("statistic", "Which statistic of the samples the values are", ("median", "mean"), "median")
TIMER = Question(
    "timer",
    "How it was timed: cuda_events by do_bench, cuda_graph by do_bench_cudagraph",
    ("cuda_events", "cuda_graph"),
    "cuda_events",
)
_COLUMN = re.compile(r"(.+?)(?: \(([^()]+)\))?")
_OF_SAMPLES = re.compile(r"Diff|.+-(?:min|max)")  # columns beside the providers' that perf_report may write


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield a run for each cell of a provider. Raises Unreadable or MissingFacts before the first of them."""
    for file in files:
        yield from _Table(file, known).entries()


class _Table:
    def __init__(self, file: InputFile, known: Known) -> None:
        self.name = file.name
        self.rows = _rows(file)
        _, self.header = next(self.rows, (1, []))
        if len(self.header) < 2 or len(set(self.header)) < len(self.header) or not all(self.header):
            told = ",".join(self.header)[:80]
            raise Unreadable(f"{file.name}: line 1: must name at least two columns, each once, got {told!r}")
        self._ask(Answers(known.answers), known)

    def _ask(self, answers: Answers, known: Known) -> None:
        self.axes = answers.read(AXES, self._axes) or {}
        names = [name for name, _ in map(_parts, self.header[len(self.axes) :]) if not _OF_SAMPLES.fullmatch(name)]
        chosen = answers.read(PROVIDERS, lambda text: _chosen(text, names), is_needed=len(names) > 1)
        self.providers = set(chosen or names)
        stated = {unit for _, unit in map(_parts, self.header) if unit}
        if len(stated) > 1:
            raise Unreadable(f"{self.name}: line 1: the columns state different units: {', '.join(sorted(stated))}")
        unit = stated.pop() if stated else None
        self.unit = answers.maybe(UNIT) or unit if unit else answers.ask(UNIT)
        if unit and self.unit != unit:
            raise refused(UNIT.name, f"the file says {unit}")
        metric = UNITS.get(self.unit or "")
        answered = answers.maybe(METRIC) if unit else answers.ask(METRIC)
        if answered and metric and answered != metric:
            raise refused(METRIC.name, f"{answered} is not measured in {self.unit}")
        self.is_latency = metric == "latency"
        self.statistic, timer = answers.ask(STATISTIC), answers.ask(TIMER)
        hardware = subject.hardware(answers, known)
        about = subject.subject(answers)
        self.observed_at, self.flags = subject.observed(answers)
        software = subject.software(answers)
        answers.settle()
        self.bench = Bench(about, variables=tuple(self.axes))
        self.protocol = _protocol(self.statistic, timer)
        self.environment = brought.environment(hardware, software)

    def _axes(self, text: str) -> dict[str, int]:
        """Axis to its column's place. The axes are the file's first columns, and leave at least one more."""
        columns = re.split(r" *, *", text)
        if columns != self.header[: len(columns)] or len(columns) == len(self.header):
            raise ValueError(f"the file's columns begin {', '.join(self.header)[:80]!r}; providers come after the axes")
        axes = {re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_"): i for i, column in enumerate(columns)}
        if len(axes) < len(columns) or not all(axis[:1].isalpha() for axis in axes):
            raise ValueError(f"an axis starts with a letter and is named once, got {text[:60]!r}")
        return axes

    def entries(self) -> Iterator[Entry]:
        for line, cells in self.rows:
            row = ",".join(cells)[:2_000]
            if len(cells) != len(self.header):
                message = f"has {len(cells)} cells, the header {len(self.header)}"
                yield Rejected("COLUMN_COUNT", Place(self.name, line, ""), message, None, row)
                continue
            for place in range(len(self.axes), len(cells)):
                column = self.header[place]
                provider, _ = _parts(column)
                if provider not in self.providers:
                    reason = "NO_PROVIDER" if _OF_SAMPLES.fullmatch(provider) else "OTHER_PROVIDER"
                    yield Skipped(reason, Place(self.name, line, column))
                    continue
                try:
                    yield from self._run(provider, cells, place, line)
                except NoRunError as error:
                    at = Place(self.name, line, str(*error.path) or column)
                    yield Rejected(error.reason, at, str(error), None, row)

    def _run(self, provider: str, cells: list[str], place: int, line: int) -> Iterator[Entry]:
        axes = {axis: _whole(self.header[column], cells[column]) for axis, column in self.axes.items()}
        implementation = brought.kebab(f"{self.bench.subject.operation}-{provider}")
        key = "-".join(f"{axis}{value}" for axis, value in axes.items())
        spec = self._spec(cells[place])
        measured = Measured(implementation, provider[:200], axes, {}, self.observed_at, spec, key, self.flags)
        at = Place(self.name, line, self.header[place])
        yield from self.bench.run(measured, self.protocol, self.environment, lambda _: at)

    def _spec(self, cell: str) -> Spec:
        unit = str(self.unit)
        try:
            if self.is_latency:
                latency = {self.statistic: brought.nanoseconds(cell, DURATIONS[unit])}
                return {"timing": {"primaryStatistic": self.statistic, "latencyNs": latency}}
            value = brought.positive(cell)
        except ValueError as error:
            raise NoRunError("VALUE", str(error)) from error
        return {"measurements": [{"metric": "throughput", "statistic": self.statistic, "unit": unit, "value": value}]}


def _protocol(statistic: str, timer: str) -> Spec:
    spec: Spec = {
        "harness": {"name": "triton.testing perf_report", "repository": "https://github.com/triton-lang/triton"},
        "measurement": {"timer": timer, "primaryStatistic": statistic},
        "comparability": {
            "family": "triton_perf_report",
            "notes": "As triton.testing measures it. The saved table states no warm-up, repetitions or samples.",
        },
    }
    return brought.document("BenchmarkProtocol", spec, {"name": brought.kebab(f"perf-report-{statistic}-{timer}")})


def _rows(file: InputFile) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of each record. Raises Unreadable."""
    data = brought.text_of(file)
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable(f"{file.name}: line 1: starts with a byte order mark; write plain UTF-8")
    if data and not data.endswith((b"\n", b"\r")):  # a number that is cut short is a number still
        line = data.count(b"\n") + 1
        raise Unreadable(f"{file.name}: line {line}: the file ends inside this line: the tool ends each with a break")
    try:
        reader = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
        for cells in reader:
            if cells:
                yield reader.line_num, [cell.strip() for cell in cells]
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"{file.name}: line {line}: is not UTF-8: byte 0x{data[error.start]:02x}") from error
    except csv.Error as error:
        raise Unreadable(f"{file.name}: line {reader.line_num}: {error}") from error


def _parts(column: str) -> tuple[str, str | None]:
    """A provider and the unit that its column names, where that is one that is known."""
    match = _COLUMN.fullmatch(column)
    if match and match[2]:
        unit = SPELLINGS.get(match[2].lower(), match[2].lower())
        if unit in UNITS:
            return match[1], unit
    return column, None


def _chosen(text: str, names: list[str]) -> list[str]:
    chosen = re.split(r" *, *", text)
    if unknown := [name for name in chosen if name not in names]:
        raise ValueError(f"the file has no provider {unknown[0][:60]!r}; it has {', '.join(names)[:200]}")
    return chosen


def _whole(column: str, cell: str) -> int:
    """An axis, which the table writes as a float."""
    if not brought.is_number(cell) or Decimal(cell) % 1:
        raise NoRunError("AXIS", f"must be a whole number, got {cell[:40]!r}", column)
    return int(Decimal(cell))
