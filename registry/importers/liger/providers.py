"""Who stands behind a `kernel_provider`, as the documents already published state it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

LIGER_REPOSITORY = "https://github.com/linkedin/Liger-Kernel"


@dataclass(frozen=True, slots=True)
class Project:
    slug: str
    name: str
    github: str


@dataclass(frozen=True, slots=True)
class Provider:
    """One implementer of a kernel. `display` is the name that pages show."""

    project: Project
    display: str
    language: str
    licensing: Mapping[str, str]
    is_baseline: bool = False
    pip_package: str | None = None


_LIGER = Project("liger-kernel", "Liger-Kernel", "linkedin/Liger-Kernel")
_PYTORCH = Project("pytorch", "PyTorch", "pytorch/pytorch")
_TRANSFORMERS = Project("transformers", "Transformers", "huggingface/transformers")
_MEGATRON = Project("megatron-lm", "Megatron-LM", "NVIDIA/Megatron-LM")
_DEEPSPEED = Project("deepspeed", "DeepSpeed", "deepspeedai/DeepSpeed")

_BSD_2 = {"declared": "BSD-2-Clause", "concluded": "BSD-2-Clause"}
_BSD_3 = {"declared": "BSD-3-Clause"}
_APACHE = {"declared": "Apache-2.0"}


def _liger(display: str) -> Provider:
    return Provider(_LIGER, display, "triton", _BSD_2, pip_package="liger-kernel")


PROVIDERS = {
    "liger": _liger("Liger"),
    "liger_in_place": _liger("Liger, in place"),
    "liger_tiled": _liger("Liger, tiled"),
    "liger_fused_add_rms_norm": _liger("Liger, add fused"),
    "liger_rms_norm": _liger("Liger, add apart"),
    "torch": Provider(_PYTORCH, "PyTorch", "python", _BSD_3, is_baseline=True),
    "torch_compile": Provider(_PYTORCH, "torch.compile", "python", _BSD_3),
    "huggingface": Provider(_TRANSFORMERS, "Transformers", "python", _APACHE, is_baseline=True),
    "megatron": Provider(_MEGATRON, "Megatron-LM", "python", _BSD_3),
    "megatron-fused": Provider(_MEGATRON, "Megatron, fused", "python", _BSD_3),
    "megatron-unfused": Provider(_MEGATRON, "Megatron, unfused", "python", _BSD_3, is_baseline=True),
    "deepspeed_tiled": Provider(_DEEPSPEED, "DeepSpeed, tiled", "python", _APACHE),
}
# The comparisons of backends put one of these in the place of "liger", and keep what follows it.
BACKENDS = {"triton": ("Triton", "triton"), "cutedsl": ("CuTe DSL", "cute_dsl"), "cutile": ("cuTile", "cutile")}
_OF_BACKEND = re.compile(rf"liger_({'|'.join(BACKENDS)})(.*)")


def provider(name: str) -> Provider | None:
    """The provider of a name, `liger_cutile_rms_norm` being `liger_rms_norm` by another backend; None if unknown."""
    if name in PROVIDERS:
        return PROVIDERS[name]
    match = _OF_BACKEND.fullmatch(name)
    base = match and PROVIDERS.get(f"liger{match[2]}")
    if not match or not base:
        return None
    word, language = BACKENDS[match[1]]
    return replace(base, display=base.display.replace("Liger", f"Liger {word}", 1), language=language)
