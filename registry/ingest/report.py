"""What an import tells of itself: counts of everything read, what became of it, and the first of what needs telling."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from registry.importers.base import Pending, Rejected
from registry.staging import Account, Correction, Unmapped, Vanished

SHOWN_PLACES = 20
CHANGES = ("new", "known", "corrected", "remeasured", "vanished", "flagged")


@dataclass(slots=True)
class IngestReport:
    """What was read, and what became of it. Counts are by document kind, rejections by reason.

    Counts are whole. The lists hold the first ten thousand of their kind: `rejected`, `pending`, `metadata_differs`,
    `corrections`, `vanished`. `changes` are counts of rows against what is published.
    """

    source: str
    snapshot: str
    is_dry_run: bool
    account: Account
    groups_touched: int = 0
    batches: int = 0

    @property
    def read(self) -> dict[str, int]:
        return dict(self.account.read)

    @property
    def new(self) -> dict[str, int]:
        return dict(self.account.new)

    @property
    def known(self) -> dict[str, int]:
        return dict(self.account.known)

    @property
    def flagged(self) -> dict[str, int]:
        return dict(self.account.flagged)

    @property
    def skipped(self) -> dict[str, int]:
        return dict(self.account.skipped)

    @property
    def rejected(self) -> list[Rejected]:
        return self.account.rejected

    @property
    def rejected_by_reason(self) -> dict[str, int]:
        return dict(self.account.rejected_by_reason.most_common())

    @property
    def rejected_count(self) -> int:
        return self.account.rejected_by_reason.total()

    @property
    def pending(self) -> list[Pending]:
        return self.account.pending

    @property
    def unmapped(self) -> list[Unmapped]:
        """The names that rows wait for, each with how many do and the first of them."""
        return list(self.account.unmapped.values())

    @property
    def metadata_differs(self) -> list[str]:
        return self.account.metadata_differs

    @property
    def changes(self) -> dict[str, int]:
        """Runs of the input against what is published: new, known, corrected, remeasured, flagged (known ones), and
        vanished where there is an earlier reading to say so of. Nothing for bundles, which bring what they bring."""
        counts = self.account.changes
        return {name: counts[name] for name in CHANGES if name in counts or (counts and name != "vanished")}

    @property
    def share_changed(self) -> float | None:
        """How much of what was published is corrected or gone; None where nothing was."""
        counts = self.account.changes
        before = counts["known"] + counts["corrected"] + counts["vanished"]
        return (counts["corrected"] + counts["vanished"]) / before if before else None

    @property
    def corrections(self) -> list[Correction]:
        return self.account.corrections

    @property
    def vanished(self) -> list[Vanished]:
        return self.account.vanished

    @property
    def has_changes(self) -> bool:
        return bool(self.batches)

    def as_json(self) -> dict[str, Any]:
        """The report for programs; places are given for the first ten thousand rejections."""
        return {
            "source": self.source,
            "snapshot": self.snapshot,
            "dry_run": self.is_dry_run,
            "read": self.read,
            "new": self.new,
            "known": self.known,
            "flagged": self.flagged,
            "not_indexed": self.skipped,
            "rejected": self.rejected_by_reason,
            "rejections": [
                {
                    "reason": r.reason,
                    "file": r.place.file,
                    "line": r.place.line,
                    "path": r.place.path,
                    "text": r.message,
                }
                for r in self.rejected
            ],
            "rejections_listed": len(self.rejected),
            "pending": self.account.pending_count,
            "unmapped": [{"kind": u.kind, "name": u.name, "rows": u.count} for u in self.unmapped],
            "metadata_differs": self.metadata_differs,
            "changes": self.changes,
            "share_changed": self.share_changed,
            "groups_touched": self.groups_touched,
            "batches": self.batches,
        }

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield f"{self.source}, snapshot {self.snapshot[:19]}…{' (dry run: nothing was written)' * self.is_dry_run}"
        for title, counts in (
            ("new", self.new),
            ("known", self.known),
            ("flagged", self.flagged),
            ("not indexed", self.skipped),
            ("rejected", self.rejected_by_reason),
        ):
            told = ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"
            yield f"  {title + ':':<13}{told}"
        if self.account.pending_count:
            yield f"  {self.account.pending_count:,} rows wait for {len(self.unmapped):,} names to be settled"
        changed = {name: self.changes.get(name, 0) for name in ("corrected", "remeasured", "vanished")}
        if any(changed.values()):
            told = ", ".join(f"{count:,} {name}" for name, count in changed.items() if count)
            yield f"  against what was published: {told}"
        if self.account.metadata_differing:
            count = self.account.metadata_differing
            yield f"  {count:,} known documents came with other metadata; the first seen stands"
        for rejected in self.rejected[:SHOWN_PLACES]:
            yield f"  {rejected.reason} {rejected.place}: {rejected.message}"
        if self.rejected_count > SHOWN_PLACES:
            listed = "them all" if self.rejected_count == len(self.rejected) else f"the first {len(self.rejected):,}"
            yield f"  … {self.rejected_count - SHOWN_PLACES:,} more rejections; --json lists {listed}"


class Refusal(ValueError):
    """A whole input was refused: nothing was written. The report says why."""

    def __init__(self, report: IngestReport) -> None:
        super().__init__(f"refused: {sum(report.rejected_by_reason.values())} faults")
        self.report = report
