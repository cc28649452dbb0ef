"""Every act of staff leaves one event: who, what, on what, why."""

import uuid
from datetime import datetime
from typing import Any

from registry.core.ids import uuid7
from registry.models import AuditEvent


def record(
    action: str, target_kind: str, target: str, reason: str, actor: uuid.UUID | None, now: datetime,
    detail: dict[str, Any] | None = None,
) -> AuditEvent:  # fmt: skip
    """Append an event in the caller's transaction. `actor` None: the site itself."""
    return AuditEvent.objects.create(
        id=new_id(now),
        at=now,
        actor=actor,
        action=action,
        target_kind=target_kind,
        target=target,
        reason=reason,
        detail=detail or {},
    )


def record_denied(
    act: str, target_kind: str, target: str, actor: uuid.UUID, now: datetime, detail: dict[str, Any] | None = None
) -> AuditEvent:
    """Append that one of staff tried what they may not do. Nothing else is written, so it stands alone."""
    return record(f"denied: {act}"[:60], target_kind, target[:200], "", actor, now, detail)


def new_id(now: datetime) -> uuid.UUID:
    """Acts have no content to be named by: two equal ones in one millisecond are still two."""
    return uuid7(now, uuid.uuid4().hex)
