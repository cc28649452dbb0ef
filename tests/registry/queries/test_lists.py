"""Lists of every noun: each row with the runs under it, filters that say so, pages that add up."""

import pytest

from registry.queries import keyset, lists
from tests.registry.pages import OPERATION

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]


@pytest.mark.parametrize(
    ("kind", "title", "lines"),
    [
        ("operations", "Operations", [("Adaptive instance normalization 2d backward", 4), ("ReLU squared", 48)]),
        (
            "projects", "Projects",
            [("Liger-Kernel", 24), ("PyTorch", 24), ("ac4k", 2), ("Amir M. Mir | SF Tensor", 1), ("Databricks", 1)],
        ),
        (
            "implementations", "Implementations",
            [("Liger", 24), ("PyTorch", 24), ("ac4k", 1), ("Databricks", 1), ("ac4k", 1),
             ("Amir M. Mir | SF Tensor", 1)],
        ),
        ("hardware", "GPUs", [("NVIDIA B200", 4), ("NVIDIA H100 80GB HBM3", 48)]),
        (
            "environments", "Environments",
            [("Liger benchmark host · H100 80GB HBM3", 48), ("SOL-ExecBench NVIDIA B200, stack v1.0", 1),
             ("SOL-ExecBench NVIDIA B200, stack v1.1", 3)],
        ),
        (
            "protocols", "Protocols",
            [("Liger benchmark harness · backward pass", 16), ("Liger benchmark harness · forward pass", 16),
             ("Liger benchmark harness · full pass", 16), ("SOL-ExecBench evaluation stack v1.0", 1),
             ("SOL-ExecBench evaluation stack v1.1", 3)],
        ),
    ],
)  # fmt: skip
def test_a_nouns_list_has_each_with_its_runs(kind: str, title: str, lines: list[tuple[str, int]]) -> None:
    page = lists.list_page(kind)
    assert (page.kind, page.title, page.filtered_by) == (kind, title, None)
    assert [(line.name, line.run_count) for line in page.lines] == lines
    assert (page.page.total, page.page.next) == (len(page.lines), None)


def test_workloads_are_listed_by_digest() -> None:
    page = lists.list_page("workloads")
    assert [line.id[:19] for line in page.lines] == [
        "sha256:15e76281c1cf", "sha256:1b899c6d52de", "sha256:330bb50e3693", "sha256:41bc6b75969c",
        "sha256:5cb8c859206c", "sha256:7e1e06a6a441", "sha256:8e7d7819ea06", "sha256:b902ef8dd87d",
        "sha256:ecef57ab0ad6",
    ]  # fmt: skip
    assert sum(line.run_count for line in page.lines) == 52


@pytest.mark.parametrize(
    ("kind", "filters", "told", "total"),
    [
        ("implementations", {"operation": OPERATION}, "operation liger-relu-squared", 2),
        ("implementations", {"project": "sol-user-ac4k"}, "project sol-user-ac4k", 2),
        ("implementations", {"project": "none"}, "project none", 0),
        ("operations", {"family": "relu-squared"}, "family relu-squared", 1),
        ("environments", {"hardware": "nvidia-b200"}, "hardware nvidia-b200", 2),
        ("workloads", {"operation": OPERATION}, "operation liger-relu-squared", 8),
        ("hardware", {"unknown": "x", "operation": ""}, None, 2),
    ],
)
def test_a_filter_is_applied_and_said(kind: str, filters: dict[str, str], told: str | None, total: int) -> None:
    page = lists.list_page(kind, filters=filters)
    assert (page.filtered_by, page.page.total, len(page.lines)) == (told, total, total)


def test_a_list_of_several_pages_is_whole_and_its_cursor_is_bound_to_its_filter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keyset.page, "__kwdefaults__", {"limit": 2})
    first = lists.list_page("implementations")
    assert (len(first.lines), first.page.total) == (2, 6)
    second = lists.list_page("implementations", cursor=first.page.next)
    third = lists.list_page("implementations", cursor=second.page.next)
    assert third.page.next is None
    assert len({line.id for page in (first, second, third) for line in page.lines}) == 6
    with pytest.raises(keyset.BadCursorError):
        lists.list_page("implementations", cursor=first.page.next, filters={"operation": OPERATION})
    with pytest.raises(keyset.BadCursorError):
        lists.list_page("protocols", cursor=first.page.next)


def test_all_runs_and_all_groups_are_listed() -> None:
    runs, groups = lists.runs_page(), lists.groups_page()
    assert (len(runs.rows), runs.page.total, runs.page.next) == (52, 52, None)
    assert (len(groups.rows), groups.page.total, groups.page.next) == (26, 26, None)
    assert [summary.key for summary in groups.rows] == sorted(summary.key for summary in groups.rows)
