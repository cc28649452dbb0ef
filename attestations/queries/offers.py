"""What the form of an attestation offers for one run, and how a kept wording fills it in."""

from typing import Any

from attestations.core import statements
from attestations.core.statements import TOOLKIT, Offered
from attestations.core.units import DIMENSIONS
from attestations.models import AttestationVersion
from registry.core import measurement
from registry.models import Environment, Hardware
from registry.queries.shapes import quantity

MOST_ENVIRONMENTS = 200
COLUMNS = {"driver": "driver", TOOLKIT: "toolkit"}


def offered(run: Any) -> Offered:
    """For a run of registry.queries.runs.find, or its row with group and environment. Two queries."""
    unit = run.group.unit if run.group.metric else None
    environments = (
        Environment.objects.filter(hardware=run.environment.hardware_id)
        .exclude(pk=run.environment_id)
        .exclude(name="")
        .order_by("label", "digest")
        .values_list("digest", "label")[:MOST_ENVIRONMENTS]
    )
    return Offered(
        units=_units(unit) if unit else (),
        unit=_shown_unit(run) if unit else "",
        environments=tuple((digest, f"{label} ({digest[:19]}…)") for digest, label in environments),
        gpus=tuple(Hardware.objects.order_by("name").values_list("name", flat=True)),
    )


def _units(unit: str) -> tuple[tuple[str, str], ...]:
    """Token and word of the units that the claim's converts to, each word once."""
    tokens = next((tokens for tokens in DIMENSIONS.values() if unit in tokens), {unit: 1})
    words = {measurement.unit_word(token): token for token in tokens}
    return tuple((token, word) for word, token in words.items())


def _shown_unit(run: Any) -> str:
    """The unit in which the claim is read, where the form has it: most people write theirs in the same."""
    shown = quantity(run.value, run.group.unit).display_unit if run.value is not None else run.group.unit
    return next((token for token, word in _units(run.group.unit) if word == shown), run.group.unit)


def filled_by(row: AttestationVersion, run: Any) -> dict[str, Any]:
    """The fields of the form as a kept wording has them."""
    software = dict(row.software)
    is_written = row.environment_id is None and bool(software or row.hardware_id or row.environment_text)
    place = statements.SAME if row.environment_id == run.environment_id else statements.KNOWN
    at = {"place": place, "environment_digest": row.environment.digest} if row.environment else {}
    if place == statements.SAME and row.environment:
        at = {"place": place}
    if is_written:
        frame = next(((name, version) for name, version in software.items() if name not in COLUMNS), None)
        at = {
            "place": statements.WRITTEN,
            "gpu": row.hardware.name if row.hardware else "",
            "framework": " ".join(frame) if frame else "",
            "other": row.environment_text or "",
            **{field: software.get(name, "") for name, field in COLUMNS.items()},
        }
    return {
        "kind": row.attestation.kind,
        "text": row.text,
        "value": row.value or "",
        "unit": row.unit,
        "samples": row.samples or "",
        "is_incorrect": row.is_incorrect,
        "relation": row.relation,
        "setup": row.setup,
        "evidence_url": row.evidence_url or "",
        **at,
    }
