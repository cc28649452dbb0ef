"""Verdicts by tables: every rule of `verdict-v1` with its edges, each expected value written out."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from attestations.core import statistics
from attestations.core.verdict import POLICY, Assessment, Claim, Measured, Verdict, assess, software_facts, word

CLAIM = Claim(Decimal(100), "us", "latency", "median", True, "h100-sxm", {"driver": "580.65", "cudaToolkit": "12.4"})
THROUGHPUT = Claim(Decimal(100), "tflops", "throughput", "median", False, "h100-sxm")
HERE = Measured(unit="us", hardware="h100-sxm", software=CLAIM.software, setup="as_published")


def samples(text: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, text.split()))


def judged(text: str, claim: Claim = CLAIM, **changes: Any) -> Assessment:
    return assess(claim, replace(HERE, **{"values": samples(text), "unit": claim.unit} | changes))


@pytest.mark.parametrize(
    ("text", "verdict", "value", "low", "high", "ratio"),
    [
        ("98 99 100 100 101 102", "agrees", "100", "98", "102", "1"),
        ("95 97 99 101 103 105", "agrees", "100", "95", "105", "1"),  # both edges belong to the band
        ("94.9 97 99 101 103 105", "inconclusive", "100", "94.9", "105", "1"),
        ("95 97 99 101 103 105.1", "inconclusive", "100", "95", "105.1", "1"),
        ("80 90 100 100 110 120", "inconclusive", "100", "80", "120", "1"),
        ("105 106 107 108 109 110", "inconclusive", "107.5", "105", "110", "1.075"),  # touches the upper edge
        ("105.1 106 107 108 109 110", "slower", "107.5", "105.1", "110", "1.075"),
        ("90 91 92 93 94 95", "inconclusive", "92.5", "90", "95", "0.925"),
        ("90 91 92 93 94 94.9", "faster", "92.5", "90", "94.9", "0.925"),
        ("200 200 200 200 200 200", "slower", "200", "200", "200", "2"),
        ("50 50 50 50 50 50", "faster", "50", "50", "50", "0.5"),
    ],
)
def test_samples_are_judged_by_their_interval(
    text: str, verdict: str, value: str, low: str, high: str, ratio: str
) -> None:
    found = judged(text)
    assert found.verdict == verdict
    assert (found.value, found.low, found.high, found.ratio) == samples(f"{value} {low} {high} {ratio}")
    assert (found.band_low, found.band_high) == (Decimal(95), Decimal(105))
    assert found.interval_name == statistics.ORDER_STATISTICS
    assert (found.n, found.unit, found.statistic, found.policy) == (6, "us", "median", POLICY)
    assert found.is_comparable


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("106 107 108 109 110 111", "faster"),
        ("90 91 92 93 94 94.9", "slower"),
        ("98 99 100 100 101 102", "agrees"),
        ("90 95 100 100 105 110", "inconclusive"),
        ("94", "slower"),
        ("106", "faster"),
    ],
)
def test_of_a_throughput_less_is_slower(text: str, verdict: str) -> None:
    assert judged(text, THROUGHPUT).verdict == verdict


@pytest.mark.parametrize(
    ("value", "verdict", "ratio"),
    [
        ("100", "agrees", "1"),
        ("95", "agrees", "0.95"),
        ("105", "agrees", "1.05"),
        ("94.999", "faster", "0.94999"),
        ("105.001", "slower", "1.05001"),
        ("1000", "slower", "10"),
    ],
)
def test_a_single_value_is_judged_alone_and_the_reasons_say_so(value: str, verdict: str, ratio: str) -> None:
    given = assess(CLAIM, replace(HERE, value=Decimal(value)))
    sample = judged(value)
    for found in (given, sample):
        assert (found.verdict, found.ratio) == (verdict, Decimal(ratio))
        assert found.reasons[0] == "no interval: a single value"
        assert (found.low, found.high, found.interval_name) == (None, None, None)
    assert (given.n, sample.n) == (None, 1)


def test_five_samples_have_no_interval_of_their_median() -> None:
    found = judged("106 107 108 109 110")
    assert found.verdict == "slower"
    assert found.reasons == ("no interval: 5 samples, the median has one from 6", "more than 5 % above the claim")


def test_a_claimed_mean_is_compared_with_the_mean() -> None:
    claim = replace(CLAIM, statistic="mean")
    nine_and_one = "100 100 100 100 100 100 100 100 100 300"
    assert judged(nine_and_one, claim).value == Decimal(120)
    assert judged(nine_and_one, claim).verdict == "inconclusive"
    assert judged(nine_and_one).verdict == "agrees"  # of the median
    assert judged("100 100 100 100 100 100 100 100 100 101", claim).interval_name == statistics.BOOTSTRAP


@pytest.mark.parametrize(
    ("statistic", "verdict", "value"),
    [
        ("min", "faster", "90"),
        ("minimum", "faster", "90"),
        ("max", "slower", "110"),
        ("p20", "agrees", "97.6"),
        ("p50", "agrees", "100"),
        ("p95", "slower", "108.5"),
    ],
)
def test_minimum_maximum_and_quantiles_are_judged_by_the_value(statistic: str, verdict: str, value: str) -> None:
    found = judged("90 97.5 98 100 102 105 110", replace(CLAIM, statistic=statistic))
    assert (found.verdict, found.value) == (verdict, Decimal(value))
    assert found.reasons[0] == f"no interval: none is computed for {statistic}"


@pytest.mark.parametrize(
    ("claim", "changes", "reason"),
    [
        ({}, {"hardware": "h100-pcie"}, "other hardware: h100-pcie, the claim is of h100-sxm"),
        ({}, {"hardware": "h100-sxm-x8"}, "other hardware: h100-sxm-x8, the claim is of h100-sxm"),
        ({}, {"hardware": None}, "the hardware is not stated"),
        ({}, {"setup": "other"}, "own code or another protocol"),
        ({}, {"software": {"driver": "570.10"}}, "driver: 570.10 here, the claim states 580.65"),
        ({}, {"software": {"cuda_toolkit": "12.40"}}, "cudaToolkit: 12.40 here, the claim states 12.4"),
        ({}, {"unit": "gb_s"}, "another unit: GB/s is a bandwidth, the claim is in µs"),
        ({}, {"unit": "mib"}, "another unit: MiB is an amount of memory, the claim is in µs"),
        ({}, {"unit": None}, "the unit is not stated"),
        ({"value": None}, {}, "the claim states no value above 0"),
        ({"value": 0.0}, {}, "the claim states no value above 0"),
        ({"value": float("nan")}, {}, "the claim states no value above 0"),
        ({"value": float("inf")}, {}, "the claim states no value above 0"),
        ({"statistic": "geomean"}, {}, "the claim is a geomean: samples of one case give no geomean"),
        (
            {"statistic": "unspecified"},
            {},
            "the claim does not state its statistic, so none of the samples' compares with it",
        ),
        (
            {"metric": "energy", "lower_is_better": None},
            {},
            "it is not known whether lower or higher energy is better",
        ),
    ],
)
def test_what_was_measured_in_another_setting_is_not_comparable(
    claim: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    found = judged("200 200 200 200 200 200", replace(CLAIM, **claim), **changes)
    assert found.verdict == "not comparable"
    assert not found.is_comparable
    assert found.reasons == (reason,)
    assert found.ratio is None  # a ratio is of two comparable values only


def test_another_setting_is_shown_as_context_with_its_value() -> None:
    found = judged("200 200 200 200 200 200", hardware="b200")
    assert (found.value, found.low, found.high) == samples("200 200 200")


def test_every_reason_against_a_comparison_is_listed() -> None:
    found = judged("1", hardware=None, setup="other", software={"driver": "1", "cudaToolkit": "2"}, unit="gib")
    assert found.reasons == (
        "own code or another protocol",
        "the hardware is not stated",
        "driver: 1 here, the claim states 580.65",
        "cudaToolkit: 2 here, the claim states 12.4",
        "another unit: GiB is an amount of memory, the claim is in µs",
    )


@pytest.mark.parametrize(
    ("claims", "reports", "not_stated"),
    [
        ({}, {}, ()),
        ({"driver": "580"}, {"driver": "580"}, ()),
        ({"driver": "580"}, {"Driver": " v580 "}, ()),
        ({"cudaToolkit": "12.4"}, {"cuda_toolkit": "12.4"}, ()),
        ({"driver": "580"}, {}, ("driver: the claim states 580, this report nothing",)),
        ({"driver": "580"}, {"driver": "  "}, ("driver: the claim states 580, this report nothing",)),
        ({}, {"driver": "580"}, ("driver: 580 here, the claim states none",)),
        ({"driver": "580"}, {"driver": "580.65"}, ("driver: 580.65 here, the claim states 580",)),
        ({"torch": "2.6.0+cu124"}, {"torch": "2.6.0"}, ("torch: 2.6.0 here, the claim states 2.6.0+cu124",)),
        (
            {"driver": "580", "triton": "3.2"},
            {"torch": "2.6"},
            (
                "driver: the claim states 580, this report nothing",
                "triton: the claim states 3.2, this report nothing",
                "torch: 2.6 here, the claim states none",
            ),
        ),
    ],
)
def test_what_one_side_does_not_state_is_listed_and_keeps_nothing_apart(
    claims: dict[str, str], reports: dict[str, str], not_stated: tuple[str, ...]
) -> None:
    found = judged("100", replace(CLAIM, software=claims), software=reports)
    assert found.is_comparable
    assert found.not_stated == not_stated


@pytest.mark.parametrize(
    ("claims", "reports"),
    [("580", "58"), ("12.4", "12.40"), ("2.6.0+cu124", "2.6.0+cu126"), ("2.6", "2.7"), ("3", "30")],
)
def test_versions_that_differ_within_what_both_state_contradict(claims: str, reports: str) -> None:
    assert not judged("100", replace(CLAIM, software={"torch": claims}), software={"torch": reports}).is_comparable


def test_the_run_s_own_environment_is_the_same_one() -> None:
    found = judged("100", hardware=None, software={}, is_same_environment=True)
    assert found.is_comparable
    assert found.not_stated == ()


def test_a_setup_that_is_not_stated_is_listed() -> None:
    found = judged("100", setup="")
    assert found.is_comparable
    assert found.not_stated == ("whether the published code, workload and protocol were used",)


def test_wrong_outputs_win_over_the_time_where_the_setting_is_comparable() -> None:
    found = judged("98 99 100 100 101 102", is_incorrect=True)
    assert (found.verdict, found.reasons) == ("incorrect", ("the outputs were wrong",))
    assert found.value == Decimal(100)
    assert assess(CLAIM, replace(HERE, is_incorrect=True)).verdict == "incorrect"
    assert judged("100", is_incorrect=True, hardware="b200").verdict == "not comparable"
    assert assess(CLAIM, replace(HERE, is_incorrect=True, setup="other")).verdict == "not comparable"


def test_without_a_measurement_there_is_no_verdict() -> None:
    found = assess(CLAIM, HERE)
    assert (found.verdict, found.value, found.n, found.ratio, found.reasons) == (None, None, None, None, ())
    assert found.is_comparable
    elsewhere = assess(CLAIM, replace(HERE, hardware="b200"))
    assert (elsewhere.verdict, elsewhere.is_comparable) == (None, False)


def test_values_are_converted_to_the_claim_s_unit_before_they_are_judged() -> None:
    found = judged("0.098 0.099 0.100 0.100 0.101 0.102", unit="ms")
    assert (found.verdict, found.unit) == ("agrees", "us")
    assert (found.value, found.low, found.high) == samples("100 98 102")


def test_a_float_of_the_claim_is_read_as_it_is_written() -> None:
    found = judged("209.8", replace(CLAIM, value=209.8))
    assert (found.band_low, found.band_high, found.ratio) == samples("199.31 220.29 1")


@pytest.mark.parametrize(
    ("statistic", "of_claim", "verdict"),
    [
        (None, "median", "agrees"),
        (None, "geomean", "agrees"),  # a single value is taken as what the claim is
        (None, "unspecified", "agrees"),
        ("median", "median", "agrees"),
        ("minimum", "min", "agrees"),
        ("mean", "median", "not comparable"),
        ("mean", "unspecified", "not comparable"),
    ],
)
def test_a_single_value_of_another_statistic_is_not_comparable(
    statistic: str | None, of_claim: str, verdict: str
) -> None:
    found = assess(replace(CLAIM, statistic=of_claim), replace(HERE, value=Decimal(100), statistic=statistic))
    assert found.verdict == verdict
    if verdict == "not comparable":
        assert found.reasons == (f"the value is a {statistic}, the claim a {of_claim}",)


def test_a_mean_that_a_file_states_with_its_deviation_is_judged_by_student_s_interval() -> None:
    claim = replace(CLAIM, statistic="mean")
    measured = replace(
        HERE, value=Decimal("0.000103"), unit="s", statistic="mean", n=25, deviation=Decimal("0.000010")
    )  # ± 4.13 µs
    found = assess(claim, measured)
    assert (found.verdict, found.n, found.interval_name) == ("inconclusive", 25, statistics.STUDENT)
    assert assess(claim, replace(measured, n=2500)).verdict == "agrees"


@pytest.mark.parametrize(
    ("low", "high", "is_told"),
    [(80, 120, True), (80, 106, True), (80, 105.9, False), (111, 130, True), (111.1, 130, False)],
)
def test_the_claim_s_own_interval_moves_no_edge_and_is_told_where_it_overlaps(
    low: float, high: float, is_told: bool
) -> None:
    found = judged("106 107 108 109 110 111", replace(CLAIM, interval=(low, high)))
    assert found.verdict == "slower"
    told = ("the claim's own 95 % interval overlaps this one",) if is_told else ()
    assert found.reasons == (*told, "more than 5 % above the claim")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("98 99 100 100 101 102", "within 5 % of the claim"),
        ("80 90 100 100 110 120", "the interval crosses an edge of the band of 5 %"),
        ("106 107 108 109 110 111", "more than 5 % above the claim"),
        ("80 81 82 83 84 85", "more than 5 % below the claim"),
    ],
)
def test_a_verdict_says_why(text: str, reason: str) -> None:
    assert judged(text).reasons == (reason,)


def test_a_claim_below_one_has_its_band_too() -> None:
    found = judged("0.52", replace(CLAIM, value=0.5))
    assert (found.verdict, found.band_low, found.band_high) == ("agrees", *samples("0.475 0.525"))


@pytest.mark.parametrize(
    ("verdict", "metric", "expected"),
    [
        ("slower", "latency", "slower"),
        ("faster", "throughput", "faster"),
        ("slower", "peak_memory", "more memory"),
        ("faster", "memory", "less memory"),
        ("agrees", "memory", "agrees"),
        (None, "latency", "nothing measured"),
    ],
)
def test_a_verdict_in_words(verdict: str | None, metric: str, expected: str) -> None:
    assert word(verdict, metric) == expected


def test_an_assessment_as_json_has_texts_for_decimals() -> None:
    written = judged("106 107 108 109 110 111", software={"driver": "580.65"}).as_json()
    assert json.loads(json.dumps(written)) == {
        "verdict": "slower",
        "is_comparable": True,
        "value": "108.5",
        "unit": "us",
        "n": 6,
        "statistic": "median",
        "low": "106",
        "high": "111",
        "interval_name": "95 % interval of the median by order statistics",
        "ratio": "1.085",
        "band_low": "95",
        "band_high": "105",
        "reasons": ["more than 5 % above the claim"],
        "not_stated": ["cudaToolkit: the claim states 12.4, this report nothing"],
        "policy": "verdict-v1",
    }
    assert type(written["verdict"]) is str
    assert assess(CLAIM, HERE).as_json()["verdict"] is None


def test_software_of_an_environment_by_name() -> None:
    software = {
        "driver": "580.65",
        "cudaToolkit": "12.4",
        "framework": {"name": "pytorch", "version": "2.6.0"},
        "libraries": {"triton": "3.2.0", "liger-kernel": "0.6.0"},
    }
    assert software_facts(software) == {
        "driver": "580.65",
        "cudaToolkit": "12.4",
        "pytorch": "2.6.0",
        "triton": "3.2.0",
        "liger-kernel": "0.6.0",
    }


def test_only_agreement_comes_of_the_claim_itself() -> None:
    """The same value in each unit of its dimension agrees with itself."""
    for unit, value in (("ns", "100000"), ("us", "100"), ("ms", "0.1"), ("s", "0.0001")):
        found = judged(value, unit=unit)
        assert (found.verdict, found.ratio) == (Verdict.AGREES, Decimal(1))
