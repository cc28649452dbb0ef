"""Testimony as an object: what a run's page and its JSON are made of."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from attestations import attesting
from attestations.models import Attestation
from attestations.profiles import actor_of
from attestations.queries import attestations as queries
from attestations.queries.attestations import AttestationPage
from registry.models import Run
from registry.queries import runs
from tests.attestations.people import crowd, kept, note, sampled, statement
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import LIGER, STAFF

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
MINUTE = timedelta(minutes=1)


@pytest.fixture
def ann(db: None) -> Any:
    return member("ann")


def said_of(digest: str = LIGER) -> queries.Testimony:
    return queries.testimony(runs.find(digest))


def page_of(made: Attestation) -> AttestationPage:
    return queries.attestation_page(made.pk)


def test_where_nothing_was_said_there_is_nothing_to_show() -> None:
    found = said_of()
    assert (found.total, found.summary, found.contest, found.entries, found.axis) == (0, None, None, (), None)
    assert found.claim.value is not None
    assert (found.claim.value.text, found.claim.band and found.claim.band.text) == ("126.3 µs", "120.0 – 132.7")


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ([statement()], "1 comparable: 1 agrees"),
        ([statement(), statement()], "2 comparable: 2 agree"),
        ([statement(value="141"), statement(value="100")], "2 comparable: 1 slower, 1 faster"),
        ([statement(is_incorrect=True)], "1 comparable: 1 incorrect"),
        ([sampled([131 + step / 4 for step in range(9)])], "1 comparable: 1 inconclusive"),
        ([statement(setup="other"), statement(place="")], "none comparable; 2 under other setups"),
        ([note()], "none comparable; 1 without a measurement"),
    ],
)
def test_the_summary_in_words(db: None, said: list[Any], summary: str) -> None:
    for number, one in enumerate(said):
        kept(member(f"m{number}"), one)
    assert said_of().summary == summary


def test_what_was_withdrawn_and_hidden_is_counted_as_that_alone(ann: Any) -> None:
    made, other = kept(ann), kept(ann, statement(kind="regression"))
    attesting.withdraw(attestation=made, actor=actor_of(ann), now=NOW)
    attesting.hide([other], reason="advertising", actor=STAFF, now=NOW)
    found = said_of()
    assert (found.total, found.summary) == (2, "none comparable; 1 withdrawn; 1 hidden")
    assert {entry.state: (entry.text, entry.result, entry.evidence_url) for entry in found.entries} == {
        "withdrawn": (None, None, None), "hidden": (None, None, None),
    }  # fmt: skip


def test_withdrawn_after_it_was_hidden_reads_as_withdrawn(ann: Any) -> None:
    made = kept(ann)
    attesting.hide([made], reason="advertising", actor=STAFF, now=NOW)
    attesting.withdraw(attestation=made, actor=actor_of(ann), now=NOW + MINUTE)
    assert said_of().entries[0].state == "withdrawn"
    assert [step.what for step in page_of(made).history] == [
        "sent", "hidden by a moderator", "withdrawn by its author",
    ]  # fmt: skip


def test_the_newest_against_the_claim_is_told_and_the_newest_five_are_drawn(db: None) -> None:
    for number in range(7):
        said = statement(kind="not_reproduced", value=f"{141 + number}")
        kept(member(f"m{number}"), said, now=NOW + number * MINUTE)
    contest = said_of().contest
    assert contest is not None
    assert contest.text == (
        "m6 measured 147.0 µs, no samples, in the same environment; the claim is 126.3 µs. "
        "The newest of 7 comparable results slower."
    )
    assert [value.text for value in contest.competing] == [f"{147 - number}.0 µs" for number in range(5)]
    assert contest.reasons == ("7 comparable results slower",)
    assert contest.axis_note == "not from 0"


def test_wrong_outputs_without_a_time_are_told_as_that(ann: Any) -> None:
    kept(ann, statement(value=None, unit=None, is_incorrect=True))
    contest = said_of().contest
    assert contest is not None
    assert contest.text == "ann got wrong outputs (no time), in the same environment; the claim is 126.3 µs."
    assert (contest.competing, contest.axis) == ((), None)


def test_a_wide_range_is_drawn_on_a_logarithmic_axis(ann: Any) -> None:
    kept(ann, statement(value="127400"))
    axis = said_of().axis
    assert axis is not None
    assert axis.is_log


def test_a_value_of_another_dimension_is_shown_as_written(ann: Any) -> None:
    kept(ann, statement(value="12", unit="mib"))
    [entry] = said_of().entries
    assert entry.result is not None
    assert (entry.result.value, entry.result.written, entry.result.verdict) == (None, "12 MiB", "not comparable")


def test_a_page_has_each_wording_once_and_the_newest_apart(ann: Any) -> None:
    made = kept(ann, statement(text="One."))
    for number, text in enumerate(("Two.", "Three."), start=1):
        attesting.edit(attestation=made, actor=actor_of(ann), statement=statement(text=text), now=NOW + number * MINUTE)
    page = page_of(made)
    assert (page.entry.text, page.entry.version, page.entry.edited_at) == ("Three.", 3, NOW + 2 * MINUTE)
    assert [(wording.version, wording.text) for wording in page.wordings] == [(2, "Two."), (1, "One.")]
    assert [step.what for step in page.history] == ["sent", "edited: wording 2", "edited: wording 3"]


def test_samples_are_laid_out_in_forty_steps(ann: Any) -> None:
    found = page_of(kept(ann, sampled([100, 101, 101, 140]))).distribution
    assert found is not None
    assert (sum(found.counts), len(found.counts), found.counts[0], found.counts[1], found.counts[-1]) == (
        4,
        40,
        1,
        2,
        1,
    )
    assert [q.text for q in (found.minimum, found.median, found.mean, found.maximum)] == [
        "100 µs", "101 µs", "110.5 µs", "140 µs",
    ]  # fmt: skip


def test_equal_samples_have_one_bar(ann: Any) -> None:
    found = page_of(kept(ann, sampled([126.3] * 8))).distribution
    assert found is not None
    assert (sum(found.counts), max(found.counts), found.axis) == (8, 8, None)


def test_the_list_has_all_of_them_a_page_at_a_time(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries.keyset.page, "__kwdefaults__", {**queries.keyset.page.__kwdefaults__, "limit": 3})
    made = crowd(7)
    seen, cursor = [], None
    for _ in range(3):
        found = queries.attestation_list(runs.find(LIGER), cursor=cursor)
        assert (found.page.total, found.summary) == (7, said_of().summary)
        seen += [entry.id for entry in found.entries]
        cursor = found.page.next
    assert cursor is None
    assert seen == [str(row.pk) for row in reversed(made)]


def test_a_preview_is_what_would_be_shown_but_for_the_link_to_its_samples(ann: Any) -> None:
    run = Run.objects.get(digest=LIGER)
    said = sampled([126.1, 126.2, 126.5, 127.0, 126.0, 125.9])
    shown, claim, axis = queries.previewed(
        *attesting.preview(run=run, actor=actor_of(ann), statement=said, now=NOW), run
    )
    made = kept(ann, said)
    entry = page_of(made).entry
    assert shown.result is not None
    assert entry.result is not None
    assert (shown.result.value, shown.result.interval, shown.text) == (
        entry.result.value, entry.result.interval, entry.text,
    )  # fmt: skip
    assert (shown.result.samples_url, entry.result.samples_url) == (None, f"/attestations/{made.pk}/samples.csv")
    assert (claim, axis) == (page_of(made).claim, page_of(made).axis)


def test_figures_of_a_kept_verdict_are_read_from_its_own_json(ann: Any) -> None:
    """Not computed anew: a later policy leaves the old ones as they stood."""
    made = kept(ann)
    row = made.versions.get()
    assert Decimal(row.assessment["ratio"]).quantize(Decimal("0.001")) == Decimal("1.008")
    entry = page_of(made).entry
    assert entry.result is not None
    assert entry.result.policy == row.assessment["policy"] == "verdict-v1"
