"""Ranks, records and what stands beside them, as the stored rows say it."""

import itertools
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from registry import corrections, standings
from registry.models import ComparisonGroup, GroupStanding, Mark, Record, Run, Standing
from tests.conftest import NOW
from tests.factories import (
    bundle,
    bundle_of,
    entries_of,
    implementation_document,
    ingest_bundle,
    ingest_entries,
    protocol_document,
    run_entry,
)

MEAN = protocol_document(measurement__primaryStatistic="mean")


def run(name: str, ns: int, day: int = 1, **fields: Any) -> dict[str, Any]:
    """A run by the name under which a test speaks of it."""
    return run_entry(
        metadata={"name": name, **fields.pop("metadata", {})},
        observedAt=f"2026-07-{day:02d}T00:00:00Z",
        timing__latencyNs__median=ns,
        **fields,
    )


def mean_run(name: str, ns: int, std: int | None = None, n: int | None = None, **fields: Any) -> dict[str, Any]:
    timing: dict[str, Any] = {"primaryStatistic": "mean", "latencyNs": {"mean": ns}} | ({"samples": n} if n else {})
    if std:
        fields["measurements"] = [{"metric": "latency", "unit": "ns", "statistic": "std", "value": std}]
    return run_entry(metadata={"name": name}, protocol=MEAN, timing=timing, **fields)


def ingest(*runs: dict[str, Any]) -> None:
    ingest_bundle(bundle_of(*runs))


def table(*columns: str) -> list[tuple[Any, ...]]:
    """The one group's rows, in order: the run's name, then the asked columns."""
    return list(Standing.objects.order_by("position").values_list("run__name", *columns))


def test_lower_latency_ranks_first(db: None) -> None:
    ingest(run("slow", 2000), run("fast", 1000), run("middle", 1500))
    assert table("position", "rank", "tied", "ratio", "lead") == [
        ("fast", 1, 1, 0, 1.0, 50.0),
        ("middle", 2, 2, 0, 1.5, pytest.approx(33.3333, abs=1e-4)),
        ("slow", 3, 3, 0, 2.0, None),
    ]


def test_higher_throughput_ranks_first(db: None) -> None:
    def measured(name: str, value: float) -> dict[str, Any]:
        rate = [{"metric": "throughput", "unit": "tflops", "statistic": "median", "value": value}]
        return run_entry(metadata={"name": name}, timing=None, measurements=rate)

    ingest(measured("slow", 400.5), measured("fast", 801))
    assert table("rank", "ratio") == [("fast", 1, 1.0), ("slow", 2, 0.5)]


def test_equal_values_share_a_dense_rank(db: None) -> None:
    ingest(run("b", 1000, 2), run("a", 1000, 1), run("c", 1001))
    assert table("rank", "tied") == [("a", 1, 1), ("b", 1, 1), ("c", 2, 0)]
    assert GroupStanding.objects.get().best_tied == 1


def stated(low: int, high: int) -> dict[str, Any]:
    return {"timing__latencyNs__confidence95": [low, high]}


def test_stated_intervals_that_overlap_tie(db: None) -> None:
    ingest(run("a", 1000, **stated(900, 1100)), run("b", 1050, **stated(1000, 1150)))
    assert table("rank", "tied") == [("a", 1, 1), ("b", 1, 1)]


def test_a_chain_is_a_tie_only_where_every_pair_ties(db: None) -> None:
    ingest(
        run("a", 1000, **stated(950, 1050)),
        run("b", 1040, **stated(1000, 1090)),
        run("c", 1080, **stated(1060, 1150)),
    )
    assert table("rank", "tied") == [("a", 1, 1), ("b", 1, 1), ("c", 2, 0)]


def test_a_source_native_run_ties_on_equality_only(db: None) -> None:
    native = {"sourceNative": {"source": "acme"}}
    ingest(
        run("native", 1000, **native, **stated(900, 1100)),
        run("a", 1050, **stated(1000, 1100)),
        run("b", 1060, **stated(1000, 1100)),
    )
    assert table("rank", "tied") == [("native", 1, 0), ("a", 2, 1), ("b", 2, 1)]


# Separability


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (mean_run("a", 1000), mean_run("b", 1100), "UNKNOWN"),
        (mean_run("a", 1000, std=10, n=100), mean_run("b", 1100), "UNKNOWN"),
        (mean_run("a", 1000, std=10, n=100), mean_run("b", 1100, std=10, n=100), "SEPARABLE"),
        (mean_run("a", 1000, std=500, n=10), mean_run("b", 1100, std=500, n=10), "NOT_SEPARABLE"),
        (mean_run("a", 1000, std=10, n=9), mean_run("b", 1100, std=10, n=9), "UNKNOWN"),
        (run("a", 1000, **stated(990, 1010)), run("b", 1100, **stated(1090, 1110)), "SEPARABLE"),
    ],
    ids=["none stated", "one derived", "derived apart", "derived overlap", "under ten samples", "stated apart"],
)
def test_separability_has_three_values(db: None, first: Any, second: Any, expected: str) -> None:
    ingest(first, second)
    assert table("rank", "separability") == [("a", 1, None), ("b", 2, expected)]
    assert GroupStanding.objects.get().next_separability == expected


def test_a_derived_interval_informs_separability_and_never_a_rank(db: None) -> None:
    ingest(mean_run("a", 1000, std=500, n=10), mean_run("b", 1001, std=500, n=10))
    assert table("rank", "separability") == [("a", 1, None), ("b", 2, "NOT_SEPARABLE")]
    assert set(Run.objects.values_list("interval_kind", flat=True)) == {"derived"}


def test_the_spread_of_samples_is_never_an_interval(db: None) -> None:
    wide = {"timing__latencyNs__minimum": 100, "timing__latencyNs__maximum": 9000}
    ingest(run("a", 1000, **wide), run("b", 1100, **wide))
    assert table("rank", "separability") == [("a", 1, None), ("b", 2, "UNKNOWN")]


# Unranked


def test_an_unranked_run_follows_the_ranked_ones_with_its_reasons(db: None) -> None:
    ingest(
        run("failed", 10, status="incorrect_numerical"),
        run("fast", 1000),
        run("timed-out", 5000, status="timeout"),
    )
    assert table("position", "rank", "ratio", "reasons") == [
        ("fast", 1, 1, 1.0, []),
        ("failed", 2, None, None, ["STATUS_INCORRECT_NUMERICAL"]),
        ("timed-out", 3, None, None, ["STATUS_TIMEOUT"]),
    ]
    group = GroupStanding.objects.get()
    assert (group.run_count, group.ranked_count, group.best.name) == (3, 1, "fast")


def test_a_group_without_an_eligible_run_has_no_best(db: None) -> None:
    ingest(run("failed", 10, status="timeout"))
    group = GroupStanding.objects.get()
    assert (group.run_count, group.ranked_count) == (1, 0)
    assert (group.best, group.best_value, group.next_ratio) == (None, None, None)
    assert Record.objects.count() == 0


def test_a_value_of_nothing_is_best_and_gives_no_ratio(db: None) -> None:
    ingest(run("nothing", 0), run("something", 5))
    assert table("rank", "ratio") == [("nothing", 1, None), ("something", 2, None)]
    assert GroupStanding.objects.get().next_ratio is None


# What a run's own figures say


def test_warnings_mark_a_run_and_leave_its_rank(db: None) -> None:
    wide = {"timing__latencyNs__p05": 500, "timing__latencyNs__p95": 1500}
    ingest(run("odd", 1000, timing__samples=1, **wide), run("plain", 2000))
    assert table("rank", "warnings", "has_marks") == [
        ("odd", 1, ["SINGLE_SAMPLE", "WIDE_SPREAD"], False),
        ("plain", 2, [], False),
    ]


def test_a_flag_shows_as_a_mark_and_a_warning(db: None) -> None:
    ingest_entries(entries_of(bundle(), flags=(("TIME_ZONE_NOT_STATED", "No zone."),)))
    assert table("rank", "warnings", "has_marks") == [("acme-run", 1, ["TIME_ZONE_NOT_STATED"], True)]


def test_labels_outside_the_digests_are_listed_where_they_differ(db: None) -> None:
    torch = [{"labels": {"torch": version, "same": "1"}} for version in ("2.9", "2.10", "2.11", "2.12")]
    runs = [run(f"r{day}", 1000 + day, day, metadata=metadata) for day, metadata in enumerate(torch, start=1)]
    ingest(*runs, run("r5", 2000, 5, metadata={"labels": {"same": "1"}}))
    assert GroupStanding.objects.get().undigested == [
        {"name": "torch", "values": 4, "examples": ["2.10", "2.11", "2.12"], "absent": 1}
    ]


# Two kinds of mathematics in one group


def kind(name: str, ns: int, variant: str | None = None, **fields: Any) -> dict[str, Any]:
    return run(name, ns, metadata={"labels": {"variant": variant}} if variant else {}, **fields)


MISMATCH = ["FLAGGED_OPERATION_MISMATCH"]


def test_a_group_of_two_variants_ranks_none_of_its_runs_and_orders_each_variant_by_value(db: None) -> None:
    ingest(
        kind("token-slow", 900, "token"),
        kind("sequence-slow", 800, "sequence"),
        kind("token-fast", 700, "token"),
        kind("token-failed", 600, "token", status="timeout"),
        kind("sequence-fast", 500, "sequence"),
    )
    assert table("position", "rank", "ratio", "reasons") == [
        ("sequence-fast", 1, None, None, MISMATCH),
        ("sequence-slow", 2, None, None, MISMATCH),
        ("token-fast", 3, None, None, MISMATCH),
        ("token-slow", 4, None, None, MISMATCH),
        ("token-failed", 5, None, None, ["STATUS_TIMEOUT", *MISMATCH]),
    ]
    group = GroupStanding.objects.get()
    assert (group.ranked_count, group.best_id, group.best_value, group.next_ratio) == (0, None, None, None)
    assert group.variants == [{"name": "sequence", "runs": 2}, {"name": "token", "runs": 3}]
    assert records() == []
    assert not Mark.objects.exists()


def test_the_better_value_of_a_variant_stands_first_where_higher_is_better(db: None) -> None:
    rates = [("a-low", 10, "a"), ("a-high", 20, "a"), ("b", 5, "b")]
    made = [
        run_entry(
            metadata={"name": name, "labels": {"variant": variant}},
            timing=None,
            measurements=[{"metric": "throughput", "unit": "tflops", "statistic": "median", "value": value}],
        )
        for name, value, variant in rates
    ]
    ingest(*made)
    assert table("position") == [("a-high", 1), ("a-low", 2), ("b", 3)]


def test_a_run_without_a_variant_is_another_kind_beside_one_with(db: None) -> None:
    ingest(kind("named", 900, "token"), kind("bare", 800))
    assert table("position", "reasons") == [("named", 1, MISMATCH), ("bare", 2, MISMATCH)]
    assert GroupStanding.objects.get().variants == [{"name": "token", "runs": 1}, {"name": None, "runs": 1}]


@pytest.mark.parametrize("variant", ["token", None])
def test_a_group_of_one_variant_or_none_is_ranked_as_ever(db: None, variant: str | None) -> None:
    ingest(kind("slow", 900, variant), kind("fast", 800, variant))
    assert table("rank", "reasons") == [("fast", 1, []), ("slow", 2, [])]
    assert GroupStanding.objects.get().variants == [{"name": variant, "runs": 2}]


def test_a_second_variant_that_comes_later_takes_rank_and_record_away(db: None) -> None:
    ingest(kind("first", 900, "token"))
    assert (table("rank"), records()) == ([("first", 1)], [("first", None, "first measurement")])
    ingest(kind("second", 800, "sequence"))
    assert (table("rank"), records()) == ([("second", None), ("first", None)], [])


def test_a_redacted_run_may_be_of_any_kind_and_is_not_ranked_with_those_that_name_theirs(db: None) -> None:
    ingest(kind("slow", 900, "token"), kind("fast", 800, "token"))
    fast = Run.objects.get(name="fast")
    asked = corrections.request_redaction(fast, reason_class="legal", reason="r", actor=UUID(int=1), now=NOW)
    corrections.approve_redaction(asked, citation="c", actor=UUID(int=2), now=NOW)
    assert table("rank", "reasons") == [("slow", None, MISMATCH), ("", None, MISMATCH)]


def test_authors_and_dates_of_a_group_are_counted(db: None) -> None:
    ada, bob = (
        implementation_document(f"by-{name}", metadata={"authors": [{"name": name}]}, callable__symbol=name)
        for name in ("ada", "bob")
    )
    ingest_bundle(
        bundle_of(
            run("a", 1000, 3, implementation=ada),
            run("b", 1100, 1, implementation=bob),
            run("c", 1200, 9, implementation=bob),
            implementations=[{"projectSlug": "acme", "manifest": one} for one in (ada, bob)],
        )
    )
    group = GroupStanding.objects.get()
    assert (group.run_count, group.author_count) == (3, 2)
    assert (f"{group.oldest_observed_at:%d}", f"{group.newest_observed_at:%d}") == ("01", "09")


def test_what_stands_of_a_group_is_as_of_its_last_publication_or_mark(db: None) -> None:
    ingest(run("a", 1000), run("b", 1100))
    assert GroupStanding.objects.get().changed_at == NOW
    later = NOW + timedelta(hours=3)
    corrections.withdraw([Run.objects.get(name="b")], reason="r", actor=UUID(int=1), now=later)
    assert GroupStanding.objects.get().changed_at == later
    [mark] = Mark.objects.all()
    corrections.clear([mark], reason="r", actor=UUID(int=1), now=later + timedelta(minutes=1))
    assert GroupStanding.objects.get().changed_at == later + timedelta(minutes=1)


# Records


def records() -> list[tuple[Any, ...]]:
    return list(Record.objects.order_by("at").values_list("run__name", "previous__name", "kind"))


def test_records_tell_who_held_the_lead(db: None) -> None:
    ada, bob = (
        implementation_document(f"by-{name}", metadata={"authors": [{"name": name}]}, callable__symbol=name)
        for name in ("ada", "bob")
    )
    ingest_bundle(
        bundle_of(
            run("first", 1000, 1, implementation=ada),
            run("worse", 1500, 2, implementation=bob),
            run("lead", 800, 3, implementation=bob),
            run("not-clearly", 799, 4, implementation=ada),
            run("own", 700, 5, implementation=bob),
            implementations=[{"projectSlug": "acme", "manifest": one} for one in (ada, bob)],
        )
    )
    assert records() == [
        ("first", None, "first measurement"),
        ("lead", "first", "took the lead"),
        ("own", "lead", "own improvement"),
    ]


def test_an_early_run_that_comes_late_rewrites_the_records(db: None) -> None:
    ingest(run("b", 900, 2))
    assert records() == [("b", None, "first measurement")]
    ingest(run("a", 1000, 1))
    assert records() == [("a", None, "first measurement"), ("b", "a", "own improvement")]


# Refreshing


def cache() -> dict[str, list[Any]]:
    return {
        model.__name__: list(model._default_manager.order_by("pk").values())
        for model in (Standing, GroupStanding, Record)
    }


def groups() -> list[UUID]:
    return list(ComparisonGroup.objects.order_by("pk").values_list("id", flat=True))


def test_what_stands_is_what_is_derived(demo: None) -> None:
    derived = standings.derive(groups())
    for model, rows, key in (
        (Standing, derived.standings, "run_id"),
        (GroupStanding, derived.groups, "group_id"),
        (Record, derived.records, "id"),
    ):
        assert sorted(rows, key=lambda row: row[key]) == sorted(model.objects.values(), key=lambda row: row[key])


def test_refreshing_changes_nothing_that_holds(demo: None) -> None:
    before = cache()
    assert standings.refresh(groups()) == 26
    assert cache() == before


def test_refreshing_mends_what_does_not(demo: None) -> None:
    before = cache()
    Standing.objects.update(rank=7)
    Record.objects.all().delete()
    GroupStanding.objects.all().delete()
    standings.refresh(groups())
    assert cache() == before


def test_deriving_takes_three_queries_whatever_the_number_of_runs(demo: None, django_assert_num_queries: Any) -> None:
    group_ids = groups()
    with django_assert_num_queries(3):
        standings.derive(group_ids)


def as_told() -> dict[str, list[Any]]:
    """The caches without what depends on the order of import: ids and instants of publication."""
    return {
        "standings": table("position", "rank", "tied", "ratio", "lead", "separability", "reasons"),
        "records": records(),
        "group": list(GroupStanding.objects.values_list("run_count", "best__name", "best_value", "next_ratio")),
    }


RUNS = [
    run("a", 1000, 1, **stated(950, 1050)),
    run("b", 1040, 2, **stated(1000, 1090)),
    run("c", 1000, 3),
    run("d", 900, 4, status="timeout"),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5], ids=str)
def test_standings_are_equal_whatever_the_order_of_imports(db: None, order: tuple[int, ...]) -> None:
    for index in order:
        ingest(RUNS[index])
    assert as_told() == {
        "standings": [
            ("a", 1, 1, 1, 1.0, pytest.approx(4.0), None, []),
            ("c", 2, 1, 1, 1.0, pytest.approx(4.0), None, []),
            ("b", 3, 2, 0, 1.04, None, "NOT_SEPARABLE", []),
            ("d", 4, None, 0, None, None, None, ["STATUS_TIMEOUT"]),
        ],
        "records": [("a", None, "first measurement")],
        "group": [(4, "a", 1000.0, 1.04)],
    }
