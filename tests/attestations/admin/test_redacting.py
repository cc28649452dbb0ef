"""Words of people go by two of staff: asked for on their admin pages, approved by another, and pages say so."""

import uuid
from typing import Any

import pytest
from django.db import models
from django.test import Client

from attestations.models import AttestationVersion, AuthorNote, Claim, Report, ReportEvent, WithdrawalRequest
from attestations.profiles import actor_of
from registry import corrections, verification
from registry.corrections import CorrectionError
from registry.models import AuditEvent, Project, Redaction, RedactionRequest
from tests.attestations.stating import attested
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import OTHER_STAFF, STAFF, publish, shown, timed

pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
SECRET = "Jane Roe, Elm Street 5"


def report(**fields: Any) -> Report:
    [run] = publish(timed(1000))
    made = {
        "reason": "other",
        "text": SECRET,
        "evidence_url": "https://example.org/jane",
        "contact": "jane@roe.example",
    }
    return Report.objects.create(id=uuid.uuid4(), run=run, at=NOW, **(made | fields))


def step() -> ReportEvent:
    return ReportEvent.objects.create(
        id=uuid.uuid4(), report=report(), at=NOW, kind="noted", text=SECRET, is_public=True
    )


def claim() -> Claim:
    publish(timed(1000))
    user = member("author")
    return Claim.objects.create(
        id=uuid.uuid4(), actor=actor_of(user), project=Project.objects.get(), at=NOW, method="staff", message=SECRET,
        state="granted",
    )  # fmt: skip


def note() -> AuthorNote:
    [run] = publish(timed(1000))
    return AuthorNote.objects.create(id=uuid.uuid4(), claim=claim(), run=run, number=1, at=NOW, text=SECRET)


def withdrawal() -> WithdrawalRequest:
    [run] = publish(timed(1000))
    return WithdrawalRequest.objects.create(id=uuid.uuid4(), claim=claim(), run=run, at=NOW, reason=SECRET)


def wording() -> AttestationVersion:
    return attested(member("reader"), publish(timed(1000))[0], text=SECRET)


def redact(row: Any) -> Redaction:
    asked = corrections.request_redaction(row, reason_class="personal_data", reason="An address.", actor=STAFF, now=NOW)
    return corrections.approve_redaction(asked, citation="c", actor=OTHER_STAFF, now=NOW)


@pytest.mark.parametrize("made", [wording, step, note, report, claim, withdrawal])
def test_words_are_blanked_by_two_and_all_else_stays(made: Any) -> None:
    row: models.Model = made()
    columns: tuple[str, ...] = row.REDACTABLE  # type: ignore[attr-defined]
    before = type(row)._default_manager.filter(pk=row.pk).values().get()
    asked = corrections.request_redaction(row, reason_class="personal_data", reason="An address.", actor=STAFF, now=NOW)
    assert SECRET not in asked.digest
    with pytest.raises(CorrectionError, match="takes two"):
        corrections.approve_redaction(asked, citation="c", actor=STAFF, now=NOW)
    corrections.approve_redaction(asked, citation="c", actor=OTHER_STAFF, now=NOW)
    after = type(row)._default_manager.filter(pk=row.pk).values().get()
    assert {name: after[name] for name in columns} == {name: before[name] and "" for name in columns}
    assert {k: v for k, v in after.items() if k not in columns} == {k: v for k, v in before.items() if k not in columns}
    assert [event.action for event in AuditEvent.objects.all()].count("redacted") == 1
    assert verification.verify(now=NOW).findings == []


def test_a_redacted_wording_says_so_on_the_run_and_on_its_own_page(client: Client) -> None:
    [run] = publish(timed(1000))
    row = attested(member("reader"), run, kind="environment_note", verdict=None, text=SECRET)
    own, page = f"/attestations/{row.attestation_id}/", f"/runs/{run.digest}/"
    for path in (own, page):
        assert SECRET in shown(client.get(path))
    redact(row)
    for path in (own, page, f"{page}attestations/"):
        assert "Removed on 2026-09-01: personal data." in shown(client.get(path))
    for path in (own, page, "/people/reader/", f"/api/v1{own}", f"/api/v1{page}"):
        assert SECRET not in client.get(path).content.decode()


def test_a_redacted_note_of_an_author_says_so_and_is_not_taken_for_retracted(client: Client) -> None:
    row = note()
    assert SECRET in shown(client.get(f"/runs/{row.run.digest}/"))
    redact(row)
    text = shown(client.get(f"/runs/{row.run.digest}/"))
    assert SECRET not in text
    assert "Removed on 2026-09-01: personal data." in text


def test_a_redacted_step_of_a_report_says_so(client: Client) -> None:
    row = step()
    path = f"/reports/{row.report_id}/"
    assert SECRET in shown(client.get(path))
    redact(row)
    text = shown(client.get(path))
    assert SECRET not in text
    assert "Removed on 2026-09-01: personal data." in text


@pytest.mark.parametrize(
    ("made", "table"),
    [
        (wording, "attestationversion"), (step, "reportevent"), (note, "authornote"), (report, "report"),
        (claim, "claim"), (withdrawal, "withdrawalrequest"),
    ],
)  # fmt: skip
def test_moderators_ask_on_the_row_s_admin_page_and_another_approves(made: Any, table: str) -> None:
    first, second = signed_in(member("first", "moderator")), signed_in(member("second", "moderator"))
    row = made()
    form = {"action": "redact", "_selected_action": [str(row.pk)], "confirmed": "1", "reason_class": "personal_data"}
    first.post(f"/admin/attestations/{table}/", form | {"reason": "An address."})
    wanted = RedactionRequest.objects.get()
    approval = {"action": "approve", "_selected_action": [str(wanted.pk)]}
    path = "/admin/registry/redactionrequest/"
    assert "the one who asked cannot also approve" in shown(first.post(path, approval, follow=True))
    second.post(path, approval)
    row.refresh_from_db()
    assert all(not getattr(row, column) for column in row.REDACTABLE)
    assert Redaction.objects.get().citation == f"KernelIndex, {row._meta.verbose_name} {row.pk}."
    curator = signed_in(member("curator", "curator"))
    denied = curator.post(f"/admin/attestations/{table}/", form | {"reason": "r"}, follow=True)
    assert "You may not do this" in shown(denied)
