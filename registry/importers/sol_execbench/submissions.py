"""One submission of SOL-ExecBench's leaderboard made into a run.

Documents are made so that their digests equal those already published of this leaderboard. A run is a submission's mean
over the kernel's suite of cases; how each case was timed, upstream does not say.
"""

from dataclasses import dataclass

from registry.core.located import shown
from registry.importers import gpus
from registry.importers.base import Known
from registry.importers.documents import TITLE_CHARACTERS, Spec, digest_of, document
from registry.importers.figures import cut, instant, nanoseconds, slug
from registry.importers.json_files import Item, UnknownNameRefusal
from registry.importers.trace_files.definitions import Definition, key_of, read_axes, read_definition, token
from registry.importers.trace_files.runs import NO_TIME_ZONE
from registry.importers.trace_files.solutions import author_project

SLUG = "sol-execbench"
API = "https://research.nvidia.com/benchmarks/sol-execbench/api"
COMPARATOR = "sol_execbench_eval"
COMPLETED = "COMPLETED"
UNFINISHED = {"PENDING", "QUEUED", "RUNNING", "IN_PROGRESS", "PROCESSING"}
FAILED = {"FAILED", "ERROR", "TIMEOUT", "CANCELLED", "CANCELED"}
METRICS = ("sol_score", "latency_ms", "avg_speedup", "fast_1_count", "fast_1_total")
_SUITE_RULE = "Correctness must pass on every case in the SOL evaluation stack."
_NOTES = (  # the digest of the protocol covers it to the letter
    "Suite-mean latency and SOL-Score as published by the SOL-ExecBench leaderboard. Comparable only within one "
    "definition, GPU type, and evaluation stack version."
)
Flags = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of the leaderboard. `bound_ms`: no mean can be below it, by what the source says of every case."""

    definition: Definition
    suite: Spec
    bound_ms: float | None


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission as it is told here, with the documents that only it brings."""

    run: Spec
    protocol: Spec
    environment: Spec
    implementation: Spec
    project: str
    owner: Spec
    name: str
    gpu: str
    stack: str | None
    flags: Flags


def read_kernel(data: Item) -> Kernel:
    """Make the operation and the suite of a kernel's details. Raises Refusal."""
    definition = read_definition(data, source_url=f"{API}/kernels", is_described=False)
    return Kernel(definition, _suite(definition, data), _bound(data))


def _suite(definition: Definition, data: Item) -> Spec:
    cases: list[Spec] = []
    for workload in data.items("workloads"):
        stated = read_axes(workload.item("axes"))
        axes = {token(name): value for name, value in stated.items()}
        cases.append({"externalId": cut(key_of(workload), 200), "axes": axes})
    if not cases:
        raise data.refusal("SHAPE", "a kernel has at least one workload", "workloads")
    spec: Spec = {
        "operationSpecDigest": definition.digest,
        "cases": cases,
        "correctness": {"comparator": COMPARATOR, "description": _SUITE_RULE},
        "aggregation": {"metric": "latency", "statistic": "mean"},
    }
    metadata: Spec = {
        "name": f"{slug(definition.name)}-suite",
        "title": cut(f"SOL workload suite: {definition.name}", TITLE_CHARACTERS),
    }
    return document("WorkloadSuite", spec, metadata)


def _bound(data: Item) -> float | None:
    """The least speed-of-light time of a case, where the source states one of each and none is made up."""
    stated = [workload.number_or_none("sol_ms") for workload in data.items("workloads")]
    bounds = [bound for bound in stated if bound is not None and bound > 0]
    return min(bounds) if bounds and len(bounds) == len(stated) and not data.value.get("sol_is_dummy") else None


def read_submission(row: Item, kernel: Kernel, known: Known) -> Submission:
    """Make the run of a submission that was judged. Raises Refusal."""
    number, is_correct = row.integer("id"), _is_correct(row)
    gpu, stack, user = row.text("gpu_type"), row.text_or_none("evaluation_stack_version"), row.text("username")
    hardware = gpus.hardware(gpu, known)
    if hardware is None:
        raise UnknownNameRefusal("gpu", gpu, row.place("gpu_type"))
    latency_ms = _latency(row, is_correct)
    observed_at, has_zone = _observed(row)
    implementation = _implementation(kernel.definition, number, user, hardware)
    protocol, environment = _protocol(stack), _environment(gpu, stack, hardware)
    spec: Spec = {
        "implementationDigest": digest_of(implementation),
        "workloadDigest": digest_of(kernel.suite),
        "protocolDigest": digest_of(protocol),
        "environmentDigest": digest_of(environment),
        "observedAt": observed_at,
        "status": "passed" if is_correct else "incorrect_numerical",
    }
    if latency_ms is not None:
        spec["timing"] = {"primaryStatistic": "mean", "latencyNs": {"mean": nanoseconds(latency_ms)}}
    metrics = {metric: value for metric in METRICS if (value := row.number_or_none(metric)) is not None}
    native: Spec = {"source": SLUG, "benchmark": cut(kernel.definition.name, 200), "externalId": str(number)}
    if metrics:
        native["metrics"] = metrics
    spec["sourceNative"] = native
    flags = (
        *_disqualification(row),
        *_implausibility(latency_ms, kernel.bound_ms),
        *(() if has_zone else (NO_TIME_ZONE,)),
    )
    project = f"sol-user-{slug(user)}"
    return Submission(
        document("BenchmarkRun", spec, _run_metadata(row, kernel, number, user, gpu)),
        protocol,
        environment,
        implementation,
        project,
        author_project(project, user, f"{SLUG}/user/{user}", kind="individual"),
        _name(number),
        gpu,
        stack,
        flags,
    )


def _is_correct(row: Item) -> bool:
    """What the source judged. Raises Refusal where it has judged nothing, or where that can't be read."""
    status = row.text("status").upper()
    if status in UNFINISHED:
        raise row.refusal("UNFINISHED", f"the submission is {status} at the source", "status")
    if status in FAILED:
        why = row.text_or_none("error_log")
        message = f"the submission is {status} at the source" + (f": {cut(why, 300)}" if why else "")
        raise row.refusal("FAILED_UPSTREAM", message, "status")
    if status != COMPLETED:
        raise row.refusal("STATUS", f"unknown status {shown(status)}", "status")
    is_correct = row.value.get("is_correct")
    if not isinstance(is_correct, bool):
        raise row.refusal("NO_VERDICT", "the source does not say whether the submission is correct", "is_correct")
    return is_correct


def _latency(row: Item, is_correct: bool) -> float | None:
    """The mean in milliseconds; only a submission that is not correct may lack it."""
    latency_ms = row.number_or_none("latency_ms")
    if latency_ms is None:
        if is_correct:
            raise row.refusal("NO_LATENCY", "the source states no latency", "latency_ms")
        return None
    try:
        nanoseconds(latency_ms)
    except ValueError as error:
        raise row.refusal("VALUE", str(error), "latency_ms") from error
    return latency_ms


def _observed(row: Item) -> tuple[str, bool]:
    key = "finished_at" if row.has("finished_at") else "submitted_at"
    written = row.text(key)
    try:
        return instant(written)
    except ValueError as error:
        raise row.refusal("TIMESTAMP", str(error), key) from error


def _disqualification(row: Item) -> Flags:
    if row.value.get("is_disqualified") in (None, False):
        return ()
    by, at = row.text_or_none("disqualification_source"), row.text_or_none("disqualified_at")
    words = row.text_or_none("disqualification_reason") or "The source states no reason."
    stated = "; ".join(filter(None, (by and f"by {by}", at and f"at {at}")))
    return (("DISQUALIFIED_UPSTREAM", f"{words} ({stated})" if stated else words),)


def _implausibility(latency_ms: float | None, bound_ms: float | None) -> Flags:
    if latency_ms is None or bound_ms is None or latency_ms >= bound_ms:
        return ()
    text = f"{latency_ms} ms is below {bound_ms} ms, the least speed-of-light time that the source states of a case."
    return (("IMPLAUSIBLE", text),)


def _name(number: int) -> str:
    return f"sol-submission-{number}"


def _run_metadata(row: Item, kernel: Kernel, number: int, user: str, gpu: str) -> Spec:
    title = cut(f"{user} · {kernel.definition.name} · {gpu}", TITLE_CHARACTERS)
    labels = {"worker": row.text_or_none("worker_id"), "error": row.text_or_none("error_log")}
    stated = {label: cut(text, 200) for label, text in labels.items() if text}
    return {"name": _name(number), "title": title} | ({"labels": stated} if stated else {})


def _implementation(definition: Definition, number: int, user: str, hardware: gpus.Facts) -> Spec:
    """A submission's code is not published, so of it only who, for what and on what is known."""
    spec: Spec = {
        "projectRevision": {"version": f"submission-{number}"},
        "operation": {"specDigest": definition.digest},
        "callable": {"language": "unknown"},
        "support": {
            "hardwareArchitectures": [hardware["architecture"]],
            "productsTested": [hardware["product"]],
            "dtypes": definition.dtypes,
        },
        "licensing": {},
    }
    metadata: Spec = {
        "name": _name(number),
        "title": cut(f"{user} · {definition.name}", TITLE_CHARACTERS),
        "authors": [{"name": cut(user, 200)}],
    }
    return document("ImplementationRevision", spec, metadata)


def _protocol(stack: str | None) -> Spec:
    harness: Spec = {"name": "SOL-ExecBench evaluation stack"}
    if stack:
        harness["version"] = cut(stack, 100)
    spec: Spec = {
        "harness": harness,
        "measurement": {"timer": "harness_reported", "primaryStatistic": "mean"},
        "correctness": {"reference": "definition reference implementation", "comparator": COMPARATOR},
        "comparability": {"family": "sol_execbench_leaderboard", "notes": _NOTES},
    }
    metadata: Spec = {
        "name": f"sol-execbench-leaderboard-{slug(stack or 'unversioned')}",
        "title": cut(f"SOL-ExecBench evaluation stack {stack or '(version not stated)'}", TITLE_CHARACTERS),
    }
    return document("BenchmarkProtocol", spec, metadata)


def _environment(gpu: str, stack: str | None, hardware: gpus.Facts) -> Spec:
    software: Spec = {"libraries": {"evaluation_stack": cut(stack, 100)}} if stack else {}
    title = f"SOL-ExecBench {hardware['product']}" + (f", stack {stack}" if stack else "")
    metadata: Spec = {
        "name": f"sol-execbench-{slug(gpu)}-{slug(stack or 'unversioned')}",
        "title": cut(title, TITLE_CHARACTERS),
    }
    return document("ExecutionEnvironment", {"hardware": hardware, "software": software}, metadata)
