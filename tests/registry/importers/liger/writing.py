"""Rows in the shape of upstream's CSV, and what the importer makes of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from registry.core.digest import document_text, sha256
from registry.core.kinds import parse
from registry.importers import liger
from registry.importers.base import Pending, Rejected
from registry.importers.liger.rows import COLUMNS
from tests.registry.importers.reading import translated

Write = Callable[..., Path]

HEADER = ",".join(COLUMNS)
GOLDEN = {  # linkedin/Liger-Kernel benchmark/data/all_benchmark_data.csv line 1931
    "kernel_name": "relu_squared",
    "kernel_provider": "torch",
    "kernel_operation_mode": "backward",
    "metric_name": "speed",
    "metric_unit": "ms",
    "x_name": "N",
    "x_label": "hidden size",
    "x_value": "4096",
    "y_value_50": "0.1263359934091568",
    "y_value_20": "0.12515200674533844",
    "y_value_80": "0.1271360069513321",
    "extra_benchmark_config_str": '"{""M"": 4096, ""dtype"": ""torch.bfloat16""}"',
    "gpu_name": "NVIDIA H100 80GB HBM3",
    "timestamp": "2026-03-27 06:09:46",
    "liger_version": "0.7.0",
}
KEY = "relu_squared/backward/torch/nvidia-h100-80gb-hbm3/hidden4096-rows4096-bf16/2026-03-27-06-09-46"
LASTING = KEY.rsplit("/", 1)[0]
STATED = "relu_squared/backward/speed/torch/NVIDIA H100 80GB HBM3/4096/2026-03-27 06:09:46"
MEMORY = {"metric_name": "memory", "metric_unit": "MB"} | {f"y_value_{q}": "36.5" for q in ("20", "50", "80")}


def line(**columns: str) -> str:
    return ",".join((GOLDEN | columns).values())


def quoted(json: str) -> str:
    """A JSON text as a cell."""
    return '"' + json.replace('"', '""') + '"'


def of(kind: type, path: Path, **known: object) -> list[Any]:
    return [entry for entry in translated(liger, path, **known) if isinstance(entry, kind)]


def untaken(path: Path, **known: object) -> list[str]:
    """Each row that is not taken: its reason, or what it waits for, and where."""
    found = []
    for entry in translated(liger, path, **known):
        if isinstance(entry, Rejected):
            found.append(f"{entry.reason} {entry.place}: {entry.message}")
        elif isinstance(entry, Pending):
            found.append(f"{entry.kind} [{entry.name}] {entry.place}: {entry.message}")
    return found


def digest(value: Any) -> str:
    manifest = parse(value)
    return sha256(document_text(manifest.kind, manifest.spec))
