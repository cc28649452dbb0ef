"""The upstream's own keys against what stands here: rows corrected, measured again, or gone. It marks nothing."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from registry.core.columns import instant
from registry.importers.base import Place, SourceEntry
from registry.models import Mark, Sighting, Snapshot, Source, Sync
from registry.models.marks import MarkKind
from registry.models.syncs import SyncState
from registry.staging.account import LISTED, Account, Correction, Vanished
from registry.staging.held import Held
from registry.staging.plan import StagedRun
from registry.staging.reader import Reader

CHUNK = 500


class Earlier(NamedTuple):
    """A run that stood under a key in another snapshot of the source."""

    id: UUID
    digest: str
    release: str | None
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class Changed:
    """A run of this input whose key stood with other runs; `rivals` have its release and date too."""

    key: str
    id: UUID
    digest: str
    observed_at: datetime
    place: Place
    is_new: bool
    rivals: tuple[Earlier, ...]


class Keys:
    """Compares an upstream's input with its earlier ones, window by window.

    A key is the upstream's id without its time. Under one key with one release and one day, another run is a correction
    where the earlier one is no longer in the input; any other is an observation of its own. What the earlier reading
    had and this one lacks has vanished: said only of a source that is read from a place of its own, against the last
    finished reading of files of these names.
    """

    def __init__(self, account: Account, held: Held, source: SourceEntry, names: Iterable[str]) -> None:
        self.account, self.held, self.source = account, held, source
        self.own = held.snapshots.all()
        self.has_earlier = self._snapshots().exclude(pk__in=self.own).exists()
        self.compared = self._compared(set(names))
        self.lacking = {key for key, _, _ in self._keys_of(self.compared)}
        self.told: set[str] = set()  # keys of rows that stand in the input and were not taken
        self.changed: list[Changed] = []

    def _snapshots(self) -> "QuerySet[Snapshot]":
        return Snapshot.objects.filter(source__slug=self.source.slug)

    def _compared(self, names: set[str]) -> set[UUID] | None:
        """The snapshots of the reading to compare with; None where nothing can be said to have vanished."""
        row = Source.objects.filter(slug=self.source.slug).first()
        if row is None or not (row.location and self.has_earlier):
            return None
        read = Sync.objects.filter(source=row, state=SyncState.DONE, is_dry_run=False, files__name__in=names)
        if sync := read.order_by("-requested_at", "-id").first():
            return set(self._snapshots().filter(sha256__in=sync.files.values("sha256")).values_list("id", flat=True))
        others = self._snapshots().filter(file_name__in=names).exclude(pk__in=self.own)
        newest = others.order_by("-taken_at").values_list("taken_at", flat=True).first()
        return set(others.filter(taken_at=newest).values_list("id", flat=True)) if newest else None

    def _keys_of(self, snapshots: set[UUID] | None) -> Iterator[tuple[str, str | None, UUID]]:
        """(lasting key, else the upstream's own; the upstream's own; run) of these snapshots' rows."""
        if not snapshots or snapshots <= self.own:
            return
        rows = Sighting.objects.filter(snapshot__in=snapshots).order_by("pk")
        for lasting, upstream, run_id in rows.values_list("lasting_key", "upstream_key", "run_id").iterator():
            if key := lasting or upstream:
                yield key, upstream, run_id

    def compare(self, reader: Reader, new_runs: set[UUID]) -> None:
        """Compare one window, once its runs are resolved."""
        if self.lacking:
            self.lacking -= reader.keys
            self.told |= reader.told_keys
        if not self.has_earlier:
            return
        resolved = {
            staged.run.digest: staged
            for staged in reader.runs
            if staged.entry.lasting_key and staged.run.digest in self.held.known_runs
        }
        ids = {digest: self.held.known_runs[digest].id for digest in resolved}
        brought = new_runs | self._brought_before(
            {row_id for row_id in ids.values() if row_id in self.held.seen_before}
        )
        asked = [staged for digest, staged in resolved.items() if ids[digest] in brought]
        found = self._earlier({str(staged.entry.lasting_key) for staged in asked})
        for staged in asked:
            row_id = ids[staged.run.digest]
            if others := [other for other in found[str(staged.entry.lasting_key)] if other.id != row_id]:
                self.changed.append(_changed(staged, row_id, others, is_new=row_id in new_runs))

    def _brought_before(self, run_ids: set[UUID]) -> set[UUID]:
        """Of known runs, those that only this very input ever had: an import of it was broken off."""
        elsewhere: set[UUID] = set()
        for chunk in _chunks(run_ids):
            others = Sighting.objects.filter(run__in=chunk).exclude(snapshot__in=self.own)
            elsewhere.update(others.values_list("run_id", flat=True))
        return run_ids - elsewhere

    def _earlier(self, keys: set[str]) -> dict[str, list[Earlier]]:
        found: dict[str, list[Earlier]] = defaultdict(list)
        for chunk in _chunks(keys):
            rows = Sighting.objects.filter(lasting_key__in=chunk, snapshot__source__slug=self.source.slug)
            rows = rows.exclude(snapshot__in=self.own).order_by()
            columns = ("lasting_key", "run_id", "run__digest", "release", "run__observed_at")
            for key, *earlier in rows.values_list(*columns).distinct():
                found[key].append(Earlier(*earlier))
        return found

    def conclude(self) -> None:
        """Say what the whole input changes, when each of its rows was seen."""
        self._tell_changed()
        self._tell_vanished()
        runs = {
            name: counts["BenchmarkRun"] for name, counts in (("new", self.account.new), ("known", self.account.known))
        }
        for name, count in runs.items():
            self.account.changes[name] += count

    def _tell_changed(self) -> None:
        standing = self._standing({rival.id for changed in self.changed for rival in changed.rivals})
        for changed in self.changed:
            open_ = [rival for rival in changed.rivals if rival.id in standing]
            self.account.changes["new" if changed.is_new else "known"] -= 1
            if not open_:
                self.account.changes["remeasured"] += 1
                continue
            rival = max(
                open_, key=lambda rival: (rival.observed_at == changed.observed_at, rival.observed_at, rival.id)
            )
            standing.discard(rival.id)
            self.account.changes["corrected"] += 1
            if len(self.account.corrections) < LISTED:
                self.account.corrections.append(
                    Correction(changed.key, rival.id, rival.digest, changed.id, changed.digest, changed.place)
                )

    def _standing(self, run_ids: set[UUID]) -> set[UUID]:
        """Of earlier runs, those that this input no longer has and that nothing supersedes yet."""
        gone = {run_id for run_id in run_ids if not any((run_id, own) in self.held.seen_runs for own in self.own)}
        for chunk in _chunks(gone):
            seen = Sighting.objects.filter(run__in=chunk, snapshot__in=self.own).values_list("run_id", flat=True)
            marks = Mark.objects.filter(run__in=chunk, kind=MarkKind.SUPERSEDED, cleared_by=None)
            gone -= {*seen, *marks.values_list("run_id", flat=True)}
        return gone

    def _tell_vanished(self) -> None:
        if self.compared is None:
            return
        self.account.changes["vanished"] += 0  # compared, and perhaps none
        if not self.lacking:
            return
        for key, upstream, run_id in self._keys_of(self.compared):
            if key in self.lacking and upstream not in self.told:
                self.lacking.discard(key)
                self.account.changes["vanished"] += 1
                if len(self.account.vanished) < LISTED:
                    self.account.vanished.append(Vanished(key, run_id))


def _changed(staged: StagedRun, row_id: UUID, others: list[Earlier], *, is_new: bool) -> Changed:
    entry, observed_at = staged.entry, instant(staged.run.spec["observedAt"])
    rivals = tuple(
        other for other in others if other.release == entry.release and other.observed_at.date() == observed_at.date()
    )
    place = staged.run.locate(())
    return Changed(str(entry.lasting_key), row_id, staged.run.digest, observed_at, place, is_new, rivals)


def _chunks(items: Iterable[object]) -> Iterator[list[object]]:
    ordered = sorted(items, key=str)
    yield from (ordered[start : start + CHUNK] for start in range(0, len(ordered), CHUNK))
