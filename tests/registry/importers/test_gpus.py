"""Names of GPUs: which facts each settles, which it leaves open, and what people's answers change."""

import pytest

from registry.importers import gpus
from registry.importers.base import Known

NOTHING = Known()


def facts(name: str, known: Known = NOTHING) -> str | None:
    found = gpus.hardware(name, known)
    return " | ".join(found.get(member, "-") for member in gpus.MEMBERS) if found else None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA A100-SXM4-80GB", "nvidia | NVIDIA A100 | sm_80 | SXM4-80GB"),
        ("NVIDIA A100-SXM4-40GB", "nvidia | NVIDIA A100 | sm_80 | SXM4-40GB"),
        ("NVIDIA A100-PCIE-40GB", "nvidia | NVIDIA A100 | sm_80 | PCIE-40GB"),
        ("NVIDIA A100 80GB PCIe", "nvidia | NVIDIA A100 | sm_80 | 80GB PCIe"),
        ("A100", "nvidia | NVIDIA A100 | sm_80 | -"),
        ("NVIDIA A800-SXM4-80GB", "nvidia | NVIDIA A800 | sm_80 | SXM4-80GB"),
        ("NVIDIA H100 80GB HBM3", "nvidia | NVIDIA H100 | sm_90 | 80GB HBM3"),
        ("NVIDIA H100 PCIe", "nvidia | NVIDIA H100 | sm_90 | PCIe"),
        ("H100 SXM", "nvidia | NVIDIA H100 | sm_90 | 80GB HBM3"),
        ("NVIDIA_H100", "nvidia | NVIDIA H100 | sm_90 | -"),
        ("NVIDIA H200", "nvidia | NVIDIA H200 | sm_90 | -"),
        ("NVIDIA B200", "nvidia | NVIDIA B200 | sm_100 | -"),
        ("NVIDIA_B200", "nvidia | NVIDIA B200 | sm_100 | -"),
        ("b200", "nvidia | NVIDIA B200 | sm_100 | -"),
        ("NVIDIA GB200", "nvidia | NVIDIA GB200 | sm_100 | -"),
        ("NVIDIA GeForce RTX 3090", "nvidia | NVIDIA GeForce RTX 3090 | sm_86 | -"),
        ("NVIDIA GeForce RTX 4090", "nvidia | NVIDIA GeForce RTX 4090 | sm_89 | -"),
        ("RTX 4090", "nvidia | NVIDIA GeForce RTX 4090 | sm_89 | -"),
        ("NVIDIA L4", "nvidia | NVIDIA L4 | sm_89 | -"),
        ("NVIDIA L40S", "nvidia | NVIDIA L40S | sm_89 | -"),
        ("Tesla T4", "nvidia | NVIDIA T4 | sm_75 | -"),
        ("T4", "nvidia | NVIDIA T4 | sm_75 | -"),
        ("Tesla V100-SXM2-16GB", "nvidia | NVIDIA V100 | sm_70 | SXM2-16GB"),
        ("AMD Instinct MI300X", "amd | AMD Instinct MI300X | gfx942 | -"),
        ("MI300X", "amd | AMD Instinct MI300X | gfx942 | -"),
        ("MI325X", "amd | AMD Instinct MI325X | gfx942 | -"),
        ("MI355X", "amd | AMD Instinct MI355X | gfx950 | -"),
        ("NVIDIA", None),
        ("MI300", None),
        ("H1000", None),
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", None),
        ("", None),
    ],
)
def test_a_name_settles_its_facts_and_no_more(name: str, expected: str | None) -> None:
    assert facts(name) == expected


def test_what_people_settled_comes_first() -> None:
    known = Known(
        names={
            ("gpu", "lab card 7"): "NVIDIA H200",
            ("gpu", "B200"): {
                "vendor": "nvidia",
                "product": "NVIDIA B200",
                "architecture": "sm_100",
                "formFactor": "X",
            },
            ("gpu", "Z9"): {"vendor": "acme", "product": "Acme Z9", "architecture": "z9", "formFactor": ""},
            ("gpu", "lost"): "no such card",
            ("provider", "MI300"): "MI300X",
        }
    )
    assert [facts(name, known) for name in ("lab card 7", "B200", "Z9", "lost", "MI300")] == [
        "nvidia | NVIDIA H200 | sm_90 | -",
        "nvidia | NVIDIA B200 | sm_100 | X",
        "acme | Acme Z9 | z9 | -",
        None,
        None,
    ]


def test_the_facts_given_are_the_callers_own() -> None:
    first = gpus.hardware("B200", NOTHING)
    assert first is not None
    first["product"] = "changed"
    assert facts("B200") == "nvidia | NVIDIA B200 | sm_100 | -"
