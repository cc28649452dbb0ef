"""Results that people bring from a tool: documents made of the file's facts and of their answers, nothing else."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from registry.core.digest import API_VERSION, document_text, sha256
from registry.core.located import MAX_INTEGER
from registry.core.reading import BUNDLE_LIMIT_SHELL, Reading, ReadingError, read
from registry.importers.answers import refused
from registry.importers.base import DocumentEntry, Entry, InputFile, Locate, RunEntry, Unreadable
from registry.importers.problems import Problem, Spec
from registry.importers.subject import INPUTS, Subject

FILE_LIMIT = BUNDLE_LIMIT_SHELL
_DECIMAL = re.compile(r"-?\d{1,30}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,3})?")


def text_of(file: InputFile) -> bytes:
    """The bytes of a tool's file, within the limit. Raises Unreadable."""
    try:
        with file.path.open("rb") as stream:
            data = stream.read(FILE_LIMIT + 1)
    except OSError as error:
        raise Unreadable(f"{file.name}: {error.strerror}") from error
    if len(data) > FILE_LIMIT:
        raise Unreadable(f"{file.name}: has more than {FILE_LIMIT:,} bytes")
    return data


def json_of(file: InputFile) -> Reading:
    """A tool's JSON. Raises Unreadable with the place of the first fault."""
    try:
        return read(text_of(file), syntax="json", limit=FILE_LIMIT)
    except ReadingError as error:
        raise Unreadable(f"{file.name}: {error}") from error


class NoRunError(ValueError):
    """One result gives no run. `path` is where in it, `reason` the code that it is reported by."""

    def __init__(self, reason: str, message: str, *path: str | int) -> None:
        super().__init__(message)
        self.reason, self.path = reason, path


@dataclass(frozen=True, slots=True)
class Measured:
    """One result: of which code, for which case, and what it says. `spec` has the run's timing or measurements."""

    implementation: str
    symbol: str | None
    axes: dict[str, int]
    scalars: dict[str, float]
    observed_at: str
    spec: Spec
    key: str
    flags: tuple[tuple[str, str], ...] = ()


class Bench:
    """All results of one operation by one tool; what they share is given once, before the first of them."""

    def __init__(self, subject: Subject, *, variables: tuple[str, ...], scalars: tuple[str, ...] = ()) -> None:
        if not (subject.inputs or scalars):
            raise refused(INPUTS.name, "an operation reads something, and the file has no scalars either")
        self.subject, self.scalars = subject, scalars
        self.problem = Problem(variables, subject.settled, subject.inputs, subject.outputs)
        self.given: set[str] = set()

    def run(self, measured: Measured, protocol: Spec, environment: Spec, locate: Locate) -> Iterator[Entry]:
        """Yield the documents of a result that were not given before, and its run. Raises NoRunError for a bad case."""
        shapes = self.problem.shapes(measured.axes)
        if shapes is None:
            raise NoRunError("AXIS", "the tensors' sizes do not follow from the axes " + ", ".join(measured.axes))
        case, implementation = self._case(measured, shapes), self._implementation(measured)
        for kind, made in (
            ("SoftwareProject", self._project()),
            ("OperationSpec", self._operation()),
            ("WorkloadCase", case),
            ("ImplementationRevision", implementation),
        ):
            if (told := f"{kind} {digest(made)}") not in self.given:
                self.given.add(told)
                project = self.subject.project if kind == "ImplementationRevision" else None
                yield DocumentEntry(kind, made, locate, project=project)
        spec: Spec = {
            "implementationDigest": digest(implementation),
            "workloadDigest": digest(case),
            "protocolDigest": digest(protocol),
            "environmentDigest": digest(environment),
            "observedAt": measured.observed_at,
            "status": "passed",
            **measured.spec,
        }
        name = kebab(f"{self.subject.operation}-{measured.implementation}-{measured.key}")
        yield RunEntry(
            document("BenchmarkRun", spec, {"name": name}),
            protocol,
            environment,
            locate,
            implementation=(self.subject.project, measured.implementation),
            flags=measured.flags,
        )

    def _project(self) -> Spec:
        spec: Spec = {"name": self.subject.project}
        if self.subject.repository:
            spec["repository"] = self.subject.repository
        return document("SoftwareProject", spec, {"name": self.subject.project})

    def _operation(self) -> Spec:
        scalars = [{"name": name, "scalar": {"dtype": "fp64"}} for name in self.scalars]
        spec: Spec = {
            "family": self.subject.family,
            "axes": self.problem.axes(),
            "inputs": [*(tensor.document() for tensor in self.problem.inputs), *scalars],
            "outputs": [tensor.document() for tensor in self.problem.outputs],
            "semantics": {"mutation": "none", "determinism": "unspecified"},
        }
        return document("OperationSpec", spec, {"name": self.subject.operation})

    def _case(self, measured: Measured, shapes: dict[str, list[int]]) -> Spec:
        spec: Spec = {
            "operationSpecDigest": digest(self._operation()),
            "axes": measured.axes,
            "tensors": {t.name: {"shape": shapes[t.name], "dtype": t.dtype} for t in self.problem.inputs},
            "correctness": {"comparator": "not_asserted"},
        }
        if measured.scalars:
            spec["scalars"] = {name: {"dtype": "fp64", "value": value} for name, value in measured.scalars.items()}
        sizes = "-".join(f"{name}{value}" for name, value in {**measured.axes, **measured.scalars}.items())
        return document("WorkloadCase", spec, {"name": kebab(f"{self.subject.operation}-{sizes}")})

    def _implementation(self, measured: Measured) -> Spec:
        about = self.subject
        revision = {"repository": about.repository, "commit": about.commit, "version": about.version}
        call = {"language": about.language, "symbol": measured.symbol}
        spec: Spec = {
            "projectRevision": {name: value for name, value in revision.items() if value},
            "operation": {"specDigest": digest(self._operation())},
            "callable": {name: value for name, value in call.items() if value},
            "support": {"hardwareArchitectures": [], "dtypes": []},
            "licensing": {"declared": about.licence} if about.licence else {},
        }
        return document("ImplementationRevision", spec, {"name": measured.implementation})


def document(kind: str, spec: Spec, metadata: Spec) -> Spec:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def digest(document: Spec) -> str:
    return sha256(document_text(str(document["kind"]), document["spec"]))


def environment(hardware: Mapping[str, str], software: Spec, settings: Spec | None = None) -> Spec:
    spec: Spec = {"hardware": dict(hardware), "software": software}
    name = " ".join(filter(None, (hardware["product"], hardware.get("formFactor"))))
    return document(
        "ExecutionEnvironment", spec | ({"settings": settings} if settings else {}), {"name": kebab(name) or "gpu"}
    )


def kebab(text: str) -> str:
    """Lower case, runs of other characters as one hyphen, trimmed, then cut to 100 characters (in that order)."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:100]


def is_number(text: str) -> bool:
    """Whether a text is a plain decimal below 2^53: no NaN, Infinity, hexadecimal or digit groups."""
    return _DECIMAL.fullmatch(text) is not None and abs(float(text)) < MAX_INTEGER


def nanoseconds(text: str, scale: int) -> int:
    """A decimal number of units of `scale` ns, half up. Raises ValueError for what is no positive number of ns."""
    if not is_number(text):
        raise ValueError(f"must be a number, got {text[:40]!r}")
    exact = Decimal(text) * scale
    if not 0 < exact < MAX_INTEGER:
        raise ValueError(f"must be over 0 and below 2^53 ns, got {text[:40]!r}")
    if not (rounded := int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))):
        raise ValueError(f"rounds to 0 ns: {text[:40]!r}")
    return rounded


def positive(text: str) -> float:
    """A plain decimal over 0. Raises ValueError."""
    if not is_number(text) or not float(text) > 0:
        raise ValueError(f"must be a number over 0 and below 2^53, got {text[:40]!r}")
    return float(text)
