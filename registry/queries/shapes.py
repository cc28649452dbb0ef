"""The small values that pages are made of: a named thing with its address, a quantity, a fact, a standing.

They are frozen and say everything in themselves, so that a template only walks them and the API only writes them out.
"""

from dataclasses import dataclass
from datetime import datetime

from registry.core import measurement


@dataclass(frozen=True, slots=True)
class Ref:
    """A thing that has a page. `id` is its digest or slug, `url` the path of its page."""

    id: str
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured value: exact in `value` and `unit`, rounded for reading in `number` and `display_unit`."""

    value: float
    unit: str
    number: str
    display_unit: str

    @property
    def text(self) -> str:
        return f"{self.number} {self.display_unit}"


def quantity(value: float, unit: str, display_unit: str | None = None) -> Quantity:
    """A lone quantity, or one in the unit that its table's column shares."""
    if display_unit is None:
        shown = measurement.figure(value, unit)
        return Quantity(value, unit, shown.number, shown.unit)
    return Quantity(value, unit, measurement.figure_in(value, unit, display_unit), display_unit)


@dataclass(frozen=True, slots=True)
class Range:
    """A spread of samples or an interval of the estimate; `name` says which ("p20 – p80", "95 % interval")."""

    low: Quantity
    high: Quantity
    name: str
    is_interval: bool

    @property
    def text(self) -> str:
        return f"{self.low.number} – {self.high.number}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a fact list. Without a value, `absent` says why there is none."""

    label: str
    key: str
    value: str | None = None
    absent: str | None = None
    url: str | None = None
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a run has no rank: a stable code and its sentence."""

    code: str
    text: str

    @property
    def state(self) -> str:
        """The mark that the reason is shown with."""
        if self.code in ("WITHDRAWN", "SUPERSEDED"):
            return self.code.lower()
        return "flagged" if self.code.startswith("FLAGGED_") else "failed"

    @property
    def word(self) -> str:
        """The code's first word, for people."""
        if self.code.startswith("FLAGGED_"):
            return "flagged"
        return self.code.removeprefix("STATUS_").replace("_", " ").lower()


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning flag: the run is ranked, and marked."""

    code: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list. Everything that a number needs beside it stands on its row; `rank` None has its `reasons`.

    `version` is the implementation's own, `release` the upstream's label of what was measured, `variant` its name of
    the mathematics where the digests don't tell; `position` is the row's place in its group's table, which is no rank.
    """

    digest: str
    id: str
    url: str
    implementation: Ref
    author: str
    project: str
    version: str | None
    release: str | None
    variant: str | None
    is_baseline: bool
    operation: Ref
    workload: Ref
    hardware: Ref
    runner: str | None
    protocol: Ref
    timed_pass: str | None
    source: Ref
    group: Ref
    metric: str | None
    statistic: str | None
    value: Quantity | None
    spread: Range | None
    interval: Range | None
    sample_count: int | None
    status: str
    rank: int | None
    position: int | None
    tied: int
    ratio_to_best: float | None
    separability: str | None
    lead_percent: float | None
    reasons: tuple[Reason, ...]
    warnings: tuple[Warned, ...]
    level: str
    observed_at: datetime
    published_at: datetime
    is_demonstration: bool
    is_redacted: bool


@dataclass(frozen=True, slots=True)
class Page:
    """One keyset page of a list. `next` is a cursor, None on the last page; `total` is exact."""

    next: str | None
    total: int


def linkable(url: str | None) -> str | None:
    """An address that a page may link: of the web. The doors take no other; a page relies on none of them."""
    return url if url and url.startswith(("https://", "http://")) else None
