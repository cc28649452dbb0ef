"""Which runs an incident covers: criteria as they are written, judged strictly before anything is selected by them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

LISTS = ("sources", "protocols", "environments", "implementations", "operations")
KNOWN = ("everything", *LISTS, "labels", "observed_from", "observed_to")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
OF_DIGESTS = ("protocols", "environments")
MAX_LABELS = 8  # names; each is a condition of its own


class CriteriaError(ValueError):
    """The criteria select nothing that could be meant. `faults` says each thing that is wrong."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Criteria:
    """A run is covered where it meets all that is stated; of a list, one is enough. An empty list asks for nothing.

    `observed_from` is the first instant covered, `observed_to` the first one after.
    """

    sources: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    implementations: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    observed_from: datetime | None = None
    observed_to: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        """As it is stored, and as `parse` reads it back."""
        written: dict[str, Any] = {name: list(named) for name in LISTS if (named := getattr(self, name))}
        if self.labels:
            written["labels"] = {name: list(values) for name, values in self.labels.items()}
        for name in ("observed_from", "observed_to"):
            if instant := getattr(self, name):
                written[name] = instant.isoformat()
        return written or {"everything": True}


def parse(written: Any) -> Criteria:
    """Read criteria. Raises CriteriaError with every fault: nothing is guessed, left out or taken for everything."""
    if not isinstance(written, dict):
        raise CriteriaError(["Criteria are an object."])
    faults = [f"Unknown criterion {name!r}; known are {', '.join(KNOWN)}." for name in written if name not in KNOWN]
    lists = {name: _names(written[name], name, faults) for name in LISTS if name in written}
    labels = _labels(written["labels"], faults) if "labels" in written else {}
    instants = {
        name: _instant(written[name], name, faults) for name in ("observed_from", "observed_to") if name in written
    }
    begins, ends = instants.get("observed_from"), instants.get("observed_to")
    if begins and ends and begins >= ends:
        faults.append("observed_to is not after observed_from: no run was observed between them.")
    if "everything" in written:
        if written["everything"] is not True:
            faults.append("everything is true, or is left out.")
        if len(written) > 1:
            faults.append("everything stands alone: with any other criterion it would mean nothing.")
    elif not written:
        faults.append("Nothing is selected by. State a criterion, or everything: true to cover every run.")
    if faults:
        raise CriteriaError(faults)
    return Criteria(**lists, labels=labels, **instants)  # type: ignore[arg-type]


def _names(written: Any, name: str, faults: list[str]) -> tuple[str, ...]:
    if not isinstance(written, list) or not written or not all(isinstance(item, str) and item for item in written):
        faults.append(f"{name} is a list of one name or more.")
        return ()
    if name in OF_DIGESTS:
        faults += [f"{name}: {item!r} is no digest." for item in written if not DIGEST.fullmatch(item)]
    return tuple(sorted(set(written)))


def _labels(written: Any, faults: list[str]) -> dict[str, tuple[str, ...]]:
    if not isinstance(written, dict) or not written or len(written) > MAX_LABELS:
        faults.append(f"labels is an object of 1 to {MAX_LABELS} names, each with a list of values.")
        return {}
    return {name: _names(values, f"labels.{name}", faults) for name, values in sorted(written.items())}


def _instant(written: Any, name: str, faults: list[str]) -> datetime | None:
    """An instant with its zone; a bare date is its midnight in UTC."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", written):
            return datetime.combine(date.fromisoformat(written), time(), UTC)
        instant = datetime.fromisoformat(written)
    except (TypeError, ValueError):
        faults.append(f"{name}: {written!r} is no date and no instant.")
        return None
    if instant.tzinfo is None:
        faults.append(f"{name}: {written!r} has no time zone.")
        return None
    return instant.astimezone(UTC)
