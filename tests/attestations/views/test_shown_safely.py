"""Whatever strangers write, and wherever it is shown: nothing in it is invisible, and nothing reorders the page."""

import html
import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from attestations import attesting, claims, follows, news, reports
from attestations.models import ClaimState, Letter, Report
from registry import corrections, incidents
from registry.models import Run
from tests.attestations.claiming import granted
from tests.attestations.people import kept, note, statement
from tests.conftest import NOW
from tests.factories import (
    bundle,
    changed,
    implementation_document,
    ingest_bundle,
    operation_document,
    project_document,
    protocol_document,
    run_entry,
    workload_document,
)
from tests.factories import told as rejections
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db
HIDDEN = {
    "an override": ("\u202e", "[U+202E]"),
    "no width": ("\u200b", "[U+200B]"),
    "a tag": ("\U000e0041", "[U+E0041]"),
}
RAW = "".join(raw for raw, _ in HIDDEN.values())
WRITTEN = "".join(written for _, written in HIDDEN.values())
HEBREW = "\u05e8\u05d5\u05ea"
STAFF = uuid.UUID(int=1)
REPOSITORY = "https://github.com/acme/kernels"


def words(place: str) -> str:
    """Text of a stranger for this place, to be found again on the page."""
    return f"{place}{RAW}<i>end"


def is_safe(body: str, *places: str) -> list[str]:
    """What is wrong with a page that shows these: missing, or not escaped."""
    missing = [place for place in places if f"{place}{WRITTEN}&lt;i&gt;end" not in body]
    return missing + [name for name, (raw, _) in HIDDEN.items() if raw in body]


def told(body: str, *places: str) -> list[str]:
    """The same of plain text."""
    missing = [place for place in places if f"{place}{WRITTEN}<i>end" not in body]
    return (
        missing
        + [name for name, (raw, _) in HIDDEN.items() if raw in body]
        + ["&" for one in ("&lt;", "&#") if one in body]
    )


@pytest.fixture
def run(db: None) -> Run:
    """A run every name of which is a stranger's."""
    operation = operation_document(metadata={"title": words("operation")})
    workload = workload_document(operation=operation, metadata={"title": words("workload")})
    of = implementation_document(
        operation=operation, metadata={"title": words("implementation")}, projectRevision__commit=None,
        projectRevision__version=words("version"),
    )  # fmt: skip
    protocol = protocol_document(
        metadata={"title": words("protocol")}, comparability={"family": "acme", "notes": words("notes")}
    )
    labels = {"name": "a-run", "labels": {"gpu_host": words("label")}}
    entry = run_entry(protocol=protocol, implementation=of, workload=workload, metadata=labels)
    report = ingest_bundle(
        bundle(
            projects=[project_document(name=words("project"), repository=REPOSITORY)],
            operations=[operation],
            workloads=[workload],
            implementations=[{"projectSlug": "acme", "manifest": of}],
            runs=[changed(entry, run__spec__timing__latencyNs__median=1000 + number) for number in range(2)],
        ),
        is_upstream=True,
    )
    assert rejections(report) == []
    return Run.objects.order_by("value")[0]


def page(path: str, user: Any = None) -> str:
    response = (signed_in(user) if user else Client()).get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def letter(kind: str) -> str:
    found = Letter.objects.get(kind=kind)
    return f"{found.subject}\n{found.body}"


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("/runs/{run.digest}/", "implementation Operation project version notes label"),
        ("/groups/{run.group.key}/", "implementation Operation project version protocol"),
        ("/runs/", "implementation Operation protocol"),
        ("/groups/", "implementation Operation protocol"),
        ("/", "implementation Operation"),
        ("/operations/", "Operation"),
        ("/operations/scale/", "Operation implementation"),
        ("/projects/acme/", "project implementation"),
        ("/projects/acme/claim/", "project"),
        ("/workloads/{run.workload.digest}/", "Operation"),
        ("/protocols/{run.protocol.digest}/", "protocol"),
        ("/implementations/{run.implementation.pk}/", "implementation version project"),
        ("/sources/upstream/", "implementation Operation"),
        ("/search/?q=implementation", "implementation"),
        ("/runs/{run.digest}/report/", "implementation"),
        ("/runs/{run.digest}/attest/", "implementation Operation"),
    ],
)
def test_names_that_came_in_with_a_run(run: Run, path: str, places: str) -> None:
    assert is_safe(page(path.format(run=run)), *places.split()) == []


def test_the_manifest_and_the_json_are_the_documents_still(run: Run, client: Client) -> None:
    body = page(run.get_absolute_url())
    written = re.search(r'<pre class="scroll" id="manifest-text"[^>]*>(.*?)</pre>', body, flags=re.S)
    assert written is not None
    copied = html.unescape(written[1])
    assert "label\\u202e\\u200b\\udb40\\udc41" in copied
    metadata = json.loads(copied)["run"]["metadata"]
    assert metadata["labels"]["gpu_host"] == words("label")
    assert client.get(f"/api/v1/runs/{run.digest}/").json()["implementation"]["name"] == words("implementation")


def said(run: Run) -> Any:
    return kept(member("ada"), note(words("first")), run=run.digest)


def a_note_changed(run: Run) -> str:
    made = said(run)
    changed_to = note(words("second"), other=words("setting"), place="written")
    attesting.edit(attestation=made, actor=made.actor, statement=changed_to, now=NOW + timedelta(minutes=1))
    return f"/attestations/{made.pk}/"


def a_note_hidden(run: Run) -> str:
    made = said(run)
    attesting.hide([made], reason=words("reason"), actor=STAFF, now=NOW)
    return f"/attestations/{made.pk}/"


def an_author_s_note(run: Run) -> str:
    claim = granted(member("author"))
    for number, name in enumerate(("first", "second")):
        claims.write_note(claim=claim, run=run, text=words(name), actor=claim.actor, now=NOW + timedelta(days=number))
    return run.get_absolute_url()


def reported(run: Run) -> Report:
    return reports.open_report(run=run, reason="other", text=words("private"), now=NOW, contact="a@example.org")


def a_report_noted(run: Run) -> str:
    report = reported(run)
    reports.note(report, text=words("noted"), actor=STAFF, now=NOW)
    return f"/reports/{report.pk}/"


def a_report_dismissed(run: Run) -> str:
    report = reported(run)
    reports.dismiss(report, public_note=words("dismissed"), actor=STAFF, now=NOW)
    return f"/reports/{report.pk}/"


def the_run_of_a_report(run: Run) -> str:
    a_report_dismissed(run)
    return run.get_absolute_url()


def a_run_flagged(run: Run) -> str:
    corrections.flag([run], rule="IMPLAUSIBLE", reason=words("flagged"), actor=STAFF, now=NOW + timedelta(hours=1))
    return run.get_absolute_url()


def an_incident(run: Run) -> str:
    incident = incidents.publish(
        title=words("title"), text=words("text"), evidence_url="", criteria={"operations": ["scale"]}, effect="note",
        reason=words("because"), actor=STAFF, now=NOW,
    )  # fmt: skip
    return f"/incidents/{incident.slug}/"


def the_run_of_an_incident(run: Run) -> str:
    an_incident(run)
    return run.get_absolute_url()


def the_incidents(run: Run) -> str:
    an_incident(run)
    return "/incidents/"


@pytest.mark.parametrize(
    ("made", "places"),
    [
        (a_note_changed, "first second setting"),
        (a_note_hidden, "reason"),
        (an_author_s_note, "first second project"),
        (a_report_noted, "noted"),
        (a_report_dismissed, "dismissed"),
        (the_run_of_a_report, "dismissed"),
        (a_run_flagged, "flagged"),
        (an_incident, "title text because"),
        (the_run_of_an_incident, "title"),
        (the_incidents, "title"),
    ],
)
def test_what_people_write_beside_runs(run: Run, made: Callable[[Run], str], places: str) -> None:
    assert is_safe(page(made(run)), *places.split()) == []


def test_a_claimant_s_own_pages(run: Run) -> None:
    author = member("author")
    claim = granted(author, message=words("message"), reason=words("reason"))
    asked = claims.request_withdrawal(claim=claim, run=run, reason=words("why"), actor=claim.actor, now=NOW)
    claims.answer_request(asked, is_accepted=False, answer=words("answer"), actor=STAFF, now=NOW)
    assert is_safe(page(f"/claims/{claim.pk}/", author), "message", "reason", "why", "answer", "project") == []
    assert is_safe(page("/claims/", author), "project") == []
    assert is_safe(page(f"{run.get_absolute_url()}withdrawal/", author), "why", "answer") == []


def test_a_question_to_a_reporter_and_the_letters_about_it(run: Run, client: Client) -> None:
    report, now = reported(run), timezone.now()  # a question stands for a month
    reports.ask(report, question=words("question"), actor=STAFF, now=now)
    address = re.search(r"http://localhost:8000(/reports/\S+)", letter("report_asked"))
    assert address is not None
    answer = client.get(address[1], follow=True).content.decode()
    assert is_safe(answer, "question") == []
    reports.answer(report, text=words("answered"), now=now)
    reports.dismiss(report, public_note=words("dismissed"), actor=STAFF, now=now)
    assert told(letter("report_asked"), "question") == []
    assert told(letter("report_decided"), "dismissed") == []


def test_what_is_new_on_the_page_in_the_feed_and_in_the_letter(run: Run, client: Client) -> None:
    reader = member("reader")
    follows.follow(reader, thing="run", target=run.digest, now=NOW - timedelta(days=1))
    news.tell_urgent(now=NOW - timedelta(hours=1))
    a_run_flagged(run)
    later = NOW + timedelta(days=1)
    assert is_safe(page("/follows/", reader), "implementation", "Operation", "flagged") == []
    feed = client.get(f"/feeds/run/{run.digest}.atom").content.decode()
    assert is_safe(html.unescape(feed), "flagged") == []
    assert is_safe(feed, "implementation") == []
    news.tell_urgent(now=later)
    assert told(letter("urgent"), "implementation", "flagged") == []


def test_letters_about_claims(run: Run) -> None:
    author = member("author")
    claim = granted(author, state=ClaimState.PENDING)
    claims.grant(claim, reason=words("reason"), actor=STAFF, now=NOW)
    asked = claims.request_withdrawal(claim=claim, run=run, reason=words("why"), actor=claim.actor, now=NOW)
    claims.answer_request(asked, is_accepted=False, answer=words("answer"), actor=STAFF, now=NOW)
    assert told(letter("claim_decided"), "project", "reason") == []
    assert told(letter("withdrawal_answered"), "answer", "implementation") == []


def test_the_admin_s_lists_and_rows(run: Run) -> None:
    chief = member("chief", is_superuser=True)
    claim = granted(member("author"), message=words("message"))
    claims.write_note(claim=claim, run=run, text=words("note"), actor=claim.actor, now=NOW)
    made, report = said(run), reported(run)
    pages = {
        "attestations/claim/": ("message", "project"),
        f"attestations/claim/{claim.pk}/change/": ("message", "project"),
        "attestations/authornote/": ("note",),
        "attestations/attestationversion/": ("first",),
        f"attestations/attestation/{made.pk}/change/": ("first",),
        f"attestations/report/{report.pk}/change/": ("private",),
        "registry/project/": ("project",),
        "registry/implementation/": ("implementation",),
        "registry/run/": (),
    }
    wrong = {path: is_safe(page(f"/admin/{path}", chief), *places) for path, places in pages.items()}
    assert {path: found for path, found in wrong.items() if found} == {}


def test_a_page_without_anything_hidden_is_written_as_it_is(run: Run) -> None:
    assert "[U+" not in page("/admin/registry/hardware/", member("chief", is_superuser=True))


# --- public names


def test_a_name_from_right_to_left_stands_isolated_wherever_it_is_shown(run: Run) -> None:
    reader = member("reader", handle=HEBREW)
    claim = granted(reader)
    claims.write_note(claim=claim, run=run, text="Mine.", actor=claim.actor, now=NOW)
    made = kept(reader, statement(), run=run.digest)
    link = f'<a href="/people/{quote(HEBREW)}/"><bdi>{HEBREW}</bdi></a>'
    paths = (run.get_absolute_url(), f"/attestations/{made.pk}/", "/projects/acme/", "/projects/acme/claim/")
    assert [path for path in paths if link not in page(path)] == []
    assert page(run.get_absolute_url()).count(link) == 2  # beside the attestation and over the note
    assert f"<h1><bdi>{HEBREW}</bdi></h1>" in page(f"/people/{HEBREW}/")
    assert f'<a href="/me/"><bdi>{HEBREW}</bdi></a>' in page("/", reader)
    chief = member("chief", is_superuser=True)
    assert f"<bdi>{HEBREW}</bdi>" in page("/admin/attestations/attestation/", chief)
    follows.follow(chief, thing="run", target=run.digest, now=NOW - timedelta(days=1))
    assert f"says <bdi>{HEBREW}</bdi>" in page("/follows/", chief)


def test_who_has_no_name_is_no_link(run: Run) -> None:
    leaving = member("leaving")
    kept(leaving, note("Once."), run=run.digest)
    leaving.delete()
    body = page(run.get_absolute_url())
    assert '<span class="second">deleted user</span>' in body
    assert "/people/" not in body
