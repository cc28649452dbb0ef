"""The desk of moderators: what waits stands first, each number leads to its list, and others do not see it."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.utils import timezone

from attestations.models import Claim, Report, WithdrawalRequest
from attestations.profiles import actor_of
from registry.models import Project, Run
from tests.attestations.stating import attested
from tests.people import member, signed_in
from tests.registry.pages import publish_group, queries_of, shown

pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
TITLES = {
    Report: "Open reports", Claim: "Claims that wait", WithdrawalRequest: "Withdrawal requests",
}  # fmt: skip
LAST = ("Attestations of the last 7 days", "Accounts of the last 7 days")


def report(run: Run, *, days: int = 0, **fields: Any) -> Report:
    return Report.objects.create(
        id=uuid.uuid4(), run=run, at=timezone.now() - timedelta(days=days), reason="other", text="Wrong.", **fields
    )


def claim(user: Any, **fields: Any) -> Claim:
    made = {"actor": actor_of(user), "project": Project.objects.get(slug="acme"), "method": "staff"}
    return Claim.objects.create(id=uuid.uuid4(), at=timezone.now(), **(made | fields))


def fill(runs: list[Run], prefix: str) -> None:
    for number, run in enumerate(runs):
        user = member(f"{prefix}-{number}")
        attested(user, run, at=timezone.now())
        report(run, days=number, actor=actor_of(user))
        WithdrawalRequest.objects.create(id=uuid.uuid4(), claim=claim(user), run=run, at=timezone.now(), reason="r")


def queues(client: Client) -> dict[str, Any]:
    return {queue.title: queue for queue in client.get("/admin/").context["queues"]}


@pytest.fixture
def moderator(db: None) -> Client:
    return signed_in(member("moderator", "moderator"))


def test_moderators_see_their_queues_before_the_registry_s_tasks(moderator: Client) -> None:
    text = shown(moderator.get("/admin/"))
    titles = [*(title for model, title in TITLES.items() if admin.site.is_registered(model)), *LAST]
    places = [text.index(title) for title in (*titles, "What needs a person")]
    assert places == sorted(places)
    assert list(queues(moderator)) == titles


@pytest.mark.parametrize("group", ["curator", "rerunner"])
def test_who_does_not_moderate_sees_no_queue(group: str) -> None:
    client = signed_in(member("staff", group))
    assert queues(client) == {}
    assert "What needs a person" in shown(client.get("/admin/"))


def test_each_number_leads_to_a_list_of_as_many(moderator: Client) -> None:
    fill(publish_group(3), "reader")
    report(Run.objects.all()[0], closed_at=timezone.now(), state="dismissed")
    claim(member("done"), state="granted")
    for queue in queues(moderator).values():
        listed = moderator.get(queue.url)
        assert listed.status_code == 200, queue.title
        assert listed.context["cl"].result_count == queue.count, queue.title
        assert queue.count in (3, 5), queue.title
        for line in queue.lines:
            assert moderator.get(line.url).status_code == 200, queue.title


def test_reports_stand_oldest_first_and_what_is_late_says_so(moderator: Client) -> None:
    first, second, third = publish_group(3)
    report(first, days=1)
    report(second, days=40)
    report(third, days=8)
    lines = queues(moderator)["Open reports"].lines
    assert [(line.is_overdue, line.note.partition(" ")[0]) for line in lines] == [
        (True, "overdue:"), (True, "overdue:"), (False, "to"),
    ]  # fmt: skip


def test_new_attestations_say_what_they_found_and_new_accounts_who_they_are(moderator: Client) -> None:
    [run] = publish_group(1)
    attested(member("reader"), run, verdict="slower", at=timezone.now())
    attested(member("early"), run, at=timezone.now() - timedelta(days=8))
    member("nameless", handle=None, is_verified=False)
    said, joined = (queues(moderator)[title] for title in LAST)
    assert [(line.text.partition(":")[0], line.note) for line in said.lines] == [("Reproduced", "reader, slower")]
    notes = {line.text: line.note for line in joined.lines}
    assert notes["reader"] == "e-mail confirmed, 1 attestation, 0 reports"
    assert notes["no name yet"] == "e-mail not confirmed, 0 attestations, 0 reports"


def test_the_desk_takes_as_many_queries_for_1_of_each_as_for_20(moderator: Client) -> None:
    runs = publish_group(21)
    fill(runs[:1], "first")
    few = queries_of(moderator, "/admin/")
    fill(runs[1:], "other")
    assert queries_of(moderator, "/admin/") == few
