"""The account of an import: counts of everything read, and of what needs telling the first ten thousand."""

from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from registry.importers.base import Pending, Place, Rejected

LISTED = 10_000  # of each list; counts go on


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A name that rows wait for: how many of them, and the first."""

    kind: str
    name: str
    count: int
    example: Pending


@dataclass(frozen=True, slots=True)
class Correction:
    """A row that came back under its key with the same release and date, and says something else than `run`.

    A proposal only: a person decides whether `successor` supersedes `run`.
    """

    key: str
    run: UUID
    run_digest: str
    successor: UUID  # of a dry run: the id that it will have
    successor_digest: str
    place: Place


@dataclass(frozen=True, slots=True)
class Vanished:
    """A row that the source's last reading of these files had, and this one lacks. `run` stays as it is."""

    key: str
    run: UUID


@dataclass(slots=True)
class Account:
    """Counts are of the whole input; lists keep the first LISTED of their kind."""

    read: Counter[str] = field(default_factory=Counter)
    new: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    rejected_by_reason: Counter[str] = field(default_factory=Counter)
    rejected: list[Rejected] = field(default_factory=list)
    pending_count: int = 0
    pending: list[Pending] = field(default_factory=list)
    unmapped: dict[tuple[str, str], Unmapped] = field(default_factory=dict)
    metadata_differing: int = 0
    metadata_differs: list[str] = field(default_factory=list)
    changes: Counter[str] = field(default_factory=Counter)  # rows against what is published
    corrections: list[Correction] = field(default_factory=list)
    vanished: list[Vanished] = field(default_factory=list)
    _noted: set[str] = field(default_factory=set)

    def reject(self, *rejections: Rejected) -> None:
        self.rejected_by_reason.update(rejection.reason for rejection in rejections)
        self.rejected += rejections[: LISTED - len(self.rejected)]

    def wait(self, pending: Pending) -> None:
        self.pending_count += 1
        if len(self.pending) < LISTED:
            self.pending.append(pending)
        name = pending.kind, pending.name
        if name in self.unmapped or len(self.unmapped) < LISTED:
            before = self.unmapped.get(name) or Unmapped(*name, 0, pending)
            self.unmapped[name] = Unmapped(*name, before.count + 1, before.example)

    def note_metadata(self, told: str) -> None:
        """Note once that a known document came with other metadata; past LISTED, as often as it comes."""
        if told in self._noted:
            return
        self.metadata_differing += 1
        if len(self._noted) < LISTED:
            self._noted.add(told)
            self.metadata_differs.append(told)
