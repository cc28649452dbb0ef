"""Statistics of samples and their intervals, by tables of written-out values."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attestations.core import statistics
from attestations.core.statistics import Interval, StatisticError, estimate, median_ranks, stated, summary

TEN = "10 11 9 10 12 10 8 11 10 9"


def decimals(text: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, text.split()))


@pytest.mark.parametrize(
    ("n", "ranks"),
    [  # as in tables of the sign test
        (1, None),
        (5, None),
        (6, (1, 6)),
        (8, (1, 8)),
        (9, (2, 8)),
        (11, (2, 10)),
        (12, (3, 10)),
        (15, (4, 12)),
        (20, (6, 15)),
        (25, (8, 18)),
        (30, (10, 21)),
        (50, (18, 33)),
        (100, (40, 61)),
        (1000, (469, 532)),
        (10_000, (4902, 5099)),
    ],
)
def test_ranks_that_enclose_the_median(n: int, ranks: tuple[int, int] | None) -> None:
    assert median_ranks(n) == ranks


@pytest.mark.parametrize(
    ("samples", "statistic", "value", "low", "high"),
    [
        ("1 2 3 4 5 6", "median", "3.5", "1", "6"),
        ("6 5 4 3 2 1", "median", "3.5", "1", "6"),
        ("1 2 3 4 5 6 7 8 9", "median", "5", "2", "8"),
        (TEN, "median", "10", "9", "11"),
        ("209.8 209.8 209.8 209.8 209.8 209.8", "median", "209.8", "209.8", "209.8"),
        (TEN, "mean", "10", "9.2", "10.8"),
        ("5 5 5 5 5 5 5 5 5 5", "mean", "5", "5.0", "5.0"),
    ],
)
def test_an_estimate_with_its_interval(samples: str, statistic: str, value: str, low: str, high: str) -> None:
    found = estimate(decimals(samples), statistic)
    assert found.interval is not None
    assert (found.value, found.interval.low, found.interval.high) == decimals(f"{value} {low} {high}")
    assert found.why_alone is None
    assert found.interval.name == f"95 % interval of the {statistic} by " + (
        "order statistics" if statistic == "median" else "bootstrap"
    )


@pytest.mark.parametrize(
    ("samples", "statistic", "value", "why"),
    [
        ("7", "median", "7", "no interval: a single value"),
        ("7", "mean", "7", "no interval: a single value"),
        ("1 2 3 4 5", "median", "3", "no interval: 5 samples, the median has one from 6"),
        ("1 2 3 5", "median", "2.5", "no interval: 4 samples, the median has one from 6"),
        ("1 2 4", "mean", "2.33333333333", "no interval: 3 samples, the mean has one from 10"),
        (TEN, "min", "8", "no interval: none is computed for min"),
        (TEN, "minimum", "8", "no interval: none is computed for minimum"),
        (TEN, "max", "12", "no interval: none is computed for max"),
        (TEN, "p20", "9", "no interval: none is computed for p20"),
        ("1 2 3 4", "p50", "2.5", "no interval: none is computed for p50"),
        ("1 2 3 4 5 6 7 8 9 10 11", "p95", "10.5", "no interval: none is computed for p95"),
        ("1 2 3 4 5 6 7 8 9 10 11", "p99.9", "10.99", "no interval: none is computed for p99.9"),
        ("3", "p20", "3", "no interval: a single value"),
    ],
)
def test_an_estimate_without_an_interval_says_why(samples: str, statistic: str, value: str, why: str) -> None:
    found = estimate(decimals(samples), statistic)
    assert (found.value, found.interval, found.why_alone) == (Decimal(value), None, why)
    assert found.n == len(samples.split())


@pytest.mark.parametrize("statistic", ["geomean", "std", "mad", "p100", "p", "trimmed_mean", ""])
def test_a_statistic_that_samples_do_not_give_is_refused(statistic: str) -> None:
    with pytest.raises(StatisticError, match=f"samples of one case give no {statistic}"):
        estimate(decimals(TEN), statistic)


@pytest.mark.parametrize(
    ("n", "deviation", "low", "high"),
    [  # by tables of Student's t: 2.0639 at 24 degrees, 2.262 at 9
        (25, "1", "9.587", "10.413"),
        (25, "2", "9.174", "10.826"),
        (10, "1", "9.285", "10.715"),
    ],
)
def test_a_stated_mean_with_its_deviation_has_student_s_interval(n: int, deviation: str, low: str, high: str) -> None:
    found = stated(Decimal(10), "mean", n, Decimal(deviation))
    assert found.interval is not None
    assert (round(found.interval.low, 3), round(found.interval.high, 3)) == (Decimal(low), Decimal(high))
    assert found.interval.name == statistics.STUDENT


@pytest.mark.parametrize(
    ("statistic", "n", "deviation"),
    [("mean", 9, "1"), ("mean", None, "1"), ("mean", 25, None), ("median", 25, "1")],
)
def test_a_stated_value_without_what_an_interval_needs_stands_alone(
    statistic: str, n: int | None, deviation: str | None
) -> None:
    found = stated(Decimal(10), statistic, n, None if deviation is None else Decimal(deviation))
    assert (found.interval, found.why_alone) == (None, "no interval: a single value")


def test_a_summary_of_samples() -> None:
    assert summary(decimals(TEN)) == statistics.Summary(10, Decimal(8), Decimal(10), Decimal(10), Decimal(12))


def test_many_samples_are_resampled_in_runs_of_neighbours() -> None:
    """Two hundred values that alternate: each pair of neighbours has the mean 10, so it is known exactly."""
    found = estimate(decimals("9 11 " * 100), "mean")
    assert found.interval == Interval(Decimal("10.0"), Decimal("10.0"), statistics.BOOTSTRAP)


def test_equal_samples_give_an_equal_interval_however_they_were_written() -> None:
    assert estimate(decimals(TEN), "mean") == estimate(decimals(TEN.replace("10", "10.0")), "mean")


def _scaled(digits: int, exponent: int) -> Decimal:
    return Decimal(digits).scaleb(exponent)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.builds(_scaled, st.integers(1, 10**9), st.integers(-18, 9)), min_size=1, max_size=40),
    st.sampled_from(["median", "mean", "min", "max", "p05", "p95"]),
)
def test_an_estimate_lies_between_minimum_and_maximum_and_in_its_interval(
    values: list[Decimal], statistic: str
) -> None:
    found = estimate(values, statistic)
    low, high = statistics.shown(min(values)), statistics.shown(max(values))
    assert low <= found.value <= high
    if found.interval:
        assert low <= found.interval.low <= found.interval.high <= high


@settings(deadline=None)
@given(st.lists(st.integers(1, 10**6).map(Decimal), min_size=6, max_size=60), st.randoms())
def test_the_median_and_its_interval_do_not_know_the_order_of_samples(values: list[Decimal], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert estimate(shuffled, "median") == estimate(values, "median")
