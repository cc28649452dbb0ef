"""Keeping, editing, withdrawing, hiding: what each act writes, and what it refuses."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from attestations import attesting
from attestations.attesting import AttestingError
from attestations.models import Attestation, AttestationMark, AttestationVersion, Kind
from attestations.profiles import actor_of
from registry import corrections
from registry.models import AuditEvent, Environment, Run
from tests.attestations.people import kept, note, sampled, statement
from tests.conftest import NOW
from tests.factories import bundle_of, digest_of, everything, ingest_bundle, protocol_document, run_entry
from tests.people import member
from tests.registry.pages import LIGER, OTHER_STAFF, SOL, STAFF

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
MINUTE = timedelta(minutes=1)
AROUND = [126.1, 126.2, 126.5, 127.0, 126.0, 125.9, 126.9]


@pytest.fixture
def ann(db: None) -> Any:
    return member("ann")


def newest(attestation: Attestation) -> AttestationVersion:
    attestation.refresh_from_db()
    return attestation.versions.get(number=attestation.version)


def refused(act: Any, *args: Any, **kwargs: Any) -> AttestingError:
    before = Attestation.objects.count(), AttestationVersion.objects.count(), AttestationMark.objects.count()
    with pytest.raises(AttestingError) as caught:
        act(*args, **kwargs)
    assert (
        Attestation.objects.count(), AttestationVersion.objects.count(), AttestationMark.objects.count()
    ) == before  # fmt: skip
    return caught.value


# --- keeping


def test_samples_are_compared_by_what_the_claim_s_value_is_not_by_the_word_that_the_run_has_for_it(ann: Any) -> None:
    """A run whose own statistic is "p10" states a median, and that is the value it is ranked by."""
    protocol = protocol_document(measurement={"timer": "cuda_events", "primaryStatistic": "p10"})
    timing = {"primaryStatistic": "p10", "latencyNs": {"median": 1000, "minimum": 900}}
    entry = run_entry(protocol=protocol, timing=timing)
    assert ingest_bundle(bundle_of(entry)).rejected == []
    row = newest(kept(ann, sampled([1.0, 1.0, 1.0, 1.01, 0.9, 1.0, 1.02]), run=digest_of(entry["run"])))
    assert (row.assessment["statistic"], row.assessment["value"]) == ("median", "1000.0")


def test_a_value_is_kept_with_its_verdict(ann: Any) -> None:
    row = newest(kept(ann))
    assert (row.value, row.unit, row.samples, row.verdict, row.is_comparable) == ("127.4", "us", None, "agrees", True)
    assert row.environment == Run.objects.get(digest=LIGER).environment
    assert row.assessment["value"] == "127400.0"
    assert row.assessment["policy"] == "verdict-v1"


def test_samples_are_kept_one_a_line_with_n_median_and_a_named_interval(ann: Any) -> None:
    row = newest(kept(ann, sampled(AROUND)))
    assert row.samples == "126.1\n126.2\n126.5\n127\n126\n125.9\n126.9"
    made = row.assessment
    assert (made["n"], made["value"], made["low"], made["high"]) == (7, "126200.0", "125900.0", "127000.0")
    assert made["interval_name"] == "95 % interval of the median by order statistics"


@pytest.mark.parametrize(
    ("fields", "verdict", "reason"),
    [
        ({"value": "127.4"}, "agrees", "within 5 % of the claim"),
        ({"value": "0.1274", "unit": "ms"}, "agrees", "within 5 % of the claim"),
        ({"value": "141.0"}, "slower", "more than 5 % above the claim"),
        ({"value": "110"}, "faster", "more than 5 % below the claim"),
        ({"is_incorrect": True}, "incorrect", "the outputs were wrong"),
        ({"value": None, "unit": None, "is_incorrect": True}, "incorrect", "the outputs were wrong"),
        ({"setup": "other"}, "not comparable", "own code or another protocol"),
        ({"place": ""}, "not comparable", "the hardware is not stated"),
        ({"place": "written", "gpu": "NVIDIA H200"}, "not comparable", "“NVIDIA H200” is no GPU of this index"),
        (
            {"place": "written", "gpu": "NVIDIA B200"}, "not comparable",
            "other hardware: nvidia-b200, the claim is of nvidia-h100-80gb-hbm3",
        ),
        ({"place": "written", "gpu": "nvidia h100 80gb hbm3"}, "agrees", "within 5 % of the claim"),
    ],
)  # fmt: skip
def test_the_verdict_follows_from_what_is_stated(ann: Any, fields: Any, verdict: str, reason: str) -> None:
    row = newest(kept(ann, statement(**fields)))
    assert row.verdict == verdict
    assert row.is_comparable is (verdict != "not comparable")
    assert reason in row.assessment["reasons"]


def test_a_note_without_a_measurement_has_no_verdict(ann: Any) -> None:
    row = newest(kept(ann, note()))
    assert (row.verdict, row.is_comparable, row.assessment) == (None, False, {})


def test_a_known_environment_is_found_by_its_digest(ann: Any) -> None:
    other = Environment.objects.get(hardware__slug="nvidia-b200", label__contains="v1.1")
    row = newest(kept(ann, statement(place="known", environment=other.digest)))
    assert (row.environment, row.hardware.slug if row.hardware else None) == (other, "nvidia-b200")
    assert row.verdict == "not comparable"


def test_an_unknown_digest_is_refused_at_its_field(ann: Any) -> None:
    error = refused(kept, ann, statement(place="known", environment="sha256:" + "0" * 64))
    assert error.field == "environment_digest"
    assert str(error) == "No environment here has this digest. Choose one, or describe yours."


def test_equal_words_have_an_equal_digest_whoever_says_them(ann: Any) -> None:
    said = newest(kept(ann)).digest
    assert newest(kept(member("bob"))).digest == said
    assert newest(kept(member("eve"), statement(text="Else."))).digest != said


def test_the_same_sent_again_is_that_one(ann: Any) -> None:
    assert kept(ann).pk == kept(ann, now=NOW + MINUTE).pk
    assert Attestation.objects.count() == 1


def test_there_is_one_of_a_kind_by_one_author_on_one_run(ann: Any) -> None:
    kept(ann)
    error = refused(kept, ann, statement(text="Something else."))
    assert error.field == "kind"
    assert "You have added “reproduced” to this run already." in str(error)
    kept(ann, statement(kind="regression"))
    kept(ann, run=SOL)
    kept(member("bob"))


def test_after_a_withdrawal_there_may_be_another(ann: Any) -> None:
    attesting.withdraw(attestation=kept(ann), actor=actor_of(ann), now=NOW)
    kept(ann)
    assert Attestation.objects.count() == 2


def test_the_database_holds_one_of_a_kind_too(ann: Any) -> None:
    made = kept(ann)
    with pytest.raises(DatabaseError), transaction.atomic():
        Attestation.objects.create(id=uuid.uuid4(), run=made.run, actor=made.actor, kind=made.kind, at=NOW + MINUTE)


def test_the_twenty_first_of_a_day_is_refused_and_told_when(ann: Any) -> None:
    runs = list(Run.objects.order_by("digest").values_list("digest", flat=True)[:6])
    for number in range(20):
        said = statement(kind=list(Kind)[number % 4].value)
        kept(ann, said, run=runs[number // 4], now=NOW + number * MINUTE)
    error = refused(kept, ann, note(), run=runs[5], now=NOW + timedelta(hours=11))
    assert str(error) == (
        "You have added 20 today, which is the most. You can add more from 2026-09-02 00:00 UTC; "
        "what you wrote is kept."
    )
    kept(member("bob"), note(), run=runs[5])
    kept(ann, note(), run=runs[5], now=NOW + timedelta(hours=12))


def test_those_withdrawn_count_for_the_day(ann: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attesting, "MOST_A_DAY", 1)
    attesting.withdraw(attestation=kept(ann), actor=actor_of(ann), now=NOW)
    assert "the most" in str(refused(kept, ann))


def test_a_withdrawn_run_may_be_spoken_of_and_a_redacted_one_may_not(ann: Any) -> None:
    run = Run.objects.get(digest=LIGER)
    corrections.withdraw([run], reason="wrong gradient", actor=STAFF, now=NOW)
    kept(ann)
    asked = corrections.request_redaction(run, reason_class="legal", reason="a court", actor=STAFF, now=NOW)
    corrections.approve_redaction(asked, citation="It said so.", actor=OTHER_STAFF, now=NOW)
    assert str(refused(kept, member("bob"))) == "This run was redacted: nothing can be added to it."


def test_a_preview_keeps_nothing_and_says_what_would_be_kept(ann: Any) -> None:
    _, row = attesting.preview(run=Run.objects.get(digest=LIGER), actor=actor_of(ann), statement=statement(), now=NOW)
    assert Attestation.objects.count() == AttestationVersion.objects.count() == 0
    again = newest(kept(ann))
    assert (row.digest, row.verdict, row.assessment) == (again.digest, again.verdict, again.assessment)


# --- editing


def test_an_edit_is_a_new_version_judged_anew(ann: Any) -> None:
    made = kept(ann)
    attesting.edit(
        attestation=made, actor=actor_of(ann), statement=statement(value="141", text="Again."), now=NOW + MINUTE
    )
    rows = list(made.versions.order_by("number").values_list("number", "text", "verdict", "at"))
    assert rows == [
        (1, "Same card and shapes, clocks not locked.", "agrees", NOW), (2, "Again.", "slower", NOW + MINUTE),
    ]  # fmt: skip
    made.refresh_from_db()
    assert (made.version, made.at) == (2, NOW)


def test_an_edit_that_changes_nothing_is_none(ann: Any) -> None:
    made = kept(ann, sampled(AROUND, samples_from="pyperf JSON"))
    attesting.edit(attestation=made, actor=actor_of(ann), statement=sampled(AROUND), now=NOW + MINUTE)
    assert made.versions.count() == 1


def test_samples_that_an_edit_leaves_alone_keep_how_they_were_read(ann: Any) -> None:
    made = kept(ann, sampled(AROUND, samples_from="pyperf JSON"))
    attesting.edit(attestation=made, actor=actor_of(ann), statement=sampled(AROUND, text="More."), now=NOW + MINUTE)
    assert newest(made).samples_from == "pyperf JSON"


@pytest.mark.parametrize(
    ("after", "is_possible"),
    [(timedelta(), True), (timedelta(hours=1), True), (timedelta(hours=1, seconds=1), False)],
)
def test_an_hour_is_the_time_for_edits(ann: Any, after: timedelta, is_possible: bool) -> None:
    made = kept(ann)
    fields = {"attestation": made, "actor": actor_of(ann), "statement": statement(text="More."), "now": NOW + after}
    if is_possible:
        assert attesting.edit(**fields).version == 2
    else:
        assert str(refused(attesting.edit, **fields)) == "The hour for edits is over. Withdraw it and add another."


def test_an_edit_does_not_begin_the_hour_anew(ann: Any) -> None:
    made = kept(ann)
    fields = {"attestation": made, "actor": actor_of(ann)}
    attesting.edit(**fields, statement=statement(text="1"), now=NOW + 50 * MINUTE)
    refused(attesting.edit, **fields, statement=statement(text="2"), now=NOW + 61 * MINUTE)


def test_wordings_are_bounded(ann: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attesting, "MOST_WORDINGS", 2)
    fields = {"attestation": kept(ann), "actor": actor_of(ann), "now": NOW}
    attesting.edit(**fields, statement=statement(text="1"))
    assert "This was edited 1 times" in str(refused(attesting.edit, **fields, statement=statement(text="2")))


def test_the_kind_stays(ann: Any) -> None:
    error = refused(attesting.edit, attestation=kept(ann), actor=actor_of(ann), statement=note(), now=NOW)
    assert error.field == "kind"


def test_what_was_withdrawn_or_hidden_is_not_edited(ann: Any) -> None:
    made, other = kept(ann), kept(ann, statement(kind="regression"))
    attesting.withdraw(attestation=made, actor=actor_of(ann), now=NOW)
    attesting.hide([other], reason="advertising", actor=STAFF, now=NOW)
    for attestation, words in ((made, "It was withdrawn"), (other, "It was hidden by a moderator")):
        said = statement(kind=attestation.kind, text="More.")
        assert words in str(
            refused(attesting.edit, attestation=attestation, actor=actor_of(ann), statement=said, now=NOW)
        )


@pytest.mark.parametrize("act", ["edit", "withdraw"])
def test_nobody_edits_or_withdraws_another_s(ann: Any, act: str) -> None:
    made, bob = kept(ann), member("bob")
    fields: dict[str, Any] = {"statement": statement(text="Not mine.")} if act == "edit" else {}
    with pytest.raises(Attestation.DoesNotExist):
        getattr(attesting, act)(attestation=made, actor=actor_of(bob), now=NOW, **fields)
    assert newest(made).text == "Same card and shapes, clocks not locked."


# --- withdrawing, hiding


def test_a_withdrawal_leaves_head_versions_and_a_mark(ann: Any) -> None:
    made = kept(ann)
    later = NOW + timedelta(days=400)
    attesting.withdraw(attestation=made, actor=actor_of(ann), now=later)
    made.refresh_from_db()
    assert (made.withdrawn_at, made.versions.count()) == (later, 1)
    [mark] = made.marks.all()
    assert (mark.kind, mark.at, mark.actor) == ("withdrawn", later, actor_of(ann))
    assert "You withdrew this on 2027-10-06." in str(
        refused(attesting.withdraw, attestation=made, actor=actor_of(ann), now=later)
    )


def test_hiding_and_showing_again_are_marks_with_reasons_and_audit_events(ann: Any) -> None:
    made = kept(ann)
    attesting.hide([made], reason="advertising", actor=STAFF, now=NOW)
    made.refresh_from_db()
    assert made.hidden_at == NOW
    attesting.unhide([made], reason="it was none", actor=OTHER_STAFF, now=NOW + MINUTE)
    made.refresh_from_db()
    assert made.hidden_at is None
    assert list(made.marks.values_list("kind", "reason", "actor")) == [
        ("hidden", "advertising", STAFF), ("unhidden", "it was none", OTHER_STAFF),
    ]  # fmt: skip
    events = AuditEvent.objects.filter(target=str(made.pk)).order_by("at")
    assert list(events.values_list("action", "reason", "actor")) == [
        ("attestation hidden", "advertising", STAFF), ("attestation unhidden", "it was none", OTHER_STAFF),
    ]  # fmt: skip


def test_hiding_is_all_or_nothing_and_states_a_reason(ann: Any) -> None:
    made, other = kept(ann), kept(ann, note())
    attesting.hide([made], reason="advertising", actor=STAFF, now=NOW)
    assert "hidden already" in str(refused(attesting.hide, [made, other], reason="x", actor=STAFF, now=NOW))
    assert "is not hidden" in str(refused(attesting.unhide, [other], reason="x", actor=STAFF, now=NOW))
    assert "State a reason" in str(refused(attesting.hide, [other], reason=" ", actor=STAFF, now=NOW))
    other.refresh_from_db()
    assert other.hidden_at is None


def test_no_act_writes_into_the_registry_but_audit_events(ann: Any) -> None:
    before = everything()
    made = kept(ann, sampled(AROUND))
    attesting.edit(attestation=made, actor=actor_of(ann), statement=statement(value="300"), now=NOW)
    attesting.hide([made], reason="x", actor=STAFF, now=NOW)
    attesting.withdraw(attestation=made, actor=actor_of(ann), now=NOW)
    after = everything()
    assert len(after.pop("registry.AuditEvent")) == len(before.pop("registry.AuditEvent")) + 1
    assert after == before


@pytest.mark.parametrize("model", [AttestationVersion, AttestationMark])
def test_versions_and_marks_are_never_changed(ann: Any, model: Any) -> None:
    made = kept(ann)
    attesting.withdraw(attestation=made, actor=actor_of(ann), now=NOW)
    for change in (lambda: model.objects.update(at=NOW + MINUTE), lambda: model.objects.all().delete()):
        with pytest.raises(DatabaseError, match="only ever inserted"), transaction.atomic():
            change()
