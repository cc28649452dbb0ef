"""Rows of statements as a test needs them, whatever the act would say."""

import uuid
from datetime import datetime
from typing import Any

from attestations.models import Attestation, AttestationVersion
from attestations.profiles import actor_of
from registry.models import Run
from tests.conftest import NOW


def attested(
    user: Any, run: Run, *, kind: str = "reproduced", verdict: str | None = "agrees", at: datetime = NOW,
    text: str = "As published.", **head: Any,
) -> AttestationVersion:  # fmt: skip
    """One attestation in its first wording."""
    made = Attestation.objects.create(id=uuid.uuid4(), run=run, actor=actor_of(user), kind=kind, at=at, **head)
    return AttestationVersion.objects.create(
        id=uuid.uuid4(), attestation=made, number=1, at=at, digest=f"sha256:{uuid.uuid4().hex * 2}", text=text,
        verdict=verdict, is_comparable=verdict is not None,
    )  # fmt: skip
