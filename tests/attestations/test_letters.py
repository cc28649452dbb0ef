"""Letters: written once a key, sent once each, told apart when not, and forgotten after."""

import email
from datetime import timedelta
from email.policy import default
from pathlib import Path
from smtplib import SMTPConnectError, SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend as LocmemBackend
from django.db import transaction
from django_q.models import OrmQ

from attestations import letters
from attestations.letters import LEASE, Sent, send_due, write
from attestations.models import Letter, LetterState
from tests.conftest import NOW
from tests.people import member
from tests.simultaneous import at_once

MINUTE = timedelta(minutes=1)
TEXT = "About {{ name }}\n\nHello {{ name }},\n{{ site_url }}/\n"


@pytest.fixture(autouse=True)
def texts(settings: Any) -> None:
    loaders = [("django.template.loaders.locmem.Loader", {"mail/greeting.txt": TEXT})]
    [engine] = settings.TEMPLATES
    options = {**engine["OPTIONS"], "loaders": loaders}
    settings.TEMPLATES = [{**engine, "APP_DIRS": False, "OPTIONS": options}]


def written(key: str = "greeting 1", name: str = "Ada", **columns: Any) -> Letter:
    return write("greeting", key=key, now=NOW, context={"name": name}, **({"address": "ada@example.org"} | columns))


class Failing(LocmemBackend):
    """A mail server that takes letters or raises what `errors` holds, one a letter."""

    errors: list[Exception | None] = []
    opened = 0

    def open(self) -> None:
        Failing.opened += 1

    def send_messages(self, messages: Any) -> int:
        error = Failing.errors.pop(0) if Failing.errors else None
        if error:
            raise error
        return super().send_messages(messages)


class Unreachable(LocmemBackend):
    def open(self) -> None:
        raise SMTPConnectError(421, b"closing for ada@example.org")


@pytest.fixture
def failing(settings: Any) -> type[Failing]:
    settings.EMAIL_BACKEND = f"{__name__}.Failing"
    Failing.errors, Failing.opened = [], 0
    return Failing


def test_the_first_line_is_the_subject(db: None) -> None:
    letter = written()
    assert (letter.subject, letter.body) == ("About Ada", "Hello Ada,\nhttp://localhost:8000/\n")


def test_a_letter_is_text_and_not_html(db: None) -> None:
    assert written(name="<b>A & 'B'</b>").subject == "About <b>A & 'B'</b>"


def test_one_key_is_one_letter(db: None) -> None:
    first, second = written(), written(name="Bea")
    assert (first.pk, Letter.objects.get().subject) == (second.pk, "About Ada")


@pytest.mark.django_db(transaction=True)
def test_a_bell_rings_when_the_transaction_commits() -> None:
    with transaction.atomic():
        written()
        assert not OrmQ.objects.exists()
    assert OrmQ.objects.get().func() == letters.TASK


@pytest.mark.django_db(transaction=True)
def test_no_bell_rings_for_a_letter_that_was_never_written_or_is_left_to_the_tick() -> None:
    with transaction.atomic():
        written()
        transaction.set_rollback(True)
    written(is_rung=False)
    assert not OrmQ.objects.exists()


def test_what_waits_is_sent_and_forgotten(db: None) -> None:
    letter = written()
    assert send_due(now=NOW) == Sent(sent=1)
    [sent] = mail.outbox
    assert (sent.to, sent.subject) == (["ada@example.org"], "About Ada")
    letter.refresh_from_db()
    assert (letter.state, letter.subject, letter.body, letter.address) == (LetterState.SENT, "", "", "")
    assert letter.sent_at is not None
    assert send_due(now=NOW + timedelta(days=1)) == Sent()


def test_a_letter_says_that_a_machine_wrote_it_and_how_to_end_it(db: None) -> None:
    letter = written(unsubscribe="https://index.example/mail/1/off/")
    send_due(now=NOW)
    message = email.message_from_bytes(mail.outbox[0].message().as_bytes(), policy=default)
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"] == f"<{letter.pk}@localhost>"
    assert message["Date"].datetime == NOW
    assert message["List-Unsubscribe"] == "<https://index.example/mail/1/off/>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_a_letter_without_a_way_to_end_it_names_none(db: None) -> None:
    written()
    send_due(now=NOW)
    assert not [name for name in mail.outbox[0].message() if name.startswith("List-")]


def test_it_goes_to_the_confirmed_address_that_the_account_has_when_it_is_sent(db: None) -> None:
    user = member("ada")
    written(user=user, address="")
    user.emailaddress_set.create(email="second@example.org", verified=False)
    user.emailaddress_set.filter(primary=True).update(email="new@example.org")
    send_due(now=NOW)
    assert mail.outbox[0].to == ["new@example.org"]


@pytest.mark.parametrize(
    ("account", "because"),
    [
        ({"is_active": False}, "the account is deactivated"),
        ({"is_verified": False}, "the account has no confirmed address"),
    ],
)
def test_who_can_not_be_written_to_gets_nothing(db: None, account: Any, because: str) -> None:
    letter = written(user=member("ada", **account), address="")
    assert send_due(now=NOW) == Sent(given_up=1)
    letter.refresh_from_db()
    assert (letter.state, letter.error, letter.body, mail.outbox) == (LetterState.FAILED, because, "", [])


def test_a_letter_goes_with_its_account(db: None) -> None:
    user = member("ada")
    written(user=user, address="")
    user.delete()
    assert send_due(now=NOW) == Sent()


@pytest.mark.parametrize(
    "address",
    ["", "ada", "ada@example.org\nBcc: all@example.org", "a@example.org, b@example.org", "Ada <a@example.org>"],
)
def test_what_is_no_single_address_is_not_written_to(db: None, address: str) -> None:
    written(address=address)
    assert (send_due(now=NOW), mail.outbox) == (Sent(given_up=1), [])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028"])
def test_no_header_can_be_written_into_a_subject(db: None, end: str) -> None:
    written(name=f"x{end}Bcc: all@example.org")
    send_due(now=NOW)
    message = email.message_from_bytes(mail.outbox[0].message().as_bytes(), policy=default)
    assert (message["Bcc"], mail.outbox[0].recipients()) == (None, ["ada@example.org"])


def test_a_subject_that_could_still_hold_a_header_is_given_up(db: None) -> None:
    letter = written()
    Letter.objects.update(subject="x\nBcc: all@example.org")
    assert send_due(now=NOW) == Sent(given_up=1)
    letter.refresh_from_db()
    assert (letter.error, mail.outbox) == ("BadHeaderError", [])


def test_a_letter_that_is_not_taken_is_tried_again_and_then_given_up(db: None, failing: type[Failing]) -> None:
    letter, at = written(), NOW
    for minutes in (1, 5, 30, 120, 720):
        failing.errors = [SMTPServerDisconnected("ada@example.org")]
        assert send_due(now=at) == Sent(put_off=1)
        assert send_due(now=at + MINUTE * (minutes - 0.5)) == Sent()
        at += MINUTE * (minutes + 0.5)
    failing.errors = [SMTPRecipientsRefused({"ada@example.org": (550, b"no")})]
    assert send_due(now=at) == Sent(given_up=1)
    letter.refresh_from_db()
    assert (letter.state, letter.attempts, letter.error) == (LetterState.FAILED, 6, "SMTPRecipientsRefused")
    assert (letter.subject, letter.body, letter.address) == ("", "", "")


def test_one_letter_that_is_not_taken_holds_up_no_other(db: None, failing: type[Failing]) -> None:
    written("1")
    written("2", address="bea@example.org")
    Letter.objects.filter(key="2").update(next_attempt_at=NOW + MINUTE)
    failing.errors = [SMTPServerDisconnected("gone")]
    assert send_due(now=NOW + MINUTE) == Sent(sent=1, put_off=1)
    assert [message.to for message in mail.outbox] == [["bea@example.org"]]


def test_while_no_server_answers_no_letter_uses_up_its_attempts(db: None, settings: Any) -> None:
    letter = written()
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    assert send_due(now=NOW) == Sent(unreachable="SMTPConnectError 421")
    letter.refresh_from_db()
    assert (letter.attempts, letter.lease_until) == (0, None)


def test_no_server_is_asked_when_nothing_waits(db: None, failing: type[Failing]) -> None:
    assert (send_due(now=NOW), failing.opened) == (Sent(), 0)


def test_a_claimed_letter_is_left_to_its_sender_until_the_lease_lapses(db: None) -> None:
    letter = written()
    assert letters._claim(letter.pk, NOW)
    assert letters._claim(letter.pk, NOW) is None
    assert send_due(now=NOW + LEASE / 2) == Sent()
    assert send_due(now=NOW + LEASE) == Sent(sent=1)  # its sender was killed


def test_a_sender_that_lost_its_letter_changes_nothing_of_it(db: None) -> None:
    letter = written()
    lost = letters._claim(letter.pk, NOW)
    assert lost
    send_due(now=NOW + LEASE)
    Letter.objects.update(error="as the other left it")
    letters._end(lost, LetterState.FAILED, NOW, error="late")
    letter.refresh_from_db()
    assert (letter.state, letter.error) == (LetterState.SENT, "as the other left it")


def test_a_copy_that_a_killed_sender_caused_bears_the_same_id(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    written()

    def killed(*args: Any, **columns: Any) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(letters, "_end", killed)
        with pytest.raises(KeyboardInterrupt):
            send_due(now=NOW)
    assert send_due(now=NOW + LEASE + MINUTE) == Sent(sent=1)
    assert len(mail.outbox) == 2
    assert len({message.message()["Message-ID"] for message in mail.outbox}) == 1


@pytest.mark.django_db(transaction=True)
def test_four_senders_at_once_send_each_letter_once(tmp_path: Path) -> None:
    expected = sorted(f"person-{number}@example.org" for number in range(40))
    for address in expected:
        written(address, address=address)
    results = at_once(lambda number: send_due(now=NOW), 4, tmp_path)
    assert [result for result in results if not isinstance(result, Sent)] == []
    assert sum(result.sent for result in results) == 40
    assert sorted(message.to[0] for message in mail.outbox) == expected
    assert set(Letter.objects.values_list("state", "attempts")) == {(LetterState.SENT, 1)}


def test_one_call_sends_no_more_than_it_may(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "MOST", 2)
    for number in range(3):
        written(str(number))
    assert [send_due(now=NOW).sent for _ in range(3)] == [2, 1, 0]
