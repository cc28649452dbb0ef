"""The JSON that measuring programs write: pyperf, pytest-benchmark, nvbench; and bare lists of numbers.

- pyperf (`-o FILE`, version 1.0): `benchmarks[].runs[].values`, already divided by loops, in seconds or bytes;
  calibration runs have none, warm-ups are left out. Values of all processes are taken together, and `read_from` says
  how many processes there were.
- pytest-benchmark (`--benchmark-json`): `benchmarks[].stats.data`, in seconds. A file saved without
  `--benchmark-save-data` has none and is refused.
- nvbench (`--json`, 0.1.0): a state's summaries as texts, in seconds. It holds no samples: the mean of the isolated
  launches is read with their number and standard deviation.
- `[1.5, 1.6]` and `{"unit": "ms", "samples": [1.5, 1.6]}`, as raw samples are kept here.

A file with several benchmarks is read by the name of one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn, TypeVar

from attestations.core.sample_faults import SamplesError
from attestations.core.units import unit_token
from registry.core import json_text
from registry.core.located import Path, ReadingError, path_text, shown, type_name

PYPERF_UNITS = {"second": "s", "byte": "b"}
NAMES_SHOWN = 8
Object = Mapping[str, Any]
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Found:
    """Values by path, not yet checked for range."""

    values: tuple[tuple[str, Decimal], ...]
    unit: str | None
    read_from: str
    statistic: str | None = None
    n: int | None = None
    deviation: Decimal | None = None


def read(text: str, named: str | None, limit: int) -> Found:
    """Read the JSON of one of these programs. Raises SamplesError naming the path."""
    try:
        root = json_text.loads(text)
    except ReadingError as error:
        line = None if error.line is None else f"line {error.line}"
        place = ": ".join(part for part in (line, path_text(error.path)) if part)
        raise SamplesError(error.message, place=place or None) from error
    if isinstance(root, list):
        return Found(_numbers(root, (), limit), None, "JSON list")
    assert isinstance(root, dict)  # the text starts with { or [
    if isinstance(root.get("samples"), list):
        return _plain(root, limit)
    benchmarks = root.get("benchmarks")
    if not isinstance(benchmarks, list) or not benchmarks:
        _no_form()
    first = benchmarks[0]
    if isinstance(first, dict) and "runs" in first:
        return _pyperf(root, named, limit)
    if isinstance(first, dict) and "stats" in first:
        return _pytest_benchmark(root, named, limit)
    if isinstance(first, dict) and "states" in first:
        return _nvbench(root, named)
    _no_form()


def _no_form() -> NoReturn:
    raise SamplesError("is JSON, and neither of pyperf, pytest-benchmark or nvbench, nor a list of numbers")


def _plain(root: Object, limit: int) -> Found:
    unit = root.get("unit")
    token = unit_token(unit) if isinstance(unit, str) else None
    if unit is not None and token is None:
        raise SamplesError(f"{shown(str(unit))} is no unit that is known here", place="unit")
    return Found(_numbers(root["samples"], ("samples",), limit), token, "JSON samples")


def _pyperf(root: Object, named: str | None, limit: int) -> Found:
    common = _object(root.get("metadata"))
    benchmarks = [(index, one) for index, one in enumerate(root["benchmarks"]) if isinstance(one, dict)]

    def meta(benchmark: Object, key: str) -> Any:
        runs = _objects(benchmark.get("runs"))
        places = [_object(benchmark.get("metadata")), common, *(_object(run.get("metadata")) for _, run in runs[:1])]
        return next((place[key] for place in places if key in place), None)

    named_ones = [(str(meta(one, "name") or "unnamed"), index, one) for index, one in benchmarks]
    name, index, benchmark = _one(named_ones, named, "benchmarks")
    unit = meta(benchmark, "unit") or "second"
    token = PYPERF_UNITS.get(unit) if isinstance(unit, str) else None
    if token is None:
        raise SamplesError(f"values in {shown(str(unit))} are not read", place=path_text(("benchmarks", index)))
    values: list[tuple[str, Decimal]] = []
    processes = 0
    for number, run in _objects(benchmark.get("runs")):
        path: Path = ("benchmarks", index, "runs", number, "values")
        if isinstance(run.get("values"), list) and run["values"]:
            values += _numbers(run["values"], path, limit - len(values))
            processes += 1
    if not values:
        raise SamplesError("no values", place=path_text(("benchmarks", index, "runs")))
    times = f"{processes} process{'es' * (processes > 1)}"
    return Found(tuple(values), token, f"pyperf JSON, {shown(name)}: {len(values):,} values of {times}, taken together")


def _pytest_benchmark(root: Object, named: str | None, limit: int) -> Found:
    found = [
        (str(one.get("fullname") or one.get("name")), index, one)
        for index, one in enumerate(root["benchmarks"])
        if isinstance(one, dict)
    ]
    name, index, benchmark = _one(found, named, "benchmarks")
    path: Path = ("benchmarks", index, "stats", "data")
    data = _object(benchmark.get("stats")).get("data")
    if not isinstance(data, list) or not data:
        raise SamplesError(
            "holds no samples: write the file with --benchmark-json, or save it with --benchmark-save-data",
            place=path_text(path),
        )
    return Found(_numbers(data, path, limit), "s", f"pytest-benchmark JSON, {shown(name)}")


def _nvbench(root: Object, named: str | None) -> Found:
    states = [
        (f"{benchmark.get('name')} {state.get('name')}", (index, number), state)
        for index, benchmark in enumerate(root["benchmarks"])
        if isinstance(benchmark, dict)
        for number, state in _objects(benchmark.get("states"))
        if not state.get("is_skipped")
    ]
    name, (index, number), state = _one(states, named, "states that were measured")
    place = path_text(("benchmarks", index, "states", number, "summaries"))
    summaries = {str(one.get("tag")): _summary(one) for _, one in _objects(state.get("summaries"))}
    mean = _decimal(summaries.get("nv/cold/time/gpu/mean"))
    if mean is None:
        raise SamplesError("states no mean GPU time of isolated launches (nv/cold/time/gpu/mean)", place=place)
    size, noise = (
        _decimal(summaries.get("nv/cold/sample_size")),
        _decimal(summaries.get("nv/cold/time/gpu/stdev/relative")),
    )
    n = int(size) if size is not None and size == size.to_integral_value() and 0 < size < 10**12 else None
    launches = "launches" if n is None else f"{n:,} launches"
    deviation = mean * noise if noise is not None and 0 <= noise < 10**6 else None
    words = f"nvbench JSON, {shown(name)}: the mean of {launches}; the file holds no samples"
    return Found(((place, mean),), "s", words, "mean", n, deviation)


def _one(found: Sequence[tuple[str, Place, Object]], named: str | None, what: str) -> tuple[str, Place, Object]:
    """The one that is named, or the only one. Raises SamplesError listing what there is."""
    chosen = [one for one in found if named in (None, "", one[0])]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(shown(name) for name, _, _ in found[:NAMES_SHOWN]) + (", …" if len(found) > NAMES_SHOWN else "")
    if not found:
        raise SamplesError(f"has no {what}", place="benchmarks")
    if not chosen:
        raise SamplesError(f"has no {shown(named or '')}; there are {names}", place="benchmarks")
    raise SamplesError(f"has {len(chosen)} {what} to choose from; name one of {names}", place="benchmarks")


def _numbers(values: Sequence[Any], path: Path, limit: int) -> tuple[tuple[str, Decimal], ...]:
    return tuple(_counted(values, path, limit))


def _counted(values: Sequence[Any], path: Path, limit: int) -> Iterator[tuple[str, Decimal]]:
    if not values:
        raise SamplesError("no samples: the list is empty", place=path_text(path) or None)
    if len(values) > limit:
        raise SamplesError("too many samples: at most 10,000 are read", place=path_text(path) or None)
    for index, value in enumerate(values):
        place = path_text((*path, index))
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SamplesError(f"must be a number, got {type_name(value)}", place=place)
        yield place, Decimal(repr(value))


def _summary(summary: Object) -> Any:
    return next((item.get("value") for _, item in _objects(summary.get("data")) if item.get("name") == "value"), None)


def _decimal(value: object) -> Decimal | None:
    """A number, or a text that is one, as nvbench writes them; None for any other, and for what is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 60:
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _object(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[tuple[int, Object]]:
    """The objects of a list with their places; nothing where it is no list."""
    if not isinstance(value, list):
        return []
    return [(index, item) for index, item in enumerate(value) if isinstance(item, dict)]
