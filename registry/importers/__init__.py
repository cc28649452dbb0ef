"""One module an upstream; this table is all that the rest of the site knows of them."""

from registry.importers import catalog_export, flashinfer, kernelbot, liger, sol_execbench
from registry.importers.base import Importer

IMPORTERS: dict[str, Importer] = {
    "catalog-export": catalog_export,
    "flashinfer-bench": flashinfer,
    "gpumode-kernelbot": kernelbot,
    "liger-kernel-bench": liger,
    "sol-execbench": sol_execbench,
}
