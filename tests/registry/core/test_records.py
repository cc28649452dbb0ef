from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core.ranking import Direction, Entry
from registry.core.records import Event, Kind, events
from tests.registry.core.test_ranking import groups

LOWER, HIGHER = Direction.LOWER, Direction.HIGHER


def run(id_, day, value, author="ada", interval=None, *, source_native=False):
    return Entry(id_, value, interval, source_native, author, datetime(2026, 7, day, tzinfo=UTC))


FIRST = Event("a", None, Kind.FIRST, None)
CASES = {
    "nobody": ([], ()),
    "a first run": ([run("a", 1, 100)], (FIRST,)),
    "a better run of another author": (
        [run("a", 1, 100), run("b", 2, 80, "bob")],
        (FIRST, Event("b", "a", Kind.LEAD, 1.25)),
    ),
    "a worse run": ([run("a", 1, 100), run("b", 2, 120, "bob")], (FIRST,)),
    "an equal value": ([run("a", 1, 100), run("b", 2, 100, "bob")], (FIRST,)),
    "under 1 % and unknown": ([run("a", 1, 100.5), run("b", 2, 100, "bob")], (FIRST,)),
    "exactly 1 %": ([run("a", 1, 101), run("b", 2, 100, "bob")], (FIRST, Event("b", "a", Kind.LEAD, 1.01))),
    "small steps add up": (
        [run("a", 1, 1012), run("b", 2, 1006, "bob"), run("c", 3, 1000, "cyd")],
        (FIRST, Event("c", "a", Kind.LEAD, 1.012)),
    ),
    "a tie by interval": (
        [run("a", 1, 110, interval=(90, 130)), run("b", 2, 100, "bob", (80, 120))],
        (FIRST,),
    ),
    "separable under 1 %": (
        [run("a", 1, 1002, interval=(1002, 1003)), run("b", 2, 1000, "bob", (999, 1001))],
        (FIRST, Event("b", "a", Kind.LEAD, 1.002)),
    ),
    "an own improvement needs no margin": (
        [run("a", 1, 1002), run("b", 2, 1000)],
        (FIRST, Event("b", "a", Kind.OWN, 1.002)),
    ),
    "an own improvement behind a better run moves nothing": (
        [run("a", 1, 1006), run("b", 2, 1000, "bob"), run("c", 3, 1003)],
        (FIRST,),
    ),
    "a value of 0 has no ratio": (
        [run("a", 1, 100), run("b", 2, 0, "bob")],
        (FIRST, Event("b", "a", Kind.LEAD, None)),
    ),
    "unknown authors are not one author": ([run("a", 1, 1002, None), run("b", 2, 1000, None)], (FIRST,)),
    "observed together: by id": ([run("b", 1, 80, "bob"), run("a", 1, 100)], (FIRST, Event("b", "a", Kind.LEAD, 1.25))),
}


@pytest.mark.parametrize(("entries", "expected"), CASES.values(), ids=CASES.keys())
def test_a_lead_is_taken_only_where_it_is_real(entries, expected):
    assert events(entries, LOWER) == expected


def test_a_higher_throughput_takes_the_lead():
    assert events([run("a", 1, 500), run("b", 2, 700, "bob")], HIGHER)[-1] == Event("b", "a", Kind.LEAD, 1.4)


def test_a_late_import_of_an_early_run_rewrites_the_history():
    later = [run("b", 2, 100), run("c", 3, 80, "bob")]
    assert events([*later, run("a", 1, 80, "cyd")], LOWER) == (FIRST,)


@given(st.data(), groups(), st.sampled_from(Direction))
def test_records_are_equal_under_permutation(data, entries, direction):
    assert events(data.draw(st.permutations(entries)), direction) == events(entries, direction)


@given(groups(), st.sampled_from(Direction))
def test_records_chain_from_the_first_run_and_only_improve(entries, direction):
    found = events(entries, direction)
    assert [e.previous for e in found] == ([None, *(e.run for e in found[:-1])] if entries else [])
    assert [e.kind for e in found].count(Kind.FIRST) == bool(entries)
    assert all(e.ratio > 1 for e in found[1:])
