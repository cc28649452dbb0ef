"""What a verdict costs, against the plain median of the same samples; and how often intervals hold what they should."""

import time
from collections.abc import Callable
from decimal import Decimal
from random import Random
from statistics import median

from attestations.core.samples import read_samples
from attestations.core.statistics import estimate
from attestations.core.verdict import Claim, Measured, assess
from bench.databases import Databases

ROUNDS = 7
SAMPLES = 10_000
TRIALS = 400
COUNTS = (10, 30, 100, 1_000)


def show(_: Databases, rounds: int | None) -> None:
    """No database is asked: the rules are pure."""
    random = Random(1)
    text = "\n".join(f"{random.lognormvariate(0, 0.05) * 100:.4f}" for _ in range(SAMPLES))
    values = read_samples(text, file_name=None).values
    plain = _seconds(lambda: median(values), rounds or ROUNDS)
    reading = _seconds(lambda: read_samples(text, file_name=None), rounds or ROUNDS)
    print(f"  {SAMPLES:,} samples: read in {reading / plain:.0f}× their plain median ({plain * 1000:.1f} ms)")
    for statistic in ("median", "mean"):
        claim = Claim(Decimal(100), "us", "latency", statistic, True, "gpu")
        measured = Measured(values=values, unit="us", hardware="gpu")
        judging = _seconds(lambda claim=claim, measured=measured: assess(claim, measured), rounds or ROUNDS)
        print(f"  verdict by the {statistic}: {judging / plain:.0f}× the plain median")
    for statistic in ("median", "mean"):
        held = ", ".join(f"{_coverage(statistic, count, random):.1f} % at {count:,}" for count in COUNTS)
        print(f"  95 % interval of the {statistic} holds the true one: {held} samples")


def _seconds(act: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return median(taken)


def _coverage(statistic: str, count: int, random: Random) -> float:
    """In percent of trials, of samples as skewed as latencies are: log-normal with sigma 0.5."""
    true = Decimal(1) if statistic == "median" else Decimal("1.1331484530668263")  # exp(sigma² / 2)
    held = 0
    for _ in range(TRIALS):
        values = [Decimal(repr(random.lognormvariate(0, 0.5))) for _ in range(count)]
        interval = estimate(values, statistic).interval
        held += interval is not None and interval.low <= true <= interval.high
    return 100 * held / TRIALS
