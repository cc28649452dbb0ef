"""The documents of a KernelBot row; made so that their digests equal those already published from the same rows.

Upstream's timing is wall-clock time by its own eval.py. An aggregate is what it is, a score in seconds by the statistic
that the problem ranks by: never a latency.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from registry.core.digest import API_VERSION, document_text, sha256
from registry.importers.kernelbot.board import Board
from registry.importers.problems import Spec

SLUG = "gpumode-kernelbot"
DATASET = "https://huggingface.co/datasets/GPUMODE/kernelbot-data"
HARNESS = "https://github.com/gpu-mode/reference-kernels"
COMPARATOR = "kernelbot_eval"
# These sentences are part of the protocols' digests, to the letter.
_PER_CASE_NOTES = (
    "Per-case wall-clock statistics as published in the KernelBot dataset. Comparable only within one leaderboard "
    "problem and GPU type; runner software versions ride each run's labels."
)
_SCORE_NOTES = (
    "Aggregate leaderboard score in seconds over the problem's published benchmark suite, as computed by the upstream "
    "ranked run. Comparable only within one leaderboard problem and runner type."
)


@dataclass(frozen=True, slots=True)
class Source:
    """A submission's file, whole."""

    digest: str
    size_bytes: int
    file_name: str | None


@dataclass(frozen=True, slots=True)
class Submission:
    """What a row says of the code that ran."""

    number: str
    board_name: str
    user: str
    author: str | None
    file_name: str | None
    source: Source | None


def digest(document: Spec) -> str:
    return sha256(document_text(str(document["kind"]), document["spec"]))


def kebab(text: str) -> str:
    """Lower case, runs of other characters as one hyphen, trimmed, then cut to 100 characters (in that order)."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:100]


def case_key(axes: Mapping[str, int]) -> str:
    return "-".join(f"{axis}{axes[axis]}" for axis in sorted(axes))


def project(submission: Submission) -> Spec:
    spec: Spec = {
        "name": submission.author or f"KernelBot user {submission.user}",
        "host": {"kind": "other", "id": f"{SLUG}/user/{submission.user}"},
    }
    return _document("SoftwareProject", spec, {"name": project_slug(submission)})


def project_slug(submission: Submission) -> str:
    return kebab(f"kernelbot-user-{submission.user}")


@cache
def operation(board: Board) -> Spec:
    spec: Spec = {
        "family": board.family,
        "axes": board.problem.axes(),
        "inputs": [tensor.document() for tensor in board.problem.inputs],
        "outputs": [tensor.document() for tensor in board.problem.outputs],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    task = f"{HARNESS}/blob/main/problems/{board.task}/task.yml"
    return _document("OperationSpec", spec, {**_named(board), "sourceRefs": [{"url": task}]})


@cache
def operation_digest(board: Board) -> str:
    return digest(operation(board))


@cache
def suite(board: Board) -> Spec:
    spec: Spec = {
        "operationSpecDigest": operation_digest(board),
        "cases": [{"externalId": external_id, "axes": axes} for external_id, axes in board.suite_cases()],
        "correctness": {"comparator": COMPARATOR},
        "aggregation": {"metric": "score", "statistic": board.statistic},
    }
    return _document("WorkloadSuite", spec, _named(board, "suite", "leaderboard suite"))


def case(board: Board, axes: dict[str, int], shapes: dict[str, list[int]]) -> Spec:
    spec: Spec = {
        "operationSpecDigest": operation_digest(board),
        "axes": axes,
        "tensors": {
            tensor.name: {"shape": shapes[tensor.name], "dtype": tensor.dtype} for tensor in board.problem.inputs
        },
        "correctness": {"comparator": COMPARATOR},
    }
    sizes = ", ".join(f"{axis}={axes[axis]}" for axis in sorted(axes, key=lambda axis: (len(axis), axis)))
    return _document("WorkloadCase", spec, _named(board, case_key(axes), sizes))


def implementation(board: Board, submission: Submission, hardware: Mapping[str, str]) -> Spec:
    spec: Spec = {
        "projectRevision": {"version": f"submission-{submission.number}"},
        "operation": {"specDigest": operation_digest(board)},
        "callable": {"language": "python"},
        "support": {
            "hardwareArchitectures": [hardware["architecture"]],
            "dtypes": sorted({tensor.dtype for tensor in board.problem.inputs}),
            "productsTested": [hardware["product"]],
        },
        "licensing": {},
    }
    if source := submission.source:
        named = {"fileName": source.file_name} if source.file_name else {}
        spec["source"] = {"contentDigest": source.digest, "sizeBytes": source.size_bytes, **named}
    metadata: Spec = {
        "name": implementation_name(submission),
        "title": f"{submission.board_name} · submission {submission.number}",
        "sourceRefs": [{"url": DATASET}],
    }
    if submission.author:
        metadata["authors"] = [{"name": submission.author}]
    if submission.file_name:
        metadata["description"] = submission.file_name
    return _document("ImplementationRevision", spec, metadata)


def implementation_name(submission: Submission) -> str:
    return f"kernelbot-submission-{submission.number}"


@cache
def per_case_protocol() -> Spec:
    return _protocol("eval", "GPU MODE KernelBot evaluation harness", "mean", _PER_CASE_NOTES)


@cache
def score_protocol(statistic: str) -> Spec:
    return _protocol(f"leaderboard-{statistic}", "GPU MODE KernelBot ranked leaderboard run", statistic, _SCORE_NOTES)


def _protocol(name: str, title: str, statistic: str, notes: str) -> Spec:
    spec: Spec = {
        "harness": {"name": "reference-kernels eval.py", "repository": HARNESS},
        "measurement": {"timer": "wall_clock", "primaryStatistic": statistic},
        "correctness": {"reference": "problem reference implementation", "comparator": COMPARATOR},
        "comparability": {"family": "gpumode_kernelbot", "notes": notes},
    }
    return _document("BenchmarkProtocol", spec, {"name": f"{SLUG}-{name}", "title": title})


def environment(hardware: Mapping[str, str], name: str) -> Spec:
    """A GPU as the row names it, or a runner: a pool of machines, which a score's form factor names."""
    metadata: Spec = {"name": kebab(f"{SLUG}-{name}"), "title": f"KernelBot runner · {hardware['product']}"}
    return _document("ExecutionEnvironment", {"hardware": dict(hardware), "software": {}}, metadata)


def run(spec: Spec, name: str, title: str, labels: dict[str, str]) -> Spec:
    metadata: Spec = {"name": name[:100], "title": title}
    return _document("BenchmarkRun", spec, metadata | ({"labels": labels} if labels else {}))


def _named(board: Board, suffix: str = "", title: str = "") -> Spec:
    return {
        "name": kebab(f"gpumode-{board.operation}-{suffix}"),
        "title": " · ".join(filter(None, (board.title, title))),
    }


def _document(kind: str, spec: Spec, metadata: Spec) -> Spec:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
