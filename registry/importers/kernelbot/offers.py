"""What upstream offered of each group, and which runs of it were taken."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from registry.importers.base import CoverageEntry
from registry.importers.kernelbot.pages import Row

RULE = "every row that passed in leaderboard mode"
Query = tuple[str, int]  # the folder of its pages, and how many rows it has


@dataclass(slots=True)
class _Group:
    offered: int = 0
    taken: set[str] = field(default_factory=set)
    queries: set[Query] = field(default_factory=set)


class Offers:
    """Counts while rows go by. Of each run it keeps the key alone."""

    def __init__(self) -> None:
        self._read: Counter[Query] = Counter()
        self._groups: defaultdict[tuple[str, ...], _Group] = defaultdict(_Group)

    def read(self, row: Row) -> None:
        if query := _query(row):
            self._read[query] += 1

    def offer(self, group: tuple[str, ...], row: Row) -> None:
        self._groups[group].offered += 1
        if query := _query(row):
            self._groups[group].queries.add(query)

    def take(self, group: tuple[str, ...], key: str) -> bool:
        """False where this very run was taken before."""
        taken = self._groups[group].taken
        is_new = key not in taken
        taken.add(key)
        return is_new

    def coverage(self) -> Iterator[CoverageEntry]:
        """One entry a group. Where pages are missing, how much upstream offers is not known."""
        for group in self._groups.values():
            lacking = [(read, total) for _, total in group.queries if (read := self._read_of(group, total)) < total]
            told = "".join(
                f"; {read:,} of the {total:,} rows that upstream counts were read" for read, total in lacking
            )
            yield CoverageEntry(tuple(sorted(group.taken)), None if lacking else group.offered, RULE + told)

    def _read_of(self, group: _Group, total: int) -> int:
        return sum(self._read[query] for query in group.queries if query[1] == total)


def _query(row: Row) -> Query | None:
    return None if row.total is None else (row.file.rpartition("/")[0], row.total)
