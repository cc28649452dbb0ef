"""Reports in the browser: the form and its refusals, the public pages, the answer, and what none of them tells."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from attestations import reporters, reports
from attestations.models import Count, Letter, Report, ReportEvent
from attestations.profiles import actor_of
from registry import corrections
from registry.models import Run
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import SOL, STAFF, lacks, publish_group, queries_of, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
FORM = f"/runs/{SOL}/report/"
FILLED = {"reason": "licence", "text": "The <b>licence</b> is MIT.", "evidence_url": "", "contact": "", "website": ""}


def post(client: Client, path: str = FORM, address: str = "192.0.2.1", **fields: str) -> Any:
    return client.post(path, {**FILLED, **fields}, REMOTE_ADDR=address)


def sent(**fields: Any) -> Report:
    told = {"run": Run.objects.get(digest=SOL), "reason": "other", "text": "Private words.", "now": NOW, **fields}
    return reports.open_report(**told)


# --- the form


def test_reading_sets_no_session_and_the_run_page_no_cookie_at_all(client: Client) -> None:
    client.get(f"/runs/{SOL}/")
    assert not client.cookies
    response = client.get(FORM)
    assert set(client.cookies) == {"csrftoken"}
    assert response["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert not Session.objects.exists()


def test_the_form_says_what_is_public_and_what_is_not(client: Client) -> None:
    assert lacks(
        client.get(FORM),
        "Report an issue with this run",
        "without an account",
        "within 7 days and decides within 30",
        "What you write is read by KernelIndex staff only",
        "A report alone changes neither rank nor evidence.",
        "Leave this field empty",
        "Send report",
    ) == []  # fmt: skip


@pytest.mark.parametrize(("asked", "chosen"), [("?reason=licence", ["licence"]), ("?reason=nonsense", []), ("", [])])
def test_the_reason_chosen_on_the_run_page_is_chosen(client: Client, asked: str, chosen: list[str]) -> None:
    body = client.get(FORM + asked).content.decode()
    assert re.findall(r'type="radio" name="reason" value="(\w+)"[^>]* checked', body) == chosen


def test_anybody_may_report_and_lands_on_the_reports_page(client: Client) -> None:
    response = post(client, contact="reader@example.org", evidence_url="https://example.org/x")
    report = Report.objects.get()
    assert (response.status_code, response["Location"]) == (302, f"/reports/{report.id}/")
    assert (report.reason, report.contact, report.actor) == ("licence", "reader@example.org", None)
    assert client.session.session_key


def test_a_reader_with_an_account_reports_under_it_and_is_asked_for_no_address(client: Client) -> None:
    reader = member("rita")
    mine = signed_in(reader)
    assert 'name="contact"' not in mine.get(FORM).content.decode()
    post(mine, contact="other@example.org")
    report = Report.objects.get()
    assert (report.actor, report.contact) == (actor_of(reader), None)
    again = post(mine)
    assert again.status_code == 400
    assert lacks(again, "You reported this already") == []


def test_what_is_missing_or_wrong_is_told_at_its_field_and_the_rest_is_kept(client: Client) -> None:
    response = post(client, reason="", text="", contact="nobody", evidence_url="javascript:alert(1)")
    body = response.content.decode()
    assert response.status_code == 400
    assert lacks(
        response, "4 things need attention.", "Nothing was sent; what you wrote is kept.", "Choose one.",
        "Say what is wrong", "Use an https address", "Enter an e-mail address such as name@example.org",
    ) == []  # fmt: skip
    assert 'data-error-summary role="alert" tabindex="-1" autofocus' in body
    assert [target for target in re.findall(r'href="#(id_\w+)"', body) if f'id="{target}"' not in body] == []
    described = re.findall(r'aria-describedby="([^"]+)"', body)
    assert [name for names in described for name in names.split() if f'id="{name}"' not in body] == []
    assert 'value="nobody"' in body
    assert not Report.objects.exists()


def test_the_field_that_only_programs_fill_in_refuses_in_words_and_counts_nothing(client: Client) -> None:
    response = post(client, website="https://spam.example")
    assert (response.status_code, lacks(response, "Leave this field empty")) == (400, [])
    assert not Report.objects.exists()
    assert not Count.objects.exists()


def test_nothing_but_the_forms_own_fields_is_taken(client: Client) -> None:
    names = {field.name: "1" for field in Report._meta.get_fields() if field.name not in FILLED}
    post(client, **names, actor_id=str(uuid.uuid4()), run_id=str(uuid.uuid4()))
    report = Report.objects.get()
    assert (report.run.digest, report.state, report.actor, report.assigned_to) == (SOL, "open", None, None)
    assert (report.duplicate_of, report.closed_at, report.outcome, report.public_note) == (None, None, None, None)
    assert report.at > NOW


def test_without_the_csrf_token_nothing_is_taken() -> None:
    assert post(Client(enforce_csrf_checks=True)).status_code == 403
    assert not Report.objects.exists()


def test_the_sixth_report_of_a_session_is_refused_with_the_time_and_its_text(client: Client) -> None:
    runs = publish_group(6)
    for run in runs[:5]:
        assert post(client, f"/runs/{run.digest}/report/").status_code == 302
    response = post(client, f"/runs/{runs[5].digest}/report/", address="198.51.100.9")
    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 3600
    assert lacks(response, "Too many reports from here", "Nothing was sent; what you wrote is kept below.", "UTC") == []
    assert "The &lt;b&gt;licence&lt;/b&gt; is MIT.</textarea>" in response.content.decode()
    assert Report.objects.count() == 5


def test_the_twenty_first_of_an_address_is_refused_whatever_its_cookies(client: Client) -> None:
    codes = [post(Client(), address="203.0.113.77").status_code for _ in range(22)]
    assert codes == [302] * 20 + [429] * 2
    assert Session.objects.count() == 20
    assert "203.0.113.77" not in str(list(Count.objects.values()))


@pytest.mark.parametrize("path", ["/runs/sha256:" + "0" * 64 + "/report/", f"/reports/{uuid.UUID(int=7)}/"])
def test_what_is_not_there_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_redacted_run_is_not_reported_on(client: Client) -> None:
    run = Run.objects.get(digest=SOL)
    request = corrections.request_redaction(run, reason_class="legal", reason="A court.", actor=STAFF, now=NOW)
    corrections.approve_redaction(request, citation="Cited.", actor=uuid.UUID(int=9), now=NOW)
    assert client.get(FORM).status_code == 404
    assert post(client).status_code == 404


# --- the public pages


def test_the_run_page_counts_open_reports_and_lists_what_came_of_the_others(client: Client) -> None:
    assert lacks(client.get(f"/runs/{SOL}/"), "No open report.", "Report an issue with this run") == []
    assert "Disputed" not in shown(client.get(f"/runs/{SOL}/"))
    decided = sent(reason="licence")
    reports.dismiss(decided, public_note="It is MIT.", actor=STAFF, now=NOW + timedelta(days=1))
    sent()
    sent(reason="comparability", now=NOW + timedelta(days=2))
    page = client.get(f"/runs/{SOL}/")
    assert lacks(
        page, "Disputed since 2026-09-01 : 2 open reports . Reports alone change neither rank nor evidence.",
        "Report 2 open reports.", "decision overdue since 2026-10-01", "decision overdue since 2026-10-03",
        "dismissed Licence : reported 2026-09-01 , decided 2026-09-02 . KernelIndex staff: It is MIT.",
    ) == []  # fmt: skip
    assert lacks(page, "Rank 1") == []


def test_the_list_is_filtered_by_state_and_by_run(client: Client) -> None:
    other, *_ = publish_group(1)
    sent()
    reports.dismiss(sent(run=other, reason="licence"), public_note="MIT.", actor=STAFF, now=NOW)
    both = {"": 2, "?state=open": 1, "?state=waiting": 0, "?state=dismissed": 1, "?state=resolved": 0}
    more = {"?state=overdue": 1, f"?run={SOL}": 1, f"?run={other.digest}&state=open": 0, "?state=nonsense": 2}
    for query, count in (both | more).items():
        assert len(client.get(f"/reports/{query}").context["list"].rows) == count, query
    assert client.get("/reports/?run=sha256:0").status_code == 404
    assert client.get("/reports/?run=%00").status_code == 404
    assert lacks(client.get("/reports/?state=waiting"), "No report is waiting.") == []


def test_a_later_page_of_the_list_keeps_its_filters(client: Client) -> None:
    for run in publish_group(102):
        sent(run=run, now=timezone.now())
    body = client.get("/reports/?state=open").content.decode()
    [following] = re.findall(r'href="(\?[^"]+)" rel="next"', body)
    page = client.get(f"/reports/{following.replace('&amp;', '&')}")
    assert (page.context["list"].state, len(page.context["list"].rows)) == ("open", 2)
    assert client.get("/reports/?cursor=x").status_code == 400
    assert (
        client.get(f"/reports/{following.replace('state=open', 'state=resolved').replace('&amp;', '&')}").status_code
        == 400
    )


def test_a_report_s_page_tells_its_steps_in_order_also_under_the_id_of_one_that_joined(client: Client) -> None:
    report = sent(contact="reader@example.org")
    joined = sent(text="More private words.")
    reports.ask(report, question="Secret question?", actor=STAFF, now=NOW + timedelta(days=1))
    reports.answer(report, text="Secret answer.", now=NOW + timedelta(days=2))
    reports.note(report, text="Being looked at.", actor=STAFF, now=NOW + timedelta(days=3))
    reports.resolve(report, outcome="flagged", rule="IMPLAUSIBLE", public_note="Below the bound.", actor=STAFF,
                    now=NOW + timedelta(days=4))  # fmt: skip
    for one in (report, joined):
        text = shown(client.get(f"/reports/{one.id}/"))
        steps = [
            "Reported.", "The reporter was asked something.", "The reporter answered.", "Noted: Being looked at.",
            "Resolved: Below the bound.",
        ]  # fmt: skip
        places = [text.find(step) for step in steps]
        assert -1 not in places
        assert places == sorted(places)
        assert "2, decided together" in text
        assert "run flagged" in text


SECRETS = (
    "reader@example.org",
    "rita",
    "Private words.",
    "Secret question?",
    "Secret answer.",
    "https://example.org/proof",
)


def test_no_public_page_and_no_json_tells_who_reported_or_what_they_wrote(client: Client) -> None:
    reader = member("rita")
    report = sent(actor=actor_of(reader), evidence_url="https://example.org/proof")
    sent(contact="reader@example.org", evidence_url="https://example.org/proof")
    reports.ask(report, question="Secret question?", actor=STAFF, now=NOW)
    reports.answer(report, text="Secret answer.", now=NOW)
    staff = member("mona", "moderator")
    reports.assign(report, actor=actor_of(staff), now=NOW)
    secrets = (*SECRETS, "mona", str(report.actor), str(actor_of(staff)))
    for path in ("/reports/", f"/reports/{report.id}/", f"/runs/{SOL}/", "/status/", "/"):
        for prefix in ("", "/api/v1"):
            target = f"{prefix}{path}" if path != "/" or not prefix else "/api/v1/home/"
            body = client.get(target).content.decode()
            assert [secret for secret in secrets if secret in body] == [], target


def test_the_run_page_takes_as_many_queries_with_one_report_as_with_five(client: Client) -> None:
    runs = publish_group(2)
    for number, reason in enumerate(("other", "licence", "comparability", "incorrect_result", "wrong_attribution")):
        sent(run=runs[0], reason=reason)
        for _ in range(number):
            sent(run=runs[0], reason=reason)
    sent(run=runs[1])
    assert queries_of(client, f"/runs/{runs[0].digest}/") == queries_of(client, f"/runs/{runs[1].digest}/")


def test_the_list_takes_as_many_queries_with_twenty_rows_as_with_one(client: Client) -> None:
    sent()
    few = queries_of(client, "/reports/")
    for run in publish_group(19):
        sent(run=run)
    assert queries_of(client, "/reports/") == few


# --- the answer


def asked(**fields: Any) -> Report:
    report = sent(**fields)
    reports.ask(report, question="Which <i>input</i>?", actor=STAFF, now=timezone.now())
    return report


def test_one_without_an_account_answers_by_the_link_of_the_mail(client: Client) -> None:
    report = asked(contact="reader@example.org")
    [path] = re.findall(r"http://localhost:8000(/reports/\S+/answer/\?token=\S+)", Letter.objects.get().body)
    page = client.get(path)
    assert lacks(page, "Which <i>input</i>?", "read by KernelIndex staff only") == []
    assert "no-store" in page["Cache-Control"]
    token = path.partition("token=")[2]
    response = client.post(f"/reports/{report.id}/answer/", {"token": token, "text": "All zeros."})
    assert (response.status_code, response["Location"]) == (302, f"/reports/{report.id}/")
    assert ReportEvent.objects.get(kind="answered").text == "All zeros."
    assert lacks(client.get(path), "No answer is awaited", "You answered this question already.") == []


def test_an_empty_answer_is_refused_and_the_link_stays_good(client: Client) -> None:
    report = asked(contact="reader@example.org")
    told = {"token": reporters.token(report), "text": " "}
    response = client.post(f"/reports/{report.id}/answer/", told)
    assert (response.status_code, lacks(response, "One thing needs attention.", "Write an answer.")) == (400, [])
    assert told["token"] in response.content.decode()


def test_a_member_answers_under_their_account_and_nobody_else_does(client: Client) -> None:
    reader = member("rita")
    report = asked(actor=actor_of(reader))
    path = f"/reports/{report.id}/answer/"
    assert path in Letter.objects.get().body
    assert "token" not in Letter.objects.get().body
    assert client.get(path).status_code == 302
    for stranger in (member("una"), member("mona", "moderator")):
        assert signed_in(stranger).get(path).status_code == 404
        assert signed_in(stranger).post(path, {"text": "Mine."}).status_code == 404
    assert signed_in(reader).post(path, {"text": "All zeros."}).status_code == 302
    assert ReportEvent.objects.get(kind="answered").actor == actor_of(reader)


def test_a_link_of_another_report_opens_nothing(client: Client) -> None:
    report, other = asked(contact="a@example.org"), sent(reason="licence", contact="b@example.org")
    path = f"/reports/{report.id}/answer/"
    for token in (reporters.token(other), "x", "a:b:c"):
        assert client.get(path, {"token": token}).status_code == 404
        assert client.post(path, {"token": token, "text": "Mine."}).status_code == 404
    assert not ReportEvent.objects.filter(kind="answered").exists()


# --- the rule


def test_the_dispute_rule_says_who_decides_by_when_and_what_then(client: Client) -> None:
    assert lacks(
        client.get("/disputes/"), "incorrect result, wrong attribution, licence, comparability, other",
        "who neither reported the run nor speaks for its project or its source", "within 7 days",
        "within 30 days of the first report", "overdue", "Right of reply", "run superseded",
        "Another moderator decides", "contested while", "slower than claimed or incorrect", "no vote and no proof",
    ) == []  # fmt: skip
