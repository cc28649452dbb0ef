"""The run that measured another metric of the same thing: the memory of a timed run, the time of a memory run."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.queries import addresses, history, rows
from registry.queries.found_runs import Loaded
from registry.queries.prepared import Row
from registry.queries.shapes import Quantity, Ref, quantity


@dataclass(frozen=True, slots=True)
class Companion:
    """Another metric of the same implementation, workload, environment, source and timed pass: a run of its own."""

    run: Ref
    metric: str
    statistic: str
    value: Quantity
    protocol: str
    is_same_release: bool


def companions(run: Loaded, found: Sequence[Row]) -> tuple[Companion, ...]:
    """One for each other metric: of the same release where there are several, then the nearest by observation."""
    own = history.own_row(run, found)
    release = history.release_of(own)

    def distance(row: Row) -> tuple[bool, float, str]:
        apart = abs((row["observed_at"] - run.observed_at).total_seconds())
        return history.release_of(row) != release, apart, row["digest"]

    nearest: dict[str, Row] = {}
    for row in sorted((row for row in found if _is_beside(row, own)), key=distance):
        nearest.setdefault(row["group__metric"], row)
    return tuple(_companion(row, release) for _, row in sorted(nearest.items()))


def _is_beside(row: Row, own: Row) -> bool:
    equal = ("source__slug", "protocol__timed_pass")
    return (
        row["value"] is not None
        and row["group__metric"] != own["group__metric"]
        and all(row[name] == own[name] for name in equal)
        and history.variant_of(row) == history.variant_of(own)
    )


def _companion(row: Row, release: str | None) -> Companion:
    return Companion(
        Ref(row["digest"], rows.short(row["digest"]), addresses.run(row["digest"])),
        row["group__metric"],
        row["group__statistic"],
        quantity(row["value"], row["group__unit"]),
        row["protocol__label"],
        history.release_of(row) == release,
    )
