from datetime import UTC, datetime
from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core import ranking
from registry.core.measurement import Interval, IntervalKind
from registry.core.ranking import Direction, Entry, Ranked, Separability

LOWER, HIGHER = Direction.LOWER, Direction.HIGHER
NOON = datetime(2026, 7, 3, 12, tzinfo=UTC)


def entry(id_, value, interval=None, *, source_native=False, author="ada", observed=NOON):
    return Entry(id_, value, interval, source_native, author, observed)


VECTORS = {
    "two overlap": (
        [
            entry("a", 7810, (7788, 7841)),
            entry("b", 8120, (8095, 8151)),
            entry("c", 8138, (8092, 8177)),
            entry("d", 9480, (9433, 9542)),
        ],
        [("a", 1), ("b", 2), ("c", 2), ("d", 3)],
    ),
    "ties are not transitive": (
        [entry("a", 100, (98, 103)), entry("b", 103, (101, 106)), entry("c", 106, (104, 109))],
        [("a", 1), ("b", 1), ("c", 2)],
    ),
    "one has no interval": ([entry("a", 100), entry("b", 101, (95, 108))], [("a", 1), ("b", 2)]),
    "equal without intervals": ([entry("a", 100), entry("b", 100)], [("a", 1), ("b", 1)]),
    "source-native ignores intervals": (
        [entry("a", 100, (90, 130), source_native=True), entry("b", 101, (95, 140), source_native=True)],
        [("a", 1), ("b", 2)],
    ),
    "one source-native run leaves the others their tie": (
        [entry("a", 100, (90, 130)), entry("b", 101, (95, 140)), entry("c", 140, (90, 150), source_native=True)],
        [("a", 1), ("b", 1), ("c", 2)],
    ),
    "equal values never part": (
        [entry("a", 100, (98, 103)), entry("b", 103, (101, 106)), entry("c", 103)],
        [("a", 1), ("b", 2), ("c", 2)],
    ),
    "intervals that touch": ([entry("a", 1, (1, 2)), entry("b", 3, (2, 4))], [("a", 1), ("b", 1)]),
    "nobody": ([], []),
}


@pytest.mark.parametrize(("entries", "ranks"), VECTORS.values(), ids=VECTORS.keys())
def test_runs_rank_densely_and_share_a_rank_when_every_pair_ties(entries, ranks):
    assert [(ranked.id, ranked.rank) for ranked in ranking.rank(entries, LOWER)] == ranks


def test_higher_is_better_turns_the_order_round():
    entries = [entry("slow", 500), entry("fast", 700), entry("also", 700)]
    assert ranking.rank(entries, HIGHER) == [
        Ranked("also", 1, ("fast",)),
        Ranked("fast", 1, ("also",)),
        Ranked("slow", 2, ()),
    ]


def test_inside_a_chain_the_earlier_observation_stands_first():
    entries = [entry("a", 5, observed=NOON.replace(hour=13)), entry("b", 5)]
    assert [ranked.id for ranked in ranking.rank(entries, LOWER)] == ["b", "a"]


@st.composite
def groups(draw, size=8):
    """Few distinct values, so that ties are common."""
    return [
        entry(
            f"{number:02}",
            value,
            draw(st.none() | st.just((value - draw(st.integers(0, 4)), value + draw(st.integers(0, 4))))),
            source_native=draw(st.booleans()),
            author=draw(st.sampled_from(["ada", "bob", None])),
            observed=NOON.replace(hour=draw(st.integers(0, 3))),
        )
        for number, value in enumerate(draw(st.lists(st.integers(90, 99), max_size=size)))
    ]


@given(st.data(), groups(), st.sampled_from(Direction))
def test_the_order_of_arrival_decides_nothing(data, entries, direction):
    shuffled = data.draw(st.permutations(entries))
    assert ranking.rank(shuffled, direction) == ranking.rank(entries, direction)


@given(groups(), st.sampled_from(Direction))
def test_a_shared_rank_means_that_every_pair_ties(entries, direction):
    by_id = {e.id: e for e in entries}
    ranked = ranking.rank(entries, direction)
    assert [r.rank for r in ranked] == sorted(r.rank for r in ranked)
    assert {r.rank for r in ranked} == set(range(1, max((r.rank for r in ranked), default=0) + 1))
    for a, b in combinations(ranked, 2):
        assert (a.rank == b.rank) == (b.id in a.tied_with) == (a.id in b.tied_with)
        if a.rank == b.rank:
            assert ranking.ties(by_id[a.id], by_id[b.id])
        if by_id[a.id].value == by_id[b.id].value:
            assert a.rank == b.rank


@given(groups(), st.sampled_from(Direction))
def test_nobody_outranks_a_better_value(entries, direction):
    values = {e.id: e.value for e in entries}
    for a, b in combinations(ranking.rank(entries, direction), 2):
        assert not ranking.is_better(values[b.id], values[a.id], direction)


FLAWS = [
    {"published": False},
    {"status": "timeout"},
    {"withdrawn": True},
    {"superseded": True},
    {"has_primary": False},
    {"blocking": ["IMPLAUSIBLE"]},
]
SOUND = {"published": True, "status": "passed", "withdrawn": False, "superseded": False, "has_primary": True}


@given(groups(), st.sampled_from(FLAWS), st.integers(0, 200), st.sampled_from(Direction))
def test_adding_an_ineligible_run_never_changes_the_leader(entries, flaw, value, direction):
    candidates = [(e, SOUND) for e in entries]
    with_flawed = [*candidates, (entry("flawed", value), SOUND | flaw)]

    def leaders(group):
        eligible = [e for e, facts in group if not ranking.reasons(**facts)]
        return [ranked for ranked in ranking.rank(eligible, direction) if ranked.rank == 1]

    assert leaders(with_flawed) == leaders(candidates)


@pytest.mark.parametrize(
    ("facts", "codes"),
    [
        ({}, ()),
        ({"published": False}, ("UNPUBLISHED",)),
        ({"status": "runtime_error", "has_primary": False}, ("STATUS_RUNTIME_ERROR", "MISSING_PRIMARY_METRIC")),
        ({"withdrawn": True, "superseded": True}, ("WITHDRAWN", "SUPERSEDED")),
        ({"blocking": ["INCIDENT", "IMPLAUSIBLE", "INCIDENT"]}, ("FLAGGED_IMPLAUSIBLE", "FLAGGED_INCIDENT")),
    ],
)
def test_every_absence_of_a_rank_has_its_codes(facts, codes):
    assert ranking.reasons(**SOUND | facts) == codes


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("WITHDRAWN", "The run was withdrawn."),
        ("STATUS_RUNTIME_ERROR", "The kernel failed at run time."),
        ("FLAGGED_IMPLAUSIBLE", "The value is below a lower bound that the source itself states."),
    ],
)
def test_every_code_has_a_text(code, text):
    assert ranking.reason_text(code) == text


@pytest.mark.parametrize("code", ["FLAGGED_SINGLE_SAMPLE", "STATUS_PASSED", "BORED"])
def test_a_code_of_no_policy_has_no_text(code):
    with pytest.raises(KeyError, match=code):
        ranking.reason_text(code)


@pytest.mark.parametrize(
    ("metric", "unit", "direction"),
    [
        ("latency", "ns", LOWER),
        ("score", "s", LOWER),
        ("score", "points", None),
        ("peak_memory", "mib", LOWER),
        ("throughput", "tokens_s", HIGHER),
        ("latency", "tokens_s", None),
        ("sol_score", "ratio", None),
    ],
)
def test_direction_comes_from_the_table_and_is_never_assumed(metric, unit, direction):
    assert ranking.direction(metric, unit) is direction


def stated(low, high):
    return Interval(low, high, IntervalKind.STATED)


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (stated(1, 2), stated(3, 4), Separability.SEPARABLE),
        (stated(1, 3), Interval(3, 4, IntervalKind.DERIVED), Separability.NOT_SEPARABLE),
        (stated(1, 2), None, Separability.UNKNOWN),
        (None, None, Separability.UNKNOWN),
    ],
)
def test_neighbours_are_separable_or_not_or_it_is_unknown(a, b, verdict):
    assert ranking.separability(a, b) is verdict


@pytest.mark.parametrize(
    ("best", "following", "apart", "percent", "text", "real"),
    [
        (1000, 1002, Separability.UNKNOWN, "0.2", "lead 0.2 %, not known to be real", False),
        (1000, 1002, Separability.SEPARABLE, "0.2", "lead 0.2 %", True),
        (1000, 1002, Separability.NOT_SEPARABLE, "0.2", "lead 0.2 %, not separable", False),
        (100, 101, Separability.UNKNOWN, "1", "lead 1.0 %", True),
        (700, 500, Separability.UNKNOWN, "40", "lead 40.0 %", True),
        (5, 5, Separability.UNKNOWN, "0", "no lead: equal values", False),
    ],
)
def test_a_small_lead_of_unknown_separability_is_not_known_to_be_real(best, following, apart, percent, text, real):
    assert ranking.lead(best, following, apart) == ranking.Lead(Decimal(percent), text, real)
