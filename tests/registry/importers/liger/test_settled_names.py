"""Names that people settle: applied before a row is read, and never to half a case."""

from pathlib import Path

import pytest

from registry.importers.base import Pending, RunEntry
from tests.registry.importers.liger.writing import KEY, Write, line, of, quoted

DIALECTS = Path(__file__).parents[4] / "tests/data/liger"


@pytest.mark.parametrize(
    ("columns", "kind", "name", "answer", "key"),
    [
        ({"gpu_name": "Lab card"}, "gpu", "Lab card", "NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3 lab-card"),
        ({"kernel_provider": "torch_eager"}, "provider", "torch_eager", "torch", "/torch/ /torch_eager/"),
        ({"kernel_name": "relu2"}, "kernel", "relu2", "relu_squared", "relu_squared/ relu2/"),
        (
            {"extra_benchmark_config_str": quoted('{"M": 4096, "dtype": "bf16"}')},
            "configuration", "bf16", "torch.bfloat16", "bf16 bf16",
        ),
        (
            {"extra_benchmark_config_str": quoted('{"rows": 4096, "dtype": "torch.bfloat16"}')},
            "configuration", "relu_squared by N: dtype, rows", "rows=rows hidden=x", "bf16 bf16",
        ),
    ],
)  # fmt: skip
def test_a_settled_name_gives_the_documents_of_what_it_stands_for(
    csv: Write, columns: dict[str, str], kind: str, name: str, answer: str, key: str
) -> None:
    path = csv(line(**columns))
    [waiting] = of(Pending, path)
    assert (waiting.kind, waiting.name, waiting.row) == (kind, name, line(**columns))
    [run] = of(RunEntry, path, names={(kind, name): answer})
    [golden] = of(RunEntry, csv(line()))
    for part in ("implementationDigest", "workloadDigest", "environmentDigest", "protocolDigest"):
        assert run.run["spec"][part] == golden.run["spec"][part]
    assert run.implementation == golden.implementation
    assert run.upstream_key == KEY.replace(*key.split(" "), 1)


def test_facts_settle_a_gpu_and_axes_a_configuration(csv: Write) -> None:
    columns = {"gpu_name": "Z9", "extra_benchmark_config_str": quoted('{"a": 8, "b": 4, "dtype": "torch.float16"}')}
    names = {
        ("gpu", "Z9"): {"vendor": "acme", "product": "Acme Z9", "architecture": "z9"},
        ("configuration", "relu_squared by N: a, b, dtype"): {"rows": "a*b", "hidden": "x"},
    }
    [run] = of(RunEntry, csv(line(**columns)), names=names)
    assert run.upstream_key == "relu_squared/backward/torch/z9/hidden4096-rows32-fp16/2026-03-27-06-09-46"
    assert run.environment["spec"]["hardware"] == names["gpu", "Z9"]
    assert run.environment["metadata"] == {"name": "liger-bench-acme-z9", "title": "Liger benchmark host · Acme Z9"}


def test_a_model_that_is_settled_has_its_twin_s_sizes() -> None:
    known = {("configuration", "next_model_1b"): "llama_2_7b"}
    keys = [run.lasting_key for run in of(RunEntry, DIALECTS / "cutedsl.csv", names=known)]
    assert "cross_entropy/no-grad-forward/liger_cutedsl/nvidia-b200/tokens64-vocab32000-fp32-next_model_1b" in keys


@pytest.mark.parametrize(
    ("kind", "name", "answer"),
    [
        ("configuration", "relu_squared by N: dtype", "rows=rows hidden=x"),  # a member that the row lacks
        ("configuration", "relu_squared by N: dtype", "hidden=x"),  # an axis that is left out
        ("configuration", "relu_squared by N: dtype", "rows=x hidden=x depth=x"),  # one too many
        ("configuration", "relu_squared by N: dtype", "rows=x rows=x hidden=x"),
        ("configuration", "relu_squared by N: dtype", "rows: 4"),
        ("configuration", "relu_squared by N: dtype", ""),
        ("gpu", "relu_squared by N: dtype", "rows=x hidden=x"),
    ],
)
def test_an_answer_that_gives_no_case_leaves_the_row_waiting(csv: Write, kind: str, name: str, answer: str) -> None:
    path = csv(line(extra_benchmark_config_str=quoted('{"dtype": "torch.bfloat16"}')))
    [waiting] = of(Pending, path, names={(kind, name): answer})
    assert (waiting.kind, waiting.name) == ("configuration", "relu_squared by N: dtype")


def test_a_name_that_stands_for_nothing_known_still_waits(csv: Write) -> None:
    path = csv(line(kernel_name="a"), line(kernel_provider="b"), line(gpu_name="c"))
    names = {("kernel", "a"): "d", ("provider", "b"): "e", ("gpu", "c"): "f"}
    assert [entry.name for entry in of(Pending, path, names=names)] == ["a", "b", "c"]
