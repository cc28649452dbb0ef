"""Staff's view of the registry: every table readable and searchable, facts never editable, corrections as actions."""

from registry.admin import (
    audit,
    checks,
    documents,
    groups,
    incidents,
    marks,
    names,
    notes,
    queue,
    runs,
    sources,
    syncs,
)

__all__ = [
    "audit", "checks", "documents", "groups", "incidents", "marks", "names", "notes", "queue", "runs", "sources",
    "syncs",
]  # fmt: skip
