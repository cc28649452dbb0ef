"""What one attestation says, before it is kept: the fields of its form, read, and the digest of that content."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from registry.core import digest

TOOLKIT = "CUDA toolkit"  # to a verdict the same fact as the documents' cudaToolkit
NOWHERE, SAME, KNOWN, WRITTEN = "", "run", "known", "written"


@dataclass(frozen=True, slots=True)
class Offered:
    """What the form offers for one run: units of its metric, environments of its hardware, names of GPUs."""

    units: tuple[tuple[str, str], ...]
    unit: str
    environments: tuple[tuple[str, str], ...]
    gpus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One of `value` and `samples` at most. `place` says which of the fields after it counts: where it was measured.

    `statistic`, `n` and `deviation` are of a value that a file states in place of samples.
    """

    kind: str
    text: str
    value: str | None = None
    unit: str | None = None
    samples: tuple[Decimal, ...] = ()
    samples_from: str | None = None
    statistic: str | None = None
    n: int | None = None
    deviation: Decimal | None = None
    is_incorrect: bool = False
    relation: str = ""
    setup: str = ""
    place: str = NOWHERE
    environment: str | None = None
    gpu: str | None = None
    software: tuple[tuple[str, str], ...] = ()
    other: str | None = None
    evidence_url: str | None = None

    @property
    def is_measured(self) -> bool:
        return bool(self.value or self.samples or self.is_incorrect)


def content_digest(statement: Statement, run: str) -> str:
    """The digest of what is said of a run, as canonical JSON: equal content, equal digest, whoever says it."""
    stated: dict[str, Any] = {
        "run": run,
        "kind": statement.kind,
        "text": statement.text,
        "value": statement.value,
        "unit": statement.unit,
        "samples": [plain(sample) for sample in statement.samples] or None,
        "statistic": statement.statistic,
        "n": statement.n,
        "deviation": plain(statement.deviation) if statement.deviation is not None else None,
        "isIncorrect": statement.is_incorrect,
        "relation": statement.relation,
        "setup": statement.setup,
        "place": statement.place,
        "environment": statement.environment,
        "gpu": statement.gpu,
        "software": dict(statement.software),
        "other": statement.other,
        "evidenceUrl": statement.evidence_url,
    }
    said = {name: value for name, value in stated.items() if value not in (None, "", {}, False)}
    return digest.sha256(digest.canonical(said))


def plain(number: Decimal) -> str:
    """A decimal without exponent and without zeros that say nothing: 1E+2 is 100."""
    return f"{number.normalize():f}" if number else "0"
