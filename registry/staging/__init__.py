"""From entries to finished rows: what an import would write and what it refuses, without writing anything.

First every entry is read on its own (reader); then what the registry holds already is looked up (held); then all are
resolved in the order of their dependence (documents, runs). ingest.py writes the Plan that comes of it.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from uuid import UUID

from registry.importers.base import Entry, SourceEntry
from registry.staging.documents import Documents
from registry.staging.held import Held
from registry.staging.plan import MARKED_AT_THE_DOOR, MARKED_BY_SOURCE, Plan, Snapshots, sighting_id
from registry.staging.reader import Reader
from registry.staging.runs import Runs

__all__ = ["MARKED_AT_THE_DOOR", "MARKED_BY_SOURCE", "Plan", "sighting_id", "stage"]


def stage(
    entries: Iterable[Entry],
    *,
    source: SourceEntry,
    snapshot_id: UUID,
    snapshot_of: Mapping[str, UUID] | None = None,
    now: datetime,
    is_own_data: bool,
    progress: Callable[[int], None] = lambda count: None,
) -> Plan:
    """Read and resolve everything. `source` is where runs belong that name none.

    With `is_own_data` (a bundle) an incoherent run is refused; else it is an upstream's own publication, and is taken,
    flagged and left unranked.
    """
    reader = Reader()
    for count, entry in enumerate(entries, start=1):
        reader.take(entry)
        progress(count)
    held = Held(reader, Snapshots(snapshot_id, snapshot_of or {}))
    documents = Documents(reader, held, now=now, is_own_data=is_own_data)
    documents.resolve()
    Runs(documents, source=source).resolve()
    return reader.plan
