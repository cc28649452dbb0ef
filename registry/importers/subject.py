"""What was measured, on what and when: the questions that every tool's file leaves open, and their answers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from registry.importers import gpus
from registry.importers.answers import Answers, commit, https, instant, refused, short, slug, token
from registry.importers.base import Known, Question
from registry.importers.problems import Spec, Tensor, settled_axes, tensors

OPERATION = Question("operation", "What is computed, as a slug", example="vector-add")
FAMILY = Question("family", "Which family of operations it belongs to, as a slug", example="elementwise")
INPUTS = Question("inputs", "The tensors that it reads, sizes by axis; or none", example="x: fp32[n]; y: fp32[n]")
OUTPUTS = Question("outputs", "The tensors that it writes", example="z: fp32[n]")
DTYPE = Question("dtype", "The dtype of the tensors that state none", example="fp32")
SETTLED = Question(
    "settled_axes", "Constant and derived axes, where shapes need them", example="heads = 16; half = n // 2"
)
PROJECT = Question("project", "The software project that the code belongs to, as a slug", example="triton-tutorials")
REPOSITORY = Question("repository", "Where its code is, an https address", example="https://github.com/owner/name")
COMMIT = Question("commit", "The commit that was measured, 40 hex digits")
RELEASE = Question("version", "The version that was measured", example="3.5.1")
LICENCE = Question("licence", "The code's licence as it declares it", example="MIT")
LANGUAGE = Question("language", "What the code is written in", example="triton")
IMPLEMENTATION = Question("implementation", "What the measured code is called, as a slug", example="vector-add-triton")
OBSERVED = Question("observed", "When it was measured: a date, or a time with its zone", example="2026-08-01T14:00:00Z")
GPU = Question("gpu", "The GPU as its driver names it", example="NVIDIA H100 80GB HBM3")
DRIVER = Question("driver", "The GPU driver's version", example="580.65")
CUDA = Question("cuda", "The CUDA toolkit's version", example="13.0")
NO_TIME_OF_DAY = ("TIME_ZONE_NOT_STATED", "Only the day of the measurement is known; shown as its first second in UTC.")

_UNTYPED = re.compile(r"(?:^|;)\s*[a-z][a-z0-9_]*\[")


@dataclass(frozen=True, slots=True)
class Subject:
    """What was measured, as the one who brings it says."""

    operation: str
    family: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    settled: Mapping[str, int | str]
    project: str
    repository: str | None
    commit: str | None
    version: str | None
    licence: str | None
    language: str


def subject(answers: Answers, *, language: str | None = None) -> Subject:
    """Ask what was measured. `language` where the tool itself settles it."""
    lines = [answers.maybe(question) for question in (INPUTS, OUTPUTS)]
    is_open = any(line is None or _UNTYPED.search(line) for line in lines)
    dtype = answers.read(DTYPE, token, is_needed=is_open)
    return Subject(
        operation=answers.read(OPERATION, slug) or "",
        family=answers.read(FAMILY, slug) or "",
        inputs=answers.read(INPUTS, lambda line: () if line == "none" else tensors(line, dtype or "float")) or (),
        outputs=answers.read(OUTPUTS, lambda line: tensors(line, dtype or "float")) or (),
        settled=answers.read(SETTLED, settled_axes, is_needed=False) or {},
        project=answers.read(PROJECT, slug) or "",
        repository=answers.read(REPOSITORY, https, is_needed=False),
        commit=answers.read(COMMIT, commit, is_needed=False),
        version=answers.read(RELEASE, short, is_needed=False),
        licence=answers.read(LICENCE, short, is_needed=False),
        language=language or answers.read(LANGUAGE, token) or "",
    )


def observed(answers: Answers) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Ask when it was measured; with the flag that a bare day brings."""
    at, is_exact = answers.read(OBSERVED, instant) or ("", True)
    return at, () if is_exact else (NO_TIME_OF_DAY,)


def hardware(answers: Answers, known: Known) -> dict[str, str]:
    """Ask for the GPU: a name that the table or people settled, or its facts in a companion file."""
    if facts := answers.mapping(GPU):
        stated = {member: facts.get(member) for member in gpus.MEMBERS if member in facts}
        if facts.keys() - set(gpus.MEMBERS) or not {"vendor", "product", "architecture"} <= stated.keys():
            raise refused("gpu", "must have vendor, product and architecture, perhaps formFactor, and nothing else")
        return {member: str(value) for member, value in stated.items()}
    name = answers.ask(GPU)
    found = gpus.hardware(name, known) if name else {}
    if found is None:
        raise refused("gpu", f"no GPU {name[:60]!r} is known; a companion file may state vendor, product, architecture")
    return found


def software(answers: Answers) -> Spec:
    """Versions that the one who brings it may state."""
    stated = {
        "driver": answers.read(DRIVER, short, is_needed=False),
        "cudaToolkit": answers.read(CUDA, short, is_needed=False),
    }
    return {name: value for name, value in stated.items() if value}
