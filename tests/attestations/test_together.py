"""Simultaneous sends of one form: one attestation, on both databases."""

from pathlib import Path

import pytest
from django.test import Client

from attestations.models import Attestation, AttestationVersion
from registry import syncs
from tests.attestations.people import posted
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import LIGER
from tests.simultaneous import at_once

AT_ONCE = 32
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session() -> str:
    syncs.load_demo(now=NOW)
    return signed_in(member("ann")).cookies["sessionid"].value


def send(session: str, **fields: str) -> tuple[int, str]:
    client = Client()
    client.cookies["sessionid"] = session
    response = client.post(f"/runs/{LIGER}/attest/", posted(**fields))
    return response.status_code, response.headers.get("Location", "")


def test_identical_sends_at_once_make_one_attestation(session: str, tmp_path: Path) -> None:
    answers = at_once(lambda number: send(session), AT_ONCE, tmp_path)
    [made] = Attestation.objects.all()
    assert AttestationVersion.objects.count() == 1
    assert set(answers) == {(302, f"/runs/{LIGER}/#attestation-{made.pk}")}


def test_sends_of_one_kind_at_once_in_other_words_make_one_and_refuse_the_others(session: str, tmp_path: Path) -> None:
    answers = at_once(lambda number: send(session, text=f"Wording {number}."), 8, tmp_path)
    assert Attestation.objects.count() == AttestationVersion.objects.count() == 1
    assert sorted(status for status, _ in answers) == [302] + [400] * 7
