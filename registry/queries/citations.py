"""How a run is cited: who measured it, the states that a citation must carry, and each format beside its download."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from registry.core.citation import FORMATS, Citation
from registry.queries import addresses
from registry.queries.kept import Kept

KEPT = 500  # citations; some five kilobytes each
STATES = ("withdrawn", "superseded", "flagged")


@dataclass(frozen=True, slots=True)
class CitedAs:
    """The citation in one format. `accessed` is the access date as written there, the last such in `text`."""

    name: str
    label: str
    media_type: str
    url: str
    text: str
    accessed: str


@dataclass(frozen=True, slots=True)
class Cite:
    """A run's citation in every format, the plain text first. `as_of` is what rank and states follow from."""

    key: str
    as_of: datetime
    accessed: date
    formats: tuple[CitedAs, ...]


_kept: Kept[Cite] = Kept(KEPT)


def cite(cited: Citation) -> Cite:
    """Every format of a citation. Equal citations are written once; the access date is part of one, so daily anew."""
    return _kept.get(cited, lambda: _cite(cited))


def _cite(cited: Citation) -> Cite:
    formats = (
        CitedAs(
            name, form.label, form.media_type, addresses.citation(cited.digest, form.ending),
            form.write(cited), form.day(cited.accessed),
        )
        for name, form in FORMATS.items()
    )  # fmt: skip
    return Cite(cited.key, cited.as_of, cited.accessed, tuple(formats))


def measured_by(source: Any, authors: tuple[str, ...]) -> tuple[str, ...]:
    """Who measured: a source that ran its benchmark itself; of a community's run, whom the run itself names.

    The author of the implementation may be somebody else, so where the run names nobody, that is said.
    """
    if source.kind != "community":
        return (source.name,)
    return authors or (f"{source.name} (who measured is not stated)",)


def states(notices: Sequence[Any]) -> tuple[str, ...]:
    """Marks in force, in words: a withdrawn number must not read as valid."""
    return tuple(_state(notice) for notice in notices if notice.state in STATES and not notice.is_cleared)


def _state(notice: Any) -> str:
    code = f" {notice.code}" if notice.code else ""
    other = f" by {notice.other.id}" if notice.other else ""
    why = f"incident {notice.incident.name}" if notice.incident else notice.reason
    return f"{notice.word}{code} {notice.at:%Y-%m-%d}{other}: {why.strip().rstrip('.')}"
