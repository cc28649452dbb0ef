"""The moderation queue: what waits first, each step asked for and on record, and who sees an address."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from attestations import reports
from attestations.models import Report, ReportEvent
from attestations.profiles import actor_of
from registry.models import AuditEvent, RedactionRequest, Run
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import STAFF, lacks, publish, publish_group, queries_of, shown, timed

# Django's own admin templates use variables that they do not set.
pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
LIST = "/admin/attestations/report/"
STEPS: dict[str, dict[str, str]] = {
    "assign": {},
    "ask": {"question": "Which input?"},
    "note": {"public_note": "Being looked at."},
    "resolve": {"outcome": "withdrawn", "public_note": "Below the bound."},
    "dismiss": {"public_note": "The gradient is right."},
}
EVENTS = {"assign": "assigned", "ask": "asked", "note": "noted", "resolve": "resolved", "dismiss": "dismissed"}


@pytest.fixture
def moderator(db: None) -> Client:
    return signed_in(member("mona", "moderator"))


def sent(run: Run | None = None, **fields: Any) -> Report:
    told = {"reason": "other", "text": "Private words.", "now": NOW, "contact": "reader@example.org", **fields}
    return reports.open_report(run=run or publish(timed(1000))[0], **told)


def act(client: Client, step: str, *chosen: Report, **fields: str) -> Any:
    form = {"action": f"{step}_report", "confirmed": "1", "_selected_action": [str(one.pk) for one in chosen]}
    return client.post(LIST, {**form, **STEPS[step], **fields}, follow=True)


def test_the_queue_lists_groups_what_waits_longest_first(moderator: Client) -> None:
    runs = publish_group(3)
    decided, late = sent(runs[0]), sent(runs[1], now=timezone.now() - timedelta(days=8))
    reports.dismiss(decided, public_note="Right.", actor=STAFF, now=NOW)
    fresh = sent(runs[2], now=timezone.now())
    sent(runs[2], text="Mine too.")
    response = moderator.get(LIST)
    assert [row.pk for row in response.context["cl"].result_list] == [late.pk, fresh.pk, decided.pk]
    assert [row.joined_count for row in response.context["cl"].result_list] == [0, 1, 0]
    assert lacks(response, "first answer", "Take on", "Ask the reporters") == []
    overdue = moderator.get(LIST, {"overdue": "1"}).context["cl"].result_list
    assert [row.pk for row in overdue] == [late.pk]


def test_of_one_reporter_every_report_is_listed(moderator: Client) -> None:
    run, reader = publish(timed(1000))[0], actor_of(member("rita"))
    sent(run)
    joined = sent(run, actor=reader)
    found = moderator.get(LIST, {"actor__exact": str(reader)}).context["cl"].result_list
    assert [row.pk for row in found] == [joined.pk]
    assert moderator.get(f"{LIST}{joined.pk}/change/").status_code == 200


def test_one_that_joined_is_redacted_by_itself(moderator: Client) -> None:
    run = publish(timed(1000))[0]
    first, joined = sent(run), sent(run, text="A name.")
    assert lacks(moderator.get(f"{LIST}{first.pk}/change/"), "The reports that joined, row by row") == []
    listed = f"{LIST}?duplicate_of__exact={first.pk}"
    assert [row.pk for row in moderator.get(listed).context["cl"].result_list] == [joined.pk]
    form = {"action": "redact", "confirmed": "1", "_selected_action": [str(joined.pk)]}
    moderator.post(listed, {**form, "reason": "A person's name.", "reason_class": "personal_data"})
    assert [asked.target_id for asked in RedactionRequest.objects.all()] == [joined.pk]


def test_the_queue_takes_as_many_queries_for_20_groups_as_for_1(moderator: Client) -> None:
    runs = publish_group(20)
    sent(runs[0])
    few = queries_of(moderator, LIST)
    for run in runs[1:]:
        sent(run)
    assert queries_of(moderator, LIST) == few


@pytest.mark.parametrize("step", STEPS)
def test_each_step_is_an_act_on_the_list(moderator: Client, step: str) -> None:
    report = sent()
    asked = moderator.post(LIST, {"action": f"{step}_report", "_selected_action": [str(report.pk)]})
    assert asked.status_code == 200
    assert ReportEvent.objects.filter(report=report).count() == 1
    act(moderator, step, report)
    assert list(ReportEvent.objects.filter(report=report, kind=EVENTS[step]).values_list("kind", flat=True))
    assert AuditEvent.objects.filter(target=str(report.pk)).count() == 1


@pytest.mark.parametrize("step", STEPS)
def test_each_step_has_a_page_of_its_own(moderator: Client, step: str) -> None:
    report = sent()
    path = f"{LIST}{report.pk}/{step}/"
    assert moderator.get(path).status_code == 200
    response = moderator.post(path, STEPS[step])
    assert (response.status_code, response["Location"]) == (302, f"{LIST}{report.pk}/change/")
    assert ReportEvent.objects.filter(report=report, kind=EVENTS[step]).exists()


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("group", ["curator", "rerunner"])
def test_who_may_not_decide_takes_no_step(step: str, group: str) -> None:
    report, other = sent(), signed_in(member("carl", group))
    assert "You may not do this" in shown(act(other, step, report))
    assert other.post(f"{LIST}{report.pk}/{step}/", STEPS[step]).status_code == 403
    assert ReportEvent.objects.filter(report=report).count() == 1
    assert not AuditEvent.objects.filter(target=str(report.pk), action__startswith="report ").exists()


def test_a_flag_and_a_successor_are_named_with_the_decision(moderator: Client) -> None:
    run, other = publish(timed(1000), timed(2000))
    report = sent(run)
    assert lacks(act(moderator, "resolve", report, outcome="flagged"), "Choose the rule") == []
    assert lacks(act(moderator, "resolve", report, outcome="superseded"), "Name the run that supersedes") == []
    missing = act(moderator, "resolve", report, outcome="superseded", successor="sha256:0")
    assert lacks(missing, "No run has this digest or id.") == []
    act(moderator, "resolve", report, outcome="superseded", successor=other.digest)
    assert run.marks.get().successor == other


def test_many_are_dismissed_at_once_all_or_none_and_resolved_one_by_one(moderator: Client) -> None:
    first, second, mine = (sent(run) for run in publish_group(3))
    assert lacks(act(moderator, "resolve", first, second), "Choose one report") == []
    Report.objects.filter(pk=mine.pk).update(actor=actor_of(member("x")))
    own = signed_in(member("mina", "moderator"))
    Report.objects.filter(pk=mine.pk).update(actor=actor_of(own.get(LIST).wsgi_request.user))
    assert lacks(act(own, "dismiss", first, mine), "You reported this") == []
    assert not Report.objects.filter(state="dismissed").exists()
    act(moderator, "dismiss", first, second)
    assert Report.objects.filter(state="dismissed").count() == 2


def test_the_dossier_shows_every_text_of_the_group_and_every_step(moderator: Client) -> None:
    run = publish(timed(1000))[0]
    report = sent(run, evidence_url="https://example.org/proof")
    sent(run, text="Mine\u202etoo.", actor=actor_of(member("rita")))
    reports.ask(report, question="Which input?", actor=STAFF, now=NOW)
    reports.answer(report, text="All zeros.", now=NOW)
    page = moderator.get(f"{LIST}{report.pk}/change/")
    assert lacks(
        page, "2 reports", "Private words.", "Mine[U+202E]too.", "rita", "without an account", "reader@example.org",
        "https://example.org/proof", "Which input?", "All zeros.", "first answer 2026-09-08", "Take on", "Resolve",
    ) == []  # fmt: skip
    assert 'rel="nofollow ugc noopener"' in page.content.decode()


def test_a_long_group_shows_its_first_hundred_texts_and_all_when_asked(moderator: Client) -> None:
    run = publish(timed(1000))[0]
    for number in range(103):
        sent(run, text=f"Number {number}.", now=NOW + timedelta(seconds=number))
    path = f"{LIST}{Report.objects.get(duplicate_of=None).pk}/change/"
    assert lacks(moderator.get(path), "103 reports", "Number 99.", "Number 100.", "3 more") == ["Number 100."]
    assert lacks(moderator.get(path, {"all": "1"}), "Number 102.") == []


@pytest.mark.parametrize("group", ["curator", "rerunner"])
def test_addresses_are_shown_to_those_who_decide_and_found_by_nobody(group: str, moderator: Client) -> None:
    report, other = sent(), signed_in(member("carl", group))
    page = other.get(f"{LIST}{report.pk}/change/")
    assert lacks(page, "Private words.", "Addresses that reporters left are shown to those who decide") == []
    for path in (f"{LIST}{report.pk}/change/", LIST, f"{LIST}?q=reader%40example.org"):
        assert "reader@example.org" not in shown(other.get(path)), path
    assert other.get(LIST, {"q": "reader@example.org"}).context["cl"].result_count == 0
    for client in (other, moderator):
        assert client.get(LIST, {"contact__startswith": "reader"}).status_code == 400


def test_nothing_is_added_changed_or_deleted_by_hand() -> None:
    root, report = signed_in(member("root", is_superuser=True)), sent()
    assert root.get(f"{LIST}add/").status_code == 403
    assert root.post(f"{LIST}{report.pk}/change/", {"text": "Other."}).status_code == 403
    assert root.post(f"{LIST}{report.pk}/delete/", {"post": "yes"}).status_code == 403
    report.refresh_from_db()
    assert report.text == "Private words."
