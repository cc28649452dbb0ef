"""Pages of what a run refers to, as objects: own facts, groups where it has some, all runs under it."""

import pytest

from registry.models import Environment, Implementation, Protocol
from registry.queries import documents
from tests.registry.pages import ENVIRONMENT, HARDWARE, PROTOCOL, SUITE, WORKLOAD

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


def told(page: documents.EntityPage) -> tuple[str, str, int, int, int]:
    return page.kind, page.title, page.group_count, page.runs.page.total, len(page.runs.rows)


def facts(page: documents.EntityPage) -> list[tuple[str, str | None]]:
    return [(fact.label, fact.value or fact.absent) for fact in page.facts]


def test_a_case_names_its_axes_and_has_six_runs_in_three_groups() -> None:
    page = documents.workload_page(WORKLOAD)
    assert told(page) == ("workload", "ReLU squared, rows 4096 · hidden 4096 · bf16", 3, 6, 6)
    assert page.workload is not None
    assert [(fact.label, fact.value) for fact in page.workload.facts] == [
        ("rows", "4,096"), ("hidden", "4,096"), ("tensor x", "bf16 [4096, 4096]"),
    ]  # fmt: skip
    assert facts(page) == [
        ("operation", "ReLU squared"), ("kind", "one case"), ("name", "liger-relu-squared-hidden4096-rows4096-bf16"),
    ]  # fmt: skip
    assert (page.digest, page.canonical_url, page.tombstone) == (
        WORKLOAD,
        f"/workloads/{WORKLOAD}/canonical.json",
        None,
    )
    assert [group.run_count for group in page.groups] == [2, 2, 2]


def test_a_suite_lists_its_cases_and_how_they_are_aggregated() -> None:
    page = documents.workload_page(SUITE)
    assert told(page) == ("workload", "Adaptive instance normalization 2d backward, suite of 16 cases", 2, 4, 4)
    assert page.workload is not None
    assert len(page.workload.cases) == 16
    assert ("aggregate", "mean of latency over cases") in facts(page)


def test_a_protocol_says_what_it_times_and_its_comparability_in_full() -> None:
    page = documents.protocol_page(PROTOCOL)
    assert told(page) == ("protocol", "Liger benchmark harness · backward pass", 8, 16, 16)
    assert page.subtitle == "Measures the backward pass."
    assert facts(page) == [
        ("harness", "Liger-Kernel benchmark scripts"), ("repository", "github.com/linkedin/Liger-Kernel"),
        ("timer", "cuda_events"), ("primary statistic", "median"), ("comparability family", "liger_kernel_bench"),
    ]  # fmt: skip
    assert page.notes is not None
    assert page.notes.startswith("Timed: the backward pass")
    assert page.notes.endswith("Comparable only within one kernel, workload, timed pass, and GPU.")


def test_an_environment_leads_to_its_hardware() -> None:
    page = documents.environment_page(ENVIRONMENT)
    assert told(page) == ("environment", "Liger benchmark host · H100 80GB HBM3", 24, 48, 48)
    assert [crumb.name for crumb in page.crumbs] == ["GPUs", "NVIDIA H100 80GB HBM3"]


def test_hardware_is_no_document_and_lists_its_environments() -> None:
    page = documents.hardware_page(HARDWARE)
    assert told(page) == ("hardware", "NVIDIA H100 80GB HBM3", 24, 48, 48)
    assert (page.digest, page.canonical_url, page.created_at) == (None, None, None)
    assert facts(page) == [
        ("product", "NVIDIA H100"), ("form factor", "80GB HBM3"), ("vendor", "nvidia"), ("architecture", "sm_90"),
        ("count", "not stated; one is assumed by no one"),
    ]  # fmt: skip
    environments, others = page.related
    assert [item.name for item in environments.items] == ["Liger benchmark host · H100 80GB HBM3 · 48 runs"]
    assert (others.items, others.note) == ((), "No other form factor of this product has a run.")


def test_an_implementation_says_what_its_source_leaves_out() -> None:
    row = Implementation.objects.get(slug="sol-submission-16893")
    page = documents.implementation_page(str(row.pk))
    assert told(page) == ("implementation", "ac4k", 1, 1, 1)
    assert facts(page) == [
        ("project", "ac4k"),
        ("operation", "Adaptive instance normalization 2d backward"),
        ("revision", "submission-16893"),
        ("author", "ac4k"),
        ("licence", "not stated"),
        ("name", "sol-submission-16893"),
        ("language", "unknown"),
        ("dtypes", "fp32"),
        ("hardware architectures", "sm_100"),
        ("products tested", "NVIDIA B200"),
    ]
    assert page.related[0].note == "No other project's document has this digest."


def test_a_project_lists_its_implementations_and_counts_its_revisions() -> None:
    page = documents.project_page("sol-user-ac4k")
    assert told(page) == ("project", "ac4k", 2, 2, 2)
    assert facts(page) == [
        ("kind", "individual"), ("repository", "not stated"), ("homepage", "not stated"),
        ("host", "other sol-execbench/user/ac4k"), ("document revisions", "1; the newest is shown"),
    ]  # fmt: skip
    assert [item.name for item in page.related[0].items] == ["ac4k · Adaptive instance normalization 2d backward"] * 2


def test_a_slug_names_its_rows_newest_first() -> None:
    [only] = documents.implementations_by_slug("liger-bench-relu-squared-torch")
    assert only.name == "PyTorch · PyTorch"
    assert documents.implementations_by_slug("none") == []


def test_unknown_references_are_not_found() -> None:
    with pytest.raises(Protocol.DoesNotExist):
        documents.protocol_page(WORKLOAD)
    with pytest.raises(Environment.DoesNotExist):
        documents.environment_page(PROTOCOL)
