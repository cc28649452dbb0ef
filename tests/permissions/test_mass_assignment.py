"""Nobody sets what a form does not offer: every column's name is posted to every form, beside what it asks."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import models, transaction

from attestations.models import Attestation, AttestationVersion, Claim, Follow, Report
from attestations.profiles import actor_of
from registry.models import EvidenceLevel, Run, Standing
from tests.permissions.cast import ID, Cast
from tests.permissions.test_matrix import cast  # noqa: F401  the fixture
from tests.registry.pages import LIGER, SOL

FOREIGN = str(uuid.UUID(int=0xF00D))
# Name of the form -> its address, and what makes it go through.
FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "attest": (f"/runs/{SOL}/attest/", {"kind": "environment_note", "text": "Seen.", "action": "send"}),
    "report": (f"/runs/{SOL}/report/", {"reason": "licence", "text": "Look at this, please."}),
    "claim": ("/projects/liger-kernel/claim/", {"method": "staff", "message": "It is mine; see my page."}),
    "note": (f"/runs/{LIGER}/note/", {"text": "Mine.", "report": ""}),
    "name": ("/me/", {"form": "name", "handle": "author-anew"}),
    "mail": ("/me/", {"form": "mail", "digest": "off"}),
    "follow": ("/follows/toggle/", {"thing": "run", "target": SOL, "wanted": "on", "want": "on"}),
    "drop": (f"/claims/{ID['claim']}/", {"action": "drop"}),
    "withdraw": (f"/attestations/{ID['attestation']}/withdraw/", {}),
}
HOSTILE = {
    models.BooleanField: "1", models.IntegerField: "99", models.DateTimeField: "2020-01-01T00:00:00Z",
    models.UUIDField: FOREIGN, models.ForeignKey: FOREIGN, models.JSONField: '{"x": 1}',
}  # fmt: skip
STATES = {"state": "granted", "outcome": "withdrawn", "verdict": "agrees", "level": "verified", "is_comparable": "1"}


def every_column() -> dict[str, str]:
    """Each column's name in our tables and the account's, with a value that fits it."""
    found = {}
    for app in ("attestations", "registry", "auth", "account"):
        for model in apps.get_app_config(app).get_models():
            for field in model._meta.concrete_fields:
                kind = next((k for k in HOSTILE if isinstance(field, k)), None)
                found[field.name] = found[field.attname] = HOSTILE[kind] if kind else "granted"
    return found | STATES


@pytest.fixture
def put_back(db: None, cast: Cast) -> Iterator[Cast]:  # noqa: F811
    with transaction.atomic():
        yield cast
        transaction.set_rollback(True)


def kept(author: Any) -> dict[str, Any]:
    """What no form of a reader may move."""
    author.refresh_from_db()
    return {
        "rights": (author.is_staff, author.is_superuser, author.is_active, author.username, author.email),
        "groups": list(author.groups.values_list("name")),
        "actor": actor_of(author),
        "mail key": author.profile.mail_key,
        "levels": list(EvidenceLevel.objects.order_by("pk").values_list()),
        "standings": list(Standing.objects.order_by("pk").values_list("run", "rank", "position")),
        "runs": list(Run.objects.order_by("pk").values_list("pk", "digest", "status")),
        "others": list(Attestation.objects.filter(pk=ID["others"]).values_list()),
        "report": list(Report.objects.filter(pk=ID["report"]).values_list()),
    }


@pytest.mark.parametrize("form", FORMS)
def test_a_form_takes_its_own_fields_and_no_other(put_back: Cast, form: str) -> None:
    author, (path, asked) = put_back.accounts["author"], FORMS[form]
    before = kept(author)
    response = put_back.client("author").post(path, every_column() | {"website": "", "url": ""} | asked)
    assert response.status_code in (302, 200, 400), path
    assert kept(author) == before
    actor = actor_of(author)
    made = Attestation.objects.exclude(pk__in=[ID["attestation"], ID["others"]])
    assert {(a.actor, a.hidden_at) for a in made} <= {(actor, None)}
    assert set(AttestationVersion.objects.filter(attestation__in=made).values_list("verdict")) <= {(None,)}
    reports = Report.objects.exclude(pk=ID["report"])
    assert {(r.actor, r.state, r.outcome, r.assigned_to) for r in reports} <= {(actor, "open", None, None)}
    claims = Claim.objects.exclude(pk=ID["claim"])
    assert {(c.actor, c.state, c.decided_by) for c in claims} <= {(actor, "pending", None)}
    assert set(Follow.objects.values_list("user", flat=True)) <= {author.pk}


def test_the_forms_go_through_without_what_is_not_theirs(put_back: Cast) -> None:
    """The control: each of these posts does what it is for."""
    for form, (path, asked) in FORMS.items():
        with transaction.atomic():
            assert put_back.client("author").post(path, asked).status_code == 302, form
            transaction.set_rollback(True)


def test_every_kind_of_column_is_posted() -> None:
    assert {"is_staff", "is_superuser", "actor", "hidden_at", "digest", "state", "user", "user_id", "at"} <= set(
        every_column()
    )
