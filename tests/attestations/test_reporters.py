"""Who of a report's senders can be written to, and whose link is whose."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from attestations import reporters, reports
from attestations.models import Report
from attestations.profiles import actor_of
from attestations.reporters import BadLinkError
from registry.models import Run
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import publish, timed


@pytest.fixture
def run(db: None) -> Run:
    return publish(timed(1000))[0]


def sent(run: Run, **fields: Any) -> Report:
    return reports.open_report(run=run, reason="other", text="x", **{"now": NOW, **fields})


def reached(*group: Report) -> list[str]:
    return [one.user.username if one.user else one.address for one in reporters.reachable(group)]


def test_accounts_are_reached_once_their_address_is_shown_to_be_theirs(run: Run) -> None:
    people = [member("rita"), member("una", is_verified=False), member("dan", is_active=False)]
    group = [sent(run, actor=actor_of(person)) for person in people]
    gone = member("gil")
    group.append(sent(run, actor=actor_of(gone)))
    gone.delete()
    assert reached(*group) == ["rita"]


def test_a_contact_is_reached_once_however_it_is_capitalised(run: Run) -> None:
    contacts = ("x@example.org", "X@Example.org", "", "y@example.org")
    group = [sent(run, contact=one, now=NOW + timedelta(seconds=n)) for n, one in enumerate(contacts)]
    assert reached(*group) == ["x@example.org", "y@example.org"]


def test_of_bare_contacts_the_first_twenty_are_reached_and_every_account(run: Run) -> None:
    group = [sent(run, contact=f"r{n}@example.org", now=NOW + timedelta(seconds=n)) for n in range(25)]
    group.append(sent(run, actor=actor_of(member("rita")), now=NOW + timedelta(minutes=1)))
    assert reached(*reversed(group)) == [*(f"r{n}@example.org" for n in range(20)), "rita"]


def test_a_link_opens_the_report_that_it_was_made_for(run: Run) -> None:
    report = sent(run)
    reporters.check_token(reporters.token(report), report.id)


@pytest.mark.parametrize("change", ["other report", "cut", "altered", "empty", "another salt's"])
def test_any_other_link_is_refused(run: Run, change: str) -> None:
    report = sent(run)
    whole = reporters.token(report)
    text = {"other report": whole, "cut": whole[:-1], "altered": f"X{whole[1:]}", "empty": "", "another salt's": ":"}
    with pytest.raises(BadLinkError):
        reporters.check_token(text[change], uuid.uuid4() if change == "other report" else report.id)
