"""A source's own figures are quoted: rounded for reading, exact beside, with a definition or without."""

import pytest

from registry.core.source_metrics import NOT_DEFINED, Quoted, quoted


def test_the_sol_seeds_figures_read_as_on_its_page() -> None:
    metrics = {
        "sol_score": 0.805502, "latency_ms": 0.209838, "avg_speedup": 4.049, "fast_1_count": 16, "fast_1_total": 16,
    }  # fmt: skip
    assert quoted(metrics) == (
        Quoted("sol_score", 0.805502, "SOL 0.8055", "its SOL score (0.5 at its baseline, 1 at the speed of light)"),
        Quoted("avg_speedup", 4.049, "4.05× reference", "mean speed-up over its reference"),
        Quoted("fast_1_count", 16, "16/16 cases faster", "cases faster than its reference"),
    )


@pytest.mark.parametrize(
    ("metrics", "text"),
    [
        ({"sol_score": 0.80545}, "SOL 0.8055"),
        ({"avg_speedup": 1234.5}, "1,234.50× reference"),
        ({"speedup_factor": 1.005}, "1.01× reference"),
        ({"fast_1_count": 3}, "3 cases faster"),
        ({"fast_1_count": 3, "fast_1_total": 24}, "3/24 cases faster"),
        ({"reference_latency_ms": 0.5}, "reference 0.5 ms"),
        ({"leaderboard_score_s": 0.00012345}, "leaderboard score 123.5 µs"),
        ({"geomean_ratio": 1.23456}, "geomean ratio 1.235"),
        ({"rank": 0}, "rank 0"),
        ({"tiny": 0.00001}, "tiny 1e-05"),
        ({"flops": 4200000000.0}, "flops 4.2e+09"),
    ],
)
def test_each_figure_is_rounded_half_up_and_named(metrics: dict[str, float], text: str) -> None:
    assert [quote.text for quote in quoted(metrics)] == [text]


@pytest.mark.parametrize(("value", "text"), [(12345.678, "loss 12,350"), (123456, "loss 123,500")])
def test_everyday_sizes_have_no_exponent(value: float, text: str) -> None:
    assert [quote.text for quote in quoted({"loss": value})] == [text]


def test_figures_that_repeat_the_runs_own_measurement_are_left_out() -> None:
    assert quoted({"latency_ms": 1, "ms_20": 1, "ms_50": 1, "ms_80": 1, "mean_ns": 1, "best_ns": 1}) == ()
    assert quoted({"mib_20": 1, "mib_50": 1, "mib_80": 1}) == ()


def test_known_figures_come_first_and_others_follow_by_name_as_not_defined_by_the_source() -> None:
    quotes = quoted({"zeta": 2.0, "alpha_x": 1.0, "sol_score": 0.5})
    assert [(quote.key, quote.meaning == NOT_DEFINED) for quote in quotes] == [
        ("sol_score", False), ("alpha_x", True), ("zeta", True),
    ]  # fmt: skip
    assert NOT_DEFINED == "not defined by the source"
