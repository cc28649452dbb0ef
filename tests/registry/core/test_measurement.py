from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core import measurement
from registry.core.measurement import Figure, Interval, IntervalKind, Measured, Spread

LIGER = {
    "timing": {"latencyNs": {"median": 126336}, "primaryStatistic": "median"},
    "measurements": [
        {"metric": "latency", "statistic": "p80", "unit": "ns", "value": 127136},
        {"metric": "latency", "statistic": "p20", "unit": "ns", "value": 125152},
    ],
}
SCORE = {"measurements": [{"metric": "score", "statistic": "geomean", "unit": "s", "value": 1.0048658277929109e-05}]}
KERNELBOT = {
    "timing": {"latencyNs": {"mean": 10_000}, "primaryStatistic": "mean", "samples": 100},
    "measurements": [
        {"metric": "latency", "statistic": "std", "unit": "ns", "value": 500},
        {"metric": "latency", "statistic": "min", "unit": "ns", "value": 9_000},
        {"metric": "latency", "statistic": "max", "unit": "ns", "value": 12_000},
    ],
}


def timed(statistic, **latency):
    return {"timing": {"primaryStatistic": statistic, "latencyNs": latency}}


@pytest.mark.parametrize(
    ("spec", "statistic", "value", "estimator"),
    [
        (timed("mean", mean=3, median=2), "mean", 3, "mean"),
        (timed("mean", median=2), "mean", 2, "median"),
        (timed("median", mean=3, median=2), "median", 2, "median"),
        (timed("median", mean=3), "median", 3, "mean"),
        (timed("p95", mean=3, median=2, p95=9), "p95", 2, "median"),
    ],
)
def test_a_timed_run_takes_its_mean_or_median_under_its_own_word(spec, statistic, value, estimator):
    primary = measurement.primary(spec)
    assert (primary.metric, primary.unit) == ("latency", "ns")
    assert (primary.statistic, primary.value, primary.estimator) == (statistic, value, estimator)


def test_an_untimed_run_takes_its_first_measurement():
    primary = measurement.primary(SCORE)
    assert (primary.metric, primary.statistic, primary.unit) == ("score", "geomean", "s")
    assert (primary.value, primary.n, primary.interval) == (1.0048658277929109e-05, None, None)


@pytest.mark.parametrize("spec", [{}, {"measurements": []}])
def test_a_run_without_figures_has_no_primary_spread_or_interval(spec):
    assert measurement.primary(spec) is None
    assert measurement.measurements(spec) == ()
    assert measurement.spread(spec) is None
    assert measurement.interval(spec) is None


def test_measurements_come_primary_first_and_then_in_the_fixed_order():
    assert [(m.statistic, m.value) for m in measurement.measurements(LIGER)] == [
        ("median", 126336),
        ("p20", 125152),
        ("p80", 127136),
    ]
    assert [m.statistic for m in measurement.measurements(KERNELBOT)] == ["mean", "min", "max", "std"]


def test_the_primary_metric_stands_first_even_where_another_would_sort_before_it():
    spec = timed("p95", mean=3, median=2, p95=9, confidence95=[1, 4])
    assert [m.statistic for m in measurement.measurements(spec)] == ["median", "mean", "p95"]


def test_the_short_and_the_long_word_for_a_statistic_are_one():
    spec = timed("mean", mean=3, minimum=2) | {
        "measurements": [{"metric": "latency", "statistic": "min", "unit": "ns", "value": 1}]
    }
    assert [(m.statistic, m.value) for m in measurement.measurements(spec)] == [("mean", 3), ("minimum", 2)]


def test_a_figure_stated_twice_is_listed_once_and_the_first_wins():
    spec = timed("mean", mean=3) | {
        "measurements": [
            {"metric": "latency", "statistic": "mean", "unit": "ns", "value": 4},
            {"metric": "peak_memory", "statistic": "zeta", "unit": "mib", "value": 7, "sampleCount": 2},
        ]
    }
    assert measurement.measurements(spec) == (
        Measured("latency", "mean", "ns", 3, None),
        Measured("peak_memory", "zeta", "mib", 7, 2),
    )


@pytest.mark.parametrize(
    ("spec", "spread"),
    [
        (LIGER, Spread(125152, 127136, "p20 – p80")),
        (KERNELBOT, Spread(9_000, 12_000, "min – max")),
        (timed("median", median=5, p05=4, p95=6, minimum=1, maximum=9), Spread(4, 6, "p05 – p95")),
        (timed("median", median=5, minimum=1, maximum=9), Spread(1, 9, "min – max")),
        (timed("median", median=5, minimum=1), None),
        (SCORE, None),
    ],
)
def test_the_spread_is_the_narrowest_stated_pair_of_the_primary_metric(spec, spread):
    assert measurement.spread(spec) == spread


def test_a_stated_interval_is_taken_as_stated():
    spec = timed("median", median=7810, confidence95=[7788, 7841])
    assert measurement.primary(spec).interval == (7788, 7841)
    assert measurement.interval(spec) == Interval(7788, 7841, IntervalKind.STATED)


def test_an_interval_is_derived_from_mean_std_and_ten_samples():
    derived = measurement.interval(KERNELBOT)  # 10000 ± 1.98422 · 500 / 10
    assert derived.kind is IntervalKind.DERIVED
    assert (derived.low, derived.high) == (pytest.approx(9900.789, abs=0.001), pytest.approx(10099.211, abs=0.001))


@pytest.mark.parametrize(
    "timing",
    [
        {"latencyNs": {"mean": 10}, "primaryStatistic": "mean", "samples": 9},
        {"latencyNs": {"mean": 10}, "primaryStatistic": "mean"},
        {"latencyNs": {"median": 10}, "primaryStatistic": "median", "samples": 100},
    ],
    ids=["nine samples", "no count", "a median"],
)
def test_no_interval_is_derived_without_a_mean_of_ten_known_samples(timing):
    assert measurement.interval(KERNELBOT | {"timing": timing}) is None


def test_spread_of_samples_is_never_an_interval():
    assert measurement.interval(LIGER) is None


@pytest.mark.parametrize(("degrees", "tabulated"), [(9, 2.2622), (10, 2.2281), (29, 2.0452), (99, 1.9842)])
def test_the_t_quantile_agrees_with_the_tables(degrees, tabulated):
    assert measurement.t_quantile(degrees) == pytest.approx(tabulated, abs=0.001)


@pytest.mark.parametrize(
    ("value", "unit", "number", "word"),
    [
        (209838, "ns", "209.8", "µs"),
        (126336, "ns", "126.3", "µs"),
        (127136, "ns", "127.1", "µs"),
        (39424, "ns", "39.4", "µs"),
        (7328, "ns", "7.33", "µs"),
        (452700, "ns", "452.7", "µs"),
        (999_999, "ns", "1.00", "ms"),
        (9_996, "ns", "10.0", "µs"),
        (9_994, "ns", "9.99", "µs"),
        (1_005, "ns", "1.01", "µs"),  # half up: 1.005 is exact here, a binary float would give 1.00
        (999, "ns", "999", "ns"),
        (742, "ns", "742", "ns"),
        (742.0, "ns", "742", "ns"),
        (742.25, "ns", "742.3", "ns"),
        (999.96, "ns", "1.00", "µs"),
        (0, "ns", "0", "ns"),
        (0.004, "ns", "0.004", "ns"),
        (7.328, "us", "7.33", "µs"),
        (1.0048658277929109e-05, "s", "10.0", "µs"),
        (3_600, "s", "3,600", "s"),
        (12_345.6, "s", "12,346", "s"),
        (512, "mib", "512", "MiB"),
        (512.25, "mib", "512.3", "MiB"),
        (8840.42, "tokens_s", "8,840", "tokens/s"),
        (0.805502, "sol_score", "0.81", "sol_score"),
        (2**53 - 1, "ns", "9,007,199", "s"),
        (1e300, "count", "1.00e+300", "count"),
        (2.5e-9, "count", "2.50e-9", "count"),
        (-1234.5, "count", "-1,235", "count"),
    ],
)
def test_a_figure_reads_as_the_design_says(value, unit, number, word):
    assert measurement.figure(value, unit) == Figure(number, word)


def test_a_figure_is_number_and_unit():
    assert str(measurement.figure(209838, "ns")) == "209.8 µs"


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["ns", "s", "mib", "count"]))
def test_every_finite_number_has_a_figure_that_is_0_only_for_0(value, unit):
    number = measurement.figure(value, unit).number
    assert (float(number.replace(",", "")) == 0) == (value == 0)
    assert len(number) <= 24


@pytest.mark.parametrize(
    ("values", "unit", "word"),
    [
        ([740, 209838, 300000], "ns", "µs"),
        ([740, 209838], "ns", "ns"),
        ([39424, 126336], "ns", "µs"),
        ([5_000_000_000, 39424, 126336], "ns", "µs"),
        ([1.0e-05, 2.0e-05], "s", "µs"),
        ([1, 2], "mib", "MiB"),
        ([], "tokens_s", "tokens/s"),
    ],
)
def test_a_column_takes_the_unit_of_its_lower_median(values, unit, word):
    assert measurement.column_unit(values, unit) == word


@pytest.mark.parametrize(
    ("value", "unit", "display", "number"),
    [
        (39424, "ns", "µs", "39.4"),
        (999_999, "ns", "µs", "1,000"),
        (1_234_567, "ns", "µs", "1,235"),
        (5, "ns", "µs", "0.01"),
        (4, "ns", "µs", "0.004"),
        (742, "ns", "ns", "742"),
        (1.25e-05, "s", "µs", "12.5"),
        (512, "mib", "MiB", "512"),
    ],
)
def test_a_figure_in_a_column_keeps_the_unit_of_the_column(value, unit, display, number):
    assert measurement.figure_in(value, unit, display) == number


def test_a_column_has_no_foreign_unit():
    with pytest.raises(KeyError, match="MiB"):
        measurement.figure_in(5, "ns", "MiB")


@pytest.mark.parametrize(
    ("a", "b", "text"), [(126336, 39424, "3.20×"), (1, 1, "1.00×"), (1.005, 1, "1.01×"), (1, 500, "0.002×")]
)
def test_a_ratio_has_two_decimals(a, b, text):
    assert measurement.ratio_text(a, b) == text


@pytest.mark.parametrize(
    ("best", "following", "percent"),
    [(100, 101, "1"), (101, 100, "1"), (1000, 1002, "0.2"), (5, 5, "0"), (0, 5, "Infinity"), (0.1, 0.3, "200")],
)
def test_a_lead_is_the_same_in_both_directions(best, following, percent):
    assert measurement.percent_lead(best, following) == Decimal(percent)


@pytest.mark.parametrize(
    ("percent", "text"), [("0.2", "0.2 %"), ("12.25", "12.3 %"), ("0.04", "0.04 %"), ("Infinity", "∞ %")]
)
def test_a_percentage_has_one_decimal_and_never_reads_as_nothing(percent, text):
    assert measurement.percent_text(Decimal(percent)) == text


@pytest.mark.parametrize(
    ("statistic", "kind", "cases", "aggregation", "text"),
    [
        ("mean", "WorkloadSuite", 16, "mean", "mean over the suite's 16 cases; per-case estimator not stated"),
        (
            "geomean",
            "WorkloadSuite",
            1,
            "geomean",
            "geometric mean over the suite's 1 case; per-case estimator not stated",
        ),
        (
            "unspecified",
            "WorkloadSuite",
            5,
            "unspecified",
            "unstated aggregate over the suite's 5 cases; per-case estimator not stated",
        ),
        ("median", "WorkloadSuite", 4, "mean", "mean over the suite's 4 cases; the run states median"),
        ("median", "WorkloadCase", None, None, "median across samples; one case"),
        ("unspecified", "WorkloadCase", None, None, "statistic not stated; one case"),
    ],
)
def test_a_statistic_says_both_of_its_parts(statistic, kind, cases, aggregation, text):
    stated = {"metric": "latency", "statistic": aggregation} if aggregation else None
    assert measurement.two_part_statistic(statistic, kind, cases, stated) == text


def test_a_suite_of_unknown_size_says_so():
    assert measurement.two_part_statistic("mean", "WorkloadSuite") == (
        "mean over an unstated number of cases; per-case estimator not stated"
    )
