"""The three dialects of upstream's CSVs, each from a small file in its shape: what becomes of every row."""

from pathlib import Path
from typing import Any

import pytest

from registry.importers import liger
from registry.importers.base import CoverageEntry, DocumentEntry, Pending, RunEntry
from tests.registry.importers.liger.writing import KEY, Write, digest, line, of, untaken
from tests.registry.importers.reading import translated

ROOT = Path(__file__).parents[4]
FIXTURE = ROOT / "registry/fixtures/liger-relu-squared.csv"
DIALECTS = ROOT / "tests/data/liger"


def test_the_main_file_s_dialect() -> None:
    assert untaken(DIALECTS / "main.csv") == []
    assert told(DIALECTS / "main.csv") == [
        ("rms_norm/forward", "liger-bench-rms-norm-liger", "liger-kernel", "0.5.1", "bcdd9ab04d97"),
        ("rms_norm/forward", "liger-bench-rms-norm-huggingface", "transformers", "0.5.1", "cb4a9f71e531"),
        ("rms_norm/full", "liger-bench-rms-norm-liger", "liger-kernel", "0.5.1", "0560b5eccaa6"),
        ("rms_norm/full/memory", "liger-bench-rms-norm-liger", "liger-kernel", "0.5.1", "0c867ef5b74a"),
        ("cross_entropy/full/memory", "liger-bench-cross-entropy-liger", "liger-kernel", "0.5.1", "9e2e26abad6c"),
        ("rope/backward", "liger-bench-rope-liger", "liger-kernel", "0.5.2", "6a99577169f7"),
        ("fused_moe/full", "liger-bench-fused-moe-huggingface", "transformers", "0.7.0", "e2b5c13c9838"),
        (
            "multi_token_attention/full", "liger-bench-multi-token-attention-torch", "pytorch", "0.5.8",
            "d483738fc803",
        ),
        (
            "sparse_multi_token_attention/full", "liger-bench-sparse-multi-token-attention-torch", "pytorch", "0.5.8",
            "2108b3bc9e41",
        ),
        (
            "megatron_cross_entropy/forward", "liger-bench-megatron-cross-entropy-megatron-fused", "megatron-lm",
            "0.8.0", "844199e53e7d",
        ),
        (
            "megatron_cross_entropy/forward", "liger-bench-megatron-cross-entropy-megatron-unfused", "megatron-lm",
            "0.8.0", "800daec452ca",
        ),
    ]  # fmt: skip


def told(path: Path) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            run.run["spec"]["sourceNative"]["benchmark"],
            run.implementation[1],
            run.implementation[0],
            run.release,
            digest(run.run)[7:19],
        )
        for run in of(RunEntry, path)
    ]


def test_the_backends_dialect_sweeps_models_and_times_without_gradients() -> None:
    path = DIALECTS / "cutedsl.csv"
    assert told(path) == [
        ("cross_entropy/forward", "liger-bench-cross-entropy-liger-triton", "liger-kernel", "0.8.0", "c95b57483b7e"),
        (
            "cross_entropy/no-grad-forward", "liger-bench-cross-entropy-liger-cutedsl", "liger-kernel", "0.8.0",
            "d293d0321146",
        ),
        (
            "cross_entropy/no-grad-forward", "liger-bench-cross-entropy-liger-cutedsl", "liger-kernel", "0.8.0",
            "a059a8bb7716",
        ),
        ("cross_entropy/full/memory", "liger-bench-cross-entropy-torch", "pytorch", "0.8.0", "2c8c18c4531b"),
    ]  # fmt: skip
    assert untaken(path) == [
        "configuration [next_model_1b] cutedsl.csv: line 5: x_value: no sizes for model 'next_model_1b'"
    ]


def test_models_of_one_vocabulary_are_one_case_and_several_rows() -> None:
    runs = [run for run in of(RunEntry, DIALECTS / "cutedsl.csv") if "qwen" in run.upstream_key]
    assert len({run.run["spec"]["workloadDigest"] for run in runs}) == 1
    assert [run.lasting_key for run in runs] == [
        f"cross_entropy/no-grad-forward/liger_cutedsl/nvidia-b200/tokens64-vocab152064-fp32-{model}"
        for model in ("qwen2.5_7b", "qwen2.5_14b")
    ]


def test_the_newer_era_s_dialect() -> None:
    path = DIALECTS / "cutile.csv"
    assert told(path) == [
        ("geglu/forward", "liger-bench-geglu-liger-triton", "liger-kernel", "0.8.0", "95a896ed1a0d"),
        ("layer_norm/full", "liger-bench-layer-norm-liger-cutile", "liger-kernel", "0.8.0", "a80423e2680a"),
        ("llama4_rope/backward", "liger-bench-llama4-rope-liger-cutile", "liger-kernel", "0.8.0", "dc6ae4b3ce0f"),
        (
            "fused_add_rms_norm/forward", "liger-bench-fused-add-rms-norm-liger-cutile-rms-norm", "liger-kernel",
            "0.8.0", "e3ca6ae4e6bf",
        ),
        (
            "fused_linear_grpo_loss_token/forward", "liger-bench-fused-linear-grpo-loss-token-liger-cutile",
            "liger-kernel", "0.8.0", "c3de655869e3",
        ),
    ]  # fmt: skip
    assert untaken(path) == [
        "configuration [group_norm by BT: H, bsz, channels_per_group, dtype, eps, hidden_size, seq_len] "
        "cutile.csv: line 7: extra_benchmark_config_str: group_norm is read by C: H, M, channels_per_group",
        "kernel [dyt] cutile.csv: line 8: kernel_name: no mapping for kernel 'dyt'",
        "provider [liger_cutile-fp32-accum] cutile.csv: line 9: kernel_provider: "
        "no mapping for provider 'liger_cutile-fp32-accum'",
    ]


def test_backends_differ_in_language_alone() -> None:
    found = {
        entry.value["metadata"]["name"]: (entry.value["spec"]["callable"]["language"], entry.value["metadata"]["title"])
        for path in ("cutedsl.csv", "cutile.csv")
        for entry in of(DocumentEntry, DIALECTS / path)
        if entry.kind == "ImplementationRevision"
    }
    assert found == {
        "liger-bench-cross-entropy-liger-triton": ("triton", "Cross-entropy loss · Liger Triton"),
        "liger-bench-cross-entropy-liger-cutedsl": ("cute_dsl", "Cross-entropy loss · Liger CuTe DSL"),
        "liger-bench-cross-entropy-torch": ("python", "Cross-entropy loss · PyTorch"),
        "liger-bench-geglu-liger-triton": ("triton", "GeGLU MLP · Liger Triton"),
        "liger-bench-layer-norm-liger-cutile": ("cutile", "LayerNorm · Liger cuTile"),
        "liger-bench-llama4-rope-liger-cutile": ("cutile", "Rotary position embedding of Llama 4 · Liger cuTile"),
        "liger-bench-fused-add-rms-norm-liger-cutile-rms-norm": (
            "cutile",
            "Residual add and RMSNorm, fused · Liger cuTile, add apart",
        ),
        "liger-bench-fused-linear-grpo-loss-token-liger-cutile": (
            "cutile",
            "GRPO loss, importance sampled by token · Liger cuTile",
        ),
    }


def test_several_files_are_one_reading(csv: Write, tmp_path: Path) -> None:
    csv(line(), name="a.csv")
    csv(line(), line(timestamp="2026-03-28 00:00:00"), name="b.csv")
    assert untaken(tmp_path) == [f"DUPLICATE b.csv: line 2: timestamp: {KEY} stands in a.csv: line 2 already"]
    assert [entry.offered for entry in of(CoverageEntry, tmp_path)] == [2]


@pytest.mark.parametrize("path", [FIXTURE, *(DIALECTS / f"{name}.csv" for name in ("main", "cutedsl", "cutile"))])
def test_translating_twice_gives_equal_entries(path: Path) -> None:
    def entries() -> list[Any]:
        return [e for e in translated(liger, path) if isinstance(e, DocumentEntry | Pending | CoverageEntry)]

    first, second = ([getattr(e, "value", e) for e in entries()] for _ in range(2))
    assert first == second


# Mathematics that the documents do not tell apart


def test_only_kernels_whose_documents_are_equal_for_other_mathematics_are_variants() -> None:
    found = {run.run["metadata"]["labels"].get("variant") for run in of(RunEntry, DIALECTS / "main.csv")}
    assert found == {None, "multi_token_attention", "sparse_multi_token_attention"}


def test_the_two_attentions_meet_in_one_group() -> None:
    path = DIALECTS / "main.csv"
    runs = [run for run in of(RunEntry, path) if "multi_token" in run.upstream_key]
    assert len({run.run["spec"]["workloadDigest"] for run in runs}) == 1
    assert [entry.run_external_ids for entry in of(CoverageEntry, path) if len(entry.run_external_ids) == 2] == [
        ("rms_norm/forward/liger/nvidia-a100-sxm4-80gb/hidden512-rows256-bf16/2025-01-05-10-00-00",
         "rms_norm/forward/huggingface/nvidia-a100-sxm4-80gb/hidden512-rows256-bf16/2025-01-05-10-00-02"),
        tuple(run.upstream_key for run in runs),
        tuple(
            f"megatron_cross_entropy/forward/megatron-{way}/nvidia-h100-80gb-hbm3/batch2-seq32-vocab1024-bf16/{at}"
            for way, at in (("fused", "2026-06-15-22-00-00"), ("unfused", "2026-06-15-22-00-05"))
        ),
    ]  # fmt: skip
