"""Upstream's files as they stand: every row is taken, with the digests that are published."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from registry.core import comparability, measurement
from registry.core.kinds import parse
from registry.importers.base import CoverageEntry, DocumentEntry, RunEntry
from tests.conftest import SHARED
from tests.registry.importers.liger.writing import digest, of, untaken

pytestmark = pytest.mark.shared

MAIN = SHARED / "data/liger/all_benchmark_data.csv"
CUTEDSL = SHARED / "data/liger/all_benchmark_data_cutedsl.csv"
SEED = "sha256:e623e9242d413ecb009420593bdc959332909ee286c0e13ed1a7f98117891b24"
VARIANTS = {
    "fused_linear_grpo_loss_token", "fused_linear_grpo_loss_sequence", "multi_token_attention",
    "sparse_multi_token_attention",
}  # fmt: skip


@cache
def runs_of(path: Path) -> list[Any]:
    return of(RunEntry, path)


def is_memory(run: Any) -> bool:
    return "timing" not in run.run["spec"]


def test_every_row_of_the_main_file_is_taken() -> None:
    assert untaken(MAIN) == []
    assert Counter(map(is_memory, runs_of(MAIN))) == {False: 1649, True: 799}
    assert len({run.upstream_key for run in runs_of(MAIN)}) == len({digest(run.run) for run in runs_of(MAIN)}) == 2448


def test_the_speed_runs_have_the_published_digests() -> None:
    lines = (SHARED / "data/liger/expected-digests.tsv").read_text().splitlines()[1:]
    expected = {key: tuple(digests) for key, *digests in (text.split("\t") for text in lines)}
    found = {
        run.upstream_key: (
            digest(run.run),
            run.run["spec"]["workloadDigest"],
            run.run["spec"]["implementationDigest"],
        )
        for run in runs_of(MAIN)
        if not is_memory(run)
    }
    assert found == expected
    assert "sha256:e623e9242d413ecb009420593bdc959332909ee286c0e13ed1a7f98117891b24" in {
        run for run, *_ in found.values()
    }


def test_the_digests_that_runs_name_are_those_of_the_documents() -> None:
    documents = of(DocumentEntry, MAIN)
    of_kind: dict[str, list[Any]] = {}
    for entry in documents:
        of_kind.setdefault(entry.kind, []).append(entry)
    digests = {kind: {digest(entry.value) for entry in entries} for kind, entries in of_kind.items()}
    for part, kind in (("workloadDigest", "WorkloadCase"), ("implementationDigest", "ImplementationRevision")):
        assert {run.run["spec"][part] for run in runs_of(MAIN)} == digests[kind]
    for run in runs_of(MAIN):
        assert run.run["spec"]["protocolDigest"] == digest(run.protocol)
        assert run.run["spec"]["environmentDigest"] == digest(run.environment)
    # Where digests are shared, names are not: 80 implementations and 35 kernels stand behind these.
    assert (len(digests["ImplementationRevision"]), len(digests["OperationSpec"])) == (63, 31)
    rows = {(e.project, e.value["metadata"]["name"]) for e in of_kind["ImplementationRevision"]}
    assert len(rows) == len(of_kind["ImplementationRevision"]) == 80
    assert {run.implementation for run in runs_of(MAIN)} == rows
    assert Counter(project for project, _ in rows) == {
        "liger-kernel": 39, "transformers": 18, "pytorch": 17, "megatron-lm": 4, "deepspeed": 2,
    }  # fmt: skip


def link(run: Any) -> tuple[Any, ...]:
    """What a memory run and the speed run beside it have in common."""
    spec = run.run["spec"]
    timed_pass = spec["sourceNative"]["benchmark"].split("/")[1]
    return run.implementation, spec["workloadDigest"], spec["environmentDigest"], timed_pass


def test_791_of_the_799_memory_runs_stand_beside_a_speed_run() -> None:
    speed = {link(run) for run in runs_of(MAIN) if not is_memory(run)}
    memory = [run for run in runs_of(MAIN) if is_memory(run)]
    alone = [run for run in memory if link(run) not in speed]
    assert len(memory) - len(alone) == 791
    assert {run.run["spec"]["sourceNative"]["benchmark"] for run in alone} == {"swiglu/full/memory"}
    for run in memory:
        [measured] = run.run["spec"]["measurements"]
        assert (measured["metric"], measured["statistic"], measured["unit"]) == ("memory", "median", "mib")


def test_12_groups_of_48_runs_hold_two_kinds_of_mathematics() -> None:
    workloads = {
        digest(entry.value): parse(entry.value).spec
        for entry in of(DocumentEntry, MAIN)
        if entry.kind == "WorkloadCase"
    }
    variants: dict[str, list[str | None]] = {}
    for run in runs_of(MAIN):
        if is_memory(run):
            continue
        spec = run.run["spec"]
        workload = workloads[spec["workloadDigest"]]
        key = comparability.comparison_key(
            operation=workload["operationSpecDigest"],
            workload=spec["workloadDigest"],
            protocol=spec["protocolDigest"],
            environment=spec["environmentDigest"],
            correctness=comparability.correctness_digest(workload),
            metric=comparability.metric_key(measurement.primary(spec)),
        )
        variants.setdefault(key, []).append(run.run["metadata"]["labels"].get("variant"))
    mixed = [found for found in variants.values() if len(set(found)) > 1]
    assert (len(mixed), sum(map(len, mixed))) == (12, 48)
    assert {name for found in variants.values() for name in found} == {None, *VARIANTS}


def test_the_runs_that_rest_on_one_sample() -> None:
    flagged = [run for run in runs_of(MAIN) if "SINGLE_SAMPLE" in dict(run.flags)]
    assert len(flagged) == 361
    assert min(run.run["spec"]["timing"]["latencyNs"]["median"] for run in flagged) >= 5_000_000


def test_every_group_s_coverage_is_whole() -> None:
    coverage = of(CoverageEntry, MAIN)
    assert all(entry.offered == len(entry.run_external_ids) for entry in coverage)
    keys = [key for entry in coverage for key in entry.run_external_ids]
    assert sorted(keys) == sorted(run.upstream_key for run in runs_of(MAIN))


def test_every_row_of_the_file_that_compares_cute_dsl_is_taken() -> None:
    assert untaken(CUTEDSL) == []
    assert Counter(map(is_memory, runs_of(CUTEDSL))) == {False: 132, True: 33}
    assert {run.implementation[1] for run in runs_of(CUTEDSL)} == {
        f"liger-bench-cross-entropy-{provider}" for provider in ("liger-triton", "liger-cutedsl", "torch")
    }
    # Seven models have five vocabularies; of the four sizes beside them, one is a model's.
    assert len({run.run["spec"]["workloadDigest"] for run in runs_of(CUTEDSL)}) == 8


def test_the_sample_of_the_file_that_compares_cutile() -> None:
    path = SHARED / "data/samples/liger_cutile.csv"
    assert [run.run["spec"]["sourceNative"]["benchmark"] for run in runs_of(path)] == [
        "geglu/forward", "fused_linear_grpo_loss_token/forward",
    ]  # fmt: skip
    assert untaken(path) == ["kernel [dyt] liger_cutile.csv: line 3: kernel_name: no mapping for kernel 'dyt'"]
