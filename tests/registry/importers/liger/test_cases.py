"""How each era of upstream's scripts states the case of a kernel, as axes, and where a reading stops."""

import json

import pytest

from registry.importers.base import Pending, RunEntry
from registry.importers.liger.kernels import KERNELS
from registry.importers.liger.providers import PROVIDERS, provider
from registry.importers.liger.signatures import by
from tests.registry.importers.liger.writing import Write, line, of, quoted

BF16 = {"dtype": "torch.bfloat16"}
SIZES = {"hidden_size": 64, "bsz": 1, "seq_len": 512} | BF16
MLP = {"hidden_size": 64, "intermediate_size": 256} | BF16
SILU = {"hidden_act": "silu"}


def keys(csv: Write, kernel: str, swept: str, x: str, members: dict[str, object]) -> list[str]:
    """The case of the row in its key, or the name that it waits for."""
    columns = {
        "kernel_name": kernel,
        "x_name": swept,
        "x_value": x,
        "extra_benchmark_config_str": quoted(json.dumps(members)),
    }
    path = csv(line(**columns))
    taken = [run.upstream_key.split("/")[4] for run in of(RunEntry, path)]
    return taken or [f"{entry.kind} {entry.name}" for entry in of(Pending, path)]


@pytest.mark.parametrize(
    ("kernel", "swept", "x", "members", "case"),
    [
        ("rms_norm", "H", "32", {"M": 8, "eps": 1e-6} | BF16, "hidden32-rows8-bf16"),
        ("rms_norm", "BT", "32", {"eps": 1e-6} | SIZES, "hidden64-rows32-bf16"),
        ("layer_norm", "T", "32", {"eps": 1e-6} | SIZES, "hidden64-rows32-bf16"),
        ("layer_norm", "T", "32", {"eps": 1e-6} | SIZES | {"bsz": 4}, "hidden64-rows128-bf16"),
        ("softmax", "BT", "32", {"hidden_size": 64} | BF16, "hidden64-rows32-bf16"),
        ("cross_entropy", "V", "32", {"B": 2, "T": 8}, "tokens16-vocab32-fp32"),
        ("cross_entropy", "BT", "32", {"vocab_size": 100, "bsz": 1, "seq_len": 512}, "tokens32-vocab100-fp32"),
        (
            "kl_div", "model_config", "deepseek_v3", {"bsz": 2, "seq_len": 16},
            "tokens32-vocab129280-fp32-deepseek_v3",
        ),
        ("swiglu", "T", "32", {"B": 4} | MLP | SILU, "batch4-hidden64-intermediate256-seq32-bf16"),
        ("swiglu", "T", "32", {"bsz": 1} | MLP | SILU, "batch1-hidden64-intermediate256-seq32-bf16"),
        ("tiled_swiglu", "T", "32", {"bsz": 2} | MLP | SILU, "batch2-hidden64-intermediate256-seq32-bf16"),
        (
            "rope", "T", "32", {"hidden_size": 64, "num_q_heads": 4, "num_kv_heads": 2} | BF16,
            "hidden64-kv_heads2-q_heads4-seq32-bf16",
        ),
        (
            "rope", "T", "32", {"num_attention_heads": 4, "num_key_value_heads": 2} | SIZES,
            "hidden64-kv_heads2-q_heads4-seq32-bf16",
        ),
        (
            "fused_linear_cross_entropy", "BT", "32", {"vocab_size": 100} | SIZES,
            "hidden64-tokens32-vocab100-bf16",
        ),
        ("fused_linear_jsd", "BT", "32", {"H": 64, "V": 100} | BF16, "hidden64-tokens32-vocab100-bf16"),
        (
            "fused_linear_grpo_loss_sequence", "B", "4",
            {"T": 16, "vocab_size": 100, "importance_sampling_level": "sequence"} | SIZES,
            "batch4-seq16-vocab100-bf16",
        ),
        (
            "fused_moe", "T", "32", {"T": None, "E": 4, "H": 64, "intermediate_dim": 16, "K": 2} | BF16,
            "experts4-hidden64-intermediate16-k2-tokens32-bf16",
        ),
        (
            "fused_moe", "E", "4", {"T": 32, "E": None, "H": 64, "intermediate_dim": 16, "K": 2} | BF16,
            "experts4-hidden64-intermediate16-k2-tokens32-bf16",
        ),
        # what no reading fits
        (
            "rope", "T", "32", {"num_attention_heads": 4, "num_key_value_heads": 2} | SIZES | {"bsz": 2},
            "configuration rope by T: bsz, dtype, hidden_size, num_attention_heads, num_key_value_heads, seq_len",
        ),
        (
            "swiglu", "T", "32", {"bsz": 2} | MLP | SILU,
            "configuration swiglu by T: bsz, dtype, hidden_act, hidden_size, intermediate_size",
        ),
        ("swiglu", "T", "32", {"B": 4} | MLP | {"hidden_act": "relu"}, "configuration swiglu with hidden_act 'relu'"),
        (
            "fused_linear_grpo_loss_token", "B", "4",
            {"T": 16, "V": 100, "importance_sampling_level": "sequence"} | BF16,
            "configuration fused_linear_grpo_loss_token with importance_sampling_level 'sequence'",
        ),
        ("sparsemax", "V", "32", {"B": 2, "T": 8, "dim": 1} | BF16, "configuration sparsemax with dim 1"),
        ("rms_norm", "model_config", "llama_2_7b", {"bsz": 1, "eps": 1e-6} | BF16,
         "configuration rms_norm by model_config: bsz, dtype, eps, hidden_size, vocab_size"),
    ],
)  # fmt: skip
def test_a_row_is_read_as_its_era_wrote_it(
    csv: Write, kernel: str, swept: str, x: str, members: dict[str, object], case: str
) -> None:
    assert keys(csv, kernel, swept, x, members) == [case]


def test_both_eras_spell_one_case_and_give_one_workload(csv: Write) -> None:
    older = {"M": 8, "eps": 1e-6} | BF16
    newer = {"hidden_size": 32, "eps": 1e-6} | BF16
    rows = [
        line(
            kernel_name="rms_norm",
            x_name=swept,
            x_value=x,
            extra_benchmark_config_str=quoted(json.dumps(members)),
            timestamp=f"2026-03-27 06:09:{second}",
        )
        for swept, x, members, second in (("H", "32", older, "01"), ("BT", "8", newer, "02"))
    ]
    assert len({run.run["spec"]["workloadDigest"] for run in of(RunEntry, csv(*rows))}) == 1


@pytest.mark.parametrize("name", KERNELS)
def test_the_readings_of_a_kernel_state_the_same_axes(name: str) -> None:
    kernel = KERNELS[name]
    stated = {frozenset(reading.axes) for reading in kernel.readings}
    assert len(stated) == 1
    assert set(kernel.axes) <= set(*stated)
    for expression in kernel.expressions.values():
        assert expression.names <= set(*stated)


@pytest.mark.parametrize("text", ["rows", "rows=", "=x", "rows=4", "rows=x+1", "rows=x*", "Rows=x", "rows=x rows=y"])
def test_axes_are_written_in_one_way(text: str) -> None:
    with pytest.raises(ValueError, match="each axis is written once, like tokens="):
        by("N", text)


@pytest.mark.parametrize(
    ("name", "project", "display", "language", "is_baseline"),
    [
        ("liger", "liger-kernel", "Liger", "triton", False),
        ("liger_in_place", "liger-kernel", "Liger, in place", "triton", False),
        ("liger_triton", "liger-kernel", "Liger Triton", "triton", False),
        ("liger_cutedsl", "liger-kernel", "Liger CuTe DSL", "cute_dsl", False),
        ("liger_cutile", "liger-kernel", "Liger cuTile", "cutile", False),
        ("liger_cutile_fused_add_rms_norm", "liger-kernel", "Liger cuTile, add fused", "cutile", False),
        ("liger_triton_tiled", "liger-kernel", "Liger Triton, tiled", "triton", False),
        ("torch", "pytorch", "PyTorch", "python", True),
        ("torch_compile", "pytorch", "torch.compile", "python", False),
        ("huggingface", "transformers", "Transformers", "python", True),
        ("megatron", "megatron-lm", "Megatron-LM", "python", False),
        ("megatron-fused", "megatron-lm", "Megatron, fused", "python", False),
        ("megatron-unfused", "megatron-lm", "Megatron, unfused", "python", True),
        ("deepspeed_tiled", "deepspeed", "DeepSpeed, tiled", "python", False),
    ],
)
def test_who_stands_behind_a_provider(name: str, project: str, display: str, language: str, is_baseline: bool) -> None:
    found = provider(name)
    assert found
    assert (found.project.slug, found.display, found.language, found.is_baseline) == (
        project, display, language, is_baseline,
    )  # fmt: skip


@pytest.mark.parametrize(
    "name", ["", "Liger", "liger_", "liger_rocm", "liger_cutile_unheard_of", "liger-fp32-accum", "torch_triton"]
)
def test_a_provider_that_no_table_has_is_nobody(name: str) -> None:
    assert provider(name) is None
    assert name not in PROVIDERS
