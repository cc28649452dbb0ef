"""What tests of attestations share: statements, kept ones, posted forms."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from attestations import attesting
from attestations.core.statements import Statement
from attestations.models import Attestation, Kind
from attestations.profiles import actor_of
from registry.models import Run
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import LIGER


def statement(**fields: Any) -> Statement:
    """A comparable single value of 127.4 µs on the claim's own environment, unless told otherwise."""
    base: dict[str, Any] = {
        "kind": Kind.REPRODUCED.value, "text": "Same card and shapes, clocks not locked.", "value": "127.4",
        "unit": "us", "setup": "as_published", "relation": "independent", "place": "run",
    }  # fmt: skip
    return Statement(**(base | fields))


def sampled(values: Iterable[float], **fields: Any) -> Statement:
    samples = tuple(Decimal(str(value)) for value in values)
    read: dict[str, Any] = {"value": None, "samples": samples, "samples_from": "one number a line"}
    return statement(**(read | fields))


def note(text: str = "The row carries no torch version.", **fields: Any) -> Statement:
    return Statement(kind=Kind.ENVIRONMENT_NOTE.value, text=text, **fields)


def kept(user: Any, said: Statement | None = None, *, run: str = LIGER, now: datetime = NOW) -> Attestation:
    return attesting.attest(
        run=Run.objects.get(digest=run), actor=actor_of(user), statement=said or statement(), now=now
    )


def crowd(count: int, *, run: str = LIGER) -> list[Attestation]:
    """So many members, one attestation each, of every kind and verdict in turn, a minute apart."""
    kinds = list(Kind)
    values = ("127.4", "141.0", "110.0", None)
    made = []
    for number in range(count):
        value = values[number % len(values)]
        said = statement(kind=kinds[number % len(kinds)].value, value=value, unit="us" if value else None)
        made.append(kept(member(f"crowd-{number}"), said, run=run, now=NOW + timedelta(minutes=number)))
    return made


def posted(**fields: Any) -> dict[str, Any]:
    """What a browser sends of a filled form; None leaves a field out."""
    base = {
        "kind": "reproduced", "text": "Same card and shapes.", "value": "127.4", "unit": "us", "samples": "",
        "column": "", "setup": "as_published", "relation": "independent", "place": "run", "environment": "",
        "environment_digest": "", "gpu": "", "driver": "", "toolkit": "", "framework": "", "other": "",
        "evidence_url": "", "action": "send",
    }  # fmt: skip
    return {name: value for name, value in (base | fields).items() if value is not None}
