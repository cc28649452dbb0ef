"""News by mail: each reader's once, whatever happens to the worker, and nobody's who did not ask."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from attestations import follows, letters, news
from attestations.models import Attestation, AttestationVersion, Follow, Letter, Report, Thing, Watermark
from attestations.models.profiles import Digest
from attestations.profiles import actor_of, profile_of
from attestations.queries.news import SETTLE
from registry import corrections, incidents
from registry.auditing import new_id
from registry.core import flags
from registry.models import EvidenceFact, Run
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import LIGER, LIGER_KEY, OPERATION, SOL, STAFF, recorded_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
HAPPENED = NOW + MINUTE
LOOKED = HAPPENED + MINUTE
REASON = "The clock was not locked."


def run(digest: str = LIGER) -> Run:
    return Run.objects.get(digest=digest)


def reader(name: str, *digests: str, at: datetime = NOW, **account: Any) -> Any:
    user = member(name, **account)
    for digest in digests or (LIGER,):
        follows.follow(user, thing=Thing.RUN, target=digest, now=at)
    return user


def withdraw(*runs: Run, at: datetime = HAPPENED) -> None:
    corrections.withdraw(runs or [run()], reason=REASON, actor=STAFF, now=at)


@pytest.fixture
def begun(db: None) -> None:
    """The job has looked once, at NOW."""
    assert news.tell_urgent(now=NOW + SETTLE) == 0


def told() -> list[tuple[str, str]]:
    return sorted(Letter.objects.values_list("user__username", "subject"))


NAME = "PyTorch: ReLU squared"


def test_who_follows_a_run_is_told_when_it_is_withdrawn(begun: None) -> None:
    reader("ada")
    withdraw()
    assert news.tell_urgent(now=LOOKED) == 1
    letter = Letter.objects.get()
    assert letter.subject.startswith(f"Withdrawn by KernelIndex staff: {NAME}")
    assert f"http://localhost:8000/runs/{LIGER}/" in letter.body
    assert REASON in letter.body
    assert letter.unsubscribe == f"http://localhost:8000/mail/{profile_of(letter.user).mail_key}/off/?kind=urgent"
    assert letter.unsubscribe in letter.body


def test_a_mail_can_be_read(begun: None) -> None:
    reader("ada", LIGER, SOL)
    withdraw()
    corrections.flag([run(SOL)], rule="IMPLAUSIBLE", reason="Below the bound & <odd>.", actor=STAFF, now=HAPPENED)
    news.tell_urgent(now=LOOKED)
    letters.send_due(now=LOOKED)
    [sent] = mail.outbox
    assert sent.subject == "Changed: 2 runs that you follow"
    assert "2026-09-01 12:01 UTC: Flagged IMPLAUSIBLE by KernelIndex staff: Below the bound & <odd>." in sent.body
    assert "\n\n\n" not in sent.body
    assert sent.body.count("http://localhost:8000/runs/") == 2


def superseded() -> None:
    other = Run.objects.filter(operation__slug=OPERATION).exclude(digest=LIGER)[0]
    corrections.supersede(run(), successor=other, reason=REASON, actor=STAFF, now=HAPPENED)


def flagged() -> None:
    corrections.flag([run()], rule="IMPLAUSIBLE", reason=REASON, actor=STAFF, now=HAPPENED)


def rerun() -> None:
    EvidenceFact.objects.create(id=new_id(HAPPENED), run=run(), kind="rerun", at=HAPPENED, detail={"verdict": "slower"})


def reported(at: datetime = HAPPENED, **columns: Any) -> Report:
    return Report.objects.create(id=new_id(at), run=run(), at=at, text="<script>", **({"reason": "licence"} | columns))


def attested(
    verdict: str = "slower", *, is_comparable: bool = True, at: datetime = HAPPENED, name: str = "", **columns: Any
) -> Attestation:
    made = Attestation.objects.create(
        id=new_id(at), run=run(), actor=actor_of(member(name or uuid.uuid4().hex)), kind="reproduced", at=at, **columns
    )
    AttestationVersion.objects.create(
        id=new_id(at), attestation=made, number=1, at=at, digest="sha256:" + "0" * 64, text="x", verdict=verdict,
        is_comparable=is_comparable,
    )  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("act", "subject"),
    [
        (superseded, "Superseded by KernelIndex staff"),
        (flagged, "Flagged IMPLAUSIBLE by KernelIndex staff"),
        (rerun, "Rerun by KernelIndex: slower"),
        (reported, "Contested: 1 open report"),
        (attested, "Contested: 1 comparable result slower"),
    ],
)
def test_who_follows_a_run_is_told_of_what_changes_its_standing(begun: None, act: Any, subject: str) -> None:
    user = reader("ada")
    act()
    assert news.tell_urgent(now=LOOKED) == 1
    assert Letter.objects.get(user=user).subject.startswith(f"{subject}: {NAME}")


def cleared() -> None:
    [mark] = corrections.withdraw([run()], reason=REASON, actor=STAFF, now=NOW)
    corrections.clear([mark], reason="Wrong run.", actor=STAFF, now=HAPPENED)


@pytest.mark.parametrize(
    "act",
    [
        cleared,
        lambda: attested("agrees"),
        lambda: attested("faster"),
        lambda: attested("inconclusive"),
        lambda: attested("slower", is_comparable=False),
        lambda: attested("slower", withdrawn_at=HAPPENED),
        lambda: attested("slower", hidden_at=HAPPENED),
        lambda: reported(closed_at=HAPPENED, state="dismissed"),
        lambda: withdraw(run(SOL)),
        lambda: withdraw(at=LOOKED),
    ],
)
def test_what_does_not_waits_for_the_digest(begun: None, act: Any) -> None:
    reader("ada")
    act()
    assert news.tell_urgent(now=LOOKED) == 0


def test_a_run_that_is_contested_already_is_not_told_of_again(begun: None) -> None:
    reader("ada")
    reported()
    assert news.tell_urgent(now=LOOKED) == 1
    reported(at=LOOKED, reason="other")
    attested(at=LOOKED)
    assert news.tell_urgent(now=LOOKED + MINUTE) == 0


def test_a_run_that_is_contested_anew_is(begun: None) -> None:
    reader("ada")
    first = reported()
    news.tell_urgent(now=LOOKED)
    Report.objects.filter(pk=first.pk).update(closed_at=LOOKED, state="dismissed")
    news.tell_urgent(now=LOOKED + MINUTE)
    attested("incorrect", at=LOOKED + 2 * MINUTE)
    assert news.tell_urgent(now=LOOKED + 3 * MINUTE) == 1
    assert "Contested: 1 comparable result incorrect" in Letter.objects.latest("at").subject


def test_an_edit_that_turns_a_result_against_the_run_contests_it(begun: None) -> None:
    reader("ada")
    made = attested("agrees")
    news.tell_urgent(now=LOOKED)
    AttestationVersion.objects.create(
        id=new_id(LOOKED), attestation=made, number=2, at=LOOKED, digest="sha256:" + "1" * 64, text="x",
        verdict="slower", is_comparable=True,
    )  # fmt: skip
    assert news.tell_urgent(now=LOOKED + MINUTE) == 1


def test_who_follows_what_a_run_belongs_to_waits_for_the_digest(begun: None) -> None:
    user = member("ada")
    follows.follow(user, thing=Thing.OPERATION, target=OPERATION, now=NOW)
    withdraw()
    assert news.tell_urgent(now=LOOKED) == 0


def test_an_incident_that_covers_all_that_one_follows_is_one_letter(begun: None) -> None:
    digests = list(Run.objects.filter(operation__slug=OPERATION).values_list("digest", flat=True))
    reader("ada", *digests)
    reader("bea", digests[0])
    incidents.publish(
        title="Clocks", text="Not locked.", evidence_url="", criteria={"operations": [OPERATION]}, effect="flag",
        reason=REASON, actor=STAFF, now=HAPPENED,
    )  # fmt: skip
    assert news.tell_urgent(now=LOOKED) == 2
    assert told()[0][1] == "Changed: 48 runs that you follow"
    assert all("Clocks: http://localhost:8000/incidents/clocks/" in letter.body for letter in Letter.objects.all())


def test_who_can_not_or_would_not_be_written_to_is_not(begun: None) -> None:
    reader("deactivated", is_active=False)
    reader("unconfirmed", is_verified=False)
    quiet = profile_of(reader("quiet"))
    quiet.has_urgent_mail = False
    quiet.save()
    reader("later", at=HAPPENED)
    left = reader("left")
    follows.unfollow(left, thing=Thing.RUN, target=LIGER)
    withdraw()
    assert (news.tell_urgent(now=LOOKED), told()) == (0, [])


def test_what_happened_is_told_once(begun: None) -> None:
    reader("ada")
    withdraw()
    assert [news.tell_urgent(now=LOOKED + number * MINUTE) for number in range(3)] == [1, 0, 0]


def test_what_happened_before_the_first_look_is_not_told() -> None:
    reader("ada")
    withdraw()
    assert (news.tell_urgent(now=LOOKED), news.tell_urgent(now=LOOKED + MINUTE)) == (0, 0)


def test_a_standstill_loses_nothing(begun: None) -> None:
    reader("ada")
    withdraw()
    assert news.tell_urgent(now=NOW + 3 * DAY) == 1


def test_what_a_sync_may_still_be_writing_is_told_when_it_is_done(begun: None) -> None:
    reader("ada")
    sync = recorded_sync("sol-execbench", state="publishing", started_at=HAPPENED, requested_at=NOW)
    assert news.tell_urgent(now=LOOKED) == 0
    withdraw()  # one of its later batches, under the instant of its beginning
    type(sync).objects.filter(pk=sync.pk).update(state="done")
    assert news.tell_urgent(now=LOOKED + MINUTE) == 1


def test_a_job_that_is_killed_before_its_end_tells_all_when_it_runs_again(
    begun: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "bea", "cleo"):
        reader(name)
    withdraw()
    write, count = letters.write, 0

    def killed(*args: Any, **options: Any) -> Letter:
        nonlocal count
        count += 1
        if count == 2:
            raise KeyboardInterrupt
        return write(*args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(letters, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            news.tell_urgent(now=LOOKED)
    assert told() == []
    assert news.tell_urgent(now=LOOKED + MINUTE) == 3
    assert [name for name, _ in told()] == ["ada", "bea", "cleo"]


def test_a_reader_gets_so_many_a_day_and_the_rest_in_the_digest(begun: None) -> None:
    reader("ada")
    held = run().marks.values_list("rule", flat=True)
    rules = [rule for rule in flags.BY_HAND if rule not in held]
    for number, rule in enumerate(rules[: news.MOST_URGENT.most + 2]):
        at = NOW + (number + 1) * MINUTE
        corrections.flag([run()], rule=rule, reason=REASON, actor=STAFF, now=at)
        news.tell_urgent(now=at + SETTLE)
    assert len(rules) > news.MOST_URGENT.most
    assert Letter.objects.count() == news.MOST_URGENT.most


def test_a_thousand_readers_take_no_more_queries_to_find_than_one(begun: None) -> None:
    counts = []
    for number in range(3):
        reader(f"reader-{number}")
        with CaptureQueriesContext(connection) as captured:
            changed = news._urgent(NOW, LOOKED)
            news._readers(changed)
        counts.append(len(captured))
        withdraw(*Run.objects.exclude(marks__kind="withdrawn").order_by("digest")[:5])
    assert counts[1] == counts[2]


# The digest.


def weekly(name: str = "ada", **account: Any) -> Any:
    user = member(name, **account)
    follows.follow(user, thing=Thing.GROUP, target=LIGER_KEY, now=NOW)
    return user


WEEK = 7 * DAY
DUE = NOW + WEEK + MINUTE


def test_a_digest_comes_a_week_after_the_first_follow() -> None:
    user = weekly()
    withdraw()
    assert news.send_digests(now=NOW + WEEK - MINUTE) == 0
    assert news.send_digests(now=DUE) == 1
    letter = Letter.objects.get(user=user)
    assert letter.subject == "KernelIndex: news of 1 thing that you follow"
    assert "2026-09-01: 1 run withdrawn by KernelIndex staff" in letter.body
    assert f"http://localhost:8000/groups/{LIGER_KEY}/" in letter.body
    assert "http://localhost:8000/follows/" in letter.body
    assert letter.unsubscribe.endswith("?kind=digest")
    assert letter.unsubscribe in letter.body
    assert "\n\n\n" not in letter.body


def test_the_next_comes_a_week_later_and_tells_what_is_new_since() -> None:
    weekly()
    withdraw()
    assert [news.send_digests(now=at) for at in (DUE, DUE + MINUTE, DUE + WEEK - MINUTE)] == [1, 0, 0]
    flagged_at = DUE + DAY
    corrections.flag([run()], rule="IMPLAUSIBLE", reason=REASON, actor=STAFF, now=flagged_at)
    assert news.send_digests(now=DUE + WEEK) == 1
    newest = Letter.objects.latest("at")
    assert "flagged IMPLAUSIBLE" in newest.body
    assert "withdrawn" not in newest.body


def test_nothing_new_is_no_letter() -> None:
    weekly()
    assert news.send_digests(now=DUE) == 0
    withdraw(at=DUE + DAY)
    assert news.send_digests(now=DUE + 2 * DAY) == 0
    assert news.send_digests(now=DUE + WEEK) == 1


def test_what_was_marked_read_is_not_told_again() -> None:
    user = weekly()
    withdraw()
    follows.mark_read(user, until=NOW + DAY, now=NOW + DAY)
    assert news.send_digests(now=DUE) == 0


def test_who_wants_no_digest_or_can_get_none_gets_none() -> None:
    weekly("deactivated", is_active=False)
    weekly("unconfirmed", is_verified=False)
    off = profile_of(weekly("off"))
    off.digest = Digest.OFF
    off.save()
    member("follows nothing", handle=None)
    withdraw()
    assert news.send_digests(now=DUE) == 0


def test_a_digest_that_is_killed_is_written_when_it_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    weekly()
    withdraw()

    def killed(*args: Any, **options: Any) -> Letter:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(letters, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            news.send_digests(now=DUE)
    assert news.send_digests(now=DUE) == 1


def test_who_leaves_takes_the_watermark_along() -> None:
    user = weekly()
    news.send_digests(now=DUE)
    news.tell_urgent(now=DUE)
    assert news.forget(now=DUE) == 0
    user.delete()
    assert news.forget(now=DUE) == 1
    assert list(Watermark.objects.values_list("name", flat=True)) == ["urgent"]
    assert not Follow.objects.exists()
