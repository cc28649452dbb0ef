"""What a run measured: its primary value, spread and interval, and how a figure is written.

Input is the `spec` of a BenchmarkRun as in its document. Figures are rounded half up on decimals, not on binary floats.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from math import sqrt
from statistics import NormalDist
from typing import Any

UNSPECIFIED = "unspecified"
ALIASES = {"min": "minimum", "max": "maximum"}  # GPU MODE and Kernel Tuner write the short words
ORDER = ("mean", "median", "p05", "p20", "p80", "p95", "minimum", "maximum", "std", "mad")
SPREADS = (("p20", "p80", "p20 – p80"), ("p05", "p95", "p05 – p95"), ("minimum", "maximum", "min – max"))
MINIMUM_SAMPLES = 10  # fewer than this derive no interval
DURATIONS = {"ns": Decimal(1), "us": Decimal(10**3), "ms": Decimal(10**6), "s": Decimal(10**9)}
UNIT_WORDS = {
    "us": "µs",
    "b": "bytes",
    "kib": "KiB",
    "mib": "MiB",
    "gib": "GiB",
    "gb_s": "GB/s",
    "gib_s": "GiB/s",
    "tb_s": "TB/s",
    "gflops": "GFLOP/s",
    "tflops": "TFLOP/s",
    "tokens_s": "tokens/s",
    "percent": "%",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One stated figure. `n` is the sample count that the source states, else None."""

    metric: str
    statistic: str
    unit: str
    value: float
    n: int | None


@dataclass(frozen=True, slots=True)
class Primary:
    """The figure a run is ranked by. `estimator` names what the value is, where the stated statistic had none."""

    metric: str
    statistic: str
    unit: str
    value: float
    n: int | None
    interval: tuple[float, float] | None
    estimator: str


@dataclass(frozen=True, slots=True)
class Spread:
    """Where samples lay. Never an interval of the estimate."""

    low: float
    high: float
    name: str


class IntervalKind(StrEnum):
    STATED = "stated"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of the primary value."""

    low: float
    high: float
    kind: IntervalKind


@dataclass(frozen=True, slots=True)
class Figure:
    number: str
    unit: str

    def __str__(self) -> str:
        return f"{self.number} {self.unit}"


def primary(run_spec: Mapping[str, Any]) -> Primary | None:
    """The timed latency if there is one, else the first measurement; None where the run states neither.

    A latency's statistic is the run's own word; its value is the mean for "mean" and else the median, each the other's
    fallback. That is the original's rule, kept because the statistic is hashed into comparison keys.
    """
    if timing := run_spec.get("timing"):
        latency, statistic = timing["latencyNs"], timing["primaryStatistic"]
        preferred = ("mean", "median") if statistic == "mean" else ("median", "mean")
        estimator = next(name for name in preferred if name in latency)
        low_high = latency.get("confidence95")
        interval = (low_high[0], low_high[1]) if low_high else None
        return Primary("latency", statistic, "ns", latency[estimator], timing.get("samples"), interval, estimator)
    for first in run_spec.get("measurements", ()):
        stated = _measured(first)
        return Primary(stated.metric, stated.statistic, stated.unit, stated.value, stated.n, None, stated.statistic)
    return None


def measurements(run_spec: Mapping[str, Any]) -> tuple[Measured, ...]:
    """Each figure once by metric, statistic and unit (the first wins): the primary, then `ORDER`, then as written."""
    unique: dict[tuple[str, str, str], Measured] = {}
    for measured in _stated(run_spec):
        unique.setdefault((measured.metric, _spelt_out(measured.statistic), measured.unit), measured)
    ranked = primary(run_spec)
    first = ranked and (ranked.metric, _spelt_out(ranked.estimator), ranked.unit)
    metrics = list(dict.fromkeys(metric for metric, _, _ in unique))

    def place(key: tuple[str, str, str]) -> tuple[bool, int, int]:
        return key != first, metrics.index(key[0]), ORDER.index(key[1]) if key[1] in ORDER else len(ORDER)

    return tuple(unique[key] for key in sorted(unique, key=place))


def spread(run_spec: Mapping[str, Any]) -> Spread | None:
    """Spread of the primary metric: p20 to p80, else p05 to p95, else minimum to maximum."""
    return _spread(_of_primary_metric(run_spec, primary(run_spec)))


def interval(run_spec: Mapping[str, Any]) -> Interval | None:
    """The stated 95 % interval, else one derived from mean, std and n >= 10 by Student's t.

    A derived interval informs separability only, never a rank.
    """
    ranked = primary(run_spec)
    return _interval(ranked, _of_primary_metric(run_spec, ranked))


def ranked_figures(run_spec: Mapping[str, Any]) -> tuple[Primary | None, Spread | None, Interval | None]:
    """Primary value, spread and interval, each as above, of one look at the run."""
    ranked = primary(run_spec)
    stated = _of_primary_metric(run_spec, ranked)
    return ranked, _spread(stated), _interval(ranked, stated)


def _spread(stated: Mapping[str, float]) -> Spread | None:
    for low, high, name in SPREADS:
        if low in stated and high in stated:
            return Spread(stated[low], stated[high], name)
    return None


def _interval(ranked: Primary | None, stated: Mapping[str, float]) -> Interval | None:
    if ranked is None:
        return None
    if ranked.interval:
        return Interval(*ranked.interval, IntervalKind.STATED)
    std = stated.get("std")
    if std is None or ranked.n is None or ranked.n < MINIMUM_SAMPLES or ranked.estimator != "mean":
        return None
    half = t_quantile(ranked.n - 1) * std / sqrt(ranked.n)
    return Interval(ranked.value - half, ranked.value + half, IntervalKind.DERIVED)


def t_quantile(degrees: int) -> float:
    """97.5 % quantile of Student's t (Abramowitz and Stegun 26.7.5; within 0.001 of the tables from 9 degrees up)."""
    z = NormalDist().inv_cdf(0.975)
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )


def _measured(entry: Mapping[str, Any]) -> Measured:
    return Measured(entry["metric"], entry["statistic"], entry["unit"], entry["value"], entry.get("sampleCount"))


def _spelt_out(statistic: str) -> str:
    return ALIASES.get(statistic, statistic)


def _stated(run_spec: Mapping[str, Any]) -> list[Measured]:
    """Every figure as the run states it, those of its timing first."""
    timing = run_spec.get("timing", {})
    stated = [
        Measured("latency", statistic, "ns", value, timing.get("samples"))
        for statistic, value in timing.get("latencyNs", {}).items()
        if statistic != "confidence95"
    ]
    return stated + [_measured(entry) for entry in run_spec.get("measurements", ())]


def _of_primary_metric(run_spec: Mapping[str, Any], ranked: Primary | None) -> dict[str, float]:
    """Values of the primary's metric and unit by statistic, short words spelt out; of two, the first."""
    found: dict[str, float] = {}
    if ranked:
        for stated in _stated(run_spec):
            if stated.metric == ranked.metric and stated.unit == ranked.unit:
                found.setdefault(_spelt_out(stated.statistic), stated.value)
    return found


# Figures


def unit_word(unit: str) -> str:
    """The unit as a reader writes it: `tokens_s` is tokens/s; a token without a row stays as written."""
    return UNIT_WORDS.get(unit, unit)


def figure(value: float, unit: str) -> Figure:
    """One lone quantity. A duration moves to the unit in which its rounded number stays below 1,000."""
    for token in _steps_from_ns(unit):
        number = _number(value, unit, token)
        if "," not in number:  # below 1,000 once rounded
            break
    return Figure(number, unit_word(token))


def column_unit(values: Iterable[float], unit: str) -> str:
    """The one unit of a table column: that of the lower median, so most rows read well and no outlier decides."""
    ordered = sorted(values)
    return figure(ordered[(len(ordered) - 1) // 2], unit).unit if ordered else unit_word(unit)


def figure_in(value: float, unit: str, display_unit: str) -> str:
    """The number alone, in a unit that `column_unit` gave for values of this unit. Raises KeyError for any other."""
    return _number(value, unit, {unit_word(token): token for token in _steps_from_ns(unit)}[display_unit])


def scale(unit: str | None, display_unit: str | None) -> float:
    """How many of a unit make one of the unit that a column is shown in; 1 where it is shown as written."""
    tokens = {unit_word(token): float(ns) for token, ns in DURATIONS.items()}
    if unit in DURATIONS and display_unit in tokens:
        return tokens[display_unit] / float(DURATIONS[unit])
    return 1.0


def ratio_text(a: float, b: float) -> str:
    """a ÷ b as "3.20×". Raises ZeroDivisionError where b is 0."""
    return f"{_written(Decimal(str(a)) / Decimal(str(b)), 2)}×"


def percent_lead(best: float, following: float) -> Decimal:
    """How far apart two values are, in percent of the smaller: 100 and 101 are 1 % apart in either direction."""
    small, large = sorted((abs(Decimal(str(best))), abs(Decimal(str(following)))))
    if small == large:
        return Decimal(0)
    return (large / small - 1) * 100 if small else Decimal("Infinity")


def percent_text(percent: Decimal) -> str:
    return f"{_written(percent, 1)} %"


def _steps_from_ns(unit: str) -> tuple[str, ...]:
    return tuple(DURATIONS) if unit in DURATIONS else (unit,)


def _number(value: float, unit: str, token: str) -> str:
    """Two decimals below 10, one below 1,000, none above, judged after rounding.

    A whole number shown in the unit it was written in gets no decimals: 742 ns says nothing about tenths.
    """
    exact = Decimal(str(value))
    if token == unit and exact == exact.to_integral_value():
        return _written(exact, 0)
    if token != unit:
        exact = exact * DURATIONS[unit] / DURATIONS[token]
    for places, limit in ((2, 10), (1, 1000)):
        if abs(exact) < limit and abs(_rounded(exact, places)) < limit:
            return _written(exact, places)
    return _written(exact, 0)


def _rounded(exact: Decimal, places: int) -> Decimal:
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _written(exact: Decimal, places: int) -> str:
    """With commas; what would round to 0 without being 0 keeps one significant digit; absurd sizes in powers of ten."""
    if not exact.is_finite():
        return "∞"
    if exact and not -6 <= exact.adjusted() < 18:
        return f"{exact:.2e}"
    rounded = _rounded(exact, places)
    if not rounded and exact:
        rounded = _rounded(exact, -exact.adjusted())
    return f"{rounded:,f}"


def two_part_statistic(
    statistic: str, workload_kind: str, cases: int | None = None, aggregation: Mapping[str, str] | None = None
) -> str:
    """Both parts of a statistic: across samples and across cases. What the source does not state is said."""
    if workload_kind != "WorkloadSuite":
        samples = "statistic not stated" if statistic == UNSPECIFIED else f"{_statistic_word(statistic)} across samples"
        return f"{samples}; one case"
    over = aggregation["statistic"] if aggregation else statistic
    across = (
        "an unstated number of cases" if cases is None else f"the suite's {cases} {'case' if cases == 1 else 'cases'}"
    )
    outer = f"unstated aggregate over {across}" if over == UNSPECIFIED else f"{_statistic_word(over)} over {across}"
    inner = "per-case estimator not stated" if over == statistic else f"the run states {_statistic_word(statistic)}"
    return f"{outer}; {inner}"


def _statistic_word(statistic: str) -> str:
    return "geometric mean" if statistic == "geomean" else statistic
