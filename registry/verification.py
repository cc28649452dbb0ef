"""The nightly check: everything is derived anew, and what was found is kept for the public status page."""

import time
from datetime import datetime, timedelta

from registry.core.ids import uuid7
from registry.models import Verification
from registry.verifying import Difference
from registry.verifying import verify as derive_anew

FINDINGS_KEPT = 50


def verify(*, now: datetime) -> Verification:
    """Verify the registry and keep the result. Takes as long as the registry is large; holds no lock."""
    began = time.monotonic()
    report = derive_anew()
    return Verification.objects.create(
        id=uuid7(now, f"verification:{now.isoformat()}"),
        started_at=now,
        finished_at=now + timedelta(seconds=time.monotonic() - began),
        checked=report.rows,
        difference_count=len(report.differences),
        findings=[_told(difference) for difference in report.differences[:FINDINGS_KEPT]],
    )


def _told(difference: Difference) -> str:
    """Where and what, without the stored value: that may be the very text that a redaction took away."""
    place = " ".join(filter(None, (difference.table, difference.row, difference.column)))
    return f"{difference.check} {place}: {difference.text}"
