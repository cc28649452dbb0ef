"""From entries to finished rows: what an import would write and what it refuses, without writing anything.

An input is staged window by window. Of each, every entry is read on its own (reader); then what the registry holds
already is looked up (held); then all are resolved in the order of their dependence (documents, runs). ingest.py writes
the Plan that comes of it before the next window is staged.
"""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from registry.importers.base import Entry, SourceEntry
from registry.staging.account import Account, Correction, Unmapped, Vanished
from registry.staging.documents import Documents
from registry.staging.held import Held
from registry.staging.keys import Keys
from registry.staging.plan import MARKED_AT_THE_DOOR, MARKED_BY_SOURCE, Plan, Snapshots, sighting_id
from registry.staging.reader import Reader
from registry.staging.runs import Runs

__all__ = [
    "MARKED_AT_THE_DOOR",
    "MARKED_BY_SOURCE",
    "Account",
    "Correction",
    "Plan",
    "Staging",
    "Unmapped",
    "Vanished",
    "sighting_id",
]


class Staging:
    """One import's way from entries to plans. `source` is where runs belong that name none.

    With `is_own_data` (a bundle) an incoherent run is refused; else it is an upstream's own publication, and is taken,
    flagged and left unranked.
    """

    def __init__(
        self,
        *,
        source: SourceEntry,
        snapshot_id: UUID,
        snapshot_of: Mapping[str, UUID] | None = None,
        now: datetime,
        is_own_data: bool,
    ) -> None:
        self.account = Account()
        self.reader = Reader(self.account)
        self.held = Held(Snapshots(snapshot_id, snapshot_of or {}))
        self.documents = Documents(self.reader, self.held, now=now, is_own_data=is_own_data)
        self.runs = Runs(self.documents, source=source)
        self.keys = None if is_own_data else Keys(self.account, self.held, source, snapshot_of or {})

    def take(self, entry: Entry) -> None:
        self.reader.take(entry)

    @property
    def is_full(self) -> bool:
        """Whether what was taken is a whole window. What it holds can be resolved with what came before it alone."""
        return self.reader.is_full

    def plan(self) -> Plan:
        """Read and resolve what was taken, and begin the next window."""
        plan = Plan(sources=self.reader.sources)
        self.held.look_up_plain(self.reader.plain_digests())
        self.reader.read(self.held.is_held)
        self.held.look_up(self.reader)
        self.documents.resolve(plan)
        self.runs.resolve(plan)
        if self.keys:
            self.keys.compare(self.reader, {run["id"] for run in plan.runs})
        self.reader.start()
        return plan

    def forget(self) -> None:
        """Let go of what is written, and so can be looked up again."""
        for part in (self.held, self.documents, self.runs):
            part.forget()

    def conclude(self) -> Plan:
        """What the whole input says of several runs at once; and the account of what it changes."""
        plan = Plan(sources=self.reader.sources)
        self.runs.conclude(plan)
        if self.keys:
            self.keys.conclude()
        return plan
