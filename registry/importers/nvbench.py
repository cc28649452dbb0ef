"""nvbench's JSON (`--json`): isolated launches and batches of them, each mean by CUDA events under its own protocol.

Format as of nvbench 0.1.0, file version 1.0.0: numbers of summaries are texts, times are in seconds, several devices
may be in one file. One benchmark of the file is read at a time, since its operation has to be asked. Whole-number axes
are the case's axes, other numbers its scalars; what is named by text (a type, a variant) tells implementations apart.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.core.reading import Path, path_text
from registry.importers import brought, gpus, subject
from registry.importers.answers import Answers, slug
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

VERSION = "1"
first, following = brought_by_people, no_more
SECOND = 10**9
LARGEST_NOISE = 10**6  # a share of the mean
REPOSITORY = "https://github.com/NVIDIA/nvbench"
STOPPING = {  # a state's field -> what it says of when measuring stops
    "min_samples": "at least {} samples",
    "min_time": "at least {} s",
    "max_noise": "until the relative standard deviation is under {}",
    "timeout": "for at most {} s",
}
State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mode:
    """One of nvbench's ways to measure, by the names of its summaries; what the two measure is not comparable."""

    name: str
    family: str
    notes: str
    mean: str
    samples: str
    noise: str | None


MODES = (
    Mode(
        "cold",
        "nvbench",
        "Isolated launches, each between two CUDA events and with the L2 cache flushed before it.",
        "nv/cold/time/gpu/mean",
        "nv/cold/sample_size",
        "nv/cold/time/gpu/stdev/relative",
    ),
    Mode(
        "batch",
        "nvbench_batch",
        "Launches one after another between two CUDA events, the time divided by their number.",
        "nv/batch/time/gpu/mean",
        "nv/batch/sample_size",
        None,
    ),
)


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield the runs of one benchmark of each file. Raises Unreadable or MissingFacts before the first of them."""
    for file in files:
        yield from _File(file, known).entries()


def _which(names: Sequence[str]) -> Question:
    return Question("benchmark", "Which benchmark of the file is read", tuple(names), example=names[0])


class _File:
    def __init__(self, file: InputFile, known: Known) -> None:
        self.name, self.known = file.name, known
        self.reading = brought.json_of(file)
        root = self.reading.value
        if not isinstance(root, dict) or not _objects(root.get("benchmarks")):
            raise Unreadable(f"{self.name}: line 1: has no list of benchmarks: this is no JSON of nvbench")
        self.root: dict[str, Any] = root
        self.devices = {str(device.get("id")): device for device in _objects(root.get("devices"))}

    def place(self, path: Path) -> Place:
        return Place(self.name, self.reading.line_of(path), path_text(path))

    def entries(self) -> Iterator[Entry]:
        answers = Answers(self.known.answers)
        names = list(dict.fromkeys(str(one.get("name")) for one in _objects(self.root["benchmarks"])))
        which = _which(names)
        chosen = answers.maybe(which) or names[0] if len(names) == 1 else answers.ask(which)
        self.implementation = answers.read(subject.IMPLEMENTATION, slug) or ""
        about = subject.subject(answers, language="cuda_cpp")
        self.observed_at, self.flags = subject.observed(answers)
        self.software = subject.software(answers)
        answers.settle()
        for index, benchmark in enumerate(self.root["benchmarks"]):
            path: Path = ("benchmarks", index)
            if not isinstance(benchmark, dict) or not isinstance(benchmark.get("states"), list):
                yield Rejected("SHAPE", self.place(path), "a benchmark is an object with a list of states")
                continue
            if benchmark.get("name") != chosen:
                yield Skipped("OTHER_BENCHMARK", self.place(path))
                continue
            bench = Bench(about, variables=_axes(benchmark, "int64"), scalars=_axes(benchmark, "float64"))
            for number, state in enumerate(benchmark["states"]):
                if isinstance(state, dict):
                    yield from self._state(bench, str(chosen), state, (*path, "states", number))
                else:
                    yield Rejected("SHAPE", self.place((*path, "states", number)), "a state is an object")

    def _state(self, bench: Bench, benchmark: str, state: State, path: Path) -> Iterator[Entry]:
        """The runs of a state, one a mode that was measured."""
        try:
            if state.get("is_skipped"):
                raise NoRunError("SKIPPED", f"nvbench left it out: {state.get('skip_reason') or 'no reason'}"[:300])
            summaries = {str(one.get("tag")): _value(one) for one in _objects(state.get("summaries"))}
            modes = [mode for mode in MODES if summaries.get(mode.mean) is not None]
            if not modes:
                raise NoRunError("NO_TIME", "states no mean GPU time", "summaries")
            environment = self._environment(state)
            for mode in modes:
                measured = self._measured(bench, benchmark, state, mode, summaries)
                yield from bench.run(measured, self._protocol(mode, state), environment, self._locate(path))
        except NoRunError as error:
            yield Rejected(error.reason, self.place((*path, *error.path)), str(error), _key(state))

    def _locate(self, path: Path) -> Any:
        place = self.place(path)
        return lambda _: place

    def _measured(
        self, bench: Bench, benchmark: str, state: State, mode: Mode, summaries: Mapping[str, str | None]
    ) -> Measured:
        axes: dict[str, int] = {}
        scalars: dict[str, float] = {}
        variants: list[str] = []
        for index, value in enumerate(_objects(state.get("axis_values"))):  # null where there are no axes
            name, kind, written = str(value.get("name")), value.get("type"), str(value.get("value"))
            path = ("axis_values", index, "value")
            if kind == "int64" and re.fullmatch(r"-?\d{1,15}", written):
                axes[_axis(name)] = int(written)
            elif kind == "float64" and brought.is_number(written):
                scalars[_axis(name)] = float(written)
            elif kind in ("string", "type"):
                variants.append(f"{name}={written}")
            else:
                raise NoRunError("AXIS", f"{name} is no {kind}: {written[:40]!r}", *path)
        missing = {*bench.problem.variables, *bench.scalars} - axes.keys() - scalars.keys()
        if missing:
            raise NoRunError("AXIS", f"states no {', '.join(sorted(missing))}", "axis_values")
        implementation = brought.kebab("-".join([self.implementation, *variants]))
        symbol = f"{benchmark}<{', '.join(variants)}>" if variants else benchmark
        return Measured(
            implementation,
            symbol[:200],
            axes,
            scalars,
            self.observed_at,
            _spec(mode, summaries),
            f"{mode.name}-{_key(state)}",
            self.flags,
        )

    def _protocol(self, mode: Mode, state: State) -> Spec:
        version = _object(_object(_object(self.root.get("meta")).get("version")).get("nvbench"))
        harness: Spec = {"name": "nvbench", "repository": REPOSITORY}
        if isinstance(version.get("string"), str):
            harness["version"] = version["string"]
        if re.fullmatch(r"[0-9a-f]{40}", str(version.get("git_sha"))):
            harness["commit"] = version["git_sha"]
        stops = [words.format(state[name]) for name, words in STOPPING.items() if _is_number(state.get(name))]
        notes = mode.notes + (f" Measured {', '.join(stops)}." if stops and mode.name == "cold" else "")
        spec: Spec = {
            "harness": harness,
            "measurement": {"timer": "cuda_events", "primaryStatistic": "mean"},
            "comparability": {"family": mode.family, "notes": notes},
        }
        return brought.document("BenchmarkProtocol", spec, {"name": f"nvbench-{mode.name}"})

    def _environment(self, state: State) -> Spec:
        device = self.devices.get(str(state.get("device")))
        if device is None or not isinstance(device.get("name"), str) or not device["name"].strip():
            raise NoRunError("UNKNOWN_DEVICE", f"the file has no device {state.get('device')!r}"[:100], "device")
        hardware = gpus.hardware(device["name"], self.known)
        if hardware is None:  # the file itself says enough
            version = device.get("sm_version")
            if not isinstance(version, int) or version < 100:
                raise NoRunError("UNKNOWN_DEVICE", f"no sm_version for {device['name'][:60]!r}", "device")
            hardware = {"vendor": "nvidia", "product": device["name"][:200], "architecture": f"sm_{version // 10}"}
        settings: Spec = {"eccEnabled": device["ecc_state"]} if isinstance(device.get("ecc_state"), bool) else {}
        return brought.environment(hardware, self.software, settings)


def _spec(mode: Mode, summaries: Mapping[str, str | None]) -> Spec:
    """Timing, and the standard deviation where its share of the mean is stated."""
    mean = summaries[mode.mean] or ""
    samples, noise = summaries.get(mode.samples), summaries.get(mode.noise or "")
    try:
        timing: Spec = {"primaryStatistic": "mean", "latencyNs": {"mean": brought.nanoseconds(mean, SECOND)}}
    except ValueError as error:
        raise NoRunError("VALUE", f"{mode.mean} {error}", "summaries") from error
    if samples is None:
        counted: Spec = {}
    elif re.fullmatch(r"[1-9]\d{0,11}", samples):
        counted = {"sampleCount": int(samples)}
        timing["samples"] = int(samples)
    else:
        raise NoRunError("VALUE", f"{mode.samples} must be a count, got {samples[:40]!r}", "summaries")
    if noise is None or noise in ("inf", "nan"):  # a single sample has none
        return {"timing": timing}
    if not brought.is_number(noise) or not 0 <= float(noise) < LARGEST_NOISE:
        raise NoRunError("VALUE", f"{mode.noise} must be a share, got {noise[:40]!r}", "summaries")
    std = float(mean) * SECOND * float(noise)
    return {
        "timing": timing,
        "measurements": [{"metric": "latency", "statistic": "std", "unit": "ns", "value": std, **counted}],
    }


def _value(summary: State) -> str | None:
    for item in _objects(summary.get("data")):
        if item.get("name") == "value" and isinstance(item.get("value"), str | int | float):
            return str(item["value"])
    return None


def _object(value: object) -> State:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; nothing where it is null, left out or no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _axes(benchmark: State, kind: str) -> tuple[str, ...]:
    return tuple(_axis(str(axis.get("name"))) for axis in _objects(benchmark.get("axes")) if axis.get("type") == kind)


def _axis(name: str) -> str:
    """An axis's name as a token: "BlockSize" is blocksize."""
    token = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return token if token[:1].isalpha() else f"axis_{token}"


def _key(state: State) -> str:
    return str(state.get("name"))[:200]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
