"""What stands in the place of words that two of staff removed."""

import uuid
from collections.abc import Iterable
from typing import Any

from registry.models import Redaction


def removals(rows: Iterable[Any]) -> dict[uuid.UUID, str]:
    """Of these rows of one table those whose text was removed, with what to show. No query where all have a text."""
    blank = [row for row in rows if not row.text]
    if not blank:
        return {}
    found = Redaction.objects.select_related("request").filter(
        target_table=blank[0]._meta.db_table, target_id__in=[row.pk for row in blank]
    )
    return {
        redaction.target_id: f"Removed on {redaction.at:%Y-%m-%d}: {redaction.request.get_reason_class_display()}."
        for redaction in found
    }
