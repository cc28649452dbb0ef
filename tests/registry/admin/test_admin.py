"""Staff's side: one door in, every table to read, no fact to edit, corrections that ask for a reason."""

import uuid
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.sites import NotRegistered
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from attestations.profiles import actor_of
from registry import corrections
from registry.models import AuditEvent, Mark, Redaction, RedactionRequest, Run, Source
from tests.conftest import NOW
from tests.people import hashed, signed_in
from tests.registry.pages import SOL, STAFF, publish, queries_of, shown, timed

# Django's own admin templates use variables that they do not set.
pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]
PASSWORD = "correct horse battery"
SETTINGS = {"schedule": "off", "size_cap_mib": 64, "reason": "Curated."}
MODELS = list(apps.get_app_config("registry").get_models())
every_fact = pytest.mark.parametrize(
    "model", [model for model in MODELS if model is not Source], ids=lambda model: model.__name__
)
ACTIONS: dict[str, dict[str, str]] = {
    "withdraw": {"reason": "The clock was wrong."},
    "flag": {"reason": "Below the bound.", "rule": "IMPLAUSIBLE"},
    "supersede": {"reason": "Measured again.", "successor": "the other run"},
    "redact": {"reason": "A court.", "reason_class": "legal"},
}


def account(name: str, *permissions: str, is_superuser: bool = False, is_staff: bool = True) -> Any:
    user = get_user_model().objects.create(
        username=name, email=f"{name}@example.org", password=hashed(PASSWORD), is_staff=is_staff,
        is_superuser=is_superuser,
    )  # fmt: skip
    for permission in permissions:
        app, _, codename = permission.partition(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
    return user


@pytest.fixture
def root(db: None) -> Client:
    return signed_in(account("root", is_superuser=True))


def address(model: Any, page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


# --- one door


@pytest.mark.parametrize("path", ["/admin/", "/admin/registry/run/", "/admin/login/?next=/admin/registry/run/"])
def test_the_admin_leads_strangers_to_the_one_sign_in(client: Client, path: str) -> None:
    response = client.get(path, follow=True)
    target, _ = response.redirect_chain[-1]
    assert urlsplit(target).path == "/accounts/login/"
    assert "/admin/" in parse_qs(urlsplit(target).query)["next"][0]
    assert response.templates[0].name == "account/login.html"


def test_the_admins_own_login_takes_no_password(client: Client) -> None:
    account("root", is_superuser=True)
    response = client.post("/admin/login/?next=/admin/", {"username": "root", "password": PASSWORD})
    assert response.status_code == 302
    assert urlsplit(response["Location"]).path == "/accounts/login/"
    assert "_auth_user_id" not in client.session


def test_a_wrong_password_is_told_and_signs_nobody_in(client: Client) -> None:
    account("root", is_superuser=True)
    response = client.post("/accounts/login/", {"login": "root@example.org", "password": "wrong"})
    assert response.status_code == 200
    assert "Not signed in." in shown(response)
    assert "_auth_user_id" not in client.session


def test_who_is_not_staff_stays_outside(client: Client) -> None:
    response = signed_in(account("reader", is_staff=False)).get("/admin/")
    assert response.status_code in (302, 403)
    assert "registry" not in response.content.decode()


# --- every table, to read


def test_every_table_of_the_registry_is_registered() -> None:
    missing = []
    for model in MODELS:
        try:
            admin.site.get_model_admin(model)
        except NotRegistered:
            missing.append(model.__name__)
    assert missing == []


def test_every_table_is_read_searched_and_opened_row_by_row(root: Client) -> None:
    [run] = publish(timed(1000))
    corrections.flag([run], rule="SINGLE_SAMPLE", reason="r", actor=STAFF, now=NOW)
    empty = []
    for model in MODELS:
        assert root.get(address(model, "changelist")).status_code == 200
        for query in ("sha256:", "scale", "%", "'", str(run.pk)):
            assert root.get(address(model, "changelist"), {"q": query}).status_code == 200, (model, query)
        assert admin.site.get_model_admin(model).search_fields
        row = model._default_manager.first()
        if row is None:
            empty.append(model.__name__)
        else:
            assert root.get(address(model, "change", row.pk)).status_code == 200
    assert set(empty) == {
        "StoredObject", "OperationAlias", "Artifact", "RunArtifact", "Coverage", "EvidenceFact", "RedactionRequest",
        "Redaction", "Incident", "IncidentReversal", "Link", "NameAlias", "ProtocolNote", "ProtocolSuccession", "Sync",
        "SyncFile", "SyncRow", "UnmappedName", "Verification",
    }  # fmt: skip


def test_a_list_of_the_admin_takes_as_many_queries_for_2_rows_as_for_40(root: Client) -> None:
    publish(timed(1000), timed(1001))
    path = address(Run, "changelist")
    with_two = queries_of(root, path)
    publish(*(timed(2000 + number) for number in range(38)))
    assert queries_of(root, path) == with_two


@pytest.mark.usefixtures("demo")
def test_a_run_is_found_by_its_digest_and_by_its_external_id(root: Client) -> None:
    for query in (SOL, "16893"):
        assert SOL in root.get(address(Run, "changelist"), {"q": query}).content.decode()
    assert SOL not in root.get(address(Run, "changelist"), {"q": "nothing"}).content.decode()


# --- no fact is edited


@every_fact
def test_nobody_adds_changes_or_deletes_a_fact_not_even_a_superuser(root: Client, model: Any) -> None:
    [run] = publish(timed(1000))
    row = model._default_manager.first()
    before = list(model._default_manager.order_by("pk").values_list())
    assert root.get(address(model, "add")).status_code == 403
    key = row.pk if row else run.pk
    sent = [
        root.post(address(model, "add"), {"id": str(uuid.uuid4())}).status_code,
        root.post(address(model, "change", key), {"reason": "x"}).status_code,
        root.post(address(model, "delete", key), {"post": "yes"}).status_code,
    ]
    assert sent == [403] * 3 or (row is None and sent[0] == 403 and set(sent) == {302, 403})
    form = {"action": "delete_selected", "_selected_action": [str(key)], "post": "yes"}
    root.post(address(model, "changelist"), form)
    denials = {"action__startswith": "denied: "} if model is AuditEvent else {"pk": None}
    assert list(model._default_manager.exclude(**denials).order_by("pk").values_list()) == before
    assert AuditEvent.objects.filter(action__startswith="denied: ").count() == sent.count(403)


def test_a_source_is_edited_but_for_its_slug(root: Client) -> None:
    publish(timed(1000))
    source = Source.objects.get()
    path = address(Source, "change", source.pk)
    assert 'name="slug"' not in root.get(path).content.decode()
    form = {"slug": "renamed", "name": "The community", "kind": "community", "licence": "CC-BY-4.0"} | SETTINGS
    assert root.post(path, form).status_code == 302
    source.refresh_from_db()
    assert (source.slug, source.name, source.licence) == ("community", "The community", "CC-BY-4.0")
    assert root.post(address(Source, "delete", source.pk), {"post": "yes"}).status_code == 403


def test_a_new_source_gets_its_id_and_its_date(root: Client) -> None:
    assert (
        root.post(
            address(Source, "add"), {"slug": "new-bench", "name": "New", "kind": "benchmark"} | SETTINGS
        ).status_code
        == 302
    )
    source = Source.objects.get(slug="new-bench")
    assert source.id.version == 7
    assert root.get("/sources/new-bench/").status_code == 200


# --- corrections


def chosen(action: str, runs: list[Run], **fields: str) -> dict[str, Any]:
    return {"action": action, "_selected_action": [str(run.pk) for run in runs], **fields}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_asks_for_a_reason_refuses_an_empty_one_and_acts_once(action: str) -> None:
    user = account("root", is_superuser=True)
    client, path = signed_in(user), address(Run, "changelist")
    run, other = publish(timed(1000), timed(1100))
    fields = {name: (other.digest if name == "successor" else value) for name, value in ACTIONS[action].items()}

    asked = client.post(path, chosen(action, [run]))
    assert asked.status_code == 200
    assert 'name="reason"' in asked.content.decode()
    assert str(run.digest[:19]) in asked.content.decode()
    for empty in ("", "   ", "\n"):
        refused = client.post(path, chosen(action, [run], confirmed="1", **(fields | {"reason": empty})))
        assert "This field is required." in refused.content.decode()
    assert (Mark.objects.count(), RedactionRequest.objects.count(), AuditEvent.objects.count()) == (0, 0, 0)

    assert client.post(path, chosen(action, [run], confirmed="1", **fields)).status_code == 302
    event = AuditEvent.objects.get()
    assert (event.actor, event.target, event.reason) == (actor_of(user), run.digest, fields["reason"])
    assert Mark.objects.count() + RedactionRequest.objects.count() == 1
    if action != "redact":
        mark = Mark.objects.get()
        assert (mark.run, mark.reason, mark.actor, mark.audit) == (run, fields["reason"], actor_of(user), event)
        again = client.post(path, chosen(action, [run], confirmed="1", **fields), follow=True)
        assert "already" in shown(again)
        assert (Mark.objects.count(), AuditEvent.objects.count()) == (1, 1)


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_needs_its_permission(action: str) -> None:
    client, path = signed_in(account("viewer", "registry.view_run")), address(Run, "changelist")
    run, other = publish(timed(1000), timed(1100))
    fields = ACTIONS[action] | ({"successor": other.digest} if action == "supersede" else {})
    for form in (chosen(action, [run]), chosen(action, [run], confirmed="1", **fields)):
        assert "You may not do this" in shown(client.post(path, form, follow=True))
    assert (Mark.objects.count(), RedactionRequest.objects.count()) == (0, 0)
    denied = [(e.action, e.target_kind, e.target, e.detail) for e in AuditEvent.objects.all()]
    assert denied == 2 * [(f"denied: {action}", "run", run.digest, {"chosen": 1})]


def test_marking_needs_no_more_than_the_permission_to_mark() -> None:
    client = signed_in(account("curator", "registry.view_run", "registry.add_mark"))
    [run] = publish(timed(1000))
    client.post(address(Run, "changelist"), chosen("withdraw", [run], confirmed="1", reason="r"))
    assert Mark.objects.get().kind == "withdrawn"


def test_several_runs_are_withdrawn_with_an_event_each_or_not_at_all(root: Client) -> None:
    runs = publish(timed(1000), timed(1100), timed(1200))
    path = address(Run, "changelist")
    root.post(path, chosen("withdraw", runs[:2], confirmed="1", reason="r"))
    assert sorted(AuditEvent.objects.values_list("target", flat=True)) == sorted(run.digest for run in runs[:2])
    refused = root.post(path, chosen("withdraw", runs[1:], confirmed="1", reason="r"), follow=True)
    assert "already" in shown(refused)
    assert Mark.objects.count() == 2


@pytest.mark.parametrize(
    ("successor", "message"),
    [
        ("sha256:" + "0" * 64, "No run has this digest or id."),
        ("nonsense", "No run has this digest or id."),
        ("", "required"),
    ],
)
def test_a_successor_that_is_no_run_is_refused_in_the_form(root: Client, successor: str, message: str) -> None:
    [run] = publish(timed(1000))
    form = chosen("supersede", [run], confirmed="1", reason="r", successor=successor)
    assert message in shown(root.post(address(Run, "changelist"), form))
    assert not Mark.objects.exists()


def test_a_successor_is_named_by_digest_or_by_id_and_corrects_one_run(root: Client) -> None:
    run, other, third = publish(timed(1000), timed(1100), timed(1200))
    path = address(Run, "changelist")
    both = chosen("supersede", [run, third], confirmed="1", reason="r", successor=other.digest)
    assert "Choose one run" in shown(root.post(path, both, follow=True))
    itself = chosen("supersede", [run], confirmed="1", reason="r", successor=run.digest)
    assert "A run cannot supersede itself." in shown(root.post(path, itself, follow=True))
    root.post(path, chosen("supersede", [run], confirmed="1", reason="r", successor=f" {other.pk} "))
    assert Mark.objects.get().successor == other


def test_a_flag_is_cleared_from_the_list_of_marks_once(root: Client) -> None:
    [run] = publish(timed(1000))
    [mark] = corrections.flag([run], rule="IMPLAUSIBLE", reason="r", actor=STAFF, now=NOW)
    path, form = address(Mark, "changelist"), {"action": "clear", "_selected_action": [str(mark.pk)]}
    assert 'name="reason"' in root.post(path, form).content.decode()
    root.post(path, form | {"confirmed": "1", "reason": "A typing error."})
    cleared = Mark.objects.get(kind="cleared")
    assert (cleared.clears, cleared.reason, AuditEvent.objects.count()) == (mark, "A typing error.", 2)
    assert "is cleared already" in shown(root.post(path, form | {"confirmed": "1", "reason": "r"}, follow=True))
    run.refresh_from_db()
    assert run.standing.rank == 1


def test_a_redaction_takes_two_of_staff() -> None:
    first, second = account("first", is_superuser=True), account("second", is_superuser=True)
    [run] = publish(timed(1000))
    form = chosen("redact", [run], confirmed="1", reason="A court.", reason_class="legal")
    signed_in(first).post(address(Run, "changelist"), form)
    wanted = RedactionRequest.objects.get()
    path, approval = (
        address(RedactionRequest, "changelist"),
        {"action": "approve", "_selected_action": [str(wanted.pk)]},
    )

    alone = signed_in(first).post(path, approval, follow=True)
    assert "the one who asked cannot also approve" in shown(alone)
    assert not Redaction.objects.exists()
    viewer = signed_in(account("viewer", "registry.view_redactionrequest")).post(path, approval, follow=True)
    assert "You may not approve redactions." in shown(viewer)
    assert Run.objects.get().canonical

    done = signed_in(second).post(path, approval, follow=True)
    assert f"Redacted: {run.digest}." in shown(done)
    redaction = Redaction.objects.get()
    assert redaction.approved_by == actor_of(second)
    assert run.digest in redaction.citation
    assert redaction.citation.startswith(
        "Community (who measured is not stated) (2026): acme-scale, Scale, rows 8 · bf16: latency 1.00 µs"
    )
    assert Run.objects.get().canonical == ""
    assert [event.action for event in AuditEvent.objects.order_by("at", "id")] == [
        "redaction requested", "denied: approve", "redacted",
    ]  # fmt: skip
    done_by = AuditEvent.objects.exclude(action="denied: approve").order_by("at", "id")
    assert [event.actor for event in done_by] == [actor_of(first), actor_of(second)]
    assert "redacted already" in shown(signed_in(second).post(path, approval, follow=True))
    root = signed_in(second)
    for model in MODELS:
        row = model._default_manager.first()
        if row is not None:
            assert root.get(address(model, "change", row.pk)).status_code == 200


def test_an_actor_is_an_opaque_id_that_stays_when_the_account_goes() -> None:
    user = account("gone", is_superuser=True)
    [run] = publish(timed(1000))
    signed_in(user).post(address(Run, "changelist"), chosen("withdraw", [run], confirmed="1", reason="r"))
    actor = actor_of(user)
    user.delete()
    assert AuditEvent.objects.get().actor == actor
    assert "gone" not in shown(Client().get(f"/runs/{run.digest}/"))
