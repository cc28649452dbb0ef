"""Liger-Kernel's benchmark CSVs: one row a (kernel, provider, timed pass, size, GPU), p20/p50/p80 in milliseconds.

Upstream: linkedin/Liger-Kernel, benchmark/data/all_benchmark_data.csv as of 2026-08-21 (BSD-2-Clause). Documents are
made so that their digests equal those already published from that file. Upstream states no sample count, no driver,
no CUDA or torch version, and no time zone: these stay absent, and the time zone is flagged.

Of the upstream's kernels this reads relu_squared; a row of another kernel is rejected as UNKNOWN_KERNEL.
"""

import csv
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from pathlib import Path as FilePath

from registry.core.digest import API_VERSION, document_text, sha256
from registry.core.reading import ReadingError, read_json_line
from registry.importers.base import (
    CoverageEntry,
    DocumentEntry,
    Entry,
    InputFile,
    Known,
    Place,
    Rejected,
    Request,
    RunEntry,
    SourceEntry,
    Unreadable,
    in_line,
    no_more,
)

SOURCE = SourceEntry(
    "liger-kernel-bench",
    "Liger-Kernel benchmarks",
    "benchmark",
    homepage="https://github.com/linkedin/Liger-Kernel",
    licence="BSD-2-Clause",
    terms="The benchmark CSVs may be stored and shown with the licence notice.",
    attribution="Liger-Kernel authors, LinkedIn Corporation",
    importer="liger-kernel-bench",
    location="https://raw.githubusercontent.com/linkedin/Liger-Kernel/main/benchmark/data/all_benchmark_data.csv",
    hosts=("raw.githubusercontent.com",),
    schedule="weekly",
)
VERSION = "1"
following = no_more
REPOSITORY = "https://github.com/linkedin/Liger-Kernel"
COLUMNS = (
    "kernel_name",
    "kernel_provider",
    "kernel_operation_mode",
    "metric_name",
    "metric_unit",
    "x_name",
    "x_label",
    "x_value",
    "y_value_50",
    "y_value_20",
    "y_value_80",
    "extra_benchmark_config_str",
    "gpu_name",
    "timestamp",
    "liger_version",
)
Row = dict[str, str]
Spec = dict[str, object]


@dataclass(frozen=True, slots=True)
class Provider:
    """Who stands behind a `kernel_provider`, as the published documents state it."""

    project: str
    project_name: str
    host_id: str
    display: str
    language: str
    licensing: dict[str, str]
    is_baseline: bool
    pip_package: str | None = None


PROVIDERS = {
    "liger": Provider(
        "liger-kernel",
        "Liger-Kernel",
        "linkedin/Liger-Kernel",
        "Liger",
        "triton",
        {"declared": "BSD-2-Clause", "concluded": "BSD-2-Clause"},
        is_baseline=False,
        pip_package="liger-kernel",
    ),
    "torch": Provider(
        "pytorch",
        "PyTorch",
        "pytorch/pytorch",
        "PyTorch",
        "python",
        {"declared": "BSD-3-Clause"},
        is_baseline=True,
    ),
}
PASSES = {  # the clause inside the protocol's notes, which its digest covers to the letter
    "forward": "the module forward pass",
    "backward": "the backward pass of the module output given a random upstream gradient",
    "full": "the forward pass plus the backward pass",
}
GPUS: dict[str, dict[str, str]] = {
    "NVIDIA A100-SXM4-80GB": {"product": "NVIDIA A100", "architecture": "sm_80", "formFactor": "SXM4-80GB"},
    "NVIDIA H100 80GB HBM3": {"product": "NVIDIA H100", "architecture": "sm_90", "formFactor": "80GB HBM3"},
    "NVIDIA H100 PCIe": {"product": "NVIDIA H100", "architecture": "sm_90", "formFactor": "PCIe"},
    "NVIDIA B200": {"product": "NVIDIA B200", "architecture": "sm_100"},
    "NVIDIA GeForce RTX 3090": {"product": "NVIDIA GeForce RTX 3090", "architecture": "sm_86"},
    "NVIDIA GeForce RTX 4090": {"product": "NVIDIA GeForce RTX 4090", "architecture": "sm_89"},
}
DTYPES = {"torch.bfloat16": "bf16", "torch.float32": "fp32", "torch.float16": "fp16"}


@dataclass(frozen=True, slots=True)
class Kernel:
    """An upstream kernel and how its row states a case: axes in order, each from x_value or a config key."""

    title: str
    x_names: tuple[str, ...]
    axes: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, tuple[str, ...]], ...]
    outputs: tuple[tuple[str, tuple[str, ...]], ...]


KERNELS = {
    "relu_squared": Kernel(
        "ReLU squared",
        ("N",),
        (("rows", "M"), ("hidden", "x")),
        (("x", ("rows", "hidden")),),
        (("y", ("rows", "hidden")),),
    ),
}


def first(location: str) -> Sequence[Request]:
    return [Request(location, location.rsplit("/", 1)[-1])]


class _Refusal(ValueError):
    def __init__(self, reason: str, column: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.column = reason, column


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield documents, runs and coverage of the CSVs. Raises Unreadable where a file or its header can't be read."""
    yield SOURCE
    for file in files:
        yield from _translate(file.path)


def _translate(path: FilePath) -> Iterator[Entry]:
    seen_documents: set[str] = set()
    seen_ids: set[str] = set()
    offered: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for number, row in _rows(path):
        locate = in_line(path.name, number)
        try:
            if row is None:
                raise _Refusal("COLUMN_COUNT", "", f"a record has {len(COLUMNS)} cells")
            case = _case(row)
            run = case.run()
            if case.external_id in seen_ids:
                raise _Refusal("DUPLICATE", "timestamp", f"{case.external_id} stands on an earlier line")
        except _Refusal as refusal:
            yield Rejected(refusal.reason, Place(path.name, number, refusal.column), str(refusal))
            continue
        seen_ids.add(case.external_id)
        for entry in _documents(case, number, path.name):
            key = f"{entry.kind}:{entry.project or ''}:{_name(entry.value)}"
            if key not in seen_documents:
                seen_documents.add(key)
                yield entry
        offered[case.group].append(case.external_id)
        yield RunEntry(
            run,
            _protocol(case.timed_pass),
            _environment(case.gpu),
            locate,
            source=SOURCE.slug,
            implementation=(case.provider.project, case.implementation_name),
            upstream_key=case.external_id,
            flags=(("TIME_ZONE_NOT_STATED", "The CSV states the host's local time without a zone; shown as if UTC."),),
        )
    for ids in offered.values():
        yield CoverageEntry(tuple(ids), len(ids), "every speed row of this kernel, case, pass and GPU in the file")


def _rows(path: FilePath) -> Iterator[tuple[int, Row | None]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, [])
            lacking = [column for column in COLUMNS if column not in header]
            if lacking:
                raise Unreadable(f"{path.name}: line 1: the header lacks {', '.join(lacking)}")
            for cells in reader:
                yield reader.line_num, dict(zip(header, cells, strict=True)) if len(cells) == len(header) else None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Unreadable(f"{path.name}: {error}") from error


@dataclass(frozen=True, slots=True)
class _Case:
    kernel_name: str
    provider_name: str
    timed_pass: str
    axes: dict[str, int]
    dtype: str
    gpu: str
    timestamp: datetime
    release: str
    milliseconds: dict[str, float]  # by quantile: 50 always, 20 and 80 where finite

    @property
    def kernel(self) -> Kernel:
        return KERNELS[self.kernel_name]

    @property
    def provider(self) -> Provider:
        return PROVIDERS[self.provider_name]

    @property
    def key(self) -> str:
        return "-".join(f"{axis}{self.axes[axis]}" for axis in sorted(self.axes)) + f"-{self.dtype}"

    @property
    def stamp(self) -> str:
        return f"{self.timestamp:%Y-%m-%d %H:%M:%S}"

    @property
    def external_id(self) -> str:
        parts = (self.kernel_name, self.timed_pass, self.provider_name, kebab(self.gpu), self.key, kebab(self.stamp))
        return "/".join(parts)

    @property
    def group(self) -> tuple[str, ...]:
        return (self.kernel_name, self.timed_pass, self.gpu, self.key)

    @property
    def implementation_name(self) -> str:
        return kebab(f"liger-bench-{self.kernel_name}-{self.provider_name}")

    def run(self) -> Spec:
        """The BenchmarkRun document of this row."""
        spec: Spec = {
            "implementationDigest": _digest(_implementation(self.kernel_name, self.provider_name)),
            "workloadDigest": _digest(_workload(self)),
            "protocolDigest": _digest(_protocol(self.timed_pass)),
            "environmentDigest": _digest(_environment(self.gpu)),
            "observedAt": f"{self.timestamp:%Y-%m-%dT%H:%M:%S}.000Z",
            "status": "passed",
            "timing": {"primaryStatistic": "median", "latencyNs": {"median": _nanoseconds(self.milliseconds["50"])}},
            "sourceNative": {
                "source": SOURCE.slug,
                "benchmark": f"{self.kernel_name}/{self.timed_pass}",
                "externalId": self.external_id,
                "metrics": {f"ms_{quantile}": value for quantile, value in self.milliseconds.items()},
            },
        }
        spread = [
            {"metric": "latency", "statistic": f"p{q}", "unit": "ns", "value": _nanoseconds(self.milliseconds[q])}
            for q in ("20", "80")
            if q in self.milliseconds
        ]
        if len(spread) == 2:
            spec["measurements"] = spread
        name = kebab(
            f"liger-{self.kernel_name}-{self.timed_pass}-{self.provider_name}-{self.gpu}-{self.key}-{self.stamp}"
        )
        metadata: Spec = {
            "name": name,
            "title": f"{KERNELS[self.kernel_name].title} · {self.provider_name} · {self.timed_pass}",
            "labels": {"liger_version": self.release},
        }
        return _document("BenchmarkRun", spec, metadata)


def _case(row: Row) -> _Case:
    """Read one record, refusing at the first column that can't be read for what it is."""
    if row["metric_name"] != "speed":
        raise _Refusal("MEMORY_ROW", "metric_name", f"{row['metric_name']} rows are not read yet, speed rows are")
    if row["kernel_name"] not in KERNELS:
        raise _Refusal("UNKNOWN_KERNEL", "kernel_name", f"no mapping for kernel {row['kernel_name'][:60]!r}")
    if row["kernel_operation_mode"] not in PASSES:
        raise _Refusal("UNKNOWN_PASS", "kernel_operation_mode", f"unknown pass {row['kernel_operation_mode'][:60]!r}")
    if row["kernel_provider"] not in PROVIDERS:
        raise _Refusal("UNKNOWN_PROVIDER", "kernel_provider", f"unknown provider {row['kernel_provider'][:60]!r}")
    if row["metric_unit"] != "ms":
        raise _Refusal("UNIT", "metric_unit", f"speed is stated in ms, got {row['metric_unit'][:20]!r}")
    if row["gpu_name"] not in GPUS:
        raise _Refusal("UNKNOWN_GPU", "gpu_name", f"no mapping for GPU {row['gpu_name'][:60]!r}")
    config = _config(row)
    return _Case(
        row["kernel_name"],
        row["kernel_provider"],
        row["kernel_operation_mode"],
        _axes(row, config),
        _dtype(config),
        row["gpu_name"],
        _timestamp(row["timestamp"]),
        row["liger_version"],
        _quantiles(row),
    )


def _config(row: Row) -> dict[str, object]:
    try:
        config = read_json_line(row["extra_benchmark_config_str"])
    except ReadingError as error:
        raise _Refusal("CONFIG", "extra_benchmark_config_str", str(error)) from error
    if not isinstance(config, dict):
        raise _Refusal("CONFIG", "extra_benchmark_config_str", "must be a JSON object")
    return config


def _axes(row: Row, config: dict[str, object]) -> dict[str, int]:
    kernel = KERNELS[row["kernel_name"]]
    if row["x_name"] not in kernel.x_names:
        raise _Refusal("UNKNOWN_CONFIG", "x_name", f"{row['kernel_name']} is swept over {', '.join(kernel.x_names)}")
    axes = {}
    for axis, key in kernel.axes:
        raw = row["x_value"] if key == "x" else config.get(key)
        if isinstance(raw, str) and re.fullmatch(r"[1-9]\d{0,14}", raw):
            raw = int(raw)
        if not isinstance(raw, int) or isinstance(raw, bool) or raw <= 0:
            column = "x_value" if key == "x" else "extra_benchmark_config_str"
            raise _Refusal("UNKNOWN_CONFIG", column, f"{key} must be a positive whole number, got {raw!r}"[:200])
        axes[axis] = raw
    return axes


def _dtype(config: dict[str, object]) -> str:
    dtype = config.get("dtype")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise _Refusal("UNKNOWN_CONFIG", "extra_benchmark_config_str", f"unknown dtype {dtype!r}"[:200])
    return DTYPES[dtype]


def _timestamp(raw: str) -> datetime:
    try:
        return datetime.strptime(raw, "%Y-%m-%d %H:%M:%S")
    except ValueError as error:
        raise _Refusal("TIMESTAMP", "timestamp", f"must be YYYY-MM-DD HH:MM:SS, got {raw[:40]!r}") from error


def _quantiles(row: Row) -> dict[str, float]:
    found = {}
    for quantile in ("50", "20", "80"):
        raw = row[f"y_value_{quantile}"]
        try:
            value = float(raw)
        except ValueError as error:
            raise _Refusal("VALUE", f"y_value_{quantile}", f"not a number: {raw[:40]!r}") from error
        if math.isfinite(value) and value >= 0:
            found[quantile] = value
        elif quantile == "50" or not math.isnan(value):
            raise _Refusal("VALUE", f"y_value_{quantile}", f"must be finite and not negative, got {raw[:40]!r}")
    return found


def _nanoseconds(milliseconds: float) -> int:
    """Round as the published runs do: the double times 1e6 in double arithmetic, then half up."""
    try:
        return int(Decimal(milliseconds * 1e6).quantize(Decimal(1), rounding=ROUND_HALF_UP))
    except InvalidOperation as error:
        raise _Refusal("VALUE", "y_value_50", f"out of range: {milliseconds!r} ms") from error


def kebab(text: str) -> str:
    """Lower case, runs of other characters as one hyphen, trimmed, then cut to 100 characters (in that order)."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:100]


# --- the documents


def _document(kind: str, spec: Spec, metadata: Spec) -> Spec:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def _digest(document: Spec) -> str:
    spec = document["spec"]
    assert isinstance(spec, dict)
    return sha256(document_text(str(document["kind"]), spec))


def _name(document: object) -> str:
    return json.dumps(document, sort_keys=True)


def _documents(case: _Case, number: int, file: str) -> Iterator[DocumentEntry]:
    locate, kernel, provider = in_line(file, number), case.kernel_name, case.provider
    yield DocumentEntry("SoftwareProject", _project(provider), locate, slug=provider.project)
    yield DocumentEntry("OperationSpec", _operation(kernel), locate)
    yield DocumentEntry("WorkloadCase", _workload(case), locate)
    yield DocumentEntry(
        "ImplementationRevision", _implementation(kernel, case.provider_name), locate, project=provider.project
    )


def _project(provider: Provider) -> Spec:
    spec: Spec = {
        "name": provider.project_name,
        "kind": "library",
        "repository": f"https://github.com/{provider.host_id}",
        "host": {"kind": "github", "id": provider.host_id},
    }
    return _document("SoftwareProject", spec, {"name": provider.project})


def _operation(kernel_name: str) -> Spec:
    kernel = KERNELS[kernel_name]
    spec: Spec = {
        "family": kebab(kernel_name),
        "axes": {axis: {"role": "variable", "type": "integer"} for axis, _ in kernel.axes},
        "inputs": [{"name": name, "tensor": {"shape": list(shape), "dtype": "float"}} for name, shape in kernel.inputs],
        "outputs": [
            {"name": name, "tensor": {"shape": list(shape), "dtype": "float"}} for name, shape in kernel.outputs
        ],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    script = f"{REPOSITORY}/blob/main/benchmark/scripts/benchmark_{kernel_name}.py"
    metadata: Spec = {
        "name": kebab(f"liger-{kernel_name}"),
        "title": kernel.title,
        "sourceRefs": [{"url": script}],
    }
    return _document("OperationSpec", spec, metadata)


def _workload(case: _Case) -> Spec:
    kernel = case.kernel
    spec: Spec = {
        "operationSpecDigest": _digest(_operation(case.kernel_name)),
        "axes": dict(case.axes),
        "tensors": {
            name: {"shape": [case.axes[axis] for axis in shape], "dtype": case.dtype} for name, shape in kernel.inputs
        },
        "correctness": {"comparator": "not_asserted"},
    }
    sizes = ", ".join(f"{axis}={case.axes[axis]}" for axis, _ in kernel.axes)
    metadata: Spec = {
        "name": kebab(f"liger-{case.kernel_name}-{case.key}"),
        "title": f"{kernel.title} · {sizes} · {case.dtype}",
    }
    return _document("WorkloadCase", spec, metadata)


def _implementation(kernel_name: str, provider_name: str) -> Spec:
    provider = PROVIDERS[provider_name]
    spec: Spec = {
        "projectRevision": {},
        "operation": {"specDigest": _digest(_operation(kernel_name))},
        "callable": {"language": provider.language},
        "support": {"hardwareArchitectures": [], "dtypes": []},
        "licensing": dict(provider.licensing),
    }
    if provider.pip_package:
        spec["buildVariants"] = [{"name": "pip", "install": {"kind": "pip", "package": provider.pip_package}}]
    metadata: Spec = {
        "name": kebab(f"liger-bench-{kernel_name}-{provider_name}"),
        "title": f"{KERNELS[kernel_name].title} · {provider.display}",
        "sourceRefs": [{"url": REPOSITORY}],
    }
    if provider.is_baseline:
        metadata["labels"] = {"role": "baseline"}
    return _document("ImplementationRevision", spec, metadata)


def _protocol(timed_pass: str) -> Spec:
    notes = (
        f"Timed: {PASSES[timed_pass]}, via triton.testing.do_bench with quantiles 0.5/0.2/0.8 (median with p20/p80 "
        "spread). The upstream CSV records no CUDA, driver, or torch version; the Liger release rides each run's "
        "labels. Comparable only within one kernel, workload, timed pass, and GPU."
    )
    spec: Spec = {
        "harness": {"name": "Liger-Kernel benchmark scripts", "repository": REPOSITORY},
        "measurement": {"timer": "cuda_events", "primaryStatistic": "median"},
        "comparability": {"family": "liger_kernel_bench", "notes": notes},
    }
    metadata: Spec = {
        "name": f"liger-bench-do-bench-{timed_pass}",
        "title": f"Liger benchmark harness · {timed_pass} pass",
    }
    return _document("BenchmarkProtocol", spec, metadata)


def _environment(gpu: str) -> Spec:
    hardware = {"vendor": "nvidia", **GPUS[gpu]}
    label = " ".join(filter(None, (hardware["product"].removeprefix("NVIDIA "), hardware.get("formFactor"))))
    metadata: Spec = {"name": kebab(f"liger-bench-{gpu}"), "title": f"Liger benchmark host · {label}"}
    return _document("ExecutionEnvironment", {"hardware": hardware, "software": {}}, metadata)
