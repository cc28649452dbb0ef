"""Curators' daily work: the desk, sources and their buttons, reports, names, incidents, notes."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from registry import aliases
from registry.core.protocol_notes import TOPICS
from registry.models import (
    AuditEvent,
    Incident,
    IncidentReversal,
    Mark,
    NameAlias,
    Protocol,
    ProtocolNote,
    ProtocolSuccession,
    Run,
    Source,
    Sync,
    SyncRow,
    UnmappedName,
)
from tests.conftest import NOW
from tests.people import signed_in
from tests.registry.admin.test_admin import account, address
from tests.registry.pages import LIGER, STAFF, queries_of, recorded_sync, shown

pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors, pytest.mark.usefixtures("demo")]
REASON = {"reason": "Asked for by the upstream."}


def member(group: str) -> Client:
    user = account(group)
    user.groups.add(Group.objects.get(name=group))
    return signed_in(user)


@pytest.fixture
def curator() -> Client:
    return member("curator")


def liger() -> Source:
    return Source.objects.get(slug="liger-kernel-bench")


def button(name: str, source: Source | None = None) -> str:
    return f"/admin/registry/source/{(source or liger()).pk}/{name}/"


def asked_for() -> Any:
    """Syncs but those by which the demonstration was loaded."""
    return Sync.objects.exclude(trigger="shell")


def told(response: Any) -> list[str]:
    """The messages that an act left, wherever it led."""
    return [str(message) for message in response.context["messages"]]


def last_event() -> tuple[str, str, str]:
    event = AuditEvent.objects.first()
    assert event
    return event.action, event.target, event.reason


# --- groups


def test_the_groups_are_there_without_anybody_making_them() -> None:
    may = {group.name: {p.codename for p in group.permissions.all()} for group in Group.objects.all()}
    assert set(may) == {"curator", "moderator", "rerunner"}
    assert may["curator"] >= {"view_run", "change_source", "sync_source", "add_namealias", "add_incident"}
    assert may["moderator"] >= {"view_run", "add_mark", "add_redaction"}
    assert not {"add_redaction", "delete_source"} & may["curator"]
    assert not {p for p in may["rerunner"] if not p.startswith("view_")}


@pytest.mark.parametrize("group", ["curator", "moderator", "rerunner"])
def test_every_group_reads_every_table_and_none_deletes(group: str) -> None:
    client = member(group)
    for model in (Source, Sync, Run, UnmappedName, Incident):
        assert client.get(address(model, "changelist")).status_code == 200
    assert client.post(address(Source, "delete", liger().pk), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("name", ["sync", "dry-run", "upload", "pause"])
def test_a_button_is_for_curators_only(name: str) -> None:
    client = member("moderator")
    assert client.get(button(name)).status_code == 403
    assert client.post(button(name), REASON).status_code == 403
    assert "Sync now" not in client.get(address(Source, "change", liger().pk)).content.decode()
    assert not asked_for().exists()


# --- the desk


def test_the_front_page_says_what_needs_a_person(curator: Client) -> None:
    recorded_sync(state="waiting")
    page = shown(curator.get("/admin/"))
    assert "Syncs that wait for approval: 1 Liger-Kernel benchmarks, 2026-09-01" in page
    assert "The registry has not been verified yet." in page


def test_the_list_of_sources_shows_each_at_a_glance(curator: Client) -> None:
    recorded_sync(state="waiting")
    page = shown(curator.get(address(Source, "changelist")))
    assert "Liger-Kernel benchmarks needs a person" in page
    assert "1 waiting for approval" in page
    assert "NVIDIA SOL-ExecBench in order 2026-09-01 12:00" in page
    few = queries_of(curator, address(Source, "changelist"))
    for number in range(20):
        Source.objects.create(id=uuid.uuid4(), slug=f"s-{number}", name="New", kind="benchmark", created_at=NOW)
    assert queries_of(curator, address(Source, "changelist")) == few


# --- sources


def source_form(**fields: object) -> dict[str, object]:
    source = liger()
    names = ("name", "kind", "homepage", "licence", "terms", "attribution", "importer", "location", "hosts", "schedule")
    held = {name: getattr(source, name) for name in names}
    return {**held, "size_cap_mib": 64, "is_enabled": "on", "may_store": "on", "reason": "Read again.", **fields}


def test_a_change_of_a_source_is_audited_with_its_reason(curator: Client) -> None:
    path = address(Source, "change", liger().pk)
    response = curator.post(path, source_form(schedule="daily", terms_read_on="2026-09-01"))
    assert response.status_code == 302
    assert (liger().schedule, str(liger().terms_read_on)) == ("daily", "2026-09-01")
    assert liger().next_sync_at is not None
    assert last_event() == ("source changed", "liger-kernel-bench", "Read again.")
    event = AuditEvent.objects.first()
    assert event
    assert event.detail == {"schedule": "daily", "terms_read_on": "2026-09-01"}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"reason": ""}, "This field is required."),
        ({"location": "http://example.org/a.csv"}, "only https:// is fetched"),
        ({"location": "https://evil.example/a.csv"}, "is none of the hosts that may be asked"),
        ({"hosts": "127.0.0.1"}, "is no full host name"),
        ({"schedule": "daily", "location": ""}, "A schedule needs an importer and a location to fetch from."),
    ],
)
def test_a_source_that_could_not_be_fetched_is_not_saved(curator: Client, fields: Any, message: str) -> None:
    response = curator.post(address(Source, "change", liger().pk), source_form(**fields))
    assert response.status_code == 200
    assert message in shown(response)
    assert not AuditEvent.objects.filter(action="source changed").exists()


def test_sync_now_asks_for_one_and_leads_to_its_report(curator: Client) -> None:
    response = curator.post(button("sync"), follow=True)
    sync = asked_for().get()
    assert (sync.source, sync.trigger, sync.state, sync.is_dry_run) == (liger(), "button", "queued", False)
    assert told(response) == ["Asked for. A worker takes it up; this page tells how far it is."]
    assert response.redirect_chain[-1][0] == address(Sync, "change", sync.pk)


def test_a_dry_run_asks_for_a_report_only(curator: Client) -> None:
    curator.post(button("dry-run"))
    assert asked_for().get().is_dry_run


def test_an_upload_keeps_the_file_and_asks_for_its_reading(curator: Client) -> None:
    file = SimpleUploadedFile("all.csv", b"kernel_name\n")
    curator.post(button("upload"), {"files": file, "is_dry_run": "on"})
    sync = asked_for().get()
    assert (sync.trigger, sync.is_dry_run) == ("upload", True)
    assert [(kept.name, kept.size_bytes) for kept in sync.files.all()] == [("all.csv", 12)]


def test_an_upload_takes_the_facts_that_its_files_do_not_state(curator: Client) -> None:
    form = {"files": SimpleUploadedFile("f.json", b"{}"), "facts": "gpu: NVIDIA B200\nobserved: 2026-08-01"}
    curator.post(button("upload"), form)
    assert asked_for().get().answers == {"gpu": "NVIDIA B200", "observed": "2026-08-01"}


@pytest.mark.parametrize("facts", ["- a list", "gpu: [", "gpu: 1\ngpu: 2"])
def test_facts_that_can_t_be_read_ask_for_nothing(curator: Client, facts: str) -> None:
    response = curator.post(button("upload"), {"files": SimpleUploadedFile("f.json", b"{}"), "facts": facts})
    assert response.status_code == 200
    assert "errorlist" in response.content.decode()
    assert not asked_for().exists()


def test_pause_and_resume_state_a_reason(curator: Client) -> None:
    assert curator.post(button("pause")).status_code == 200
    assert liger().paused_at is None
    curator.post(button("pause"), REASON)
    assert liger().paused_at is not None
    assert last_event()[1:] == ("liger-kernel-bench", REASON["reason"])
    response = curator.post(button("sync"), follow=True)
    assert any("paused" in message for message in told(response))
    curator.post(button("resume"), REASON)
    assert liger().paused_at is None


def test_a_source_without_a_location_offers_no_fetching(curator: Client) -> None:
    Source.objects.filter(pk=liger().pk).update(location="")
    page = curator.get(address(Source, "change", liger().pk)).content.decode()
    assert "Upload file" in page
    assert "Sync now" not in page


# --- reports


def test_a_report_shows_counts_reasons_changes_and_the_rows_verbatim(curator: Client) -> None:
    page = shown(curator.get(address(Sync, "change", recorded_sync().pk)))
    for words in (
        "new: BenchmarkRun 48", "vanished 0", "VALUE rejected 1", "GPU waiting for a name 1",
        "VALUE all.csv, line 7, y_value_50: not a number: 'x' relu,…",
    ):  # fmt: skip
        assert words in page, words


@pytest.mark.parametrize(("name", "state"), [("approve", "publishing"), ("discard", "discarded")])
def test_what_waits_is_decided_with_a_reason(curator: Client, name: str, state: str) -> None:
    sync = recorded_sync(state="waiting")
    path = f"/admin/registry/sync/{sync.pk}/{name}/"
    assert curator.post(path).status_code == 200
    curator.post(path, REASON)
    sync.refresh_from_db()
    assert (sync.state, sync.decision_reason) == (state, REASON["reason"])


def test_a_sync_that_is_done_offers_no_decision_and_refuses_one(curator: Client) -> None:
    sync = recorded_sync()
    assert "Approve" not in curator.get(address(Sync, "change", sync.pk)).content.decode()
    response = curator.post(f"/admin/registry/sync/{sync.pk}/approve/", REASON)
    assert any("nothing is to be decided" in message for message in told(response))


def test_a_moderator_decides_nothing() -> None:
    sync = recorded_sync(state="waiting")
    assert member("moderator").post(f"/admin/registry/sync/{sync.pk}/approve/", REASON).status_code == 403


def act(client: Client, model: Any, action: str, *rows: Any, **fields: object) -> list[str]:
    form = {"action": action, "_selected_action": [str(row.pk) for row in rows], "confirmed": "1", **REASON, **fields}
    return told(client.post(address(model, "changelist"), form, follow=True))


def test_an_accepted_correction_supersedes_the_earlier_run(curator: Client) -> None:
    first, second = Run.objects.filter(group__key=Run.objects.get(digest=LIGER).group.key)[:2]
    row = SyncRow.objects.create(
        id=uuid.uuid4(), sync=recorded_sync(), kind="correction", reason="VALUE", file="all.csv", text="was 1, is 2",
        run=first, successor=second,
    )  # fmt: skip
    assert act(curator, SyncRow, "supersede", row) == ["Superseded: 1."]
    assert Mark.objects.get(kind="superseded").successor == second
    other = recorded_sync().rows.exclude(pk=row.pk).first()
    [message] = act(curator, SyncRow, "supersede", other)
    assert "is no correction" in message


def test_a_correction_of_a_sync_that_was_not_published_is_refused_as_that(curator: Client) -> None:
    row = SyncRow.objects.create(
        id=uuid.uuid4(), sync=recorded_sync(state="discarded"), kind="correction", reason="CORRECTED", file="all.csv",
        text="was 1, is 2", run=Run.objects.get(digest=LIGER), successor=None,
    )  # fmt: skip
    [message] = act(curator, SyncRow, "supersede", row)
    assert "is of a sync that was not published" in message
    assert not Mark.objects.filter(kind="superseded").exists()


def test_a_correction_that_is_left_leaves_the_desk_and_does_not_come_back(curator: Client) -> None:
    first, second = Run.objects.filter(group__key=Run.objects.get(digest=LIGER).group.key)[:2]
    made = {"kind": "correction", "reason": "VALUE", "file": "all.csv", "text": "was 1", "run": first}
    row = SyncRow.objects.create(id=uuid.uuid4(), sync=recorded_sync(), successor=second, **made)
    assert "Rows corrected upstream: 1" in shown(curator.get("/admin/"))
    assert act(curator, SyncRow, "leave", row) == ["Left as they are: 1."]
    SyncRow.objects.create(id=uuid.uuid4(), sync=recorded_sync(), successor=second, **made)
    assert "Rows corrected upstream" not in shown(curator.get("/admin/"))
    assert act(curator, SyncRow, "leave", row) == ["This correction was left already."]
    assert not Mark.objects.filter(kind="superseded").exists()


# --- names


def unmapped(name: str = "NVIDIA B300", kind: str = "gpu") -> UnmappedName:
    return UnmappedName.objects.create(
        id=uuid.uuid4(), source=liger(), kind=kind, name=name, first_seen_at=NOW, row_count=3, example="relu,…"
    )


def test_a_gpu_is_settled_by_its_facts(curator: Client) -> None:
    facts = {"vendor": "nvidia", "product": "NVIDIA B300", "architecture": "sm_103"}
    [message] = act(curator, UnmappedName, "settle", unmapped(), **facts)
    assert message == "Settled: 1. The next sync takes their rows."
    assert NameAlias.objects.get().facts == facts
    assert UnmappedName.objects.get().is_settled


def test_a_name_that_nobody_knows_settles_nothing(curator: Client) -> None:
    [message] = act(curator, UnmappedName, "settle", unmapped(), target="NVIDIA Z9")
    assert "No importer knows" in message
    assert not NameAlias.objects.exists()


def test_an_alias_is_revoked_by_a_later_row(curator: Client) -> None:
    alias = aliases.settle(
        source=liger(), kind="gpu", name="B two hundred", target="NVIDIA B200", reason="r", actor=STAFF, now=NOW
    )
    assert act(curator, NameAlias, "revoke", alias) == ["Revoked: 1. Runs that came by them stay."]
    assert NameAlias.objects.count() == 2


# --- incidents


INCIDENT = {
    "title": "A clock that stood still", "text": "The host's clock stood still.", "effect": "unrank",
    "sources": "liger-kernel-bench", "labels": "", **REASON,
}  # fmt: skip


def test_an_incident_is_previewed_before_it_is_published(curator: Client) -> None:
    page = shown(curator.post("/admin/registry/incident/publish/", {**INCIDENT, "preview": "Preview"}))
    assert "48 runs in 24 groups, 48 of them ranked, 24 of them best of their group." in page
    assert not Incident.objects.exists()
    response = curator.post("/admin/registry/incident/publish/", {**INCIDENT, "publish": "Publish it"})
    assert response["Location"] == address(Incident, "change", Incident.objects.get().pk)
    assert Incident.objects.get().criteria == {"sources": ["liger-kernel-bench"]}
    assert Mark.objects.filter(rule="INCIDENT").count() == 48


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"sources": ""}, "Nothing is selected by."),
        ({"sources": "nobody"}, "nothing here is called 'nobody'"),
        ({"labels": "liger_version"}, "write a label as name=value"),
        ({"reason": ""}, "This field is required."),
    ],
)
def test_an_incident_that_makes_no_sense_is_not_published(curator: Client, fields: Any, message: str) -> None:
    response = curator.post("/admin/registry/incident/publish/", {**INCIDENT, **fields, "publish": "Publish it"})
    assert message in shown(response)
    assert not Incident.objects.exists()


def test_an_incident_is_reversed_with_a_reason(curator: Client) -> None:
    curator.post(
        "/admin/registry/incident/publish/", {**INCIDENT, "labels": "liger_version=0.7.0", "publish": "1"}, follow=True
    )
    incident = Incident.objects.get()
    assert incident.criteria["labels"] == {"liger_version": ["0.7.0"]}
    assert act(curator, Incident, "reverse", incident) == ["Reversed: 1. They stay on record."]
    assert IncidentReversal.objects.get().incident == incident


def test_a_moderator_publishes_no_incident() -> None:
    assert member("moderator").get("/admin/registry/incident/publish/").status_code == 403


# --- protocol notes


def note_form(**first: str) -> dict[str, object]:
    sentences = [{"topic": topic, "text": "not stated", "url": "", "chip": ""} for topic in TOPICS]
    sentences[0].update(first)
    form = {f"s-{number}-{name}": value for number, s in enumerate(sentences) for name, value in s.items()}
    return {**form, "s-TOTAL_FORMS": len(sentences), "s-INITIAL_FORMS": len(sentences), **REASON}


def test_the_next_version_of_a_note_begins_with_what_holds(curator: Client) -> None:
    path = "/admin/registry/protocolnote/write/family:acme/"
    said = {"text": "The kernel alone.", "url": "https://github.com/a/b/blob/" + "0" * 40 + "/c.py"}
    assert curator.post(path, note_form(**said)).status_code == 302
    note = ProtocolNote.objects.get(subject="family:acme")
    assert (note.version, note.sentences[0]["text"]) == (1, "The kernel alone.")
    assert "The kernel alone." in curator.get(path).content.decode()
    assert curator.post(path, note_form()).status_code == 302
    assert ProtocolNote.objects.filter(subject="family:acme").count() == 2


def test_a_sentence_without_its_link_is_told_and_kept_on_the_page(curator: Client) -> None:
    response = curator.post("/admin/registry/protocolnote/write/family:acme/", note_form(text="The kernel alone."))
    assert response.status_code == 200
    assert "The kernel alone." in response.content.decode()
    assert not ProtocolNote.objects.filter(subject="family:acme").exists()


def test_a_protocol_is_said_to_be_continued_by_another(curator: Client) -> None:
    older, newer = Protocol.objects.all()[:2]
    assert act(curator, Protocol, "succeed", older, successor=newer.digest) == ["Said of 1. No rank moves."]
    assert ProtocolSuccession.objects.get().successor == newer


# --- pages that ask


def pages() -> list[Callable[[], str]]:
    return [
        lambda: "/admin/",
        lambda: address(Source, "changelist"),
        lambda: address(Source, "change", liger().pk),
        lambda: address(Sync, "change", recorded_sync().pk),
        lambda: button("upload"),
        lambda: "/admin/registry/incident/publish/",
        lambda: "/admin/registry/protocolnote/write/family:acme/",
    ]


@pytest.mark.parametrize("page", pages())
def test_no_page_of_the_curators_has_a_script_or_a_style_of_its_own(curator: Client, page: Callable[[], str]) -> None:
    body = curator.get(page()).content.decode()
    assert "style=" not in body.replace('style="display:none"', "")
    assert json.dumps("onclick=") not in body
