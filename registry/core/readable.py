"""Specs as lists of facts: every field that a document states, under a label that a reader knows."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Leaf = tuple[str, str, Any]  # label, key as the document writes it, value

# Labels that differ from the humanised key, by dotted path inside the spec.
LABELS = {
    "harness.repository": "repository",
    "harness.commit": "commit",
    "correctness.reference": "correctness reference",
    "correctness.comparator": "comparator",
    "comparability.family": "comparability family",
    "hardware.memoryBytes": "memory",
    "software.cudaToolkit": "CUDA toolkit",
    "software.operatingSystem": "operating system",
    "settings.eccEnabled": "ECC enabled",
    "imageDigest": "image digest",
}
PROTOCOL_ORDER = (
    "harness.repository",
    "harness.commit",
    "measurement.timer",
    "measurement.synchronization",
    "measurement.compileIncluded",
    "measurement.setupIncluded",
    "measurement.warmupIterations",
    "measurement.warmupDuration",
    "measurement.measuredIterations",
    "measurement.samples",
    "measurement.inputRegeneration",
    "measurement.outlierPolicy",
    "measurement.primaryStatistic",
    "correctness.reference",
    "correctness.comparator",
    "devicePolicy.clocksLocked",
    "devicePolicy.powerLimitWatts",
    "devicePolicy.persistenceMode",
    "comparability.family",
)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a spec with its dotted path, in the document's order; a list is one leaf."""
    if isinstance(value, Mapping) and value:
        for key, member in value.items():
            yield from leaves(member, f"{path}.{key}" if path else key)
    elif value != {}:
        yield path, value


def protocol_facts(spec: Mapping[str, Any]) -> list[Leaf]:
    """The harness in one line, then every other field but the comparability notes, which stand in full elsewhere."""
    found = dict(leaves(spec))
    harness = " ".join(filter(None, (found.pop("harness.name"), found.pop("harness.version", None))))
    found.pop("comparability.notes", None)
    ordered = [path for path in PROTOCOL_ORDER if path in found]
    rest = [path for path in found if path not in PROTOCOL_ORDER]
    return [("harness", "harness", harness), *(_leaf(path, found[path]) for path in (*ordered, *rest))]


def environment_facts(spec: Mapping[str, Any]) -> list[Leaf]:
    """Form factor, count and the rest of the hardware, then software and settings; product and architecture lead."""
    found = dict(leaves(spec))
    for named in ("hardware.vendor", "hardware.product", "hardware.architecture"):
        found.pop(named)
    form = found.get("hardware.formFactor", "")
    if form.startswith("runner:"):
        del found["hardware.formFactor"]
    framework = " ".join(
        filter(None, (found.pop("software.framework.name", None), found.pop("software.framework.version", None)))
    )
    facts = [_leaf(path, value) for path, value in found.items()]
    return facts + ([("framework", "software.framework", framework)] if framework else [])


def _leaf(path: str, value: Any) -> Leaf:
    return LABELS.get(path) or humanised(path.rsplit(".", 1)[-1]), path, written(path, value)


def humanised(key: str) -> str:
    """`primaryStatistic` and `evaluation_stack` as words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key).replace("_", " ").lower()


def written(path: str, value: Any) -> str:
    """A leaf for reading: yes and no, counts with commas, memory in GiB, durations in their unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if path.endswith("memoryBytes"):
        return f"{value / 2**30:,.4g} GiB"
    if path.endswith("warmupDuration"):
        return f"{value:,} ns"
    if path.endswith("powerLimitWatts"):
        return f"{value:g} W"
    if isinstance(value, int | float):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
