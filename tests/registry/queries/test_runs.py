"""A run's page as an object: facts of the two seeds, written out."""

from datetime import UTC, date, datetime

import pytest

from registry.models import Run
from registry.queries import runs
from registry.queries.runs import RunPage
from registry.queries.shapes import Fact
from tests.registry.pages import LIGER, LIGER_KEY, SOL, SOL_KEY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
TODAY = date(2026, 12, 1)


def page_of(digest: str) -> RunPage:
    page = runs.run_page(runs.find(digest), site_url="https://kernelindex.test", today=TODAY)
    assert isinstance(page, RunPage)
    return page


def test_the_sol_seeds_header_is_made_of_its_documents() -> None:
    page = page_of(SOL)
    assert page.id.startswith("01a0352b-")
    assert (page.title, page.handle) == ("Run 01a0352b", "sha256:7331cf583fb6…")
    assert page.permalink == f"https://kernelindex.test/runs/{SOL}/"
    assert [ref.name for ref in (page.implementation, page.project, page.operation, page.workload)] == [
        "ac4k", "ac4k", "Adaptive instance normalization 2d backward", "suite of 16 cases · mean latency",
    ]  # fmt: skip
    assert (page.group.id, page.group.name) == (SOL_KEY, "sha256:5d97d1668cb9ea2e…")
    assert (page.revision, page.external_id, page.dtypes) == ("submission-16893", "submission/16893", "fp32")
    assert page.labels == (Fact("worker", "worker", "B200-ext-prod-2954"),)
    assert (page.observed_text, page.published_at) == (
        "2026-07-03T03:55:35.544Z", datetime(2026, 8, 24, 19, 7, tzinfo=UTC),
    )  # fmt: skip


def test_the_sol_seeds_measurement_names_both_parts_of_its_statistic() -> None:
    page = page_of(SOL)
    assert page.primary is not None
    assert (page.primary.text, page.metric, page.statistic) == ("209.8 µs", "latency", "mean")
    assert page.statistic_in_full == "mean over the suite's 16 cases; per-case estimator not stated"
    assert (page.spread, page.interval, page.sample_count, page.range_axis) == (None, None, None, None)
    assert [(m.metric, m.statistic, m.value.text, m.is_primary) for m in page.measurements] == [
        ("latency", "mean", "209.8 µs", True)
    ]
    assert [metric.text for metric in page.source_metrics] == ["SOL 0.8055", "4.05× reference", "16/16 cases faster"]


def test_the_sol_seed_stands_alone_in_its_group_and_names_the_later_stack() -> None:
    page = page_of(SOL)
    assert page.standing.sentence == "Rank 1 in its comparison group"
    assert page.standing.place_text == "1 of 1 runs: only entry so far"
    assert (page.standing.profile, page.standing.policy) == ("source-native comparison", "ranking-v2")
    assert (page.standing.best_url, page.standing.lead_text, page.standing.reasons) == (None, None, ())
    assert page.coverage_text == "1 run by 1 author; source total unknown"
    [other] = page.elsewhere
    assert (other.run_count, other.best and other.best.text, other.best_implementation) == (
        3, "138.9 µs", "Amir M. Mir | SF Tensor",
    )  # fmt: skip
    assert (other.protocol, other.differs) == ("SOL-ExecBench evaluation stack v1.1", "protocol and environment differ")
    assert other.observed_at == datetime(2026, 7, 28, 13, 14, 49, tzinfo=UTC)


def test_the_sol_seeds_correctness_is_three_separate_facts() -> None:
    correctness = page_of(SOL).correctness
    assert correctness.source_says == "Marked passed by the source; the correctness policy was not published."
    assert correctness.declared == (
        "sol_execbench_eval: correctness must pass on every case in the SOL evaluation stack; "
        "checked against definition reference implementation"
    )
    assert (correctness.is_asserted, correctness.measured) == (True, ())


def test_the_sol_seeds_suite_lists_its_sixteen_cases() -> None:
    part = page_of(SOL).workload_part
    assert (part.case_axes, len(part.cases), part.left_out_axes, part.facts) == (("n", "c", "h", "w"), 16, (), ())
    assert (part.cases[2].number, part.cases[2].axes, part.cases[2].external_id) == (
        3,
        (1, 32, 1163, 1249),
        "e3c9a6e3cc7a",
    )
    assert [(fact.label, fact.value) for fact in part.tolerances] == [
        ("definition comparator", "sol_execbench_eval"),
        ("description", "Correctness must pass on every case in the SOL evaluation stack."),
    ]


def test_the_liger_seed_is_second_of_two_and_says_by_how_much() -> None:
    page = page_of(LIGER)
    assert (page.standing.rank, page.standing.place_text) == (2, "2 of 2 runs")
    assert round(page.standing.ratio_to_best or 0, 2) == 3.2
    assert [(row.rank, row.implementation.name) for row in page.strip.rows] == [(1, "Liger"), (2, "PyTorch")]
    assert (page.strip.unit, page.strip.range_name, page.strip.hidden_before, page.strip.hidden_after) == (
        "µs", "p20 – p80", 0, 0,
    )  # fmt: skip
    assert page.spread is not None
    assert (page.spread.name, page.spread.text) == ("p20 – p80", "125.2 – 127.1")
    assert [tick.text for tick in page.strip.axis.ticks] == ["0", "50", "100", "150"]
    assert page.range_axis is not None
    assert [tick.text for tick in page.range_axis.ticks] == ["125", "126", "127", "128"]


def test_the_liger_seed_asserts_no_correctness() -> None:
    correctness = page_of(LIGER).correctness
    assert not correctness.is_asserted
    assert correctness.declared == (
        "the workload names no comparator, the protocol states none. Nobody has asserted that the output is right."
    )


def test_the_liger_seeds_coverage_says_what_the_file_held() -> None:
    page = page_of(LIGER)
    assert page.coverage is not None
    assert (page.coverage.offered, page.coverage.taken) == (2, 2)
    assert page.coverage_text == (
        "2 runs by 2 authors; the source lists 2 runs, 2 taken (every speed row of this kernel, case, pass and GPU in "
        "the file, 2026-09-01)"
    )


def test_what_the_liger_seeds_environment_does_not_state_is_listed() -> None:
    facts = page_of(LIGER).environment_facts
    assert [(fact.label, fact.value or fact.absent) for fact in facts] == [
        ("gpu", "NVIDIA H100 (sm_90)"),
        ("form factor", "80GB HBM3"),
        ("not stated", "driver, CUDA toolkit and framework not published by the source"),
        ("environment digest", "sha256:2750ae381d6de582f1eb6b9008e0987463d19ede8af127d97d76c5ae09121393"),
    ]


def test_every_document_of_a_run_has_its_canonical_bytes() -> None:
    page = page_of(LIGER)
    assert [document.name for document in page.documents] == [
        "run", "protocol", "environment", "workload", "implementation", "operation",
    ]  # fmt: skip
    assert page.documents[0].url == f"/runs/{LIGER}/canonical.json"
    assert page.documents[5].url == "/operations/liger-relu-squared/canonical.json"


def test_the_evidence_level_says_what_it_follows_from() -> None:
    evidence = page_of(LIGER).evidence
    assert (evidence.level, evidence.sentence, evidence.policy) == ("reported", "reported by the source", "evidence-v1")
    assert [(requirement.level, requirement.holds) for requirement in evidence.requirements] == [
        ("reported", True), ("reproducible", False), ("reproducible", False), ("reproducible", True),
        ("verified", False), ("replicated", False),
    ]  # fmt: skip


def test_a_run_is_found_by_row_id_and_by_digest_and_nothing_else() -> None:
    run = Run.objects.get(digest=LIGER)
    assert runs.find(LIGER).digest == runs.find(str(run.pk)).digest == LIGER
    assert runs.find(LIGER).group.key == LIGER_KEY
    with pytest.raises(Run.DoesNotExist):
        runs.find("sha256:" + "0" * 64)
    with pytest.raises(Run.DoesNotExist):
        runs.find("01a0352b-0000-7000-8000-000000000000")
