"""What things are called on a page: names made from what documents write, at read time, never stored in their place."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

DOT = " · "
RUNNER_PREFIX = "runner:"
SLUG_LENGTH = 100
DTYPES_SHOWN = 3
SHORTEST_CONTAINED = 6  # a shorter segment may be in an operation's name by chance
DTYPE_WORDS = {"float4_e2m1fn_x2": "fp4"}

_CASED = """
AltUp BF16 CKV cuBLAS cuDNN DeepSeek DSA FFN FFT FLUX FP4 FP6 FP8 FP16 FP32 GDN GeGLU GELU GEMM GEMV GQA GRN GroupNorm
HQ INT4 INT8 IoU KV LayerNorm LM MHA MLA MLP MoE MQA MTP MXFP4 MXFP8 NHWC NVFP4 QK QKV ReLU ResNet RFFT RGB RMS RMSNorm
RoPE SAM SDPA SiLU SSM SSU SwiGLU UNet VAE YaRN
"""
CASING = {word.lower(): word for word in _CASED.split()} | {"trtllm": "TensorRT-LLM", "convnextv2": "ConvNeXt V2"}


def slugify(text: str) -> str:
    """ASCII slug of at most 100 characters; "" where nothing remains."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:SLUG_LENGTH]


def operation_name(title_or_name: str) -> str:
    """A name with a space was written for people and stays; an identifier is spelt out.

    "039_adaptive_instance_normalization_2d_backward" becomes "Adaptive instance normalization 2d backward".
    """
    if " " in title_or_name:
        return title_or_name
    words = [CASING.get(word, word) for word in re.split(r"[_-]+", re.sub(r"^\d+[_-]", "", title_or_name)) if word]
    if words and words[0] not in CASING.values():
        words[0] = words[0][:1].upper() + words[0][1:]
    return " ".join(words) or title_or_name


def implementation_name(title: str, operation_titles: Iterable[str], fallback: str) -> str:
    """The title without the segments that repeat its operation (title, name or slug); never re-cased."""
    operations = [slug for title_ in operation_titles if (slug := slugify(title_))]
    kept = [segment for segment in title.split(DOT) if not _repeats(slugify(segment), operations)]
    return DOT.join(kept) or fallback


def _repeats(segment: str, operations: Sequence[str]) -> bool:
    """Whole words of an operation's slug: any words at its end (a slug starts with its source), long ones anywhere."""
    if any(f"-{operation}".endswith(f"-{segment}") for operation in operations):
        return True
    return len(segment) >= SHORTEST_CONTAINED and any(f"-{segment}-" in f"-{operation}-" for operation in operations)


# Workloads


def axis_order(operation_spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Axes by first use in the shapes of inputs, then outputs, then the unused ones by name.

    Canonical JSON sorts its keys, so the order in which the author wrote the axes is lost.
    """
    shapes = [
        dimension
        for side in ("inputs", "outputs")
        for argument in operation_spec[side]
        for dimension in argument.get("tensor", {}).get("shape", ())
    ]
    used = [dimension for dimension in shapes if dimension in operation_spec["axes"]]
    return tuple(dict.fromkeys([*used, *sorted(operation_spec["axes"])]))


def workload_label(kind: str, spec: Mapping[str, Any], operation_spec: Mapping[str, Any]) -> str:
    """What sets this workload apart: "rows 4096 · hidden 4096 · bf16" or "suite of 16 cases · mean latency"."""
    if kind == "WorkloadSuite":
        aggregation = spec["aggregation"]
        statistic = "" if aggregation["statistic"] == "unspecified" else f"{aggregation['statistic']} "
        return f"{_suite_title(spec)}{DOT}{statistic}{aggregation['metric']}"
    return _case_label(spec, operation_spec, _ordered(spec["axes"], axis_order(operation_spec)))


def workload_title(kind: str, spec: Mapping[str, Any], operation_spec: Mapping[str, Any]) -> str:
    """The label less what the operation already says: no constant or derived axes, no aggregation."""
    if kind == "WorkloadSuite":
        return _suite_title(spec)
    declared = operation_spec["axes"]
    axes = _ordered(spec["axes"], axis_order(operation_spec))
    return _case_label(
        spec, operation_spec, [a for a in axes if declared.get(a, {}).get("role", "variable") == "variable"]
    )


def _suite_title(spec: Mapping[str, Any]) -> str:
    cases = len(spec["cases"])
    return f"suite of {cases} case{'' if cases == 1 else 's'}"


def _case_label(spec: Mapping[str, Any], operation_spec: Mapping[str, Any], axes: Iterable[str]) -> str:
    dtypes = dtype_label(spec["tensors"], operation_spec)
    return DOT.join([*(f"{axis} {spec['axes'][axis]}" for axis in axes), *([dtypes] if dtypes else [])])


def dtype_label(tensors: Mapping[str, Any], operation_spec: Mapping[str, Any]) -> str:
    """Dtypes computed in, in argument order; integers and booleans only if there is nothing else; "" for no tensor."""
    arguments = [argument["name"] for side in ("inputs", "outputs") for argument in operation_spec[side]]
    dtypes = list(dict.fromkeys(tensors[name]["dtype"] for name in _ordered(tensors, arguments)))
    computed = [dtype for dtype in dtypes if not re.fullmatch(r"u?int\d+|bool", dtype)] or dtypes
    words = [DTYPE_WORDS.get(dtype, dtype) for dtype in computed]
    rest = f" +{len(words) - DTYPES_SHOWN}" if len(words) > DTYPES_SHOWN else ""
    return ", ".join(words[:DTYPES_SHOWN]) + rest


def _ordered(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """Names in the given order, then the ones that it lacks by name."""
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


# Protocols and hardware


def timed_pass(protocol_metadata: Mapping[str, Any], protocol_spec: Mapping[str, Any]) -> str | None:
    """The pass that a protocol times ("backward"), where its title or its comparability notes say so."""
    title, notes = protocol_metadata.get("title", ""), protocol_spec.get("comparability", {}).get("notes", "")
    found = re.search(r"(?:^| · )([a-z-]+) pass$", title) or re.search(r"\bTimed: the ([a-z-]+) pass\b", notes)
    return found[1] if found else None


def hardware_name(hardware: Mapping[str, Any]) -> str:
    """Product and form factor in full ("NVIDIA H100 80GB HBM3"), with the count from two up.

    A partition has no field of its own: sources write it into the form factor, which is never dropped. A `runner:`
    label there names a machine pool, not hardware: see `runner_label`.
    """
    product, form = hardware["product"], hardware.get("formFactor", "")
    if form and not form.startswith(RUNNER_PREFIX) and not product.endswith(form):
        product = f"{product} {form}"
    count = hardware.get("count", 1)
    return f"{count} × {product}" if count > 1 else product


def runner_label(hardware: Mapping[str, Any]) -> str | None:
    form: str = hardware.get("formFactor", "")
    return form.removeprefix(RUNNER_PREFIX) if form.startswith(RUNNER_PREFIX) else None


def gpu_line(hardware: Mapping[str, Any]) -> str:
    """The hardware with its architecture: "NVIDIA B200 (sm_100)"."""
    architecture = hardware["architecture"]
    stated = "architecture not stated" if architecture == "unknown" else architecture
    return f"{hardware_name(hardware)} ({stated})"
