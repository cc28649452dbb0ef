"""From a row to entries: its submission's documents and its runs, or why there are none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from registry.importers import gpus
from registry.importers.base import (
    BytesEntry,
    DocumentEntry,
    Entry,
    Known,
    Locate,
    Pending,
    Rejected,
    RunEntry,
    Skipped,
)
from registry.importers.kernelbot import cells, documents
from registry.importers.kernelbot.board import Board
from registry.importers.kernelbot.boards import BOARDS, NAMES
from registry.importers.kernelbot.cells import Refusal, Statistics
from registry.importers.kernelbot.documents import Submission
from registry.importers.kernelbot.offers import Offers
from registry.importers.kernelbot.pages import Row
from registry.importers.problems import Spec

RUNNERS = {"NVIDIA": "NVIDIA B200", "B200_Nebius": "NVIDIA B200", "MI300": "AMD Instinct MI300X"}
NO_TIME_ZONE = ("TIME_ZONE_NOT_STATED", "KernelBot states the time of submission without a zone; shown as if UTC.")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row that passed in leaderboard mode, of a board and on a GPU that are known."""

    row: Row
    board: Board
    board_name: str  # as upstream spells it: two boards may share a problem
    gpu: str  # likewise: a GPU's name, or a runner's
    hardware: Mapping[str, str]
    submission: Submission
    code: bytes | None
    observed_at: str
    has_zone: bool

    def keys(self, benchmark: str) -> tuple[str, str]:
        """Upstream's key of a run, and the lasting one: the id of its run where stated, else without the run's time."""
        lasting = f"submission/{self.submission.number}/{self.board_name}/{self.gpu}{benchmark}"
        run = self.row.cells.get("run_id")
        if isinstance(run, int | str) and str(run):
            return f"{lasting}/run/{run}"[:500], f"{lasting}/run/{run}"[:500]
        at = cells.optional_text(self.row, "run_start_time")
        return f"{lasting}/at/{at}"[:500] if at else lasting, lasting


class Translator:
    """Row after row; keeps of earlier ones the leaderboards' names, which documents were given, and the runs' keys."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.board_names = dict(NAMES)
        self.given: set[str] = set()
        self.given_last = ""
        self.offers = Offers()

    def entries(self, row: Row) -> Iterator[Entry]:
        try:
            if "gpu_types" in row.cells and "submission_id" not in row.cells:
                self.board_names[cells.text(row, "id")] = cells.text(row, "name")
                yield Skipped("LEADERBOARD", row.place())
                return
            self.offers.read(row)
            cells.require_ranked(row)
            ranked = self._ranked(row)
            if isinstance(ranked, Pending):
                yield ranked
            elif ranked.board.is_suite:
                yield from self._score(ranked)
            else:
                yield from self._benchmarks(ranked)
        except Refusal as refusal:
            yield _rejected(row, refusal)

    def _ranked(self, row: Row) -> Ranked | Pending:
        board_name = self._board_name(row)
        settled = self.known.names.get(("kernel", board_name), board_name)
        board = BOARDS.get(settled) if isinstance(settled, str) else None
        if board is None:
            return _pending(
                row, "kernel", board_name, "no problem of this name is known: settle which known board it is"
            )
        gpu = cells.text(row, "runner") if board.is_suite else cells.gpu(row)
        is_settled = ("gpu", gpu) in self.known.names
        hardware = gpus.hardware(gpu if is_settled else RUNNERS.get(gpu, gpu), self.known)
        if hardware is None:
            return _pending(row, "gpu", gpu, "which GPU this is, is not known")
        if board.is_suite:  # a pool of machines: kept apart from others with the same GPU
            hardware |= {"formFactor": f"runner:{gpu}"}
        submission, code = cells.submission(row, board_name)
        return Ranked(row, board, board_name, gpu, hardware, submission, code, *cells.observed(row))

    def _board_name(self, row: Row) -> str:
        if row.cells.get("problem_name") or row.cells.get("leaderboard_name"):
            return cells.text(row, "problem_name", "leaderboard_name")
        number = cells.text(row, "leaderboard_id")
        return self.board_names.get(number, f"leaderboard {number}")

    def _score(self, ranked: Ranked) -> Iterator[Entry]:
        """The one run of a suite: its score, which is no latency."""
        group = (ranked.board_name, ranked.gpu)
        self.offers.offer(group, ranked.row)
        score, statistic = cells.score(ranked.row), ranked.board.statistic
        measured: Spec = {
            "measurements": [{"metric": "score", "statistic": statistic, "unit": "s", "value": score}],
            "sourceNative": _native(ranked, ranked.board_name, {"leaderboard_score_s": score}),
        }
        number = ranked.submission.number
        yield from self._run(
            ranked,
            group,
            workload=documents.suite(ranked.board),
            protocol=documents.score_protocol(statistic),
            measured=measured,
            name=f"kernelbot-{number}-leaderboard",
            title=f"{ranked.board_name} · submission {number} · leaderboard score",
        )

    def _benchmarks(self, ranked: Ranked) -> Iterator[Entry]:
        """A run for each benchmark of the row; one that can't be read leaves the others standing."""
        for place in range(cells.benchmark_count(ranked.row)):
            try:
                yield from self._benchmark(ranked, place)
            except Refusal as refusal:
                yield _rejected(ranked.row, refusal)

    def _benchmark(self, ranked: Ranked, place: int) -> Iterator[Entry]:
        row, board, number = ranked.row, ranked.board, ranked.submission.number
        axes = cells.axes(row, place)
        shapes = board.problem.shapes(axes) if axes.keys() == set(board.problem.variables) else None
        if shapes is None:
            wanted = ", ".join(board.problem.variables)
            raise Refusal("SPEC", f"run_result.benchmark.{place}.spec", f"a case of {board.name} has the axes {wanted}")
        group = (ranked.board_name, ranked.gpu, documents.case_key(axes))
        self.offers.offer(group, row)
        statistics = cells.statistics(row, place)
        metrics = {"mean_ns": statistics.mean}
        if statistics.best is not None:
            metrics["best_ns"] = statistics.best
        if cells.first_of(row, "run_score", "score")[1] is not None:
            metrics["leaderboard_score_s"] = cells.score(row)
        yield from self._run(
            ranked,
            group,
            workload=documents.case(board, axes, shapes),
            protocol=documents.per_case_protocol(),
            measured={**_timing(statistics), "sourceNative": _native(ranked, f"{ranked.board_name}/{place}", metrics)},
            name=f"kernelbot-{number}-{documents.case_key(axes)}",
            title=f"{ranked.board_name} · submission {number} · case {place}",
            labels=cells.labels(row),
            benchmark=f"/{place}",
        )

    def _run(
        self,
        ranked: Ranked,
        group: tuple[str, ...],
        *,
        workload: Spec,
        protocol: Spec,
        measured: Spec,
        name: str,
        title: str,
        labels: dict[str, str] | None = None,
        benchmark: str = "",
    ) -> Iterator[Entry]:
        key, lasting_key = ranked.keys(benchmark)
        if not self.offers.take(group, key):
            raise Refusal("DUPLICATE", "submission_id", f"{key} stands in an earlier row", is_kept=False)
        row, submission = ranked.row, ranked.submission
        locate = _locate(row)
        implementation = documents.implementation(ranked.board, submission, ranked.hardware)
        environment = documents.environment(ranked.hardware, ranked.gpu)
        yield from self._documents(ranked, workload, locate)
        implementation_digest = documents.digest(implementation)
        if implementation_digest != self.given_last:  # one for all benchmarks of a row
            self.given_last = implementation_digest
            yield from _code(ranked)
            project = documents.project_slug(submission)
            yield DocumentEntry("ImplementationRevision", implementation, locate, project=project)
        spec: Spec = {
            "implementationDigest": implementation_digest,
            "workloadDigest": documents.digest(workload),
            "protocolDigest": documents.digest(protocol),
            "environmentDigest": documents.digest(environment),
            "observedAt": ranked.observed_at,
            "status": "passed",
            **measured,
        }
        yield RunEntry(
            documents.run(spec, name, title, labels or {}),
            protocol,
            environment,
            locate,
            source=documents.SLUG,
            implementation=(documents.project_slug(submission), documents.implementation_name(submission)),
            upstream_key=key,
            lasting_key=lasting_key,
            flags=() if ranked.has_zone else (NO_TIME_ZONE,),
        )

    def _documents(self, ranked: Ranked, workload: Spec, locate: Locate) -> Iterator[Entry]:
        """What many rows share, before the first of them."""
        submission, project = ranked.submission, documents.project_slug(ranked.submission)
        if self._is_first(f"{project} {submission.author}"):
            yield DocumentEntry("SoftwareProject", documents.project(submission), locate, slug=project)
        if self._is_first(ranked.board.operation):
            yield DocumentEntry("OperationSpec", documents.operation(ranked.board), locate)
        if self._is_first(documents.digest(workload)):
            yield DocumentEntry(str(workload["kind"]), workload, locate)

    def _is_first(self, told: str) -> bool:
        is_new = told not in self.given
        self.given.add(told)
        return is_new


def _code(ranked: Ranked) -> Iterator[BytesEntry]:
    """The submission's file, where the row has it whole."""
    source, name = ranked.submission.source, ranked.submission.file_name
    if ranked.code is not None and source:
        yield BytesEntry(source.digest, ranked.code, "source", _media_type(name), name, ranked.row.place("code"))


def _native(ranked: Ranked, benchmark: str, metrics: Mapping[str, float]) -> Spec:
    return {
        "source": documents.SLUG,
        "benchmark": benchmark,
        "externalId": f"submission/{ranked.submission.number}",
        "metrics": dict(metrics),
    }


def _timing(statistics: Statistics) -> Spec:
    stated = {"mean": statistics.mean, "minimum": statistics.best, "maximum": statistics.worst}
    latency = {name: cells.nanoseconds(value) for name, value in stated.items() if value is not None}
    samples = {"samples": statistics.runs} if statistics.runs else {}
    timing: Spec = {"timing": {"primaryStatistic": "mean", "latencyNs": latency, **samples}}
    if statistics.std is not None:
        counted = {"sampleCount": statistics.runs} if statistics.runs else {}
        std = {"metric": "latency", "statistic": "std", "unit": "ns", "value": statistics.std}
        timing["measurements"] = [std | counted]
    return timing


def _media_type(file_name: str | None) -> str:
    return "text/x-python" if (file_name or "").endswith(".py") else "text/plain"


def _locate(row: Row) -> Locate:
    """Places of a row's documents: the row itself. It keeps the row's place and nothing of its cells."""
    place = row.place()
    return lambda path: place


def _pending(row: Row, kind: str, name: str, message: str) -> Pending:
    return Pending(kind, name, row.place(), message, _submission_key(row), cells.row_text(row))


def _rejected(row: Row, refusal: Refusal) -> Rejected:
    place = row.place(*refusal.column.split(".", 1))
    text = cells.row_text(row) if refusal.is_kept else None
    return Rejected(refusal.reason, place, str(refusal), _submission_key(row), text)


def _submission_key(row: Row) -> str | None:
    number = row.cells.get("submission_id")
    return f"submission/{number}"[:500] if isinstance(number, int | str) else None
