"""Staff's view of the registry: every table readable and searchable, facts never editable, corrections as actions."""

from registry.admin import audit, documents, groups, marks, queue, runs, sources

__all__ = ["audit", "documents", "groups", "marks", "queue", "runs", "sources"]
