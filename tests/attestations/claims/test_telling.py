"""News of their runs reach claimants in one letter, at most one an hour, told once however the task is cut short."""

import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from attestations import claims
from attestations.claims import telling
from attestations.models import (
    Attestation,
    AttestationVersion,
    Letter,
    Profile,
    Report,
    ReportEvent,
    Watermark,
)
from attestations.profiles import actor_of
from registry.auditing import new_id
from tests.attestations.claiming import claimed_run, granted, upstream
from tests.conftest import NOW
from tests.people import member
from tests.simultaneous import at_once

pytestmark = pytest.mark.django_db
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
LATER = NOW + 5 * MINUTE
READER = uuid.UUID(int=7)


@pytest.fixture
def run(db: None) -> Any:
    return claimed_run()


def event(run: Any, kind: str = "opened", at: datetime = NOW, actor: uuid.UUID | None = None, **fields: Any) -> None:
    report = Report.objects.create(
        id=new_id(at), run=run, at=at, reason="incorrect_result", text="Secret words.", contact="who@example.org",
        actor=actor, closed_at=at, **fields,
    )  # fmt: skip
    ReportEvent.objects.create(id=new_id(at), report=report, at=at, kind=kind, actor=actor, text="x")


def attested(run: Any, verdict: str | None, at: datetime = NOW, **fields: Any) -> Attestation:
    head = {"actor": READER, "kind": "not_reproduced", **{k: v for k, v in fields.items() if k != "is_comparable"}}
    said = Attestation.objects.create(id=new_id(at), run=run, at=at, **head)
    AttestationVersion.objects.create(
        id=new_id(at), attestation=said, number=1, at=at, digest="sha256:" + "1" * 64, text="Slow.", verdict=verdict,
        is_comparable=fields.get("is_comparable", True),
    )  # fmt: skip
    return said


def bodies() -> list[str]:
    return list(Letter.objects.order_by("id").values_list("body", flat=True))


def test_reports_and_verdicts_come_in_one_letter(run: Any) -> None:
    author = member("author")
    granted(author)
    granted(author, source=upstream(), basis="bench.example.org")
    event(run)
    event(run, "resolved", outcome="no_change")
    event(run, "dismissed")
    attested(run, "slower")
    assert claims.tell_claimants(now=LATER) == 1
    letter = Letter.objects.get()
    assert (letter.user, letter.subject, letter.kind) == (author, "4 news of runs that you speak for", "claimant_news")
    key = Profile.objects.get(user=author).mail_key
    assert letter.unsubscribe == f"http://localhost:8000/mail/{key}/off/?kind=urgent"
    for words in (
        "Report opened: incorrect result", "Report resolved: no change", "Report dismissed",
        "Comparable attestation: slower", f"http://localhost:8000/runs/{run.digest}/#report", "acme-scale", str(key),
    ):  # fmt: skip
        assert words in letter.body, words
    assert "Secret words" not in letter.body
    assert "who@example.org" not in letter.body


@pytest.mark.parametrize(
    ("verdict", "fields"),
    [
        ("agrees", {}), ("faster", {}), (None, {}), ("slower", {"is_comparable": False}),
        ("slower", {"withdrawn_at": NOW}), ("slower", {"hidden_at": NOW}), ("slower", {"version": 2}),
    ],
)  # fmt: skip
def test_what_is_no_news_is_not_told(run: Any, verdict: str | None, fields: dict[str, Any]) -> None:
    granted(member("author"))
    attested(run, verdict, **fields)
    assert claims.tell_claimants(now=LATER) == 0


@pytest.mark.parametrize("kind", ["joined", "assigned", "asked", "answered", "noted"])
def test_steps_between_opening_and_deciding_are_not_told(run: Any, kind: str) -> None:
    granted(member("author"))
    event(run, kind)
    assert claims.tell_claimants(now=LATER) == 0


def test_nothing_is_told_twice_and_at_most_once_an_hour(run: Any) -> None:
    granted(member("author"))
    event(run)
    assert claims.tell_claimants(now=LATER) == 1
    assert claims.tell_claimants(now=LATER + 2 * HOUR) == 0
    event(run, at=NOW + 3 * HOUR)
    now = NOW + 3 * HOUR + 5 * MINUTE
    assert claims.tell_claimants(now=now) == 1
    for minute in range(3):
        event(run, at=now + minute * MINUTE)
    assert claims.tell_claimants(now=now + 30 * MINUTE) == 0
    assert claims.tell_claimants(now=now + HOUR) == 1
    assert [letter.subject for letter in Letter.objects.order_by("id")] == [
        "News of a run that you speak for", "News of a run that you speak for", "3 news of runs that you speak for",
    ]  # fmt: skip


def test_what_may_still_be_committed_late_is_left_for_the_next_time(run: Any) -> None:
    granted(member("author"))
    event(run)
    assert claims.tell_claimants(now=NOW + MINUTE) == 0
    assert claims.tell_claimants(now=NOW + 2 * MINUTE) == 1


def test_a_task_that_is_killed_tells_all_of_it_the_next_time(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        granted(member(name))
    event(run)
    write, calls = telling._write, []

    def killed_at_the_second(*args: Any, **kwargs: Any) -> None:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        write(*args, **kwargs)

    monkeypatch.setattr(telling, "_write", killed_at_the_second)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        claims.tell_claimants(now=LATER)
    assert (Letter.objects.count(), Watermark.objects.count()) == (0, 0)
    assert claims.tell_claimants(now=LATER) == 2


def test_ones_own_report_and_attestation_are_no_news_to_oneself(run: Any) -> None:
    author = member("author")
    granted(author)
    event(run, actor=actor_of(author))
    attested(run, "incorrect", actor=actor_of(author))
    assert claims.tell_claimants(now=LATER) == 0


def test_who_switched_urgent_mail_off_and_who_is_gone_get_none(run: Any) -> None:
    off, gone, revoked = member("off"), member("gone"), member("revoked")
    for user in (off, gone):
        granted(user)
    granted(revoked, state="revoked")
    Profile.objects.filter(user=off).update(has_urgent_mail=False)
    gone.delete()
    event(run)
    assert claims.tell_claimants(now=LATER) == 0
    assert not Letter.objects.exists()


def test_a_decision_is_told_also_to_who_switched_urgent_mail_off(run: Any) -> None:
    user = member("off")
    Profile.objects.filter(user=user).update(has_urgent_mail=False)
    claims.refuse(granted(user, state="pending"), reason="Not shown.", actor=READER, now=NOW)
    assert "Not shown." in Letter.objects.get().body


def test_a_storm_is_one_letter_with_the_first_of_it(run: Any) -> None:
    granted(member("author"))
    for number in range(50):
        event(run, at=NOW + timedelta(milliseconds=number))
    assert claims.tell_claimants(now=LATER) == 1
    [body] = bodies()
    assert body.count("Report opened") == 20
    assert "And 30 more" in body


def test_many_news_of_many_runs_cost_a_constant_number_of_queries(run: Any, django_assert_max_num_queries: Any) -> None:
    granted(member("author"))
    for number in range(40):
        event(run, at=NOW + timedelta(milliseconds=number))
        attested(run, "slower", at=NOW + timedelta(milliseconds=number), actor=uuid.UUID(int=100 + number))
    with django_assert_max_num_queries(25):
        claims.tell_claimants(now=LATER)


@pytest.mark.django_db(transaction=True)
def test_simultaneous_tasks_write_one_letter(tmp_path: Path) -> None:
    run = claimed_run()
    granted(member("author"))
    event(run)
    results = at_once(lambda number: claims.tell_claimants(now=LATER), 4, tmp_path)
    assert sorted(results) == [0, 0, 0, 1]
    assert Letter.objects.count() == 1
