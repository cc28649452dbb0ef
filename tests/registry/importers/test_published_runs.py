"""The runs of both upstreams that are published: their rows, written back from the documents, give them again."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from registry.importers import flashinfer, sol_execbench
from registry.importers.base import DocumentEntry, Pending, Rejected, RunEntry
from registry.importers.documents import digest_of
from tests.conftest import SHARED
from tests.registry.importers.reading import translated

pytestmark = pytest.mark.shared
EXPORT = SHARED / "data/catalog/catalog-2026-08-16-0022af0b.jsonl.zst"
UPSTREAM_DTYPES = {
    "bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp8_e4m3": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2",
}  # fmt: skip
TYPES = {"variable": "var", "constant": "const", "derived": "expr"}
Row = dict[str, Any]


class Published:
    """The export's documents by digest, and each source's runs."""

    def __init__(self) -> None:
        self.by_digest: dict[str, Row] = {}
        self.tags: dict[str, list[str]] = {}
        self.runs: dict[str, list[Row]] = defaultdict(list)
        self.spelt: dict[str, dict[str, str]] = defaultdict(dict)  # axes of an operation as upstream spells them
        sources: dict[str, str] = {}
        for table, row in self._rows():
            if table == "sources":
                sources[row["id"]] = row["slug"]
            elif table == "benchmark_runs":
                self.runs[sources[row["sourceId"]]].append(row)
            else:
                for column in ("semanticDigest", "workloadDigest", "implementationDigest"):
                    if column in row:
                        self.by_digest[row[column]] = row["manifest"]
                self.tags |= {row["semanticDigest"]: row["tags"]} if table == "operations" else {}
                if table == "workloads":
                    self._learn_spelling(row["manifest"])

    def _rows(self) -> Iterator[tuple[str, Row]]:
        with EXPORT.open("rb") as file:
            text = zstandard.ZstdDecompressor().stream_reader(file).read().decode()
        wanted = {"sources", "operations", "workloads", "implementations", "benchmark_runs"}
        for line in text.splitlines():
            entry = json.loads(line)
            if entry["table"] in wanted:
                yield entry["table"], entry["row"]

    def _learn_spelling(self, workload: Row) -> None:
        _, _, axes = workload["metadata"].get("title", "").partition(" · ")
        names = [axis.partition("=")[0] for axis in axes.split(", ") if "=" in axis]
        self.spelt[workload["spec"]["operationSpecDigest"]] |= {name.lower(): name for name in names}

    def definition(self, digest: str) -> Row:
        """The operation as a definition of upstream's shape."""
        operation, spelt = self.by_digest[digest], self.spelt[digest]
        spec = operation["spec"]
        named = {
            name: {"type": TYPES[axis["role"]]} | {key: axis[key] for key in ("value", "expression") if key in axis}
            for name, axis in spec["axes"].items()
        }
        arguments = {
            side: {argument["name"]: self._argument(argument, spelt) for argument in spec[side]}
            for side in ("inputs", "outputs")
        }
        return {
            "name": operation["metadata"]["title"],
            "tags": self.tags[digest] or [spec["family"]],
            "axes": {spelt.get(name, name): axis for name, axis in named.items()},
            **({"reference": "def run(): ..."} if "reference" in spec else {}),
            **arguments,
        }

    def _argument(self, argument: Row, spelt: dict[str, str]) -> Row:
        stated = argument.get("tensor") or argument["scalar"]
        dtype = UPSTREAM_DTYPES.get(stated["dtype"], stated["dtype"])
        shape = [spelt.get(size, str(size)) for size in stated["shape"]] if "shape" in stated else None
        return {"shape": shape, "dtype": dtype}


@pytest.fixture(scope="module")
def published() -> Published:
    return Published()


def taken(importer: Any, folder: Path) -> tuple[list[RunEntry], dict[str, Row]]:
    """The runs of a folder and its documents by digest; nothing of it may be left out."""
    entries = list(translated(importer, folder))
    assert [entry for entry in entries if isinstance(entry, Rejected | Pending)] == []
    documents = [entry.value for entry in entries if isinstance(entry, DocumentEntry)]
    runs = [entry for entry in entries if isinstance(entry, RunEntry)]
    return runs, {digest_of(value): value for value in documents}  # type: ignore[arg-type, misc]


def test_the_published_runs_of_sol_execbench_come_again_from_their_rows(published: Published, tmp_path: Path) -> None:
    kernels: dict[str, int] = {}
    rows = []
    for run in published.runs["sol-execbench"]:
        spec, metadata = run["manifest"]["run"]["spec"], run["manifest"]["run"]["metadata"]
        suite = published.by_digest[spec["workloadDigest"]]["spec"]
        operation = suite["operationSpecDigest"]
        number = kernels.setdefault(spec["workloadDigest"], len(kernels))
        spelt = published.spelt[operation]
        workloads = [{"axes": {spelt.get(n, n): size for n, size in case["axes"].items()}} for case in suite["cases"]]
        kernel = published.definition(operation) | {"id": number, "workloads": workloads}
        (tmp_path / f"kernel-{number}.json").write_text(json.dumps({"data": kernel}))
        rows.append(
            {
                "id": int(spec["sourceNative"]["externalId"]),
                "kernel_id": number,
                "username": published.by_digest[spec["implementationDigest"]]["metadata"]["authors"][0]["name"],
                "status": "COMPLETED",
                "is_correct": True,
                "gpu_type": metadata["title"].rpartition(" · ")[2],
                "worker_id": metadata.get("labels", {}).get("worker"),
                "evaluation_stack_version": run["manifest"]["protocol"]["spec"]["harness"]["version"],
                "finished_at": spec["observedAt"].replace("Z", "999"),
                **spec["sourceNative"]["metrics"],
            }
        )
    (tmp_path / "submissions.json").write_text(json.dumps({"data": {"submissions": rows}}))
    runs, documents = taken(sol_execbench, tmp_path)
    given = {run.upstream_key: run for run in runs}
    differ: Counter[str] = Counter()
    for run in published.runs["sol-execbench"]:
        again = given[_key(run)]
        assert (again.protocol, again.environment) == (run["manifest"]["protocol"], run["manifest"]["environment"])
        assert again.run["metadata"] == run["manifest"]["run"]["metadata"]  # type: ignore[index]
        implementation = run["manifest"]["run"]["spec"]["implementationDigest"]
        assert documents[implementation] == published.by_digest[implementation]
        if digest_of(again.run) != run["runDigest"]:  # type: ignore[arg-type]
            differ[run["manifest"]["run"]["spec"]["sourceNative"]["benchmark"]] += 1
    # Its titles are cut before the axis names, so how upstream spells them is lost, and with it the keys of its cases.
    assert differ == {"009_nvfp4_vision_temporal_patch_merge_with_projection": 3}
    assert len(runs) == len(published.runs["sol-execbench"]) == 705


def _key(run: Row) -> str:
    return f"submission/{run['manifest']['run']['spec']['sourceNative']['externalId']}"


def test_the_published_runs_of_flashinfer_come_again_but_for_what_was_wrong_with_them(
    published: Published, tmp_path: Path
) -> None:
    """Mended: the architecture, the comparator, and the data set's commit inside the implementation."""
    expected: dict[str, Row] = {}
    lines = []
    for number, run in enumerate(published.runs["flashinfer-bench"]):
        spec = run["manifest"]["run"]["spec"]
        case = published.by_digest[spec["workloadDigest"]]["spec"]
        operation, uuid = case["operationSpecDigest"], f"{number:08d}"
        implementation = published.by_digest[spec["implementationDigest"]]
        family = published.by_digest[operation]["spec"]["family"]
        definition = published.definition(operation) | {"op_type": family}
        (tmp_path / f"definition-{operation[7:]}.json").write_text(json.dumps(definition))
        name = f"{implementation['metadata']['title']}-{spec['implementationDigest'][7:15]}"
        solution = {
            "name": name,
            "definition": definition["name"],
            "author": "baseline",
            "spec": {"language": implementation["spec"]["callable"]["language"]},
            "sources": [{"path": "main.py", "content": "# left out\n"}],
        }
        path = tmp_path / f"solution-{spec['implementationDigest'][7:]}-{operation[7:15]}.json"
        path.write_text(json.dumps(solution))
        lines.append(json.dumps(_trace(run, definition["name"], name, _workload(case, uuid))))
        expected[uuid] = run
    (tmp_path / "traces.jsonl").write_text("\n".join(lines))
    runs, documents = taken(flashinfer, tmp_path)
    assert len(runs) == len(expected) == 1937
    for again in runs:
        spec = again.run["spec"]  # type: ignore[index]
        uuid = again.run["metadata"]["labels"]["workload"]  # type: ignore[index]
        before = expected[uuid]["manifest"]
        case = published.by_digest[before["run"]["spec"]["workloadDigest"]]["spec"]
        comparator = {"comparator": "flashinfer_bench_eval"}
        assert documents[spec["workloadDigest"]]["spec"] == case | {"correctness": comparator}
        assert case["operationSpecDigest"] in documents
        assert again.protocol["spec"] == before["protocol"]["spec"]  # type: ignore[index]
        hardware = before["environment"]["spec"]["hardware"] | {"architecture": "sm_100"}
        assert again.environment["spec"] == before["environment"]["spec"] | {"hardware": hardware}  # type: ignore[index]
        for member in ("observedAt", "status", "timing"):
            assert spec.get(member) == before["run"]["spec"].get(member)
        metrics = before["run"]["spec"]["sourceNative"].get("metrics")
        assert spec["sourceNative"].get("metrics") == metrics


def _workload(case: Row, uuid: str) -> Row:
    inputs = {
        name: {"type": tensor["data"]["generator"]} for name, tensor in case["tensors"].items() if "data" in tensor
    }
    scalars = {name: {"type": "scalar", "value": scalar["value"]} for name, scalar in case.get("scalars", {}).items()}
    return {"uuid": uuid, "axes": case["axes"], "inputs": inputs | scalars}


def _trace(run: Row, definition: str, solution: str, workload: Row) -> Row:
    spec, software = run["manifest"]["run"]["spec"], run["manifest"]["environment"]["spec"]["software"]
    libs = {"torch": software["framework"]["version"], "cuda": software["cudaToolkit"], **software["libraries"]}
    measured = spec.get("correctness", {})
    evaluation = {
        "status": spec["status"].upper(),
        "environment": {"hardware": run["manifest"]["environment"]["spec"]["hardware"]["product"], "libs": libs},
        "timestamp": spec["observedAt"].removesuffix("Z"),
        "log": "",
        "correctness": {
            "max_absolute_error": measured.get("maximumAbsoluteError", "NaN"),
            "max_relative_error": measured.get("maximumRelativeError", "Infinity"),
        },
        "performance": spec["sourceNative"].get("metrics"),
    }
    return {"definition": definition, "solution": solution, "workload": workload, "evaluation": evaluation}


# The files as they lie beside the checkout


@pytest.mark.parametrize(
    ("importer", "folder", "runs", "documents"),
    [(sol_execbench, "sol", 4, 12), (flashinfer, "flashinfer", 3, 6)],
)
def test_the_files_beside_the_checkout_are_taken_whole(importer: Any, folder: str, runs: int, documents: int) -> None:
    found, told = taken(importer, SHARED / "data" / folder)
    assert (len(found), len(told)) == (runs, documents)
    for run in found:
        assert run.environment["spec"]["hardware"]["architecture"] in ("sm_90", "sm_100")  # type: ignore[index]


def test_traces_without_their_definitions_are_rejected_row_by_row() -> None:
    entries = list(translated(flashinfer, SHARED / "data/samples/flashinfer_trace.jsonl"))
    rejected = [entry for entry in entries if isinstance(entry, Rejected)]
    assert [(entry.reason, entry.place.line, entry.place.path) for entry in rejected] == [
        ("NO_DEFINITION", 1, "definition"),
        ("NO_DEFINITION", 2, "definition"),
    ]
