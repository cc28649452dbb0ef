"""One module an upstream, and one a tool whose output people bring; the rest of the site knows this table alone."""

from registry.importers import (
    catalog_export,
    flashinfer,
    kernel_tuner,
    kernelbot,
    liger,
    nvbench,
    perf_report,
    sol_execbench,
)
from registry.importers.base import Importer

IMPORTERS: dict[str, Importer] = {
    "catalog-export": catalog_export,
    "flashinfer-bench": flashinfer,
    "gpumode-kernelbot": kernelbot,
    "kernel-tuner": kernel_tuner,
    "liger-kernel-bench": liger,
    "nvbench": nvbench,
    "perf-report": perf_report,
    "sol-execbench": sol_execbench,
}
