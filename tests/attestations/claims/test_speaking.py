"""An author's note: one current text for each claim and place, every version kept, rights read anew."""

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from attestations import claims
from attestations.claims import ClaimError
from attestations.models import AuthorNote, Report
from attestations.profiles import actor_of
from attestations.queries.claims import Wording, author_notes
from registry.models import Standing
from tests.attestations.claiming import claimed_run, granted, moved_to, upstream
from tests.conftest import NOW
from tests.factories import everything
from tests.people import member
from tests.simultaneous import at_once

pytestmark = pytest.mark.django_db
STAFF = uuid.UUID(int=1)
HOUR = timedelta(hours=1)


@pytest.fixture
def run() -> Any:
    return claimed_run()


@pytest.fixture
def author(run: Any) -> Any:
    return member("author")


def reported(run: Any, **fields: Any) -> Report:
    return Report.objects.create(
        id=uuid.uuid4(), run=run, at=NOW, reason="incorrect_result", text="Wrong.", closed_at=NOW, **fields
    )


def written(user: Any, run: Any, text: str, *, claim: Any = None, now: Any = NOW, report: Any = None) -> AuthorNote:
    claim = claim or granted(user)
    return claims.write_note(claim=claim, run=run, text=text, actor=actor_of(user), now=now, report=report)


def test_a_note_is_shown_with_its_author_and_for_whom_they_speak(
    run: Any, author: Any, django_assert_num_queries: Any
) -> None:
    note = written(author, run, "  Measured with clocks locked.\r\nSee the log. ")
    with django_assert_num_queries(2):
        [words] = author_notes(run.pk)
    assert (words.id, words.by, words.speaks_for.url, words.at) == (str(note.pk), "author", "/projects/acme/", NOW)
    assert words.text == "Measured with clocks locked.\nSee the log."
    assert (words.earlier, words.report_id, words.ended_at, words.ended_by) == ((), None, None, None)


def test_a_run_without_notes_costs_one_query(run: Any, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert author_notes(run.pk) == ()


def test_a_later_note_replaces_the_text_and_the_earlier_stays_on_record(run: Any, author: Any) -> None:
    claim = granted(author)
    written(author, run, "First.", claim=claim)
    written(author, run, "Second.", claim=claim, now=NOW + HOUR)
    claims.retract_note(claim=claim, run=run, actor=actor_of(author), now=NOW + 2 * HOUR)
    [words] = author_notes(run.pk)
    assert (words.text, words.at) == ("", NOW + 2 * HOUR)
    assert words.earlier == (Wording("Second.", NOW + HOUR), Wording("First.", NOW))


def test_the_same_text_again_is_no_new_version(run: Any, author: Any) -> None:
    claim = granted(author)
    first, second = (written(author, run, text, claim=claim) for text in ("Same.", "Same. "))
    assert first.pk == second.pk


def test_nothing_is_retracted_where_nothing_was_said(run: Any, author: Any) -> None:
    claim = granted(author)
    with pytest.raises(ClaimError, match="no note to retract"):
        claims.retract_note(claim=claim, run=run, actor=actor_of(author), now=NOW)
    written(author, run, "Said.", claim=claim)
    claims.retract_note(claim=claim, run=run, actor=actor_of(author), now=NOW)
    claims.retract_note(claim=claim, run=run, actor=actor_of(author), now=NOW)
    assert AuthorNote.objects.count() == 2


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001, "a\x00b"])
def test_a_note_has_a_text_within_its_length(run: Any, author: Any, text: str) -> None:
    with pytest.raises(ClaimError):
        written(author, run, text)
    assert not AuthorNote.objects.exists()


def test_a_note_beside_a_report_stands_beside_the_one_on_the_run(run: Any, author: Any) -> None:
    claim, report = granted(author), reported(run)
    duplicate = reported(run, duplicate_of=report)
    written(author, run, "On the run.", claim=claim)
    written(author, run, "On the report.", claim=claim, report=duplicate, now=NOW + HOUR)
    assert [(words.text, words.report_id) for words in author_notes(run.pk)] == [
        ("On the run.", None), ("On the report.", str(report.pk)),
    ]  # fmt: skip


def test_a_report_of_another_run_is_refused(run: Any, author: Any) -> None:
    report = reported(run)
    report.run_id = uuid.uuid4()
    with pytest.raises(ClaimError, match="another run"):
        written(author, run, "Text.", report=report)


def test_two_claimants_and_two_claims_speak_each_for_themselves(run: Any, author: Any) -> None:
    other = member("other")
    written(author, run, "For the project.")
    written(author, run, "For the source.", claim=granted(author, source=upstream(), basis="bench.example.org"))
    written(other, run, "Me too.")
    found = {(words.by, words.speaks_for.name, words.text) for words in author_notes(run.pk)}
    assert found == {
        ("author", "Acme Kernels", "For the project."), ("author", "An upstream", "For the source."),
        ("other", "Acme Kernels", "Me too."),
    }  # fmt: skip


def test_a_revoked_claimant_says_nothing_more_and_the_notes_say_so(run: Any, author: Any) -> None:
    claim = granted(author)
    written(author, run, "Said.", claim=claim)
    claims.revoke(claim, reason="Not the owner.", actor=STAFF, now=NOW + HOUR)
    for act in (
        lambda: written(author, run, "More.", claim=claim),
        lambda: claims.retract_note(claim=claim, run=run, actor=actor_of(author), now=NOW),
        lambda: claims.request_withdrawal(claim=claim, run=run, reason="Mine.", actor=actor_of(author), now=NOW),
    ):
        with pytest.raises(ClaimError, match="do not speak for this run"):
            act()
    [words] = author_notes(run.pk)
    assert (words.text, words.ended_by, words.ended_at) == ("Said.", "revoked", NOW + HOUR)


def test_rights_end_at_once_when_the_repository_moves(run: Any, author: Any) -> None:
    claim = granted(author)
    moved_to("https://github.com/else/kernels")
    with pytest.raises(ClaimError, match="do not speak"):
        written(author, run, "More.", claim=claim)


def test_nobody_speaks_by_another_s_claim(run: Any, author: Any) -> None:
    claim, other = granted(author), member("other")
    granted(other, source=upstream(), basis="bench.example.org")
    with pytest.raises(ClaimError, match="do not speak"):
        written(other, run, "Mine.", claim=claim)


def test_words_outlive_the_account_and_its_name_does_not(run: Any, author: Any) -> None:
    written(author, run, "Said.")
    author.delete()
    [words] = author_notes(run.pk)
    assert (words.by, words.text) == ("deleted user", "Said.")


def test_notes_of_a_day_are_counted(run: Any, author: Any) -> None:
    claim = granted(author)
    for number in range(60):
        written(author, run, str(number), claim=claim)
    with pytest.raises(ClaimError, match="tomorrow"):
        written(author, run, "One more.", claim=claim)


def test_no_claim_note_or_request_moves_a_fact_a_rank_or_a_level(run: Any, author: Any) -> None:
    assert Standing.objects.filter(rank=1).exists()
    kept = {name: rows for name, rows in everything().items() if name != "registry.AuditEvent"}
    claim = claims.claim(
        project=run.implementation.project, actor=actor_of(author), method="staff", message="I.", now=NOW
    )
    claims.grant(claim, reason="Yes.", actor=STAFF, now=NOW)
    written(author, run, "This is the fastest.", claim=claim)
    asked = claims.request_withdrawal(claim=claim, run=run, reason="Mine.", actor=actor_of(author), now=NOW)
    claims.answer_request(asked, is_accepted=False, answer="No.", actor=STAFF, now=NOW)
    claims.revoke(claim, reason="No.", actor=STAFF, now=NOW)
    assert {name: rows for name, rows in everything().items() if name != "registry.AuditEvent"} == kept


@pytest.mark.django_db(transaction=True)
def test_simultaneous_notes_are_versions_one_after_another(tmp_path: Path) -> None:
    run, user = claimed_run(), member("author")
    claim = granted(user)
    results = at_once(lambda number: written(user, run, f"Text {number}.", claim=claim).number, 8, tmp_path)
    made = [result for result in results if isinstance(result, int)]
    assert sorted(made) == list(range(1, len(made) + 1))
    assert all(isinstance(result, int | ClaimError) for result in results)
    assert AuthorNote.objects.count() == len(made) > 0
