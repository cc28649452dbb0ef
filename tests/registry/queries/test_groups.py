"""A comparison group as an object: the ranked table, what is held equal, the groups beside it."""

import pytest

from registry.core import measurement
from registry.models import ComparisonGroup
from registry.queries import groups, keyset
from tests.factories import workload_document
from tests.registry.pages import LIGER, LIGER_KEY, SOL_KEY, publish, timed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def test_the_liger_seeds_group_ranks_two_runs_in_one_unit() -> None:
    page = groups.group_page(LIGER_KEY)
    assert [
        (row.rank, row.implementation.name, row.value and row.value.number, row.spread and row.spread.text)
        for row in page.rows
    ] == [(1, "Liger", "39.4", "39.1 – 40.4"), (2, "PyTorch", "126.3", "125.2 – 127.1")]
    assert (page.unit, page.range_name, page.page.total, page.page.next) == ("µs", "p20 – p80", 2, None)
    assert (page.profile, page.policy, page.counts_text) == (
        "source-native comparison",
        "ranking-v2",
        "2 runs, both ranked",
    )
    assert page.standing_text == (
        "No ties on this page. Between ranks 1 and 2: lead 220.5 % (unknown: the source publishes no interval). "
        "No run is left unranked. A spread of samples is not an uncertainty interval: overlap of two spreads makes no "
        "tie."
    )
    assert (page.undigested, page.unranked_count) == ((), 0)


def test_six_things_are_held_equal() -> None:
    assert [(fact.label, fact.value) for fact in groups.group_page(LIGER_KEY).held_equal] == [
        ("operation", "ReLU squared"),
        ("workload", "rows 4096 · hidden 4096 · bf16"),
        ("protocol", "Liger benchmark harness · backward pass"),
        ("environment", "Liger benchmark host · H100 80GB HBM3"),
        ("correctness", "not_asserted"),
        ("metric", "latency · median · ns"),
    ]


def test_a_groups_summary_names_its_best_run_its_direction_and_its_counts() -> None:
    summary = groups.group_page(LIGER_KEY).summary
    assert (summary.metric, summary.statistic, summary.direction) == ("latency", "median", "lower is better")
    assert (summary.run_count, summary.ranked_count, summary.author_count) == (2, 2, 2)
    assert (summary.best and summary.best.text, summary.best_implementation) == ("39.4 µs", "Liger")
    assert round(summary.next_ratio or 0, 2) == 3.2


def test_the_sweep_beside_a_group_has_its_eight_sizes_and_marks_this_one() -> None:
    siblings = groups.group_page(LIGER_KEY).siblings
    assert siblings is not None
    assert (siblings.axis, siblings.this_value, siblings.series, siblings.baselines) == (
        "hidden", 4096, ("Liger", "PyTorch"), ("PyTorch",),
    )  # fmt: skip
    assert siblings.constants == "backward pass · rows 4096 · bf16 · NVIDIA H100 80GB HBM3"
    assert [
        (row.axis_value, [cell and cell.value.number for cell in row.cells], round(row.ratio or 0, 2), row.is_this)
        for row in siblings.rows
    ] == [
        (128, ["7.94", "16.9"], 2.13, False),
        (256, ["8.35", "18.6"], 2.23, False),
        (512, ["10.6", "23.5"], 2.22, False),
        (1024, ["14.7", "35.5"], 2.42, False),
        (2048, ["23.3", "60.3"], 2.58, False),
        (4096, ["39.4", "126.3"], 3.2, True),
        (8192, ["72.4", "235.5"], 3.25, False),
        (16384, ["137.1", "452.7"], 3.3, False),
    ]
    assert siblings.plot.is_log


def test_a_suite_has_no_sweep_beside_it() -> None:
    assert groups.group_page(SOL_KEY).siblings is None


def test_the_same_workload_elsewhere_says_why_it_is_not_ranked_here() -> None:
    assert [
        (other.protocol, other.run_count, other.best and other.best.text, other.differs)
        for other in groups.group_page(LIGER_KEY).elsewhere
    ] == [
        ("Liger benchmark harness · forward pass", 2, "27.9 µs", "protocol differs"),
        ("Liger benchmark harness · full pass", 2, "87.1 µs", "protocol differs"),
    ]


def test_every_group_of_the_demo_makes_a_page_whose_counts_are_its_rows() -> None:
    counts = {}
    for key in ComparisonGroup.objects.values_list("key", flat=True):
        page = groups.group_page(key)
        counts[len(page.rows)] = counts.get(len(page.rows), 0) + 1
        assert page.page.total == len(page.rows)
    assert counts == {1: 1, 2: 24, 3: 1}


def test_the_cursor_of_another_group_is_refused_and_an_unknown_group_is_not_found() -> None:
    with pytest.raises(keyset.BadCursorError):
        groups.group_page(LIGER_KEY, cursor="x")
    with pytest.raises(ComparisonGroup.DoesNotExist):
        groups.group_page(LIGER)


@pytest.mark.parametrize(
    ("runs", "ranked", "text"),
    [
        (1, 1, "1 run, ranked"), (1, 0, "1 run, 0 ranked"), (2, 2, "2 runs, both ranked"), (3, 3, "3 runs, all ranked"),
        (1764, 1700, "1,764 runs, 1,700 ranked"),
    ],
)  # fmt: skip
def test_counts_say_how_many_are_ranked(runs: int, ranked: int, text: str) -> None:
    assert groups.counts_text(runs, ranked) == text


@pytest.mark.parametrize(
    ("unit", "display_unit", "factor"),
    [
        ("ns", "µs", 1000.0),
        ("ns", "ns", 1.0),
        ("ms", "µs", 0.001),
        ("s", "ms", 0.001),
        ("gib", "GiB", 1.0),
        (None, None, 1.0),
    ],
)
def test_an_axis_in_another_unit_is_scaled(unit: str | None, display_unit: str | None, factor: float) -> None:
    assert measurement.scale(unit, display_unit) == pytest.approx(factor)


def test_other_dtypes_are_not_in_a_sweep() -> None:
    sizes = [(8, "bf16"), (16, "bf16"), (32, "bf16"), (16, "fp32")]
    cases = [
        workload_document(
            f"scale-{rows}-{dtype}", axes={"rows": rows}, tensors={"x": {"shape": [rows, 64], "dtype": dtype}}
        )
        for rows, dtype in sizes
    ]
    first, *_ = publish(*(timed(900, workload=case) for case in cases), workloads=cases)
    siblings = groups.group_page(first.group.key).siblings
    assert siblings
    assert [(row.axis_value, row.is_this) for row in siblings.rows] == [(8, True), (16, False), (32, False)]
    assert siblings.constants.startswith("bf16 · ")
