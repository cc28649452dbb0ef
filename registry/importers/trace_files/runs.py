"""One trace made into a run, with the protocol and the environment that it tells of."""

import re
from dataclasses import dataclass

from registry.core.digest import sha256
from registry.core.located import shown
from registry.importers import gpus
from registry.importers.base import BytesEntry, Known
from registry.importers.documents import TITLE_CHARACTERS, Spec, digest_of, document
from registry.importers.figures import bounded_key, cut, instant, nanoseconds, slug
from registry.importers.json_files import Item, UnknownNameRefusal
from registry.importers.trace_files.definitions import Case, Definition, token
from registry.importers.trace_files.solutions import Dialect, Solution

STATUSES = {
    "PASSED": "passed",
    "INCORRECT_SHAPE": "incorrect_shape",
    "INCORRECT_DTYPE": "incorrect_dtype",
    "INCORRECT_NUMERICAL": "incorrect_numerical",
    "COMPILE_ERROR": "compile_error",
    "RUNTIME_ERROR": "runtime_error",
    "TIMEOUT": "timeout",
    "REWARD_HACK": "suspected_reward_hack",
    "INVALID_REFERENCE": "invalid_reference",
}
NO_TIME_ZONE = ("TIME_ZONE_NOT_STATED", "The source gives the time without a zone; shown as if UTC.")
HARNESS_REPORTED = "harness_reported"  # what times, where the log does not tell
# What times, by what the log says of it. The harness falls back by itself where CUPTI is missing or too old.
_TIMERS = (
    ("cuda_events", re.compile(r"falling back to cuda events", re.IGNORECASE)),
    ("cupti", re.compile(r"\b(?:using|timed (?:by|with)|timing with) cupti\b", re.IGNORECASE)),
)
_TIMER_WORDS = {"cuda_events": "CUDA events", "cupti": "CUPTI"}
_METRICS = ("latency_ms", "reference_latency_ms", "speedup_factor")


@dataclass(frozen=True, slots=True)
class Trace:
    """A run as it is told, its keys at upstream, and what it is compared by."""

    run: Spec
    protocol: Spec
    environment: Spec
    key: str
    lasting_key: str
    group: tuple[str, ...]
    flags: tuple[tuple[str, str], ...]
    log: BytesEntry | None


def read_trace(
    item: Item, definition: Definition, solution: Solution, case: Case, dialect: Dialect, known: Known
) -> Trace:
    """Make the run of an evaluated trace. Raises Refusal."""
    evaluation = item.item("evaluation")
    status = STATUSES.get(evaluation.text("status"))
    if status is None:
        raise evaluation.refusal("STATUS", f"unknown status {shown(evaluation.text('status'))}", "status")
    environment = _environment(evaluation.item("environment"), known)
    log = evaluation.text_or_none("log")
    protocol = trace_protocol(dialect, timer_of(log or ""))
    observed_at, has_zone = _observed(evaluation)
    lasting = (definition.name, solution.upstream, case.key, str(_name(environment)))
    spec: Spec = {
        "implementationDigest": solution.digest,
        "workloadDigest": case.digest,
        "protocolDigest": digest_of(protocol),
        "environmentDigest": digest_of(environment),
        "observedAt": observed_at,
        "status": status,
    }
    if correctness := _correctness(evaluation, dialect):
        spec["correctness"] = correctness
    native: Spec = {
        "source": dialect.source,
        "benchmark": cut(definition.name, 200),
        "externalId": bounded_key((definition.name, solution.upstream, case.key)),
    }
    if status == "passed":
        performance = _performance(evaluation)
        spec["timing"] = {"primaryStatistic": "mean", "latencyNs": {"mean": _latency(performance)}}
        native["metrics"] = {
            metric: value for metric in _METRICS if (value := performance.number_or_none(metric)) is not None
        }
    spec["sourceNative"] = native
    name = f"{slug(solution.upstream)[:90]}-{slug(definition.name)[:90]}-{slug(case.key)[:8]}"
    entry = _log(log, evaluation, name) if log else None
    if entry:
        spec["evidence"] = {"logs": {"uri": f"kernelindex:artifact/{entry.digest}", "digest": entry.digest}}
    metadata: Spec = {
        "name": name,
        "title": cut(f"{solution.upstream} · {definition.name}", TITLE_CHARACTERS),
        "labels": {"workload": cut(case.key, 200)},
    }
    run = document("BenchmarkRun", spec, metadata)
    group = (case.digest, digest_of(protocol), digest_of(environment), "timed" if "timing" in spec else "")
    key = bounded_key((*lasting, evaluation.text("timestamp")))
    flags = () if has_zone else (NO_TIME_ZONE,)
    return Trace(run, protocol, environment, key, bounded_key(lasting), group, flags, entry)


def timer_of(log: str) -> str:
    return next((timer for timer, words in _TIMERS if words.search(log)), HARNESS_REPORTED)


def trace_protocol(dialect: Dialect, timer: str) -> Spec:
    """The protocol of the harness by its timer: what two timers measured is not the same."""
    spec: Spec = {
        "harness": dialect.harness,
        "measurement": {"timer": timer, "primaryStatistic": "mean"},
        "correctness": {"reference": "definition reference implementation", "comparator": dialect.comparator},
        "comparability": {"family": dialect.family},
    }
    metadata: Spec = {"name": slug(dialect.family), "title": dialect.title}
    if timer in _TIMER_WORDS:
        metadata = {
            "name": slug(f"{dialect.family}-{timer}"),
            "title": f"{dialect.title}, timed by {_TIMER_WORDS[timer]}",
        }
    return document("BenchmarkProtocol", spec, metadata)


def _environment(item: Item, known: Known) -> Spec:
    gpu = item.text("hardware")
    hardware = gpus.hardware(gpu, known)
    if hardware is None:
        raise UnknownNameRefusal("gpu", gpu, item.place("hardware"))
    libraries = {name: cut(version, 100) for name, version in _libraries(item).items()}
    software: Spec = {}
    if torch := libraries.pop("torch", None):
        software["framework"] = {"name": "pytorch", "version": torch}
    if cuda := libraries.pop("cuda", None):
        software["cudaToolkit"] = cuda
    if libraries:
        software["libraries"] = {token(name): version for name, version in libraries.items()}
    versions = [f"{name}-{version}" for name, version in sorted(_libraries(item).items())]
    metadata: Spec = {
        "name": f"trace-{slug('-'.join((gpu, *versions)))}",
        "title": f"{hardware['product']} (trace-reported software)",
    }
    return document("ExecutionEnvironment", {"hardware": hardware, "software": software}, metadata)


def _libraries(item: Item) -> dict[str, str]:
    if not item.has("libs"):
        return {}
    libs = item.item("libs")
    return {name: libs.text(name) for name in libs.value if libs.has(name)}


def _name(written: Spec) -> object:
    metadata = written["metadata"]
    assert isinstance(metadata, dict)
    return metadata["name"]


def _observed(evaluation: Item) -> tuple[str, bool]:
    written = evaluation.text("timestamp")
    try:
        return instant(written)
    except ValueError as error:
        raise evaluation.refusal("TIMESTAMP", str(error), "timestamp") from error


def _performance(evaluation: Item) -> Item:
    if not evaluation.has("performance"):
        raise evaluation.refusal("NO_LATENCY", "a run that passed states its latency", "performance")
    return evaluation.item("performance")


def _latency(performance: Item) -> int:
    milliseconds = performance.number_or_none("latency_ms")
    if milliseconds is None:
        raise performance.refusal("NO_LATENCY", "a run that passed states its latency", "latency_ms")
    try:
        return nanoseconds(milliseconds)
    except ValueError as error:
        raise performance.refusal("VALUE", str(error), "latency_ms") from error


def _correctness(evaluation: Item, dialect: Dialect) -> Spec | None:
    """The errors that were measured; one that is not finite stays absent, and so does what was not judged."""
    if not evaluation.has("correctness"):
        return None
    measured = evaluation.item("correctness")
    correctness: Spec = {"comparator": dialect.comparator}
    for key, member in (
        ("max_absolute_error", "maximumAbsoluteError"),
        ("max_relative_error", "maximumRelativeError"),
    ):
        error = measured.number_or_none(key)
        if error is not None and error < 0:
            raise measured.refusal("VALUE", f"an error is not negative, got {error}", key)
        if error is not None:
            correctness[member] = error
    return correctness


def _log(log: str, evaluation: Item, name: str) -> BytesEntry:
    data = log.encode()
    return BytesEntry(sha256(data), data, "log", "text/plain", f"{name}.log"[:200], evaluation.place("log"))
