"""The documents of rows. Their digests equal those already published from upstream's file, to the letter.

Documents that many rows share are made once and handed out again: nobody changes them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from registry.core.digest import API_VERSION, document_text, sha256
from registry.importers.liger.cases import Case
from registry.importers.liger.kernels import KERNELS
from registry.importers.liger.providers import LIGER_REPOSITORY, Project, Provider
from registry.importers.liger.signatures import Tensor

Spec = dict[str, object]

_NOT_KEBAB = re.compile(r"[^a-z0-9]+")
PASSES = {  # the clause inside the protocol's notes, which its digest covers to the letter
    "forward": "the module forward pass",
    "backward": "the backward pass of the module output given a random upstream gradient",
    "full": "the forward pass plus the backward pass",
    "no-grad-forward": "the module forward pass under torch.no_grad",
}


@dataclass(frozen=True, slots=True)
class Made:
    """A document with its digest."""

    document: Spec
    digest: str


def _made(kind: str, spec: Spec, metadata: Spec) -> Made:
    document: Spec = {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
    return Made(document, sha256(document_text(kind, spec)))


@lru_cache(maxsize=4096)  # a GPU and a time stand in many rows
def kebab(text: str) -> str:
    """Lower case, runs of other characters as one hyphen, trimmed, then cut to 100 characters (in that order)."""
    return _NOT_KEBAB.sub("-", text.lower()).strip("-")[:100]


@cache
def operation(kernel_name: str) -> Made:
    kernel = KERNELS[kernel_name]
    variable = {axis: {"role": "variable", "type": "integer"} for axis in kernel.axes}
    derived = {
        axis: {"role": "derived", "type": "integer", "expression": text} for axis, text in kernel.derived.items()
    }
    spec: Spec = {
        "family": kernel.family,
        "axes": variable | derived,
        "inputs": [_argument(tensor) for tensor in kernel.inputs],
        "outputs": [_argument(tensor) for tensor in kernel.outputs],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    script = f"{LIGER_REPOSITORY}/blob/main/benchmark/scripts/benchmark_{kernel_name}.py"
    metadata: Spec = {
        "name": kebab(f"liger-{kernel_name}"),
        "title": kernel.title,
        "sourceRefs": [{"url": script}],
    }
    return _made("OperationSpec", spec, metadata)


def _argument(tensor: Tensor) -> Spec:
    return {"name": tensor.name, "tensor": {"shape": list(tensor.shape), "dtype": tensor.dtype or "float"}}


def workload(case: Case) -> Made:
    kernel = case.kernel
    spec: Spec = {
        "operationSpecDigest": operation(case.kernel_name).digest,
        "axes": dict(case.axes),
        "tensors": {
            tensor.name: {
                "shape": [case.sizes[size] if isinstance(size, str) else size for size in tensor.shape],
                "dtype": tensor.dtype or case.dtype,
            }
            for tensor in kernel.inputs
        },
        "correctness": {"comparator": "not_asserted"},
    }
    if case.scalars:
        spec["scalars"] = {name: {"dtype": "fp32", "value": value} for name, value in case.scalars.items()}
    sizes = ", ".join(f"{axis}={size}" for axis, size in case.axes.items())
    metadata: Spec = {
        "name": kebab(f"liger-{case.kernel_name}-{case.key}"),
        "title": f"{kernel.title} · {sizes} · {case.dtype}",
    }
    return _made("WorkloadCase", spec, metadata)


@cache
def project(owner: Project) -> Made:
    spec: Spec = {
        "name": owner.name,
        "kind": "library",
        "repository": f"https://github.com/{owner.github}",
        "host": {"kind": "github", "id": owner.github},
    }
    return _made("SoftwareProject", spec, {"name": owner.slug})


def implementation(kernel_name: str, provider_name: str, provider: Provider) -> Made:
    spec: Spec = {
        "projectRevision": {},
        "operation": {"specDigest": operation(kernel_name).digest},
        "callable": {"language": provider.language},
        "support": {"hardwareArchitectures": [], "dtypes": []},
        "licensing": dict(provider.licensing),
    }
    if provider.pip_package:
        spec["buildVariants"] = [{"name": "pip", "install": {"kind": "pip", "package": provider.pip_package}}]
    metadata: Spec = {
        "name": implementation_name(kernel_name, provider_name),
        "title": f"{KERNELS[kernel_name].title} · {provider.display}",
        "sourceRefs": [{"url": LIGER_REPOSITORY}],
    }
    if provider.is_baseline:
        metadata["labels"] = {"role": "baseline"}
    return _made("ImplementationRevision", spec, metadata)


def implementation_name(kernel_name: str, provider_name: str) -> str:
    """What sets rows of one digest apart: upstream's documents do not hold who implements a kernel."""
    return kebab(f"liger-bench-{kernel_name}-{provider_name}")


@cache
def protocol(metric: str, timed_pass: str) -> Made:
    """How a row was measured: one protocol a metric and pass. Memory is no time, so its protocol has no timer."""
    harness = {"name": "Liger-Kernel benchmark scripts", "repository": LIGER_REPOSITORY}
    if metric == "memory":
        spec: Spec = {
            "harness": harness,
            "measurement": {"timer": "none", "primaryStatistic": "median"},
            "comparability": {
                "family": "liger_kernel_bench_memory",
                "notes": f"Peak memory allocated by torch during {PASSES[timed_pass]}.",
            },
        }
        return _made(
            "BenchmarkProtocol",
            spec,
            {
                "name": f"liger-bench-peak-memory-{timed_pass}",
                "title": f"Liger benchmark harness, peak memory · {timed_pass} pass",
            },
        )
    notes = (
        f"Timed: {PASSES[timed_pass]}, via triton.testing.do_bench with quantiles 0.5/0.2/0.8 (median with p20/p80 "
        "spread). The upstream CSV records no CUDA, driver, or torch version; the Liger release rides each run's "
        "labels. Comparable only within one kernel, workload, timed pass, and GPU."
    )
    spec = {
        "harness": harness,
        "measurement": {"timer": "cuda_events", "primaryStatistic": "median"},
        "comparability": {"family": "liger_kernel_bench", "notes": notes},
    }
    metadata: Spec = {
        "name": f"liger-bench-do-bench-{timed_pass}",
        "title": f"Liger benchmark harness · {timed_pass} pass",
    }
    return _made("BenchmarkProtocol", spec, metadata)


def environment(hardware: Mapping[str, str]) -> Made:
    product = " ".join(filter(None, (hardware["product"], hardware.get("formFactor"))))
    metadata: Spec = {
        "name": kebab(f"liger-bench-{product}"),
        "title": f"Liger benchmark host · {product.removeprefix('NVIDIA ')}",
    }
    return _made("ExecutionEnvironment", {"hardware": dict(hardware), "software": {}}, metadata)
