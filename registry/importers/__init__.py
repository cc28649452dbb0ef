"""One module an upstream; this table is all that the rest of the site knows of them."""

from registry.importers import catalog_export, kernelbot, liger
from registry.importers.base import Importer

IMPORTERS: dict[str, Importer] = {
    "catalog-export": catalog_export,
    "gpumode-kernelbot": kernelbot,
    "liger-kernel-bench": liger,
}
