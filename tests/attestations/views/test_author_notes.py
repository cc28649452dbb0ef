"""What a claimed author sees and does on a run: note and withdrawal request, under the head and in the JSON."""

import uuid
from typing import Any

import pytest
from django.test import Client

from attestations import claims
from attestations.models import AuthorNote, Report, WithdrawalRequest
from attestations.profiles import actor_of
from tests.attestations.claiming import claimed_run, granted, speakers, upstream
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import lacks, queries_of, shown

pytestmark = pytest.mark.django_db
STAFF = uuid.UUID(int=1)


@pytest.fixture
def run(db: None) -> Any:
    return claimed_run()


@pytest.fixture
def author(run: Any) -> Any:
    return member("author")


def page_of(run: Any, part: str = "") -> str:
    return f"/runs/{run.digest}/{part}"


def note(run: Any, claim: Any, text: str = "Clocks were locked.", report: Report | None = None) -> None:
    claims.write_note(claim=claim, run=run, text=text, actor=claim.actor, now=NOW, report=report)


def test_only_a_claimant_is_offered_a_note_and_a_withdrawal(run: Any, author: Any, client: Client) -> None:
    offered = "You speak for Acme Kernels. Write an author's note Ask for withdrawal"
    for other in (client, signed_in(author)):
        assert offered not in shown(other.get(page_of(run)))
    granted(author)
    assert lacks(signed_in(author).get(page_of(run)), offered) == []
    assert "Write an author" not in client.get(page_of(run)).content.decode()
    assert "author" not in str(signed_in(author).get(f"/api/v1{page_of(run)}").json().keys())


def test_a_note_is_written_and_shown_under_the_head_and_in_the_json(run: Any, author: Any, client: Client) -> None:
    granted(author)
    mine = signed_in(author)
    sent = mine.post(page_of(run, "note/"), {"text": "Clocks were\r\nlocked <b>."})
    assert (sent.status_code, sent["Location"]) == (302, f"{page_of(run)}#author-notes")
    page = client.get(page_of(run))
    assert lacks(page, "Author's note by author for Acme Kernels , 20", "Clocks were locked <b>.") == []
    assert "locked &lt;b&gt;." in page.content.decode()
    [said] = client.get(f"/api/v1{page_of(run)}").json()["community"]["author_notes"]
    assert (said["by"], said["text"], said["report_id"]) == ("author", "Clocks were\nlocked <b>.", None)
    assert said["speaks_for"] == {"id": "acme", "name": "Acme Kernels", "url": "/projects/acme/"}
    assert lacks(mine.get(page_of(run)), "Change your author's note") == []
    assert "Clocks were" in mine.get(page_of(run, "note/")).content.decode()


def test_a_note_is_replaced_and_retracted_and_earlier_wordings_stay(run: Any, author: Any, client: Client) -> None:
    note(run, granted(author), "First.")
    mine = signed_in(author)
    mine.post(page_of(run, "note/"), {"text": "Second."})
    assert lacks(client.get(page_of(run)), "Second.", "1 earlier wording", "First.") == []
    mine.post(page_of(run, "note/"), {"action": "retract", "text": "ignored"})
    page = client.get(page_of(run))
    assert lacks(page, ": retracted", "2 earlier wordings") == []
    assert "ignored" not in shown(page)


def test_notes_of_a_revoked_claim_say_so_and_its_claimant_is_out(run: Any, author: Any, client: Client) -> None:
    claim = granted(author)
    note(run, claim)
    mine = signed_in(author)
    assert mine.get(page_of(run, "note/")).status_code == 200
    claims.revoke(claim, reason="Not the owner.", actor=STAFF, now=NOW)
    assert mine.post(page_of(run, "note/"), {"text": "More."}).status_code == 404
    assert mine.post(page_of(run, "withdrawal/"), {"text": "More."}).status_code == 404
    assert AuthorNote.objects.count() == 1
    assert lacks(client.get(page_of(run)), "the claim behind it was revoked on 2026-09-01", "Clocks were") == []


@pytest.mark.parametrize("part", ["note/", "withdrawal/"])
def test_others_have_no_such_page(run: Any, author: Any, client: Client, part: str) -> None:
    granted(author)
    assert client.get(page_of(run, part))["Location"].startswith("/accounts/login/")
    for other in (signed_in(member("other")), signed_in(member("staff", "moderator"))):
        assert other.get(page_of(run, part)).status_code == 404
        assert other.post(page_of(run, part), {"text": "Mine."}).status_code == 404
    assert not AuthorNote.objects.exists()
    assert not WithdrawalRequest.objects.exists()


def test_a_claim_of_another_person_is_no_choice(run: Any, author: Any) -> None:
    theirs = granted(member("other"))
    granted(author)
    page = signed_in(author).post(page_of(run, "note/"), {"text": "Mine.", "claim": str(theirs.pk)})
    assert (page.status_code, lacks(page, "Choose for which of your claims", "Mine.")) == (400, [])
    assert not AuthorNote.objects.exists()


def test_who_has_two_claims_chooses_for_which_they_speak(run: Any, author: Any, client: Client) -> None:
    granted(author)
    of_source = granted(author, source=upstream(), basis="bench.example.org")
    mine = signed_in(author)
    assert lacks(mine.get(page_of(run, "note/")), "For whom you speak", "Acme Kernels", "An upstream") == []
    mine.post(page_of(run, "note/"), {"text": "For the source.", "claim": str(of_source.pk)})
    assert lacks(client.get(page_of(run)), "Author's note by author for An upstream") == []


def test_a_note_beside_a_report_is_in_the_json_and_not_under_the_head(run: Any, author: Any, client: Client) -> None:
    report = Report.objects.create(id=uuid.uuid4(), run=run, at=NOW, reason="licence", text="Wrong.")
    granted(author)
    mine = signed_in(author)
    form = mine.get(page_of(run, f"note/?report={report.pk}"))
    assert lacks(form, "Beside the report “licence”") == []
    sent = mine.post(page_of(run, "note/"), {"text": "It is MIT.", "report": str(report.pk)})
    assert sent["Location"] == f"{page_of(run)}#report"
    [said] = client.get(f"/api/v1{page_of(run)}").json()["community"]["author_notes"]
    assert (said["report_id"], said["text"]) == (str(report.pk), "It is MIT.")
    assert 'class="notice author-note"' not in client.get(page_of(run)).content.decode().split('class="hero"')[0]


@pytest.mark.parametrize("report", ["nonsense", "01a0352b-0000-7000-8000-000000000001"])
def test_a_report_that_is_not_there_has_no_form(run: Any, author: Any, report: str) -> None:
    granted(author)
    assert signed_in(author).get(page_of(run, f"note/?report={report}")).status_code == 404


def test_a_withdrawal_is_asked_for_and_is_nobody_else_s_business(run: Any, author: Any, client: Client) -> None:
    granted(author)
    mine, path = signed_in(author), page_of(run, "withdrawal/")
    before = client.get(page_of(run)).content
    assert mine.post(path, {"text": "Measured another kernel."})["Location"] == path
    request = WithdrawalRequest.objects.get()
    assert (request.reason, request.state) == ("Measured another kernel.", "open")
    assert lacks(mine.get(path), "Your request is open", "Measured another kernel.") == []
    assert lacks(mine.get(page_of(run)), "Withdrawal asked for 20") == []
    assert client.get(page_of(run)).content == before
    again = mine.post(path, {"text": "Again."})
    assert (again.status_code, lacks(again, "asked for this already")) == (400, [])
    claims.answer_request(request, is_accepted=True, answer="another kernel", actor=STAFF, now=NOW)
    assert lacks(client.get(page_of(run)), "withdrawn at the author's request: another kernel") == []
    assert lacks(mine.get(path), "This run is withdrawn already.", "another kernel") == []


@pytest.mark.parametrize("part", ["note/", "withdrawal/"])
def test_a_refused_text_is_kept_and_its_fault_told_at_the_field(run: Any, author: Any, part: str) -> None:
    granted(author)
    page = signed_in(author).post(page_of(run, part), {"text": "x" * 2001})
    assert (page.status_code, lacks(page, "2,001 characters", "x" * 2001)) == (400, [])
    body = page.content.decode()
    assert 'aria-describedby="text-hint text-error"' in body
    assert 'aria-invalid="true"' in body
    assert "no-store" in page["Cache-Control"]


@pytest.mark.parametrize("part", ["note/", "withdrawal/"])
def test_a_post_needs_its_csrf_token(run: Any, author: Any, part: str) -> None:
    granted(author)
    client = signed_in(author, client=Client(enforce_csrf_checks=True))
    assert client.post(page_of(run, part), {"text": "Mine."}).status_code == 403


def test_many_notes_cost_no_more_queries_than_one(run: Any, author: Any, client: Client) -> None:
    note(run, granted(author))
    few = queries_of(client, page_of(run))
    for claim in speakers(20):
        note(run, claim)
    assert queries_of(client, page_of(run)) == few
    assert actor_of(author)
