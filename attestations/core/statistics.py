"""Statistics of samples, each with the interval that it has, named; decimals in, decimals out.

Median: the interval by order statistics, exact and free of assumptions on the distribution, conservative: the narrowest
symmetric pair of ranks that covers the median with at least 95 % (n >= 6, where minimum and maximum do).
Mean: a bootstrap of 2,000 resamples seeded by the data, so that the same samples always give the same interval;
percentiles widened as Student's t is wider than the normal (Hesterberg's expanded percentiles), since the plain ones
are too narrow for small n. Of more than 100 samples, 100 runs of neighbours are resampled instead, which keeps what
neighbours have in common, as samples of one process do. From n >= 10, as the registry derives no interval of fewer.
Minimum, maximum and quantiles (linear between order statistics, numpy's default) have no interval here.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from random import Random
from statistics import NormalDist

from registry.core.measurement import ALIASES, MINIMUM_SAMPLES, t_quantile

MEDIAN_MINIMUM = 6  # with 5, minimum and maximum cover the median with 93.75 % only
RESAMPLES = 2_000
BLOCKS = 100
ORDER_STATISTICS = "95 % interval of the median by order statistics"
BOOTSTRAP = "95 % interval of the mean by bootstrap"
STUDENT = "95 % interval of the mean by Student's t from the stated n and standard deviation"

_EXACT = Context(prec=60)
_SHOWN = Context(prec=12, rounding=ROUND_HALF_UP)
_QUANTILE = re.compile(r"p(\d{1,2}(?:\.\d{1,2})?)")


class StatisticError(ValueError):
    """A statistic that samples of one case do not give."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: Decimal
    high: Decimal
    name: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic of samples. `why_alone` says why there is no interval, and is None where there is one."""

    statistic: str
    value: Decimal
    n: int | None
    interval: Interval | None
    why_alone: str | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What is shown of samples beside the statistic that the claim states."""

    n: int
    minimum: Decimal
    median: Decimal
    mean: Decimal
    maximum: Decimal


def estimate(values: Sequence[Decimal], statistic: str) -> Estimate:
    """A statistic of at least one sample, by its token. Raises StatisticError for one that samples do not give."""
    name = ALIASES.get(statistic, statistic)
    if name == "median":
        interval = _median_interval(values)
        return _estimate(statistic, median(values), len(values), interval, MEDIAN_MINIMUM)
    if name == "mean":
        return _estimate(statistic, mean(values), len(values), _mean_interval(values), MINIMUM_SAMPLES)
    share = {"minimum": Decimal(0), "maximum": Decimal(1)}.get(name)
    if share is None and (match := _QUANTILE.fullmatch(name)):
        share = Decimal(match[1]) / 100
    if share is None:
        raise StatisticError(f"samples of one case give no {statistic}")
    alone = "no interval: a single value" if len(values) == 1 else f"no interval: none is computed for {statistic}"
    return Estimate(statistic, quantile(values, share), len(values), None, alone)


def stated(value: Decimal, statistic: str, n: int | None, deviation: Decimal | None) -> Estimate:
    """An estimate that somebody else made; of a mean with n >= 10 and standard deviation the interval is derived."""
    if statistic != "mean" or n is None or n < MINIMUM_SAMPLES or deviation is None:
        return Estimate(statistic, shown(value), n, None, "no interval: a single value")
    half = Decimal(t_quantile(n - 1)) * deviation / Decimal(n).sqrt()
    return Estimate(statistic, shown(value), n, Interval(shown(value - half), shown(value + half), STUDENT), None)


def summary(values: Sequence[Decimal]) -> Summary:
    """Of at least one sample."""
    return Summary(len(values), shown(min(values)), median(values), mean(values), shown(max(values)))


def median(values: Sequence[Decimal]) -> Decimal:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return shown(ordered[middle])
    return shown(_EXACT.divide(_EXACT.add(ordered[middle - 1], ordered[middle]), Decimal(2)))


def mean(values: Sequence[Decimal]) -> Decimal:
    return shown(_mean(values))


def quantile(values: Sequence[Decimal], share: Decimal) -> Decimal:
    """Linear between the two order statistics around share × (n - 1)."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return shown(ordered[below] + (ordered[above] - ordered[below]) * (place - below))


@lru_cache(maxsize=256)
def median_ranks(n: int) -> tuple[int, int] | None:
    """Ranks from 1 of the order statistics that enclose the median with at least 95 %; None below 6 samples."""
    below, term, limit = 0, 1, 2**n
    rank = 0
    while rank < n and 40 * (below + term) <= limit:  # twice the tail is at most 1/20
        below += term
        term = term * (n - rank) // (rank + 1)
        rank += 1
    return (rank, n + 1 - rank) if rank else None


def shown(value: Decimal) -> Decimal:
    """Twelve digits, half up: more than any timer gives, and what is judged is what is shown."""
    return _SHOWN.plus(value)


def _estimate(statistic: str, value: Decimal, n: int, interval: Interval | None, minimum: int) -> Estimate:
    if interval:
        return Estimate(statistic, value, n, interval, None)
    why = f"{n} samples, the {statistic} has one from {minimum}" if n > 1 else "a single value"
    return Estimate(statistic, value, n, None, f"no interval: {why}")


def _median_interval(values: Sequence[Decimal]) -> Interval | None:
    ranks = median_ranks(len(values))
    if ranks is None:
        return None
    ordered = sorted(values)
    return Interval(shown(ordered[ranks[0] - 1]), shown(ordered[ranks[1] - 1]), ORDER_STATISTICS)


def _mean(values: Sequence[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = _EXACT.add(total, value)
    return _EXACT.divide(total, Decimal(len(values)))


def _mean_interval(values: Sequence[Decimal]) -> Interval | None:
    if len(values) < MINIMUM_SAMPLES:
        return None
    blocks = _blocks([float(value) for value in values])
    means = sorted(_resampled_means(blocks, _seed(values)))
    tail = NormalDist().cdf(-t_quantile(len(blocks) - 1) * sqrt(len(blocks) / (len(blocks) - 1)))
    skipped = int(tail * RESAMPLES)
    low, high = means[skipped], means[-1 - skipped]
    return Interval(shown(Decimal(repr(low))), shown(Decimal(repr(high))), BOOTSTRAP)


def _blocks(values: list[float]) -> list[tuple[float, int]]:
    """Sums and sizes of runs of neighbours; of up to 100 samples each is its own."""
    count = min(len(values), BLOCKS)
    edges = [index * len(values) // count for index in range(count + 1)]
    return [(sum(values[start:end]), end - start) for start, end in pairwise(edges)]


def _resampled_means(blocks: list[tuple[float, int]], seed: int) -> list[float]:
    draw, count = Random(seed).random, len(blocks)  # noqa: S311  # chooses resamples, guards nothing
    means = []
    for _ in range(RESAMPLES):
        chosen = [blocks[int(draw() * count)] for _ in range(count)]
        means.append(sum(total for total, _ in chosen) / sum(size for _, size in chosen))
    return means


def _seed(values: Sequence[Decimal]) -> int:
    """From the numbers, not from how they were written: 1.50 and 1.5 are one sample."""
    text = "\n".join(str(value.normalize()) for value in values)
    return int.from_bytes(hashlib.sha256(text.encode()).digest())
