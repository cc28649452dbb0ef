"""Issue reports: taken, grouped, answered, decided. Each step of staff is dated and audited, no report moves a rank."""

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from attestations import reports
from attestations.models import (
    Claim,
    Count,
    Letter,
    Method,
    Outcome,
    Report,
    ReportEvent,
    ReportEventKind,
    ReportState,
)
from attestations.profiles import actor_of
from attestations.queries.reports import reports_of
from attestations.reports import ReportError, TooManyReportsError
from registry.corrections import CorrectionError
from registry.models import AuditEvent, Mark, Run, Standing
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import publish, timed
from tests.simultaneous import at_once

ADA, BOB = uuid.UUID(int=1), uuid.UUID(int=2)
LATER = NOW + timedelta(days=1)
BY_ADA: dict[str, Any] = {"actor": ADA, "now": LATER}


@pytest.fixture
def run(db: None) -> Run:
    return publish(timed(1000), timed(2000))[0]


def sent(run: Run, **fields: Any) -> Report:
    told: dict[str, Any] = {"reason": "incorrect_result", "text": "The gradient is wrong.", "now": NOW, **fields}
    return reports.open_report(run=run, **told)


def kinds(report: Report) -> list[str]:
    return [str(event.kind) for event in ReportEvent.objects.filter(report=report)]


# --- taking


def test_a_report_is_taken_as_it_was_written(run: Run) -> None:
    report = sent(run, text="  Café\r\nwrong ", evidence_url="https://example.org/a#b", contact="x@example.org")
    report.refresh_from_db()
    assert (report.text, report.evidence_url, report.contact) == (
        "Café\nwrong",
        "https://example.org/a#b",
        "x@example.org",
    )
    assert (report.state, report.duplicate_of, report.actor, report.closed_at) == (ReportState.OPEN, None, None, None)
    assert kinds(report) == ["opened"]


def test_the_contact_of_one_with_an_account_is_not_kept_twice(run: Run) -> None:
    assert sent(run, actor=BOB, contact="x@example.org").contact is None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"reason": "dislike"}, "A reason is one of"),
        ({"text": " \n "}, "Say what is wrong"),
        ({"text": "x" * 4001}, "Keep to 4,000 characters; this has 4,001."),
        ({"evidence_url": "javascript:alert(1)"}, "Use an https address"),
    ],
)
def test_what_cannot_be_taken_is_refused_in_words(run: Run, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ReportError, match=said):
        sent(run, **fields)
    assert not Report.objects.exists()


def test_later_reports_for_the_same_reason_join_the_open_one(run: Run) -> None:
    first, second = sent(run), sent(run, text="Mine too.", now=LATER)
    other = sent(run, reason="licence")
    assert (first.duplicate_of, second.duplicate_of, other.duplicate_of) == (None, first, None)
    assert (kinds(first), kinds(second)) == (["opened"], ["joined"])


def test_one_reporter_is_counted_once_in_a_group(run: Run) -> None:
    sent(run, actor=BOB)
    with pytest.raises(ReportError, match="You reported this already"):
        sent(run, actor=BOB)
    sent(run, actor=BOB, reason="licence")
    assert Report.objects.count() == 2


def test_a_report_after_the_decision_opens_a_group_of_its_own(run: Run) -> None:
    first = sent(run)
    reports.dismiss(first, public_note="The gradient is right.", **BY_ADA)
    assert sent(run, now=LATER).duplicate_of is None


def test_a_report_that_meets_another_one_between_look_and_insert_joins_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = sent(run)
    looks = iter([None, first])
    monkeypatch.setattr(reports, "_open_group", lambda *_: next(looks))
    assert sent(run).duplicate_of == first


@pytest.mark.django_db(transaction=True)
def test_simultaneous_reports_make_one_group(tmp_path: Path) -> None:
    [run] = publish(timed(1000))
    made = at_once(lambda number: sent(run, text=f"Number {number}."), 16, tmp_path)
    assert [one for one in made if not isinstance(one, Report)] == []
    [first] = Report.objects.filter(duplicate_of=None)
    assert first.duplicates.count() == 15
    assert ReportEvent.objects.filter(kind=ReportEventKind.JOINED).count() == 15


@pytest.mark.django_db(transaction=True)
def test_of_simultaneous_decisions_one_is_taken(tmp_path: Path) -> None:
    [run] = publish(timed(1000))
    report = sent(run)
    acts = (
        lambda: reports.dismiss(report, public_note="Right.", **BY_ADA),
        lambda: reports.resolve(report, outcome="withdrawn", public_note="Wrong.", **BY_ADA),
    )
    made = at_once(lambda number: acts[number % 2](), 8, tmp_path)
    assert sorted(type(one).__name__ for one in made) == ["Report"] + ["ReportError"] * 7
    assert AuditEvent.objects.filter(target_kind="report").count() == 1
    report.refresh_from_db()
    assert Mark.objects.count() == (report.outcome == "withdrawn")


# --- limits


def tried(times: int, *, sender: str = "", address: str = "192.0.2.1", now: Any = NOW) -> int:
    """How many of so many tries are let through."""
    taken = 0
    for _ in range(times):
        try:
            reports.count_try(sender=lambda: sender or str(uuid.uuid4()), address=address, now=now)
            taken += 1
        except TooManyReportsError:
            pass
    return taken


@pytest.mark.django_db
def test_an_hour_has_five_reports_of_a_sender_and_twenty_of_an_address() -> None:
    assert tried(7, sender="s1") == 5
    assert [tried(7, sender=sender) for sender in ("s2", "s3", "s4")] == [5, 5, 0]
    assert tried(2, sender="s1", address="192.0.2.2", now=NOW + timedelta(hours=1)) == 2


@pytest.mark.django_db
def test_the_whole_site_takes_three_hundred_an_hour_and_one_flooding_address_uses_up_none_of_them() -> None:
    assert tried(60) == 20
    assert sum(tried(20, address=f"198.51.100.{number}") for number in range(16)) == 280


@pytest.mark.django_db
def test_who_is_refused_is_told_when_the_hour_is_over() -> None:
    tried(20, now=NOW + timedelta(minutes=20))
    with pytest.raises(TooManyReportsError) as refused:
        reports.count_try(sender=lambda: "s", address="192.0.2.1", now=NOW + timedelta(minutes=20))
    assert refused.value.again_at == NOW + timedelta(hours=1)


@pytest.mark.django_db
def test_no_address_is_kept() -> None:
    tried(1, sender="session-key", address="203.0.113.77")
    kept = " ".join(Count.objects.values_list("key", flat=True))
    assert len(kept.split()) == 3
    assert "203.0.113.77" not in kept
    assert "session-key" not in kept


# --- staff's steps


def test_a_group_is_taken_on_under_a_name_and_may_change_hands(run: Run) -> None:
    report = sent(run)
    assert reports.assign(report, actor=ADA, now=LATER).assigned_to == ADA
    with pytest.raises(ReportError, match="yours already"):
        reports.assign(report, actor=ADA, now=LATER)
    assert reports.assign(report, actor=BOB, now=LATER).assigned_to == BOB
    assert {event.actor for event in AuditEvent.objects.filter(action="report assigned")} == {ADA, BOB}


def test_asking_waits_for_an_answer_and_the_answer_ends_it(run: Run) -> None:
    report = sent(run, contact="x@example.org")
    joined = sent(run, text="Too.", contact="y@example.org")
    assert reports.ask(joined, question="Which input?", **BY_ADA).state == ReportState.ASKED
    assert {letter.address for letter in Letter.objects.filter(kind="report_asked")} == {
        "x@example.org",
        "y@example.org",
    }
    assert reports.open_question(joined, now=LATER).text == "Which input?"
    assert reports.answer(joined, text="All zeros.", now=LATER).state == ReportState.OPEN
    with pytest.raises(ReportError, match="answered this question already"):
        reports.answer(joined, text="Ones.", now=LATER)
    reports.answer(report, text="Also zeros.", now=LATER + timedelta(hours=1))
    answers = ReportEvent.objects.filter(kind=ReportEventKind.ANSWERED).order_by("id")
    assert [(event.report, event.text, event.is_public) for event in answers] == [
        (joined, "All zeros.", False),
        (report, "Also zeros.", False),
    ]


def test_a_question_needs_somebody_to_ask(run: Run) -> None:
    report = sent(run)
    with pytest.raises(ReportError, match="nobody to ask"):
        reports.ask(report, question="Which input?", **BY_ADA)
    assert (kinds(report), AuditEvent.objects.filter(target_kind="report").count()) == (["opened"], 0)


def test_only_an_open_question_that_came_after_the_report_is_answered(run: Run) -> None:
    report = sent(run, contact="x@example.org")
    with pytest.raises(ReportError, match="Nothing was asked"):
        reports.answer(report, text="?", now=LATER)
    reports.ask(report, question="Which input?", **BY_ADA)
    late = sent(run, now=LATER + timedelta(days=1))
    with pytest.raises(ReportError, match="Nothing was asked"):
        reports.open_question(late, now=LATER + timedelta(days=2))
    with pytest.raises(ReportError, match="more than 30 days old"):
        reports.open_question(report, now=LATER + timedelta(days=30, seconds=1))
    reports.dismiss(report, public_note="Right.", **BY_ADA)
    with pytest.raises(ReportError, match="decided"):
        reports.answer(Report.objects.get(pk=report.pk), text="All.", now=LATER)


def test_a_public_note_replaces_the_last_and_both_stay_on_record(run: Run) -> None:
    report = sent(run)
    reports.note(report, text="We look into it.", **BY_ADA)
    reports.note(report, text="The author was asked.", actor=ADA, now=LATER + timedelta(hours=1))
    report.refresh_from_db()
    assert (report.public_note, report.state) == ("The author was asked.", ReportState.OPEN)
    noted = ReportEvent.objects.filter(kind=ReportEventKind.NOTED, is_public=True).order_by("id")
    assert [event.text for event in noted] == ["We look into it.", "The author was asked."]


def test_dismissing_closes_with_a_public_reason_and_marks_nothing(run: Run) -> None:
    report = sent(run)
    joined = sent(run)
    reports.dismiss(joined, public_note="The gradient is right.", **BY_ADA)
    report.refresh_from_db()
    assert (report.state, report.closed_at, report.outcome) == (ReportState.DISMISSED, LATER, None)
    assert report.public_note == "The gradient is right."
    assert not Mark.objects.exists()
    [event] = AuditEvent.objects.filter(action="report dismissed")
    assert (event.target_kind, event.target, event.actor) == ("report", str(report.id), ADA)
    assert event.detail == {"run": run.digest, "reason": "incorrect_result"}


@pytest.mark.parametrize("outcome", Outcome.values)
def test_an_outcome_is_carried_out_with_the_decision(run: Run, outcome: str) -> None:
    other = Run.objects.exclude(pk=run.pk).get()
    more: dict[str, Any] = {"superseded": {"successor": other}, "flagged": {"rule": "IMPLAUSIBLE"}}.get(outcome, {})
    report = sent(run)
    reports.resolve(report, outcome=outcome, public_note="Below the bound.", **more, **BY_ADA)
    report.refresh_from_db()
    assert (report.state, report.outcome, report.closed_at) == (ReportState.RESOLVED, outcome, LATER)
    marks = [(mark.kind, mark.reason, mark.audit.detail["report"]) for mark in run.marks.all()]
    assert marks == ([] if outcome == "no_change" else [(outcome, "Below the bound.", str(report.id))])
    assert (Standing.objects.get(run=run).rank is None) is (outcome != "no_change")
    [event] = AuditEvent.objects.filter(action="report resolved")
    assert event.detail["outcome"] == outcome


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"outcome": "deleted"}, "An outcome is one of"),
        ({"outcome": "withdrawn", "public_note": " "}, "State the reason in public"),
        ({"outcome": "superseded"}, "Name the run that supersedes"),
        ({"outcome": "flagged"}, "Choose the rule"),
    ],
)
def test_a_decision_that_is_not_whole_is_refused(run: Run, fields: dict[str, Any], said: str) -> None:
    report = sent(run)
    with pytest.raises(ReportError, match=said):
        reports.resolve(report, **{"public_note": "Wrong.", **BY_ADA, **fields})
    assert kinds(report) == ["opened"]


def test_a_correction_that_does_not_apply_leaves_the_report_open(run: Run) -> None:
    report = sent(run)
    with pytest.raises(CorrectionError):
        reports.resolve(report, outcome="superseded", successor=run, public_note="Again.", **BY_ADA)
    report.refresh_from_db()
    assert (report.state, report.closed_at, kinds(report)) == (ReportState.OPEN, None, ["opened"])
    assert not Letter.objects.exists()
    assert not AuditEvent.objects.filter(target_kind="report").exists()


def test_what_is_decided_is_decided_once(run: Run) -> None:
    report = sent(run)
    reports.dismiss(report, public_note="Right.", **BY_ADA)
    for act in (
        lambda: reports.dismiss(report, public_note="Again.", **BY_ADA),
        lambda: reports.resolve(report, outcome="withdrawn", public_note="Again.", **BY_ADA),
        lambda: reports.assign(report, **BY_ADA),
        lambda: reports.ask(report, question="And?", **BY_ADA),
    ):
        with pytest.raises(ReportError, match="dismissed on 2026-09-02"):
            act()
    assert not Mark.objects.exists()


# --- the dispute rule


def every_step(report: Report, by: dict[str, Any]) -> list[Any]:
    return [
        lambda: reports.assign(report, **by),
        lambda: reports.ask(report, question="Which?", **by),
        lambda: reports.note(report, text="Noted.", **by),
        lambda: reports.resolve(report, outcome="no_change", public_note="Told.", **by),
        lambda: reports.dismiss(report, public_note="Right.", **by),
    ]


def test_who_reported_decides_nothing_about_it(run: Run) -> None:
    report = sent(run)
    sent(run, actor=ADA)
    for step in every_step(report, BY_ADA):
        with pytest.raises(ReportError, match="You reported this"):
            step()


@pytest.mark.parametrize("thing", ["source", "project"])
def test_who_speaks_for_the_run_decides_nothing_about_it(run: Run, thing: str) -> None:
    claimed = {"source": run.source} if thing == "source" else {"project": run.implementation.project}
    by = {"actor": actor_of(member("mona", "moderator")), "now": LATER}
    claim = Claim.objects.create(
        id=uuid.uuid4(), actor=by["actor"], at=NOW, method=Method.STAFF, state="granted", **claimed
    )
    report = sent(run, contact="x@example.org")
    for step in every_step(report, by):
        with pytest.raises(ReportError, match="You speak for this run"):
            step()
    claim.state = "revoked"
    claim.save()
    reports.dismiss(report, public_note="Right.", **by)


def test_an_appeal_goes_to_another_moderator_where_there_is_one(run: Run) -> None:
    first, second = (member(name, "moderator") for name in ("mona", "nils"))
    reports.dismiss(sent(run), public_note="Right.", actor=actor_of(first), now=LATER)
    appeal = sent(run, now=LATER + timedelta(days=29))
    decided: dict[str, Any] = {"public_note": "Still right.", "now": LATER + timedelta(days=30)}
    with pytest.raises(ReportError, match="appeals against"):
        reports.dismiss(appeal, actor=actor_of(first), **decided)
    reports.dismiss(appeal, actor=actor_of(second), **decided)


def test_after_thirty_days_or_for_another_reason_it_is_no_appeal(run: Run) -> None:
    first, _ = (member(name, "moderator") for name in ("mona", "nils"))
    by = {"actor": actor_of(first)}
    reports.dismiss(sent(run), public_note="Right.", now=NOW, **by)
    reports.dismiss(sent(run, reason="licence"), public_note="Right.", now=NOW, **by)
    later = NOW + timedelta(days=30)
    reports.dismiss(sent(run, now=later), public_note="Right.", now=later, **by)


def test_the_only_moderator_hears_the_appeal_too(run: Run) -> None:
    only = actor_of(member("mona", "moderator"))
    member("carl", "curator")
    reports.dismiss(sent(run), public_note="Right.", actor=only, now=NOW)
    reports.dismiss(sent(run), public_note="Still right.", actor=only, now=NOW)


# --- telling, forgetting


def test_reporters_are_told_of_the_decision_once_each(run: Run) -> None:
    reader = member("rita")
    report = sent(run, actor=actor_of(reader))
    for number, contact in enumerate(("x@example.org", "X@example.org", "y@example.org", "")):
        sent(run, contact=contact, now=NOW + timedelta(seconds=number))
    reports.resolve(report, outcome="withdrawn", public_note="Below <the> bound.", **BY_ADA)
    letters = Letter.objects.filter(kind="report_decided").order_by("at", "id")
    assert sorted((letter.user_id or 0, letter.address) for letter in letters) == [
        (0, "x@example.org"), (0, "y@example.org"), (reader.pk, ""),
    ]  # fmt: skip
    told = letters.get(user=reader)
    assert told.subject == f"Your report on run {run.digest[:19]}… is decided"
    assert "It is resolved: run withdrawn." in told.body
    assert "Below <the> bound." in told.body
    assert "We keep your address" not in told.body
    assert "We keep your address for 30 days" in letters.get(address="y@example.org").body


def test_contacts_are_forgotten_thirty_days_after_the_decision(run: Run) -> None:
    report, joined = sent(run, contact="x@example.org"), sent(run, contact="y@example.org")
    still = sent(run, reason="licence", contact="z@example.org")
    reports.dismiss(report, public_note="Right.", **BY_ADA)
    assert reports.blank_contacts(now=LATER + timedelta(days=30)) == 0
    assert reports.blank_contacts(now=LATER + timedelta(days=30, seconds=1)) == 2
    assert reports.blank_contacts(now=LATER + timedelta(days=31)) == 0
    for one, contact in ((report, None), (joined, None), (still, "z@example.org")):
        one.refresh_from_db()
        assert one.contact == contact


# --- a flood


def test_a_thousand_reports_are_one_group_and_move_nothing(run: Run) -> None:
    before = list(Standing.objects.order_by("run").values("run", "rank", "position"))
    for number in range(1000):
        sent(run, text=f"Number {number}.", contact=f"r{number}@example.org", now=NOW + timedelta(seconds=number))
    assert list(Standing.objects.order_by("run").values("run", "rank", "position")) == before
    assert Report.objects.filter(duplicate_of=None).count() == 1
    found = reports_of(run.id, now=LATER)
    assert (found.open_count, found.lines[0].report_count) == (1, 1000)
    assert not Letter.objects.exists()
    reports.dismiss(Report.objects.get(duplicate_of=None), public_note="A flood.", **BY_ADA)
    assert Letter.objects.count() == 20
