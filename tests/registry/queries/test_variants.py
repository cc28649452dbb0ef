"""Divided groups: a table for each kind of mathematics, numbered by value, on the group's page and on the run's."""

from datetime import date

import pytest

from registry.models import Run
from registry.queries import differences, groups, runs
from registry.queries.differences import Leaf
from registry.queries.variants import VariantPart
from tests.factories import environment_document
from tests.registry.pages import labelled, publish, publish_divided, timed

pytestmark = pytest.mark.django_db
TODAY = date(2026, 9, 2)
WHY = "two kinds of mathematics under one comparison key: sequence and token."


def tables_of(page: groups.GroupPage) -> list[tuple[str, list[tuple[int | None, str | None]]]]:
    return [
        (table.part.title, [(number, row.value and row.value.number) for number, row in table.numbered])
        for table in page.tables
    ]


def test_a_divided_group_has_a_table_for_each_variant_numbered_by_value() -> None:
    page = groups.group_page(publish_divided()[0].group.key)
    assert page.variants == (
        VariantPart("sequence", "sequence", 2, 0),
        VariantPart("token", "token", 3, 2),
    )  # fmt: skip
    assert tables_of(page) == [
        ("sequence", [(1, "500"), (2, "800")]),
        ("token", [(1, "700"), (2, "900"), (None, "400")]),
    ]
    assert WHY in page.standing_text
    assert [(row.variant, row.rank, row.position) for row in page.rows] == [
        ("sequence", None, 1), ("sequence", None, 2), ("token", None, 3), ("token", None, 4), ("token", None, 5),
    ]  # fmt: skip
    assert page.summary.best is None


def test_a_row_of_a_variant_tells_the_reasons_that_are_its_own() -> None:
    page = groups.group_page(publish_divided()[0].group.key)
    _, failed = page.tables[1].numbered[-1]
    assert [reason.code for reason in failed.reasons] == ["STATUS_TIMEOUT"]


def test_a_group_of_one_variant_has_one_table_and_no_parts() -> None:
    [first, _] = publish(labelled(900, variant="token"), labelled(800, variant="token"))
    page = groups.group_page(first.group.key)
    assert (page.variants, page.tables) == ((), ())
    assert [row.rank for row in page.rows] == [1, 2]


def test_runs_without_a_variant_stand_in_a_table_that_says_so() -> None:
    [first, _] = publish(labelled(900, variant="token"), timed(800))
    assert tables_of(groups.group_page(first.group.key)) == [
        ("token", [(1, "900")]), ("no variant stated", [(1, "800")]),
    ]  # fmt: skip


def test_numbers_run_on_from_page_to_page(monkeypatch: pytest.MonkeyPatch) -> None:
    key = publish_divided()[0].group.key
    monkeypatch.setattr(groups, "ROWS_A_PAGE", 3)
    first = groups.group_page(key)
    assert tables_of(first) == [("sequence", [(1, "500"), (2, "800")]), ("token", [(1, "700")])]
    second = groups.group_page(key, cursor=first.page.next)
    assert tables_of(second) == [("token", [(2, "900"), (None, "400")])]
    assert second.page.next is None


def page_of(run: Run) -> runs.RunPage:
    page = runs.run_page(runs.find(run.digest), site_url="http://localhost", today=TODAY)
    assert isinstance(page, runs.RunPage)
    return page


def test_the_strip_of_a_run_holds_its_own_variant_only() -> None:
    token, sequence, *_ = publish_divided()
    page = page_of(token)
    assert page.strip.part == VariantPart("token", "token", 3, 2)
    assert [(number, row.value and row.value.number) for number, row in page.strip.numbered] == [
        (1, "700"), (2, "900"), (None, "400"),
    ]  # fmt: skip
    assert (page.strip.hidden_before, page.strip.hidden_after) == (0, 0)
    assert page.standing.withheld is not None
    assert WHY in page.standing.withheld
    assert {row.variant for row in page_of(sequence).strip.rows} == {"sequence"}


def test_a_long_variant_is_cut_to_seven_rows_around_the_run() -> None:
    made = publish(
        *(labelled(1000 + 10 * number, variant="b") for number in range(20)), *(labelled(9, variant="a") for _ in "1")
    )
    page = page_of(made[10])
    assert [number for number, _ in page.strip.numbered] == [1, 9, 10, 11, 12, 13, 14]
    assert (page.strip.hidden_before, page.strip.hidden_after) == (7, 6)
    assert {row.variant for row in page.strip.rows} == {"b"}


def test_a_lone_run_of_its_variant_stands_alone() -> None:
    [lone, *_] = publish(labelled(9, variant="a"), *(labelled(1000 + n, variant="b") for n in range(8)))
    assert [row.digest for row in page_of(lone).strip.rows] == [lone.digest]


def test_a_run_of_a_whole_group_withholds_nothing() -> None:
    [run] = publish(timed(100))
    assert (page_of(run).standing.withheld, page_of(run).strip.part) == (None, None)


def test_two_variants_of_one_group_differ_outside_the_key() -> None:
    key = publish_divided()[0].group.key
    page = differences.why_not_page(key, key)
    assert page.outside == (Leaf("metadata.labels.variant", "sequence", "token"),)
    assert page.verdict == (
        "one comparison group, and not ranked together because the variant differs, which no digest covers"
    )


def test_groups_whose_variants_differ_say_so_beside_what_keeps_them_apart() -> None:
    [named] = publish(labelled(100, variant="token"))
    [bare] = publish(timed(100, environment=environment_document(hardware__formFactor="SXM")))
    page = differences.why_not_page(named.group.key, bare.group.key)
    assert page.outside == (Leaf("metadata.labels.variant", "token", None),)
    assert page.verdict == "not ranked together because environment differs; outside the key the variant differs"
