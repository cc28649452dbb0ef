"""Runs as rows: complete in themselves, in one query, in their column's unit."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.models import Run
from registry.queries import keyset, rows
from registry.queries.shapes import Ref, quantity
from tests.conftest import NOW
from tests.registry.pages import LIGER, LIGER_KEY, SOL

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def row_of(digest: str) -> rows.RunRow:
    [row] = rows.run_rows(Run.objects.filter(digest=digest))
    return row


def test_the_liger_seeds_row_says_everything_that_its_number_needs() -> None:
    row = row_of(LIGER)
    assert (row.implementation.name, row.author, row.project, row.version, row.is_baseline) == (
        "PyTorch", "PyTorch", "PyTorch", None, True,
    )  # fmt: skip
    assert row.operation == Ref("liger-relu-squared", "ReLU squared", "/operations/liger-relu-squared/")
    assert row.workload.name == "rows 4096 · hidden 4096 · bf16"
    assert row.hardware == Ref("nvidia-h100-80gb-hbm3", "NVIDIA H100 80GB HBM3", "/hardware/nvidia-h100-80gb-hbm3/")
    assert (row.protocol.name, row.timed_pass) == ("Liger benchmark harness · backward pass", "backward")
    assert row.source == Ref("liger-kernel-bench", "Liger-Kernel benchmarks", "/sources/liger-kernel-bench/")
    assert row.group == Ref(LIGER_KEY, "sha256:f78db58cec2c…", f"/groups/{LIGER_KEY}/")
    assert row.value is not None
    assert row.spread is not None
    assert (row.value.text, row.value.value, row.value.unit) == ("126.3 µs", 126336.0, "ns")
    assert (row.spread.text, row.spread.name, row.spread.is_interval) == ("125.2 – 127.1", "p20 – p80", False)
    assert (row.metric, row.statistic, row.sample_count, row.interval) == ("latency", "median", None, None)
    assert (row.rank, row.tied, row.reasons) == (2, 0, ())
    assert round(row.ratio_to_best or 0, 2) == 3.2
    assert [warning.code for warning in row.warnings] == ["TIME_ZONE_NOT_STATED"]
    assert (row.level, row.status) == ("reported", "passed")
    assert (row.observed_at, row.published_at) == (datetime(2026, 3, 27, 6, 9, 46, tzinfo=UTC), NOW)
    assert (row.is_demonstration, row.is_redacted, row.runner) == (False, False, None)


def test_the_version_is_the_release_label_of_the_projects_own_benchmark_or_the_revision() -> None:
    [liger] = rows.run_rows(Run.objects.filter(group__key=LIGER_KEY).exclude(digest=LIGER))
    assert (liger.implementation.name, liger.version) == ("Liger", "0.7.0")
    assert row_of(SOL).version == "submission-16893"


def test_a_run_without_spread_has_none_and_no_interval() -> None:
    row = row_of(SOL)
    assert (row.spread, row.interval, row.sample_count) == (None, None, None)
    assert row.value is not None
    assert row.value.text == "209.8 µs"


def test_any_number_of_rows_takes_one_query() -> None:
    with CaptureQueriesContext(connection) as few:
        assert len(rows.run_rows(Run.objects.filter(digest=SOL))) == 1
    with CaptureQueriesContext(connection) as many:
        assert len(rows.run_rows(Run.objects.all())) == 52
    assert (len(few), len(many)) == (1, 1)


def test_a_columns_rows_share_the_unit_that_they_are_told() -> None:
    columns = rows.wide(Run.objects.all()).get(digest=LIGER)
    row = rows.row(columns, "ms")
    assert row.value is not None
    assert row.spread is not None
    assert (row.value.display_unit, row.spread.low.display_unit, row.spread.high.display_unit) == ("ms", "ms", "ms")
    assert row.value.number == "0.13"
    assert rows.column_unit([columns]) == "µs"
    assert rows.column_unit([]) is None


def test_both_ends_of_a_lone_range_are_in_one_unit() -> None:
    columns = dict(rows.wide(Run.objects.all()).get(digest=LIGER)) | {"spread_low": 950.0, "spread_high": 1200.0}
    spread = rows.row(columns).spread
    assert spread is not None
    assert (spread.low.display_unit, spread.high.display_unit) == ("ns", "ns")
    assert spread.text == "950 – 1,200"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(999_999, "ns", "1.00 ms"), (9_996, "ns", "10.0 µs"), (0.209838, "ms", "209.8 µs"), (12, "ns", "12 ns")],
)
def test_a_lone_quantity_chooses_its_unit_after_rounding(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit).text == text


def test_a_list_is_newest_first_with_its_total_and_cut_by_a_cursor() -> None:
    first = rows.run_list(Run.objects.all(), scope="all", cursor=None, limit=3)
    assert [(row.implementation.name, row.value and row.value.text) for row in first.rows] == [
        ("Amir M. Mir | SF Tensor", "138.9 µs"), ("Databricks", "213.9 µs"), ("ac4k", "209.4 µs"),
    ]  # fmt: skip
    assert first.page.total == 52
    rest = rows.run_list(Run.objects.all(), scope="all", cursor=first.page.next, limit=100)
    assert len(rest.rows) == 49
    assert (rest.rows[0].digest, rest.page.next, rest.page.total) == (SOL, None, 52)
    with pytest.raises(keyset.BadCursorError):
        rows.run_list(Run.objects.all(), scope="other", cursor=first.page.next)


def test_reasons_and_warnings_carry_their_sentences() -> None:
    [reason] = rows.reasons(["FLAGGED_IMPLAUSIBLE"])
    assert (reason.code, reason.word, reason.state) == ("FLAGGED_IMPLAUSIBLE", "flagged", "flagged")
    assert reason.text == "The value is below a lower bound that the source itself states."
    told = [(reason.state, reason.word) for reason in rows.reasons(["WITHDRAWN", "SUPERSEDED", "STATUS_COMPILE_ERROR"])]
    assert told == [("withdrawn", "withdrawn"), ("superseded", "superseded"), ("failed", "compile error")]
    assert rows.warned(["SINGLE_SAMPLE"])[0].text == "The value rests on one sample."
    assert rows.short(LIGER) == "sha256:e623e9242d41…"
    assert rows.short(LIGER, 16) == "sha256:e623e9242d413ecb…"
