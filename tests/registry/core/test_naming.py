import pytest

from registry.core import naming

RELU = {
    "axes": {"hidden": {"role": "variable"}, "rows": {"role": "variable"}},
    "inputs": [{"name": "x", "tensor": {"shape": ["rows", "hidden"], "dtype": "float"}}],
    "outputs": [{"name": "y", "tensor": {"shape": ["rows", "hidden"], "dtype": "float"}}],
}
ADAIN = {
    "axes": {
        "c": {"role": "constant"},
        "eps": {"role": "variable"},
        "b": {"role": "derived"},
        "n": {"role": "variable"},
    },
    "inputs": [
        {"name": "grad", "tensor": {"shape": ["n", "c", 1], "dtype": "fp32"}},
        {"name": "scale", "scalar": {"dtype": "fp32"}},
    ],
    "outputs": [{"name": "out", "tensor": {"shape": ["c", "n"], "dtype": "fp32"}}],
}


def tensors(**dtypes):
    return {name: {"dtype": dtype, "shape": [1]} for name, dtype in dtypes.items()}


@pytest.mark.parametrize(
    ("written", "slug"),
    [
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3"),
        ("039_adaptive__norm", "039-adaptive-norm"),
        ("--µKernel v1.0--", "kernel-v1-0"),
        ("…", ""),
        ("x" * 101, "x" * 100),
    ],
)
def test_a_slug_is_lower_case_ascii_of_at_most_100(written, slug):
    assert naming.slugify(written) == slug


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("039_adaptive_instance_normalization_2d_backward", "Adaptive instance normalization 2d backward"),
        ("013-gqa-paged-decode-h32-kv8", "GQA paged decode h32 kv8"),
        ("rmsnorm_h128", "RMSNorm h128"),
        ("069_rms_norm", "RMS norm"),
        ("004_fp8_moe_expert_linear", "FP8 MoE expert linear"),
        ("018_fused_rope_with_qk_norm_and_kv_cache_update", "Fused RoPE with QK norm and KV cache update"),
        ("079_ImageNet_83.6_ssm_output", "ImageNet 83.6 SSM output"),
        ("cublas_matmul", "cuBLAS matmul"),
        ("relu_squared", "ReLU squared"),
        ("Sort", "Sort"),
        ("Gated DeltaNet chunk_fwd_h", "Gated DeltaNet chunk_fwd_h"),
        ("2D convolution", "2D convolution"),
        ("007_", "007_"),
    ],
)
def test_an_operation_identifier_is_spelt_out_and_a_title_stays(written, name):
    assert naming.operation_name(written) == name


@pytest.mark.parametrize(
    ("title", "operations", "name"),
    [
        ("ac4k · 039_adaptive_instance_norm", ["039_adaptive_instance_norm"], "ac4k"),
        ("ReLU squared · PyTorch", ["ReLU squared", "liger-relu-squared"], "PyTorch"),
        (
            "causal_conv1d · submission 555004",
            ["Causal depthwise conv1d", "gpumode-causal-conv1d"],
            "submission 555004",
        ),
        ("sort_v2 · submission 7", ["Sort", "gpumode-sort-v2"], "submission 7"),
        ("modal_nvfp4_dual_gemm · submission 9", ["NVFP4 dual GEMM"], "modal_nvfp4_dual_gemm · submission 9"),
        ("paged_decode · triton", ["gqa_paged_decode_h32"], "triton"),
        ("fp8 · triton", ["004_fp8_moe"], "fp8 · triton"),
        ("torch_matmul_317103", ["gemm_n128_k2048"], "torch_matmul_317103"),
        ("日本 · fast", ["日本語", "op"], "日本 · fast"),
        ("ReLU squared", ["ReLU squared"], "fallback"),
    ],
)
def test_an_implementation_is_named_without_its_operation(title, operations, name):
    assert naming.implementation_name(title, operations, "fallback") == name


def test_axes_stand_in_the_order_of_first_use_and_the_unused_by_name():
    assert naming.axis_order(RELU) == ("rows", "hidden")
    assert naming.axis_order(ADAIN) == ("n", "c", "b", "eps")


@pytest.mark.parametrize(
    ("dtypes", "label"),
    [
        ({"x": "bf16"}, "bf16"),
        ({"out": "fp32", "grad": "bf16"}, "bf16, fp32"),
        ({"grad": "int32", "out": "fp16", "mask": "bool"}, "fp16"),
        ({"grad": "int32", "mask": "bool"}, "int32, bool"),
        ({"a": "float4_e2m1fn_x2"}, "fp4"),
        ({"a": "bf16", "b": "fp16", "c": "fp32", "d": "fp8_e4m3", "e": "fp64"}, "bf16, fp16, fp32 +2"),
        ({}, ""),
    ],
)
def test_dtypes_lead_with_what_is_computed_in(dtypes, label):
    assert naming.dtype_label(tensors(**dtypes), ADAIN) == label


def test_a_case_is_labelled_by_all_its_axes_and_titled_by_the_variable_ones():
    relu = {"axes": {"hidden": 4096, "rows": 4096}, "tensors": tensors(x="bf16")}
    adain = {"axes": {"b": 16, "c": 32, "n": 8, "seed": 1}, "tensors": {}}
    assert naming.workload_label("WorkloadCase", relu, RELU) == "rows 4096 · hidden 4096 · bf16"
    assert naming.workload_title("WorkloadCase", relu, RELU) == "rows 4096 · hidden 4096 · bf16"
    assert naming.workload_label("WorkloadCase", adain, ADAIN) == "n 8 · c 32 · b 16 · seed 1"
    assert naming.workload_title("WorkloadCase", adain, ADAIN) == "n 8 · seed 1"


@pytest.mark.parametrize(
    ("cases", "metric", "statistic", "label", "title"),
    [
        (16, "latency", "mean", "suite of 16 cases · mean latency", "suite of 16 cases"),
        (5, "score", "unspecified", "suite of 5 cases · score", "suite of 5 cases"),
        (1, "score", "geomean", "suite of 1 case · geomean score", "suite of 1 case"),
    ],
)
def test_a_suite_is_labelled_by_its_size_and_aggregate(cases, metric, statistic, label, title):
    spec = {"cases": [{}] * cases, "aggregation": {"metric": metric, "statistic": statistic}}
    assert naming.workload_label("WorkloadSuite", spec, RELU) == label
    assert naming.workload_title("WorkloadSuite", spec, RELU) == title


@pytest.mark.parametrize(
    ("metadata", "spec", "timed"),
    [
        ({"title": "Liger benchmark harness · backward pass"}, {}, "backward"),
        ({"title": "Liger benchmark harness · no-grad-forward pass"}, {}, "no-grad-forward"),
        ({}, {"comparability": {"notes": "Timed: the backward pass of the module output."}}, "backward"),
        ({"title": "SOL-ExecBench evaluation stack v1.0"}, {"comparability": {"notes": "Suite-mean latency."}}, None),
        ({}, {}, None),
    ],
)
def test_the_timed_pass_is_read_where_the_protocol_says_it(metadata, spec, timed):
    assert naming.timed_pass(metadata, spec) == timed


@pytest.mark.parametrize(
    ("hardware", "name", "runner", "line"),
    [
        (
            {"product": "NVIDIA H100", "formFactor": "80GB HBM3", "architecture": "sm_90"},
            "NVIDIA H100 80GB HBM3",
            None,
            "NVIDIA H100 80GB HBM3 (sm_90)",
        ),
        ({"product": "NVIDIA B200", "architecture": "sm_100"}, "NVIDIA B200", None, "NVIDIA B200 (sm_100)"),
        (
            {"product": "NVIDIA B200", "formFactor": "runner:B200_Nebius", "architecture": "unknown", "count": 1},
            "NVIDIA B200",
            "B200_Nebius",
            "NVIDIA B200 (architecture not stated)",
        ),
        (
            {"product": "NVIDIA H100 PCIe", "formFactor": "PCIe", "architecture": "sm_90", "count": 8},
            "8 × NVIDIA H100 PCIe",
            None,
            "8 × NVIDIA H100 PCIe (sm_90)",
        ),
        (
            {"product": "NVIDIA A100", "formFactor": "MIG 1g.10gb", "architecture": "sm_80"},
            "NVIDIA A100 MIG 1g.10gb",
            None,
            "NVIDIA A100 MIG 1g.10gb (sm_80)",
        ),
    ],
)
def test_hardware_is_named_in_full_and_a_runner_label_is_not_hardware(hardware, name, runner, line):
    assert naming.hardware_name(hardware) == name
    assert naming.runner_label(hardware) == runner
    assert naming.gpu_line(hardware) == line
