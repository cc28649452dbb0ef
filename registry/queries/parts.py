"""The parts of a run's page that its documents alone decide: they never change, so they are built once and kept.

Kept by digest, for as many runs as KEPT, in each process. What a redaction blanks is part of the key, so a kept part
never outlives the bytes that it was made of.
"""

import json
from dataclasses import dataclass
from typing import Any

from registry.core import columns, comparability, measurement, naming, readable
from registry.core.source_metrics import Quoted, quoted
from registry.models import Run
from registry.queries import addresses
from registry.queries.kept import Kept
from registry.queries.shapes import Fact, Quantity, quantity

NOT_PUBLISHED = "not published by the source"
PASSED_WITHOUT_ERRORS = "Marked passed by the source; the correctness policy was not published."
DOCUMENTS = ("workload", "operation", "protocol", "environment__hardware", "implementation", "group")
KEPT = 500  # runs; some ten kilobytes each


@dataclass(frozen=True, slots=True)
class Measurement:
    metric: str
    statistic: str
    value: Quantity
    sample_count: int | None
    is_primary: bool


@dataclass(frozen=True, slots=True)
class Case:
    number: int
    axes: tuple[int | None, ...]
    external_id: str


@dataclass(frozen=True, slots=True)
class WorkloadPart:
    """What was computed: of a case its axes and tensors, of a suite the table of its cases."""

    facts: tuple[Fact, ...]
    tolerances: tuple[Fact, ...]
    case_axes: tuple[str, ...]
    cases: tuple[Case, ...]
    left_out_axes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Correctness:
    """Three separate facts: the source's word, the declared policy, the measured errors. None stands for another."""

    source_says: str
    declared: str
    is_asserted: bool
    measured: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A document whose canonical bytes can be downloaded; their sha256 is the digest."""

    name: str
    digest: str
    url: str


@dataclass(frozen=True, slots=True)
class RunParts:
    """What the documents of one run say, in the order of its page. `artifacts` is role -> (digest, uri)."""

    workload_label: str
    dtypes: str | None
    statistic_in_full: str | None
    labels: tuple[Fact, ...]
    authors: tuple[str, ...]
    observed_text: str
    profile: comparability.Profile
    source_metrics: tuple[Quoted, ...]
    correctness: Correctness
    workload_part: WorkloadPart
    measurements: tuple[Measurement, ...]
    protocol_facts: tuple[Fact, ...]
    protocol_family: str | None
    comparability_notes: str | None
    environment_facts: tuple[Fact, ...]
    artifacts: dict[str, tuple[str, str]]
    documents: tuple[DocumentLink, ...]
    manifest: str


_kept: Kept[RunParts] = Kept(KEPT)


def key_of(run: Any) -> tuple[Any, ...]:
    """What decides the parts: the run's digest, its implementation row, and which of its documents are redacted."""
    documents = (run.workload, run.operation, run.protocol, run.environment, run.implementation)
    return (run.digest, run.implementation_id, *(not document.name for document in documents))


def run_parts(run: Any) -> RunParts:
    """The parts of a run that queries.runs.find gave; its documents are loaded where they were not built before."""
    return _kept.get(key_of(run), lambda: _Building(Run.objects.select_related(*DOCUMENTS).get(pk=run.id)).parts())


class _Building:
    """Parses the documents of one run once, for all of its parts."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.spec = _spec(run.canonical)
        self.metadata = json.loads(run.metadata)
        self.workload = _spec(run.workload.canonical)
        self.operation = _spec(run.operation.canonical)
        self.protocol = _spec(run.protocol.canonical)
        self.environment = _spec(run.environment.canonical)

    def parts(self) -> RunParts:
        run = self.run
        environment = run.environment
        return RunParts(
            workload_label=self.workload_label(),
            dtypes=self.dtypes(),
            statistic_in_full=self.statistic_in_full(),
            labels=tuple(
                Fact(readable.humanised(name), name, value) for name, value in self.metadata.get("labels", {}).items()
            ),
            authors=self.authors(),
            observed_text=self.spec["observedAt"],
            profile=comparability.profile(self.spec),
            source_metrics=quoted(self.spec.get("sourceNative", {}).get("metrics", {})),
            correctness=self.correctness(),
            workload_part=workload_part(self.workload, self.operation, run.workload.is_suite),
            measurements=self.measurements(),
            protocol_facts=protocol_part(self.protocol, run.protocol.digest),
            protocol_family=family_of(self.protocol),
            comparability_notes=self.protocol.get("comparability", {}).get("notes"),
            environment_facts=environment_part(
                self.environment, environment.hardware.slug, environment.digest, environment.runner
            ),
            artifacts=columns.run_artifacts(self.spec),
            documents=self.documents(),
            manifest=self.manifest(),
        )

    def authors(self) -> tuple[str, ...]:
        """Whom the run's own metadata name, by name or GitHub login."""
        stated = (author.get("name") or author.get("github") for author in self.metadata.get("authors", ()))
        return tuple(name for name in stated if name)

    def workload_label(self) -> str:
        kind = "WorkloadSuite" if self.run.workload.is_suite else "WorkloadCase"
        if not self.workload or not self.operation:  # redacted, either of them
            return self.run.workload.label
        return naming.workload_label(kind, self.workload, self.operation)

    def dtypes(self) -> str | None:
        """A suite's label names no dtypes: the operation's tensors do."""
        if not self.run.workload.is_suite or not self.operation:
            return None
        tensors = {a["name"]: a["tensor"] for a in self.operation["inputs"] if "tensor" in a}
        return naming.dtype_label(tensors, self.operation) or None

    def statistic_in_full(self) -> str | None:
        if self.run.group.statistic is None:
            return None
        kind = "WorkloadSuite" if self.run.workload.is_suite else "WorkloadCase"
        return measurement.two_part_statistic(
            self.run.group.statistic, kind, self.run.workload.case_count, self.workload.get("aggregation")
        )

    def measurements(self) -> tuple[Measurement, ...]:
        primary = measurement.primary(self.spec)
        return tuple(
            Measurement(m.metric, m.statistic, quantity(m.value, m.unit), m.n, index == 0 and primary is not None)
            for index, m in enumerate(measurement.measurements(self.spec))
        )

    def correctness(self) -> Correctness:
        run = self.spec.get("correctness")
        if self.run.status != "passed":
            says = f"Marked {self.run.status.replace('_', ' ')} by the source."
        elif run is None:
            says = PASSED_WITHOUT_ERRORS
        else:
            says = f"Marked passed by the source, compared by {run['comparator']}."
        declared, is_asserted = _declared_policy(self.workload, self.protocol)
        keys = ("comparator", "maximumAbsoluteError", "maximumRelativeError", "matchedRatio")
        measured = tuple(
            Fact(readable.humanised(key), key, f"{run[key]:g}" if isinstance(run[key], int | float) else run[key])
            for key in keys
            if run and key in run
        )
        return Correctness(says, declared, is_asserted, measured)

    def documents(self) -> tuple[DocumentLink, ...]:
        run = self.run
        pages = (
            ("run", run.digest, addresses.run(run.digest)),
            ("protocol", run.protocol.digest, addresses.protocol(run.protocol.digest)),
            ("environment", run.environment.digest, addresses.environment(run.environment.digest)),
            ("workload", run.workload.digest, addresses.workload(run.workload.digest)),
            ("implementation", run.implementation.digest, addresses.implementation(run.implementation_id)),
            ("operation", run.operation.digest, addresses.operation(run.operation.slug)),
        )
        return tuple(DocumentLink(name, digest, addresses.canonical(page)) for name, digest, page in pages)

    def manifest(self) -> str:
        run = self.run
        documents = {
            name: {
                "apiVersion": document["apiVersion"],
                "kind": document["kind"],
                "metadata": metadata,
                "spec": document["spec"],
            }
            for name, row in (("run", run), ("protocol", run.protocol), ("environment", run.environment))
            if row.canonical
            for document, metadata in ((json.loads(row.canonical), json.loads(row.metadata)),)
        }
        return json.dumps(documents, indent=2, ensure_ascii=False)


def _spec(canonical: str) -> dict[str, Any]:
    return dict(json.loads(canonical)["spec"]) if canonical else {}


def _declared_policy(workload: dict[str, Any], protocol: dict[str, Any]) -> tuple[str, bool]:
    """What policy the workload and the protocol declare. A `not_asserted` comparator declares that nobody checked."""
    policy = workload.get("correctness", {})
    comparator = policy.get("comparator")
    stated = protocol.get("correctness")
    if comparator == "not_asserted":
        beside = f"the protocol states {stated['comparator']}" if stated else "the protocol states none"
        return f"the workload names no comparator, {beside}. Nobody has asserted that the output is right.", False
    description = policy.get("description")
    said = description.rstrip(".") if description else None
    told = f"{comparator}: {said[0].lower()}{said[1:]}" if said else f"{comparator}"
    against = f"; checked against {stated['reference']}" if stated else ""
    return f"{told}{against}", True


# --- parts that pages of documents share


def workload_part(spec: dict[str, Any], operation: dict[str, Any], is_suite: bool) -> WorkloadPart:
    if not spec or not operation:
        return WorkloadPart((Fact("workload", "spec", absent="redacted"),), (), (), (), ())
    order = naming.axis_order(operation)
    correctness = spec["correctness"]
    words = {"comparator": "definition comparator"}
    tolerances = tuple(
        Fact(words.get(key, readable.humanised(key)), key, value if isinstance(value, str) else f"{value:g}")
        for key, value in sorted(correctness.items(), key=lambda item: (item[0] != "comparator", item[0]))
    )
    if is_suite:
        stated = {axis for case in spec["cases"] for axis in case["axes"]}
        axes = tuple([a for a in order if a in stated] + sorted(stated - set(order)))
        cases = tuple(
            Case(number, tuple(case["axes"].get(axis) for axis in axes), case["externalId"])
            for number, case in enumerate(spec["cases"], start=1)
        )
        variable = {name for name, axis in operation["axes"].items() if axis["role"] == "variable"}
        return WorkloadPart((), tolerances, axes, cases, tuple(a for a in order if a in variable - stated))
    facts = [Fact(axis, axis, f"{spec['axes'][axis]:,}") for axis in order if axis in spec["axes"]]
    facts += [Fact(axis, axis, f"{value:,}") for axis, value in spec["axes"].items() if axis not in order]
    facts += [Fact(f"tensor {name}", name, tensor_text(tensor)) for name, tensor in spec["tensors"].items()]
    facts += [
        Fact(f"scalar {name}", name, f"{scalar['dtype']} {scalar['value']:g}")
        for name, scalar in spec.get("scalars", {}).items()
    ]
    return WorkloadPart(tuple(facts), tolerances, (), (), ())


def tensor_text(tensor: dict[str, Any]) -> str:
    """`bf16 [4096, 4096]`, then strides, alignment and how its data are made, where stated."""
    parts = [f"{tensor['dtype']} [{', '.join(map(str, tensor['shape']))}]"]
    if "layout" in tensor:
        parts.append(tensor["layout"])
    if "strides" in tensor:
        parts.append(f"strides [{', '.join(map(str, tensor['strides']))}]")
    if "alignmentBytes" in tensor:
        parts.append(f"aligned to {tensor['alignmentBytes']} B")
    if data := tensor.get("data"):
        seed = f", seed {data['seed']}" if "seed" in data else ""
        parts.append(f"data by {data['generator']}{seed}")
    return " · ".join(parts)


def protocol_family(canonical: str) -> str | None:
    """The comparability family that a protocol's canonical text states; a redacted one has none left."""
    return family_of(_spec(canonical))


def family_of(spec: dict[str, Any]) -> str | None:
    family: str | None = spec.get("comparability", {}).get("family")
    return family


def protocol_part(spec: dict[str, Any], digest: str) -> tuple[Fact, ...]:
    if not spec:
        return (Fact("protocol", "spec", absent="redacted"),)
    facts = [
        Fact(label, key, value.removeprefix("https://"), url=value)
        if isinstance(value, str) and value.startswith("https://")
        else Fact(label, key, value)
        for label, key, value in readable.protocol_facts(spec)
    ]
    return (*facts, _digest_fact("protocol digest", digest, addresses.protocol(digest)))


def environment_part(spec: dict[str, Any], hardware: str, digest: str, runner: str | None) -> tuple[Fact, ...]:
    if not spec:
        return (Fact("environment", "spec", absent="redacted"),)
    stated = spec["hardware"]
    architecture = stated["architecture"]
    gpu = f"{stated['product']} ({'architecture not stated' if architecture == 'unknown' else architecture})"
    facts = [Fact("gpu", "hardware.product", gpu, url=addresses.hardware(hardware))]
    if runner:
        facts.append(Fact("runner", "hardware.formFactor", runner))
    facts += [Fact(label, key, value) for label, key, value in readable.environment_facts(spec)]
    software = spec["software"]
    names = {"driver": "driver", "cudaToolkit": "CUDA toolkit", "framework": "framework"}
    absent = [word for key, word in names.items() if key not in software]
    if absent:
        facts.append(Fact("not stated", "software", absent=f"{_and(absent)} {NOT_PUBLISHED}"))
    return (*facts, _digest_fact("environment digest", digest, addresses.environment(digest)))


def _digest_fact(label: str, digest: str, url: str) -> Fact:
    return Fact(label, "digest", digest, url=url, is_code=True)


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
