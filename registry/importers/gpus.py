"""What GPUs are called by upstreams, and the hardware facts that each name settles. One table for all importers.

A name is here only where it settles the architecture without doubt. A form factor is what sets boards of one product
apart, as their vendor's driver spells it; a short name ("H100") leaves it open, so it stays absent.
"""

from collections.abc import Iterator, Mapping

from registry.importers.base import Known

Facts = dict[str, str]
MEMBERS = ("vendor", "product", "architecture", "formFactor")

# Architecture -> products, with the form factors in which the driver names them.
_NVIDIA: dict[str, dict[str, tuple[str, ...]]] = {
    "sm_60": {"NVIDIA P100": ("PCIE-16GB", "SXM2-16GB")},
    "sm_70": {"NVIDIA V100": ("PCIE-16GB", "PCIE-32GB", "SXM2-16GB", "SXM2-32GB", "SXM3-32GB")},
    "sm_75": {"NVIDIA T4": ()},
    "sm_80": {
        "NVIDIA A30": (),
        "NVIDIA A100": ("PCIE-40GB", "SXM4-40GB", "SXM4-80GB", "80GB PCIe"),
        "NVIDIA A800": ("SXM4-80GB", "80GB PCIe"),
    },
    "sm_86": {
        "NVIDIA A10": (),
        "NVIDIA A10G": (),
        "NVIDIA A40": (),
        "NVIDIA RTX A4000": (),
        "NVIDIA RTX A5000": (),
        "NVIDIA RTX A6000": (),
        "NVIDIA GeForce RTX 3080": (),
        "NVIDIA GeForce RTX 3090": (),
        "NVIDIA GeForce RTX 3090 Ti": (),
    },
    "sm_89": {
        "NVIDIA L4": (),
        "NVIDIA L40": (),
        "NVIDIA L40S": (),
        "NVIDIA RTX 6000 Ada Generation": (),
        "NVIDIA GeForce RTX 4080": (),
        "NVIDIA GeForce RTX 4090": (),
        "NVIDIA GeForce RTX 4090 D": (),
    },
    "sm_90": {
        "NVIDIA H20": (),
        "NVIDIA H100": ("80GB HBM3", "PCIe", "NVL"),
        "NVIDIA H200": ("NVL",),
        "NVIDIA H800": ("PCIe",),
        "NVIDIA GH200": ("480GB",),
    },
    "sm_100": {"NVIDIA B200": (), "NVIDIA GB200": ()},
    "sm_103": {"NVIDIA B300": (), "NVIDIA GB300": ()},
    "sm_120": {"NVIDIA GeForce RTX 5090": ()},
}
_AMD: dict[str, tuple[str, ...]] = {
    "gfx90a": ("AMD Instinct MI210", "AMD Instinct MI250", "AMD Instinct MI250X"),
    "gfx942": ("AMD Instinct MI300A", "AMD Instinct MI300X", "AMD Instinct MI308X", "AMD Instinct MI325X"),
    "gfx950": ("AMD Instinct MI350X", "AMD Instinct MI355X"),
}
_PREFIXES = ("nvidia ", "nvidia geforce ", "amd ", "amd instinct ")  # that upstreams leave out
_OLD_BRAND = {"NVIDIA P100": "Tesla P100", "NVIDIA T4": "Tesla T4", "NVIDIA V100": "Tesla V100"}
_FURTHER = {"H100 SXM": "NVIDIA H100 80GB HBM3", "H100 SXM5": "NVIDIA H100 80GB HBM3"}


def hardware(name: str, known: Known) -> Facts | None:
    """The facts of a GPU's name: those that people have settled, else the table's; None where neither knows it.

    A settled name stands for another spelling or for the facts themselves. A fact that the name leaves open is absent.
    """
    settled = known.names.get(("gpu", name), name)
    if isinstance(settled, Mapping):
        return {member: settled[member] for member in MEMBERS if settled.get(member)}
    facts = _TABLE.get(_spelling(settled))
    return dict(facts) if facts else None


def _spelling(name: str) -> str:
    """One spelling of what differs in case, underscores, hyphens and spaces alone."""
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


def _rows() -> Iterator[tuple[str, Facts]]:
    for architecture, products in _NVIDIA.items():
        for product, forms in products.items():
            for form in ("", *forms):
                facts = {"vendor": "nvidia", "product": product, "architecture": architecture}
                if form:
                    facts["formFactor"] = form
                for brand in filter(None, (product, _OLD_BRAND.get(product))):
                    yield f"{brand} {form}".strip(), facts
    for architecture, names in _AMD.items():
        for product in names:
            yield product, {"vendor": "amd", "product": product, "architecture": architecture}


def _table() -> dict[str, Facts]:
    table = {_spelling(name): facts for name, facts in _rows()}
    table |= {_spelling(name): table[_spelling(full)] for name, full in _FURTHER.items()}
    short = {
        name.removeprefix(prefix): facts
        for name, facts in table.items()
        for prefix in _PREFIXES
        if name.startswith(prefix)
    }
    return short | table


_TABLE = _table()
