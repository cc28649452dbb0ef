"""What a reader's measurement says of a claim: one pure function, `assess`, under the policy `verdict-v1`.

The band is fixed beforehand: 5 % of the claimed value on each side of it, edges included.

1. What was measured in another setting is shown as context and never as refutation: "not comparable". That is: other
   hardware (product, form factor and count, by slug) or hardware not stated; own code or another protocol; a software
   fact that contradicts one that the claim states; a unit of another dimension or none; a claim without a positive
   value; a statistic that the samples do not give, or a single value that is another statistic. An environment picked
   as the run's own is the same one.
2. What one side states and the other does not is listed and keeps nothing apart. A version that goes on where the
   other ends ("12" and "12.4", "2.6.0" and "2.6.0+cu124") contradicts nothing and is listed too.
3. Wrong outputs in a comparable setting are "incorrect", whatever the time.
4. With an interval of the equal estimator: inside the band "agrees", wholly beyond an edge "slower" or "faster", else
   "inconclusive". Slower is the worse side of the metric: a higher latency, a lower throughput, more memory.
5. Without one (too few samples, a single value) the value alone decides, which the reasons say.

The claim's own interval moves no edge: a claim stated loosely would agree with anything. Where it overlaps the
measured one in spite of the verdict, a reason says so. Ratios are the measured over the claimed value, and there is
none where the two are not comparable. What is judged is what is shown: values rounded to twelve digits.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from attestations.core.statistics import Estimate, StatisticError, estimate, shown, stated
from attestations.core.units import UnitError, converted, dimension
from registry.core.evidence import Verdict
from registry.core.measurement import ALIASES, unit_word

__all__ = ["BAND_PERCENT", "POLICY", "Assessment", "Claim", "Measured", "Verdict", "assess", "software_facts", "word"]

POLICY = "verdict-v1"
BAND_PERCENT = Decimal(5)
OTHER_SETUP = "other"
UNSTATED_STATISTICS = ("", "unspecified")
_MEMORY = ("memory", "peak_memory")


@dataclass(frozen=True, slots=True)
class Claim:
    """The primary measurement of a run. `statistic` is its estimator; `hardware` a slug; `software` name to version.

    `lower_is_better` is None where the metric's direction is not known.
    """

    value: Decimal | float | None
    unit: str
    metric: str
    statistic: str
    lower_is_better: bool | None
    hardware: str
    software: Mapping[str, str] = field(default_factory=dict)
    interval: tuple[Decimal | float, Decimal | float] | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What a reader states: samples in `values`, or one `value`, or neither; and in which setting.

    `statistic`, `n` and `deviation` are of a single value, where a file states them. `setup` is "as_published", "other"
    or "", `hardware` a slug or None, `hardware_written` what was stated where it is no GPU that is known here.
    """

    values: tuple[Decimal, ...] = ()
    value: Decimal | None = None
    unit: str | None = None
    hardware: str | None = None
    hardware_written: str | None = None
    software: Mapping[str, str] = field(default_factory=dict)
    setup: str = ""
    is_same_environment: bool = False
    is_incorrect: bool = False
    statistic: str | None = None
    n: int | None = None
    deviation: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Assessment:
    """The verdict and all that it follows from; `verdict` is None where nothing was measured.

    `is_comparable` speaks of the setting, and of the figures where there are any. Values are in the claim's unit.
    """

    verdict: Verdict | None
    is_comparable: bool
    value: Decimal | None
    unit: str
    n: int | None
    statistic: str
    low: Decimal | None
    high: Decimal | None
    interval_name: str | None
    ratio: Decimal | None
    band_low: Decimal | None
    band_high: Decimal | None
    reasons: tuple[str, ...]
    not_stated: tuple[str, ...]
    policy: str = POLICY

    def as_json(self) -> dict[str, Any]:
        """Decimals as texts, without exponents; lists for tuples."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def assess(claim: Claim, measured: Measured) -> Assessment:
    """Judge a measurement against a claim; the rules are the module's. Never raises for values that were read."""
    claimed = _claimed(claim.value)
    found, unlike = _estimate(claim, measured)
    against = [*_setting(claim, measured), *([] if claimed else ["the claim states no value above 0"]), *unlike]
    if claim.lower_is_better is None:
        against.append(f"it is not known whether lower or higher {claim.metric} is better")
    around = band(claim.value)
    is_measured = found is not None or bool(unlike) or measured.is_incorrect
    reasons: list[str] = []
    verdict: Verdict | None = None
    if against:
        verdict, reasons = (Verdict.NOT_COMPARABLE if is_measured else None), against
    elif measured.is_incorrect:
        verdict, reasons = Verdict.INCORRECT, ["the outputs were wrong"]
    elif found and around:
        verdict, reasons = _judged(claim, found, around)
    interval = found.interval if found else None
    return Assessment(
        verdict=verdict,
        is_comparable=not against,
        value=found.value if found else None,
        unit=claim.unit,
        n=found.n if found else None,
        statistic=claim.statistic,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        interval_name=interval.name if interval else None,
        ratio=_ratio(found, claimed) if not against else None,
        band_low=around[0] if around else None,
        band_high=around[1] if around else None,
        reasons=tuple(reasons),
        not_stated=tuple(_not_stated(claim, measured)),
    )


def word(verdict: str | None, metric: str) -> str:
    """The verdict as a reader says it of this metric: memory is not slower, it is more."""
    if metric in _MEMORY and verdict in (Verdict.SLOWER, Verdict.FASTER):
        return "more memory" if verdict == Verdict.SLOWER else "less memory"
    return str(verdict) if verdict else "nothing measured"


def software_facts(software: Mapping[str, Any]) -> dict[str, str]:
    """The software part of an environment's spec as name to version: frameworks and libraries under their own names."""
    facts: dict[str, str] = {}
    for name, stated_value in software.items():
        if name == "framework":
            facts[stated_value["name"]] = stated_value["version"]
        elif name == "libraries":
            facts.update(stated_value)
        else:
            facts[name] = stated_value
    return facts


def band(value: Decimal | float | None) -> tuple[Decimal, Decimal] | None:
    """The edges of the band around a claimed value, in its unit; None where no band stands around it."""
    claimed = _claimed(value)
    if claimed is None:
        return None
    margin = claimed * BAND_PERCENT / 100
    return shown(claimed - margin), shown(claimed + margin)


def _claimed(value: Decimal | float | None) -> Decimal | None:
    """None for what is no number above 0: no band stands around it."""
    number = None if value is None else Decimal(str(value))
    return number if number is not None and number.is_finite() and number > 0 else None


# The setting


def _setting(claim: Claim, measured: Measured) -> Iterator[str]:
    """Why what was measured is another thing than what was claimed."""
    if measured.setup == OTHER_SETUP:
        yield "own code or another protocol"
    if measured.is_same_environment:
        return
    if measured.hardware is None:
        written = measured.hardware_written
        yield f"“{written}” is no GPU of this index" if written else "the hardware is not stated"
    elif measured.hardware != claim.hardware:
        yield f"other hardware: {measured.hardware}, the claim is of {claim.hardware}"
    theirs = _folded(measured.software)
    for name, (written, version) in _folded(claim.software).items():
        if name in theirs and not _agree(version, theirs[name][1]):
            yield f"{written}: {theirs[name][1]} here, the claim states {version}"


def _not_stated(claim: Claim, measured: Measured) -> Iterator[str]:
    """What one side leaves open."""
    if not measured.setup:
        yield "whether the published code, workload and protocol were used"
    if measured.is_same_environment:
        return
    ours, theirs = _folded(claim.software), _folded(measured.software)
    for name, (written, version) in ours.items():
        other = theirs.get(name)
        if other is None:
            yield f"{written}: the claim states {version}, this report nothing"
        elif _version(version) != _version(other[1]) and _agree(version, other[1]):
            yield f"{written}: {other[1]} here, the claim states {version}"
    for name, (written, version) in theirs.items():
        if name not in ours:
            yield f"{written}: {version} here, the claim states none"


def _folded(software: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """By name without case, hyphens and underscores: cudaToolkit is cuda_toolkit. Blank ones are not stated."""
    return {
        re.sub(r"[\s_-]", "", name.casefold()): (name, version) for name, version in software.items() if version.strip()
    }


def _version(text: str) -> str:
    return re.sub(r"^v(?=\d)", "", text.strip().casefold())


def _agree(a: str, b: str) -> bool:
    """Whether versions are equal as far as both go: the shorter ends where a part of the longer ends."""
    shorter, longer = sorted((_version(a), _version(b)), key=len)
    return longer == shorter or (longer.startswith(shorter) and longer[len(shorter)] in ".+-")


# The figures


def _estimate(claim: Claim, measured: Measured) -> tuple[Estimate | None, list[str]]:
    """The claim's statistic of what was measured, in the claim's unit, or why there is none though something was."""
    if not measured.values and measured.value is None:
        return None, []
    if measured.unit is None:
        return None, ["the unit is not stated"]
    try:
        converted(Decimal(1), measured.unit, claim.unit)
    except UnitError:
        there = f"{unit_word(measured.unit)} is {dimension(measured.unit)}"
        return None, [f"another unit: {there}, the claim is in {unit_word(claim.unit)}"]

    def in_claims_unit(value: Decimal) -> Decimal:
        return converted(value, measured.unit or claim.unit, claim.unit)

    if measured.values:
        if claim.statistic in UNSTATED_STATISTICS:
            return None, ["the claim does not state its statistic, so none of the samples' compares with it"]
        try:
            return estimate([in_claims_unit(value) for value in measured.values], claim.statistic), []
        except StatisticError as error:
            return None, [f"the claim is a {claim.statistic}: {error}"]
    assert measured.value is not None
    deviation = None if measured.deviation is None else in_claims_unit(measured.deviation)
    found = stated(in_claims_unit(measured.value), measured.statistic or claim.statistic, measured.n, deviation)
    theirs, ours = (ALIASES.get(name, name) for name in (found.statistic, claim.statistic))
    return found, ([] if theirs == ours else [f"the value is a {found.statistic}, the claim a {claim.statistic}"])


def _judged(claim: Claim, found: Estimate, band: tuple[Decimal, Decimal]) -> tuple[Verdict, list[str]]:
    interval = found.interval
    low, high = (interval.low, interval.high) if interval else (found.value, found.value)
    reasons = [found.why_alone] if found.why_alone else []
    if band[0] <= low and high <= band[1]:
        return Verdict.AGREES, [*reasons, f"within {BAND_PERCENT} % of the claim"]
    if low <= band[1] and high >= band[0]:
        return Verdict.INCONCLUSIVE, [*reasons, f"the interval crosses an edge of the band of {BAND_PERCENT} %"]
    is_slower = (low > band[1]) is claim.lower_is_better
    if claim.interval and interval and _overlap(claim.interval, (low, high)):
        reasons.append("the claim's own 95 % interval overlaps this one")
    side = "above" if low > band[1] else "below"
    reasons.append(f"more than {BAND_PERCENT} % {side} the claim")
    return (Verdict.SLOWER if is_slower else Verdict.FASTER), reasons


def _overlap(claims: tuple[Decimal | float, Decimal | float], ours: tuple[Decimal, Decimal]) -> bool:
    low, high = (Decimal(str(end)) for end in claims)
    return low <= ours[1] and ours[0] <= high


def _ratio(found: Estimate | None, claimed: Decimal | None) -> Decimal | None:
    return shown(found.value / claimed) if found and claimed else None


def _plain(value: Any) -> Any:
    if isinstance(value, Verdict):
        return value.value
    if isinstance(value, Decimal):
        return f"{value:f}"
    return list(value) if isinstance(value, tuple) else value
