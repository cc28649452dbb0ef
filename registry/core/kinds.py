"""The document kinds of `kernelindex.dev/v1alpha1`: fields, types, limits, and the one way from a value to a Manifest.

Every object is closed. A field is absent or has a value; there are no nulls and no defaults, as either would give one
fact two digests. docs/manifest.md says the same for readers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic needs this one below Python 3.12

from registry.core.digest import API_VERSION
from registry.core.faults import Fault, KindError, faults_of
from registry.core.fields import (
    AS_SET,
    EXPRESSION,
    Commit,
    Count,
    CountFromZero,
    Digest,
    Dimension,
    Duration,
    Flag,
    HttpsUrl,
    Instant,
    Integer,
    Name,
    Number,
    NumberFromZero,
    PositiveNumber,
    Ratio,
    Slug,
    Text50,
    Text100,
    Text200,
    Text500,
    Text1000,
    Text2000,
    Token,
    instant,
    text,
)
from registry.core.located import shown, type_name

__all__ = [
    "KERNEL_KINDS",
    "SERVING_KINDS",
    "Fault",
    "KindError",
    "Manifest",
    "NotIndexed",
    "instant",
    "json_schema",
    "parse",
]


class Closed(TypedDict):
    """An object in which an unknown field is an error."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)  # type: ignore[misc]


class Artifact(Closed):
    uri: Text2000
    digest: Digest


# Metadata: editorial, never hashed


class Author(Closed):
    name: NotRequired[Text200]
    github: NotRequired[Text100]


class SourceRef(Closed):
    url: HttpsUrl


class Metadata(Closed):
    name: Name
    title: NotRequired[Text200]
    description: NotRequired[Text2000]
    labels: NotRequired[dict[Token, Text200]]
    authors: NotRequired[list[Author]]
    sourceRefs: NotRequired[list[SourceRef]]


# OperationSpec: what is computed


class _Axis(Closed):
    role: Literal["variable", "constant", "derived"]
    type: Literal["integer"]
    value: NotRequired[Integer]
    minimum: NotRequired[Integer]
    maximum: NotRequired[Integer]
    expression: NotRequired[Annotated[str, text(200, EXPRESSION)]]


def _axis(axis: _Axis) -> _Axis:
    if axis["role"] == "constant" and "value" not in axis:
        raise ValueError("a constant axis needs its value")
    if axis["role"] == "derived" and "expression" not in axis:
        raise ValueError("a derived axis needs its expression")
    return axis


def _role_needs(role: str, field: str) -> dict[str, object]:
    return {"if": {"properties": {"role": {"const": role}}}, "then": {"required": [field]}}


Axis = Annotated[
    _Axis,
    AfterValidator(_axis),
    Field(json_schema_extra={"allOf": [_role_needs("constant", "value"), _role_needs("derived", "expression")]}),
]


class TensorSpec(Closed):
    shape: Annotated[list[Dimension], Field(min_length=1)]
    dtype: Token
    layout: NotRequired[Literal["row_major", "col_major", "contiguous", "strided"]]


class ScalarSpec(Closed):
    dtype: Token


class _Argument(Closed):
    name: Token
    tensor: NotRequired[TensorSpec]
    scalar: NotRequired[ScalarSpec]


def _argument(argument: _Argument) -> _Argument:
    if ("tensor" in argument) == ("scalar" in argument):
        raise ValueError("must have exactly one of tensor and scalar")
    return argument


Argument = Annotated[
    _Argument,
    AfterValidator(_argument),
    Field(json_schema_extra={"oneOf": [{"required": ["tensor"]}, {"required": ["scalar"]}]}),
]


class Semantics(Closed):
    expression: NotRequired[Text2000]
    mutation: Literal["none", "in_place", "destination"]
    determinism: Literal["deterministic", "nondeterministic", "unspecified"]


class Reference(Closed):
    language: Token
    artifact: NotRequired[Artifact]


class OperationSpec(Closed):
    family: Slug
    axes: dict[Token, Axis]
    inputs: Annotated[list[Argument], Field(min_length=1)]
    outputs: Annotated[list[Argument], Field(min_length=1)]
    semantics: Semantics
    reference: NotRequired[Reference]


# WorkloadCase: one exact configuration


class TensorData(Closed):
    generator: Token
    seed: NotRequired[CountFromZero]
    parameters: NotRequired[dict[Token, Number]]
    artifact: NotRequired[Artifact]


class Tensor(Closed):
    shape: Annotated[list[CountFromZero], Field(min_length=1)]
    dtype: Token
    strides: NotRequired[list[Integer]]
    alignmentBytes: NotRequired[Count]
    data: NotRequired[TensorData]


class Scalar(Closed):
    dtype: Token
    value: Number


NonFinitePolicy = Literal["reject", "exact_match", "ignore"]


class CaseCorrectness(Closed):
    comparator: Token
    maxAbsoluteError: NotRequired[NumberFromZero]
    maxRelativeError: NotRequired[NumberFromZero]
    requiredMatchedRatio: NotRequired[Ratio]
    nanPolicy: NotRequired[NonFinitePolicy]
    infinityPolicy: NotRequired[NonFinitePolicy]


class WorkloadCase(Closed):
    operationSpecDigest: Digest
    axes: dict[Token, Integer]
    tensors: dict[Token, Tensor]
    scalars: NotRequired[dict[Token, Scalar]]
    correctness: CaseCorrectness


# WorkloadSuite: a closed, ordered list of cases with one published aggregate


class SuiteCase(Closed):
    externalId: Text200
    axes: dict[Token, Integer]


class SuiteCorrectness(Closed):
    comparator: Token
    description: NotRequired[Text500]


class Aggregation(Closed):
    metric: Token
    statistic: Token


class WorkloadSuite(Closed):
    operationSpecDigest: Digest
    cases: Annotated[list[SuiteCase], Field(min_length=1)]
    correctness: SuiteCorrectness
    aggregation: Aggregation


# SoftwareProject


class Host(Closed):
    kind: Literal["github", "huggingface", "gitlab", "other"]
    id: Text200


class Package(Closed):
    ecosystem: Token
    name: Text200


class SoftwareProject(Closed):
    name: Text200
    kind: NotRequired[Literal["library", "individual", "vendor"]]
    repository: NotRequired[HttpsUrl]
    homepage: NotRequired[HttpsUrl]
    host: NotRequired[Host]
    packages: NotRequired[list[Package]]


# ImplementationRevision: a callable at a revision


class ProjectRevision(Closed):
    repository: NotRequired[HttpsUrl]
    commit: NotRequired[Commit]
    version: NotRequired[Text100]
    treeDigest: NotRequired[Digest]


class OperationRef(Closed):
    specDigest: Digest


class Callable(Closed):
    language: Token
    path: NotRequired[Text500]
    symbol: NotRequired[Text200]
    interface: NotRequired[Token]


class Support(Closed):
    hardwareArchitectures: Annotated[list[Token], AS_SET]
    dtypes: Annotated[list[Token], AS_SET]
    productsTested: NotRequired[Annotated[list[Text100], AS_SET]]
    axes: NotRequired[Annotated[list[Text200], AS_SET]]
    layouts: NotRequired[Annotated[list[Text50], AS_SET]]


class MirroredSource(Closed):
    contentDigest: Digest
    fileName: NotRequired[Text200]
    sizeBytes: NotRequired[Count]


class Install(Closed):
    kind: Literal["git", "pip", "package", "container", "source"]
    repository: NotRequired[HttpsUrl]
    commit: NotRequired[Commit]
    package: NotRequired[Text200]
    version: NotRequired[Text100]
    command: NotRequired[Text1000]


class BuildVariant(Closed):
    name: Name
    install: Install
    requirements: NotRequired[dict[Token, Text200]]


class LicenseEvidence(Closed):
    path: Text500
    digest: NotRequired[Digest]


class Licensing(Closed):
    declared: NotRequired[Text200]
    concluded: NotRequired[Text200]
    evidence: NotRequired[LicenseEvidence]


class ImplementationRevision(Closed):
    projectRevision: ProjectRevision
    operation: OperationRef
    callable: Callable
    support: Support
    source: NotRequired[MirroredSource]
    buildVariants: NotRequired[list[BuildVariant]]
    licensing: Licensing


# BenchmarkProtocol: how it is measured; absent means that the source did not say


class Harness(Closed):
    name: Text200
    version: NotRequired[Text100]
    repository: NotRequired[HttpsUrl]
    commit: NotRequired[Commit]


class MeasurementPolicy(Closed):
    timer: Token
    primaryStatistic: Token
    synchronization: NotRequired[Token]
    compileIncluded: NotRequired[Flag]
    setupIncluded: NotRequired[Flag]
    warmupIterations: NotRequired[CountFromZero]
    warmupDuration: NotRequired[Duration]
    measuredIterations: NotRequired[Count]
    samples: NotRequired[Count]
    inputRegeneration: NotRequired[Token]
    outlierPolicy: NotRequired[Text500]


class ProtocolCorrectness(Closed):
    reference: Text500
    comparator: Token


class DevicePolicy(Closed):
    clocksLocked: NotRequired[Flag]
    powerLimitWatts: NotRequired[PositiveNumber]
    persistenceMode: NotRequired[Flag]


class Comparability(Closed):
    family: Token
    notes: NotRequired[Text1000]


class BenchmarkProtocol(Closed):
    harness: Harness
    measurement: MeasurementPolicy
    correctness: NotRequired[ProtocolCorrectness]
    devicePolicy: NotRequired[DevicePolicy]
    comparability: NotRequired[Comparability]


# ExecutionEnvironment: where it is measured


class Hardware(Closed):
    vendor: Token
    product: Text200
    architecture: Token
    formFactor: NotRequired[Text100]
    memoryBytes: NotRequired[Count]
    count: NotRequired[Count]
    interconnect: NotRequired[Text200]


class Framework(Closed):
    name: Token
    version: Text100


class Software(Closed):
    operatingSystem: NotRequired[Text200]
    kernel: NotRequired[Text200]
    driver: NotRequired[Text100]
    cudaToolkit: NotRequired[Text100]
    compiler: NotRequired[Text200]
    framework: NotRequired[Framework]
    libraries: NotRequired[dict[Token, Text100]]


class Settings(Closed):
    clocksLocked: NotRequired[Flag]
    persistenceMode: NotRequired[Flag]
    eccEnabled: NotRequired[Flag]
    powerLimitWatts: NotRequired[PositiveNumber]
    environmentVariables: NotRequired[dict[Text200, Text500]]


class ExecutionEnvironment(Closed):
    hardware: Hardware
    software: Software
    settings: NotRequired[Settings]
    imageDigest: NotRequired[Digest]


# BenchmarkRun: what was observed

Status = Literal[
    "passed",
    "incorrect_shape",
    "incorrect_dtype",
    "incorrect_numerical",
    "compile_error",
    "runtime_error",
    "timeout",
    "resource_exceeded",
    "invalid_reference",
    "policy_violation",
    "suspected_reward_hack",
    "incomplete_evidence",
    "revoked",
]


class RunCorrectness(Closed):
    comparator: Token
    maximumAbsoluteError: NotRequired[NumberFromZero]
    maximumRelativeError: NotRequired[NumberFromZero]
    matchedRatio: NotRequired[Ratio]


class _Latency(Closed):
    median: NotRequired[Duration]
    mean: NotRequired[Duration]
    p05: NotRequired[Duration]
    p95: NotRequired[Duration]
    minimum: NotRequired[Duration]
    maximum: NotRequired[Duration]
    mad: NotRequired[Duration]
    confidence95: NotRequired[Annotated[list[Duration], Field(min_length=2, max_length=2)]]


def _latency(latency: _Latency) -> _Latency:
    if "median" not in latency and "mean" not in latency:
        raise ValueError("must have at least one of median and mean")
    return latency


Latency = Annotated[
    _Latency,
    AfterValidator(_latency),
    Field(json_schema_extra={"anyOf": [{"required": ["median"]}, {"required": ["mean"]}]}),
]


class Timing(Closed):
    primaryStatistic: Token
    samples: NotRequired[Count]
    latencyNs: Latency
    rawSamples: NotRequired[Artifact]


class Measurement(Closed):
    metric: Token
    unit: Token
    statistic: Token
    value: Number
    sampleCount: NotRequired[Count]


class SourceNative(Closed):
    source: Slug
    benchmark: NotRequired[Text200]
    externalId: NotRequired[Text500]
    metrics: NotRequired[dict[Token, Number]]


class EvidenceHarness(Closed):
    repository: HttpsUrl
    commit: Commit


class Evidence(Closed):
    logs: NotRequired[Artifact]
    rawSamples: NotRequired[Artifact]
    harness: NotRequired[EvidenceHarness]


class BenchmarkRun(Closed):
    implementationDigest: Digest
    workloadDigest: Digest
    protocolDigest: Digest
    environmentDigest: Digest
    observedAt: Instant
    status: Status
    correctness: NotRequired[RunCorrectness]
    timing: NotRequired[Timing]
    measurements: NotRequired[list[Measurement]]
    sourceNative: NotRequired[SourceNative]
    evidence: NotRequired[Evidence]


_SPECS: dict[str, Any] = {
    "OperationSpec": OperationSpec,
    "WorkloadCase": WorkloadCase,
    "WorkloadSuite": WorkloadSuite,
    "SoftwareProject": SoftwareProject,
    "ImplementationRevision": ImplementationRevision,
    "BenchmarkProtocol": BenchmarkProtocol,
    "ExecutionEnvironment": ExecutionEnvironment,
    "BenchmarkRun": BenchmarkRun,
}
KERNEL_KINDS = tuple(_SPECS)
SERVING_KINDS = (
    "ModelRevision",
    "ServingStackRevision",
    "ServingConfiguration",
    "ServingWorkload",
    "ServingRun",
)


def _document(kind: str, spec: Any) -> TypeAdapter[dict[str, Any]]:
    make: Any = TypedDict  # mypy reads only literal calls of it
    document = make(
        kind, {"apiVersion": Literal[API_VERSION], "kind": Literal[kind], "metadata": Metadata, "spec": spec}
    )
    document.__pydantic_config__ = ConfigDict(extra="forbid", strict=True)
    return TypeAdapter(document)


_DOCUMENTS = {kind: _document(kind, spec) for kind, spec in _SPECS.items()}


class NotIndexed(KindError):  # a known kind that this index does not take, counted apart from errors
    """A document of a serving kind: recognised, and skipped for that reason."""

    def __init__(self, kind: str) -> None:
        super().__init__([Fault(("kind",), f"{kind} is a serving kind; this index takes kernel kinds only")])
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Manifest:
    """A valid document. `spec` is normalised, ready for its digest: durations are integer nanoseconds and the lists of
    `support` sorted sets; all else stands as it was written, and what was absent is absent."""

    kind: str
    spec: dict[str, Any]
    metadata: dict[str, Any]


def parse(value: object, *, kind: str | None = None) -> Manifest:
    """Take a value that was read as a document, of this kind where one is given.

    Raises KindError with every fault at once, NotIndexed for a serving kind.
    """
    stated = _stated_kind(value, kind)
    try:
        document = _DOCUMENTS[stated].validate_python(value)
    except ValidationError as error:
        raise KindError(faults_of(error)) from error
    return Manifest(stated, document["spec"], document["metadata"])


def json_schema(kind: str) -> dict[str, Any]:
    """Give the published JSON Schema (2020-12) of one kernel kind's whole document."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_DOCUMENTS[kind].json_schema()}


def _stated_kind(value: object, wanted: str | None) -> str:
    """Find by which kind to judge a document; without one there is nothing to compare its fields with."""
    if not isinstance(value, dict):
        raise KindError([Fault((), f"a document must be an object, got {type_name(value)}")])
    document = cast("Mapping[str, object]", value)
    stated = document.get("kind", wanted)
    if isinstance(stated, str) and stated in SERVING_KINDS:
        raise NotIndexed(stated)
    if wanted is not None:
        return wanted
    if "kind" not in document:
        raise KindError([Fault(("kind",), "is required")])
    if not isinstance(stated, str):
        raise KindError([Fault(("kind",), f"must be a string, got {type_name(stated)}")])
    if stated not in KERNEL_KINDS:
        raise KindError([Fault(("kind",), f"unknown kind {shown(stated)}; known are {', '.join(KERNEL_KINDS)}")])
    return stated
