"""Kernel Tuner's results: the fastest configuration of a kernel on a GPU, with its raw samples.

Two files say the same search: the T4 (an object of `results`) has times and validity, its cache has GPU, kernel and
problem size. Either is read alone; then what it lacks is asked. Times are in milliseconds. The run is the winner of a
search, so it is optimistic, and its protocol says so; every configuration goes into an attachment. A cache of a search
that was broken off lacks its closing braces: it is read all the same, and that is told.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from statistics import fmean, median, stdev
from typing import Any

from registry.core.digest import canonical, sha256
from registry.core.reading import Path, Reading, ReadingError, path_text, read
from registry.importers import brought, gpus, subject
from registry.importers.answers import Answers, instant, refused, slug
from registry.importers.base import (
    BytesEntry,
    Entry,
    InputFile,
    Known,
    Pending,
    Place,
    Question,
    Rejected,
    Skipped,
    Unreadable,
    brought_by_people,
    no_more,
)
from registry.importers.brought import FILE_LIMIT, Bench, Measured, NoRunError
from registry.importers.bundle import SOURCE as SOURCE
from registry.importers.problems import ProblemError, Spec, settled_axes

VERSION = "1"
first, following = brought_by_people, no_more
MILLISECOND = 10**6
SHORTEST, LONGEST = 1e-6, 1e9  # milliseconds of one sample: a nanosecond, and eleven days
MILLISECONDS = ("miliseconds", "milliseconds", "ms")  # the first is how the format spells it
SIZE = Question("problem_size", "The problem's size, each number with its axis", example="m = 4096; n = 4096")
TIMER = Question("timer", "How it was timed", ("cuda_events", "hip_events", "opencl_events"), "cuda_events")
FAILED = {
    "runtime": "RUNTIME_FAILED",
    "RuntimeFailedConfig": "RUNTIME_FAILED",
    "compile": "COMPILATION_FAILED",
    "CompilationFailedConfig": "COMPILATION_FAILED",
    "constraints": "INVALID_CONFIGURATION",
    "InvalidConfig": "INVALID_CONFIGURATION",
    "correctness": "WRONG_RESULT",
}
NOTES = (
    "The fastest configuration that a search of Kernel Tuner found, by the mean of its samples. The winner of many is "
    "optimistic: measured again it tends to be slower."
)
_OPEN_END = re.compile(rb"[,\s]*\Z")
State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tried:
    """A configuration that ran: its samples in milliseconds."""

    path: Path
    configuration: dict[str, object]
    runtimes: tuple[float, ...]
    timestamp: str | None


@dataclass(frozen=True, slots=True)
class Search:
    """A file's configurations, and what a cache says beside them."""

    file: str
    reading: Reading
    results: tuple[tuple[Path, object], ...]
    cache: State | None
    is_open: bool

    def place(self, path: Path, *, with_line: bool = True) -> Place:
        return Place(self.file, self.reading.line_of(path) if with_line else None, path_text(path))


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield one run a search; a T4 and a cache of one name are one. Raises Unreadable or MissingFacts before that."""
    searches = [_search(file) for file in files]
    caches = {_stem(search.file): search for search in searches if search.cache is not None}
    for search in searches:
        if search.cache is None:
            twin = caches.pop(_stem(search.file), None)
            if twin is None and len(caches) == 1 and len(searches) == 2:
                _, twin = caches.popitem()
            yield from _entries(search, twin, known)
    for cache in caches.values():
        yield from _entries(cache, cache, known)


def _entries(search: Search, twin: Search | None, known: Known) -> Iterator[Entry]:
    tried: list[Tried] = []
    left_out: list[Entry] = []
    for path, result in search.results:
        try:
            found = _tried_of_cache(path, result, search) if search.cache is not None else _tried(path, result)
        except NoRunError as error:
            left_out.append(Rejected(error.reason, search.place((*path, *error.path)), str(error)))
            continue
        if isinstance(found, Tried):
            tried.append(found)
        else:
            left_out.append(Skipped(found, search.place(path, with_line=False)))
    best = min(tried, key=lambda one: fmean(one.runtimes), default=None)
    if best is None:
        raise Unreadable(f"{search.file}: no configuration of {len(search.results):,} ran")
    run = list(_run(search, best, tried, twin, known))  # whose questions come before anything is told
    if twin is not None and twin.is_open:
        yield Skipped("CACHE_LEFT_OPEN", twin.place(("cache",)))
    yield from left_out
    slower = (one for one in tried if one is not best)
    yield from (Skipped("SLOWER_CONFIGURATION", search.place(one.path, with_line=False)) for one in slower)
    yield from run


def _run(search: Search, best: Tried, tried: list[Tried], twin: Search | None, known: Known) -> Iterator[Entry]:
    cache: State = twin.cache or {} if twin else {}
    kernel = cache.get("kernel_name") if isinstance(cache.get("kernel_name"), str) else None
    answers = Answers(known.answers)
    implementation = answers.read(subject.IMPLEMENTATION, slug, is_needed=kernel is None)
    timer = answers.ask(TIMER)
    axes = answers.read(SIZE, lambda text: _sizes(text, cache.get("problem_size"))) or {}
    device = cache.get("device_name") if isinstance(cache.get("device_name"), str) else None
    hardware = gpus.hardware(device, known) if device else subject.hardware(answers, known)
    about = subject.subject(answers)
    software = subject.software(answers)
    observed_at, flags = _observed(best) or subject.observed(answers)
    answers.settle()
    bench = Bench(about, variables=tuple(axes))
    place = search.place(best.path)
    if hardware is None:
        yield Pending("gpu", str(device)[:200], place, "no GPU of this name is known", kernel)
        return
    samples = canonical({"unit": "ms", "samples": list(best.runtimes)}).encode()
    space = "".join(
        canonical({"configuration": one.configuration, "samples_ms": list(one.runtimes)}) + "\n" for one in tried
    ).encode()
    stem = PurePath(search.file).stem
    names = f"{stem}-samples.json", f"{stem}-search-space.jsonl"
    yield BytesEntry(sha256(samples), samples, "raw samples", "application/json", names[0], place)
    yield BytesEntry(sha256(space), space, "search space", "application/jsonl", names[1], place)
    spec = _spec(best.runtimes, {"uri": names[0], "digest": sha256(samples)})
    spec["evidence"] = {"logs": {"uri": names[1], "digest": sha256(space)}}
    implementation = implementation or brought.kebab(kernel or "")
    measured = Measured(
        implementation, _symbol(kernel or implementation, best), axes, {}, observed_at, spec, stem, flags
    )
    protocol = _protocol(timer)
    environment = brought.environment(hardware, software)
    try:
        yield from bench.run(measured, protocol, environment, lambda _: place)
    except NoRunError as error:
        raise refused(SIZE.name, str(error)) from error


def _search(file: InputFile) -> Search:
    data = brought.text_of(file)
    is_open = False
    try:
        reading = read(data, syntax="json", limit=FILE_LIMIT)
    except ReadingError as error:
        try:  # as the tuner leaves it while it works: each line ends in a comma
            closed = _OPEN_END.sub(b"", data, count=1) + b"}}"
            reading, is_open = read(closed, syntax="json", limit=FILE_LIMIT + 2), True
        except ReadingError:
            raise Unreadable(f"{file.name}: {error}") from error
    root = reading.value
    if isinstance(root, dict) and isinstance(root.get("cache"), dict):
        results = tuple((("cache", key), entry) for key, entry in root["cache"].items())
        return Search(file.name, reading, results, root, is_open)
    if isinstance(root, dict) and isinstance(root.get("results"), list) and not is_open:
        unit = root.get("metadata", {}).get("timeunit") if isinstance(root.get("metadata"), dict) else None
        if unit not in (None, *MILLISECONDS):
            raise Unreadable(f"{file.name}: metadata.timeunit: times are read in milliseconds, got {unit!r}"[:200])
        listed: tuple[tuple[Path, object], ...] = tuple((("results", i), one) for i, one in enumerate(root["results"]))
        return Search(file.name, reading, listed, None, False)
    raise Unreadable(f"{file.name}: line 1: has neither results nor a cache: this is no file of Kernel Tuner")


def _tried(path: Path, result: object) -> Tried | str:
    """A result of a T4; a reason code where the configuration failed. Raises NoRunError where it can't be read."""
    if not isinstance(result, dict) or not isinstance(result.get("configuration"), dict):
        raise NoRunError("SHAPE", "a result is an object with its configuration")
    invalidity = result.get("invalidity")
    if invalidity != "correct":
        return FAILED.get(str(invalidity), "INVALID_CONFIGURATION")
    times = result.get("times")
    runtimes = _runtimes(times.get("runtimes") if isinstance(times, dict) else None, "times", "runtimes")
    return Tried(path, result["configuration"], runtimes, _text(result.get("timestamp")))


def _tried_of_cache(path: Path, entry: object, search: Search) -> Tried | str:
    """The same of an entry of a cache."""
    if not isinstance(entry, dict):
        raise NoRunError("SHAPE", "an entry of the cache is an object")
    if isinstance(entry.get("time"), str):
        return FAILED.get(entry["time"], "INVALID_CONFIGURATION")
    parameters = (search.cache or {}).get("tune_params_keys")
    names = parameters if isinstance(parameters, list) else []
    configuration = {str(name): entry[name] for name in names if isinstance(name, str) and name in entry}
    return Tried(path, configuration, _runtimes(entry.get("times"), "times"), _text(entry.get("timestamp")))


def _runtimes(value: object, *path: str) -> tuple[float, ...]:
    if not isinstance(value, list) or not value:
        raise NoRunError("NO_SAMPLES", "states no samples", *path)
    for index, one in enumerate(value):
        if not isinstance(one, int | float) or isinstance(one, bool) or not SHORTEST <= one <= LONGEST:
            raise NoRunError("VALUE", f"a sample is a number of milliseconds, from 1 ns on, got {one!r}", *path, index)
    return tuple(float(one) for one in value)


def _spec(runtimes: tuple[float, ...], raw_samples: Spec) -> Spec:
    """Statistics of the samples. With their deviation and number an interval of the mean can be derived."""
    figures = (
        ("mean", fmean(runtimes)),
        ("median", median(runtimes)),
        ("minimum", min(runtimes)),
        ("maximum", max(runtimes)),
    )
    latency = {name: brought.nanoseconds(repr(value), MILLISECOND) for name, value in figures}
    count = len(runtimes)
    timing: Spec = {"primaryStatistic": "mean", "samples": count, "latencyNs": latency, "rawSamples": raw_samples}
    if count == 1:
        return {"timing": timing}
    std = stdev(runtimes) * MILLISECOND
    stated = {"metric": "latency", "statistic": "std", "unit": "ns", "value": std, "sampleCount": count}
    return {"timing": timing, "measurements": [stated]}


def _protocol(timer: str) -> Spec:
    harness = {"name": "Kernel Tuner", "repository": "https://github.com/KernelTuner/kernel_tuner"}
    spec: Spec = {
        "harness": harness,
        "measurement": {"timer": timer, "primaryStatistic": "mean"},
        "comparability": {"family": "kernel_tuner", "notes": NOTES},
    }
    return brought.document("BenchmarkProtocol", spec, {"name": brought.kebab(f"kernel-tuner-{timer}")})


def _symbol(kernel: str, best: Tried) -> str:
    """The kernel with its configuration, which tells it from others; by a digest where that is long."""
    written = ", ".join(f"{name}={value}" for name, value in best.configuration.items())
    whole = f"{kernel}<{written}>"
    return whole if len(whole) <= 200 else f"{kernel[:150]}<{sha256(canonical(best.configuration))[:19]}>"


def _observed(best: Tried) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """The instant of the configuration's own timestamp, where it has a zone."""
    try:
        at, is_exact = instant((best.timestamp or "").replace(" ", "T", 1))
    except ValueError:
        return None
    return (at, ()) if is_exact else None


def _sizes(text: str, stated: object) -> dict[str, int]:
    axes = settled_axes(text)
    sizes = {name: value for name, value in axes.items() if isinstance(value, int)}
    if len(sizes) < len(axes):
        raise ProblemError("a size is a whole number")
    numbers = stated if isinstance(stated, list) else [stated]
    if stated is not None and [str(number) for number in numbers] != [str(size) for size in sizes.values()]:
        raise ProblemError(f"the cache says {', '.join(map(str, numbers))[:80]}")
    return sizes


def _stem(name: str) -> str:
    """What a T4 and its cache share of their names: "A100_T4.json" and "A100.json"."""
    return re.sub(r"(?:[_-](?:T4|cache|results))+$", "", PurePath(name).stem, flags=re.IGNORECASE)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
