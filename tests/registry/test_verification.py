"""The nightly check keeps what it found, without the values themselves."""

import pytest

from registry import verification
from registry.models import EvidenceLevel, Verification
from tests.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]


def test_a_registry_that_holds_is_kept_as_such() -> None:
    kept = verification.verify(now=NOW)
    assert kept == Verification.objects.get()
    assert (kept.difference_count, kept.findings) == (0, [])
    assert kept.checked["registry_run"] == 52
    assert kept.finished_at >= kept.started_at == NOW


def test_what_does_not_follow_is_named_without_its_value() -> None:
    level = EvidenceLevel.objects.first()
    assert level
    EvidenceLevel.objects.filter(pk=level.pk).update(level="verified")
    kept = verification.verify(now=NOW)
    assert kept.difference_count == 1
    [finding] = kept.findings
    assert "registry_evidencelevel" in finding
    assert "stored" not in finding
