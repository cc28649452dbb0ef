"""The form in every state, the draft kept over sign-in, the page of one attestation, and what the run's page says."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from attestations import attesting, limits
from attestations.models import Attestation, AttestationVersion
from attestations.profiles import actor_of
from attestations.views import attestations as views
from attestations.views import drafts
from registry import corrections
from registry.models import Run
from tests.attestations.people import crowd, kept, note, posted, sampled, statement
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import LIGER, OTHER_STAFF, SOL, STAFF, attestation, lacks, queries_of, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
RUN = f"/runs/{LIGER}/"
FORM = f"/runs/{LIGER}/attest/"
MINUTE = timedelta(minutes=1)
AROUND = [126.1, 126.2, 126.5, 127.0, 126.0, 125.9, 126.9]
WORDS = "Same card and shapes, clocks not locked."


@pytest.fixture
def ann(db: None) -> Any:
    return member("ann")


@pytest.fixture
def hers(ann: Any) -> Client:
    return signed_in(ann)


def errors(response: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = response.context["form"].errors
    return dict(found)


# --- the form


def test_a_reader_is_asked_to_sign_in_and_led_back_to_the_form(client: Client) -> None:
    body = client.get(RUN).content.decode()
    assert (
        f'<a href="/accounts/login/?next={FORM.replace(":", "%3A")}">Sign in</a> to add a reproduction or note' in body
    )
    assert "csrfmiddlewaretoken" not in body.partition('id="replications"')[2].partition('id="manifest"')[0]


def test_a_member_has_the_form_in_the_run_s_page_and_on_one_of_its_own(hers: Client) -> None:
    for path in (RUN, FORM):
        body = hers.get(path).content.decode()
        assert f'<form class="form" method="post" action="{FORM}" enctype="multipart/form-data" novalidate>' in body
    assert lacks(
        hers.get(FORM), "What happened", "reproduced", "could not reproduce", "environment note", "regression observed",
        "What you did and saw", "Measured value", "Or your samples", "Or a file of samples", "the outputs were wrong",
        "the published code, workload and protocol", "this is my work", "the environment of this run", "CUDA toolkit",
        "Evidence link", "Add to this run", "Preview",
        "You can edit for an hour and withdraw at any time; both leave a trace.",
    ) == []  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"is_verified": False}, "Confirm your e-mail address"), ({"handle": None}, "Choose a public")],
)
def test_who_lacks_a_step_is_told_which(fields: dict[str, Any], words: str) -> None:
    client = signed_in(member("ann", **fields))
    assert words in shown(client.get(RUN))
    response = client.post(FORM, posted())
    assert response.status_code == 302
    assert Attestation.objects.count() == 0
    assert client.session[drafts.KEY][LIGER]["text"] == "Same card and shapes."


def test_a_form_that_is_sent_leads_to_what_it_added(hers: Client, ann: Any) -> None:
    response = hers.post(FORM, posted())
    [made] = Attestation.objects.all()
    assert (response.status_code, response["Location"]) == (302, f"{RUN}#attestation-{made.pk}")
    assert (made.actor, made.kind, made.version) == (actor_of(ann), "reproduced", 1)
    page = hers.get(RUN)
    assert f'id="attestation-{made.pk}"' in page.content.decode()
    assert lacks(page, "Value 127.4 µs, no samples: agrees with the claim.", "1 comparable: 1 agrees") == []


def test_pasted_samples_give_n_median_and_interval(hers: Client) -> None:
    hers.post(FORM, posted(value="", samples="\n".join(map(str, AROUND))))
    assert lacks(
        hers.get(RUN), "Value 126.2 µs, median of 7 samples: agrees with the claim.",
        "95 % interval of the median by order statistics: 125.9 – 127.0 µs.", "samples, 7",
    ) == []  # fmt: skip


def test_a_file_of_pytest_benchmark_is_read_in_its_own_unit(hers: Client) -> None:
    data = {
        "machine_info": {}, "commit_info": {}, "datetime": "2026-09-01T00:00:00", "version": "5.1.0",
        "benchmarks": [{"name": "test_relu", "fullname": "t::test_relu", "stats": {"data": [v / 1e6 for v in AROUND]}}],
    }  # fmt: skip
    file = SimpleUploadedFile("results.json", json.dumps(data).encode())
    response = hers.post(FORM, posted(value="", unit="ns", file=file))
    assert response.status_code == 302, errors(response)
    row = AttestationVersion.objects.get()
    assert (row.unit, row.verdict, row.assessment["n"]) == ("s", "agrees", 7)
    assert "pytest-benchmark" in (row.samples_from or "")


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"kind": ""}, "kind", "required"),
        ({"kind": "praise"}, "kind", "not one of the available"),
        ({"text": " "}, "text", "required"),
        ({"text": "x" * 2001}, "text", "at most 2000 characters"),
        ({"value": "-4"}, "value", "Enter a number above 0, such as 126.3"),
        ({"value": "0"}, "value", "Enter a number above 0"),
        ({"value": "1e999"}, "value", "Enter a number above 0"),
        ({"value": "NaN"}, "value", "Enter a number above 0"),
        ({"unit": "mib"}, "unit", "not one of the available"),
        ({"samples": "1\n2"}, "samples", "You gave this and “measured value”: leave one of them empty."),
        ({"value": "", "samples": "1\ntwo"}, "samples", "line 2"),
        ({"value": "", "samples": "9" * 262_145}, "samples", "up to 256 KiB"),
        ({"setup": ""}, "setup", "Choose one"),
        ({"relation": ""}, "relation", "Choose one"),
        ({"relation": "friend"}, "relation", "not one of the available"),
        ({"place": "known"}, "environment", "Choose an environment, or enter its digest."),
        ({"place": "known", "environment_digest": "sha256:12"}, "environment_digest", "64 hex digits"),
        ({"place": "known", "environment_digest": "sha256:" + "0" * 64}, "environment_digest", "No environment here"),
        ({"place": "known", "environment": "sha256:" + "0" * 64}, "environment", "not one of the available"),
        ({"place": "run", "gpu": "NVIDIA H100"}, "gpu", "Empty this, or choose “one that I describe”"),
        (
            {"place": "written", "environment_digest": "sha256:" + "0" * 64}, "environment_digest",
            "Empty this, or choose",
        ),
        ({"place": "written"}, "gpu", "Name the GPU"),
        ({"evidence_url": "http://example.org/x"}, "evidence_url", "Use an https address"),
        ({"evidence_url": "javascript:alert(1)"}, "evidence_url", "Use an https address"),
        ({"evidence_url": "https://me:pw@example.org/"}, "evidence_url", "without a user name"),
        ({"evidence_url": "https://localhost/"}, "evidence_url", "Use an https address"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_kept(
    hers: Client, fields: dict[str, str], field: str, words: str
) -> None:
    response = hers.post(FORM, posted(**fields))
    assert response.status_code == 400
    assert words in " ".join(errors(response)[field])
    assert Attestation.objects.count() == 0
    body = response.content.decode()
    assert f'id="attest_{field}_error"' in body
    assert f'<a href="#attest_{field}">' in body
    assert "data-error-summary" in body


def test_an_error_stands_at_its_field_for_a_screen_reader_too(hers: Client) -> None:
    body = hers.post(FORM, posted(value="-4", text=WORDS)).content.decode()
    field = body.partition('id="attest_value"')[0].rpartition("<input")[2] + body.partition('id="attest_value"')[2][:60]
    assert 'aria-invalid="true"' in field + body.partition('<input type="text" name="value"')[2][:200]
    assert 'aria-describedby="attest_value_error"' in body
    assert WORDS in body


def test_a_file_past_its_limit_is_refused_before_it_is_read(hers: Client) -> None:
    file = SimpleUploadedFile("big.csv", b"1\n" * (2 * 2**20 + 1))
    response = hers.post(FORM, posted(value="", file=file))
    assert "The file has more than 4 MiB." in errors(response)["file"][0]


def test_a_filled_place_that_nobody_chose_is_the_one_that_is_meant(hers: Client) -> None:
    hers.post(FORM, posted(place="", gpu="NVIDIA H100 80GB HBM3", driver="580.65", framework="torch 2.11"))
    row = AttestationVersion.objects.get()
    assert (row.hardware.slug if row.hardware else None, row.environment, row.verdict) == (
        "nvidia-h100-80gb-hbm3", None, "agrees",
    )  # fmt: skip
    assert row.software == {"driver": "580.65", "torch": "2.11"}


def test_a_preview_shows_what_would_be_shown_and_keeps_nothing(hers: Client) -> None:
    response = hers.post(FORM, posted(action="preview", text=WORDS))
    assert response.status_code == 200
    assert Attestation.objects.count() == 0
    [entry] = response.context["entries"]
    assert lacks(response, "Preview", "Nothing was stored.", "Value 127.4 µs, no samples: agrees", WORDS, "ann") == []
    hers.post(FORM, posted(text=WORDS))
    [made] = hers.get(f"/api/v1{RUN}").json()["community"]["testimony"]["entries"]
    assert (made["result"]["verdict_text"], made["text"]) == (entry.result.verdict_text, entry.text)


def test_the_protected_fields_of_the_tables_are_not_taken_from_a_form(hers: Client, ann: Any) -> None:
    stranger = member("bob")
    protected = {
        "id": "01a0352b-0000-7000-8000-000000000001", "actor": str(actor_of(stranger)), "at": "2020-01-01",
        "version": "7", "number": "7", "withdrawn_at": "2020-01-01", "hidden_at": "2020-01-01", "digest": "sha256:0",
        "verdict": "agrees", "is_comparable": "on", "assessment": "{}", "run": SOL, "attestation": "x",
        "created_at": "1", "hardware": "1", "software": "{}", "environment_text": "x",
        "samples_from": "x", "evidence_level": "verified",
        "is_staff": "on", "owner": "1", "handle": "root",
    }  # fmt: skip
    hers.post(FORM, posted(value="300", **protected))
    made = Attestation.objects.get()
    row = made.versions.get()
    assert (made.actor, made.version, made.withdrawn_at, made.hidden_at) == (actor_of(ann), 1, None, None)
    assert (made.run.digest, row.number, row.verdict, row.environment_text) == (LIGER, 1, "slower", None)
    assert timezone.now() - made.at < timedelta(hours=1)
    ann.refresh_from_db()
    assert (ann.is_staff, ann.profile.handle) == (False, "ann")


def test_a_second_of_a_kind_and_one_past_the_day_s_most_are_told_why(
    hers: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    hers.post(FORM, posted())
    response = hers.post(FORM, posted(text="Else."))
    assert "You have added “reproduced” to this run already." in errors(response)["kind"][0]
    monkeypatch.setattr(attesting, "MOST_A_DAY", 1)
    response = hers.post(FORM, posted(kind="regression", text="Third."))
    assert "You can add more from" in errors(response)["__all__"][0]
    assert "Third." in response.content.decode()


def test_a_run_without_a_measurement_takes_notes_only(hers: Client) -> None:
    run = Run.objects.filter(group__metric=None).first()
    if run is None:
        pytest.skip("the demo has none")
    assert "Measured value" not in shown(hers.get(f"/runs/{run.digest}/attest/"))


def test_a_redacted_run_has_no_form_and_its_attestations_are_gone(hers: Client) -> None:
    made = attestation()
    run = Run.objects.get(digest=LIGER)
    asked = corrections.request_redaction(run, reason_class="legal", reason="a court", actor=STAFF, now=NOW)
    corrections.approve_redaction(asked, citation="It said so.", actor=OTHER_STAFF, now=NOW)
    for path in (
        FORM, f"{RUN}attestations/", f"/attestations/{made.pk}/", f"/attestations/{made.pk}/samples.csv",
        f"/api/v1/attestations/{made.pk}/", f"/api/v1{RUN}attestations/",
    ):  # fmt: skip
        assert hers.get(path).status_code == 404, path


def test_pages_with_forms_are_kept_by_nobody(hers: Client) -> None:
    hers.post(FORM, posted())
    own = f"/attestations/{Attestation.objects.get().pk}/"
    for path in (FORM, f"{own}edit/", f"{own}withdraw/"):
        assert "no-store" in hers.get(path)["Cache-Control"], path
        assert "private" in hers.get(path)["Cache-Control"], path


# --- the draft over sign-in


def test_what_a_stranger_sends_is_kept_until_they_are_signed_in(client: Client, ann: Any) -> None:
    assert "You are not signed in." in shown(client.get(FORM))
    file = SimpleUploadedFile("samples.txt", b"1\n2\n")
    response = client.post(FORM, posted(text=WORDS, kind="regression", file=file))
    assert (response.status_code, response["Location"]) == (302, f"/accounts/login/?next={quote(FORM, safe='')}")
    assert Attestation.objects.count() == 0
    signed_in(ann, client=client)
    page = client.get(FORM)
    assert WORDS in page.content.decode()
    assert page.context["form"]["kind"].value() == "regression"
    assert page.context["form"]["value"].value() == "127.4"
    assert WORDS in client.get(RUN).content.decode()
    client.post(FORM, posted(text=WORDS, kind="regression"))
    assert client.session[drafts.KEY] == {}
    assert WORDS not in client.get(FORM).content.decode()


def test_a_draft_is_bounded_and_says_what_it_lost(client: Client) -> None:
    client.post(FORM, posted(text=WORDS, samples="1\n" * 40_000))
    assert client.session[drafts.KEY][LIGER].get("samples") is None
    assert client.session[drafts.KEY][LIGER]["text"] == WORDS
    for run in Run.objects.order_by("digest")[:5]:
        client.post(f"/runs/{run.digest}/attest/", posted(text="y" * 200_000))
    held = client.session[drafts.KEY]
    assert len(held) == drafts.MOST
    assert len(json.dumps(held)) < drafts.MOST * drafts.LONGEST


def test_drafts_of_strangers_are_few_from_one_address(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "DRAFTS", limits.Limit("drafts of a test", 1, timedelta(hours=1)))
    client.post(FORM, posted(text="First."))
    other = Client()
    other.post(FORM, posted(text="Second."))
    assert client.session[drafts.KEY][LIGER]["text"] == "First."
    assert drafts.KEY not in other.session


def test_a_draft_is_of_one_session(client: Client) -> None:
    client.post(FORM, posted(text="Mine alone."))
    assert "Mine alone." not in Client().get(FORM).content.decode()


# --- edit, withdraw: one's own only


def test_an_author_edits_within_the_hour_and_the_earlier_wording_is_linked(hers: Client) -> None:
    hers.post(FORM, posted(text=WORDS))
    own = f"/attestations/{Attestation.objects.get().pk}/"
    page = hers.get(f"{own}edit/")
    assert WORDS in page.content.decode()
    assert page.context["form"]["place"].value() == "run"
    response = hers.post(f"{own}edit/", posted(kind=None, text="Three runs.", value="141.0"))
    assert (response.status_code, response["Location"]) == (302, own)
    assert lacks(hers.get(own), "Newest wording", "Three runs.", "Earlier wording", WORDS, "edited: wording 2") == []
    assert lacks(hers.get(RUN), ", edited", "earlier wording", "Value 141.0 µs, no samples: slower") == []
    assert WORDS not in shown(hers.get(RUN))


@pytest.mark.parametrize(
    ("said", "filled"),
    [
        (statement(value=None, samples=(), unit=None, place="", setup="", relation=""), {"place": None, "value": ""}),
        (sampled(AROUND), {"samples": "126.1\n126.2\n126.5\n127\n126\n125.9\n126.9", "unit": "us", "place": "run"}),
        (
            statement(
                place="written", gpu="NVIDIA H100 80GB HBM3", other="clocks locked",
                software=(("driver", "580.65"), ("CUDA toolkit", "13.0"), ("torch", "2.11")),
            ),
            {"gpu": "NVIDIA H100 80GB HBM3", "driver": "580.65", "toolkit": "13.0", "framework": "torch 2.11",
             "other": "clocks locked", "place": "written"},
        ),
    ],
)  # fmt: skip
def test_the_form_of_an_edit_has_what_was_said_and_sent_back_changes_nothing(
    hers: Client, ann: Any, said: Any, filled: dict[str, Any]
) -> None:
    made = kept(ann, said, now=timezone.now())
    form = hers.get(f"/attestations/{made.pk}/edit/").context["form"]
    assert {name: form[name].value() for name in filled} == filled
    values = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    hers.post(f"/attestations/{made.pk}/edit/", values)
    assert made.versions.count() == 1


def test_after_the_hour_an_edit_is_refused_in_words(hers: Client, ann: Any) -> None:
    made = kept(ann)
    for response in (hers.get(f"/attestations/{made.pk}/edit/"), hers.post(f"/attestations/{made.pk}/edit/", posted())):
        assert (response.status_code, response["Location"]) == (302, f"/attestations/{made.pk}/")
    assert made.versions.count() == 1
    assert "The hour for edits is over." in shown(hers.get(f"/attestations/{made.pk}/"))


def test_an_author_withdraws_after_being_asked(hers: Client, ann: Any) -> None:
    made = kept(ann, statement(text=WORDS, evidence_url="https://example.org/x"))
    own = f"/attestations/{made.pk}/"
    assert (
        lacks(hers.get(f"{own}withdraw/"), "Withdraw what you added?", "The kind, your public name and the dates") == []
    )
    made.refresh_from_db()
    assert made.withdrawn_at is None
    assert hers.post(f"{own}withdraw/")["Location"] == own
    for path in (own, RUN, f"{RUN}attestations/"):
        page = hers.get(path)
        assert "Withdrawn by its author. The kind and dates stay on record." in shown(page)
        assert WORDS not in page.content.decode()
        assert "example.org/x" not in page.content.decode()
    assert hers.get(f"{own}samples.csv").status_code == 404


@pytest.mark.parametrize("act", ["edit", "withdraw"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_another_s_is_not_found(hers: Client, act: str, method: str) -> None:
    made = kept(member("bob"), now=timezone.now())
    response = getattr(hers, method)(f"/attestations/{made.pk}/{act}/", posted() if method == "post" else {})
    assert response.status_code == 404
    made.refresh_from_db()
    assert (made.version, made.withdrawn_at) == (1, None)


@pytest.mark.parametrize("act", ["edit", "withdraw"])
def test_a_stranger_is_led_to_sign_in(client: Client, act: str) -> None:
    made = kept(member("bob"))
    response = client.post(f"/attestations/{made.pk}/{act}/")
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")


def test_an_edit_is_offered_within_the_hour_only(hers: Client, ann: Any) -> None:
    made = kept(ann)
    body = hers.get(RUN).content.decode()
    assert f'href="/attestations/{made.pk}/edit/"' not in body
    assert f'href="/attestations/{made.pk}/withdraw/"' in body


def test_edit_and_withdraw_are_offered_to_the_author_alone(hers: Client, ann: Any, client: Client) -> None:
    made = kept(ann, now=timezone.now())
    links = (f'href="/attestations/{made.pk}/edit/"', f'href="/attestations/{made.pk}/withdraw/"')
    other = signed_in(member("bob"))
    assert all(link in hers.get(RUN).content.decode() for link in links)
    assert not any(link in reader.get(RUN).content.decode() for link in links for reader in (client, other))
    assert 'href="withdraw/"' in hers.get(f"/attestations/{made.pk}/").content.decode()
    assert 'href="withdraw/"' not in other.get(f"/attestations/{made.pk}/").content.decode()


# --- what the run's page says


def test_a_slower_comparable_result_is_said_beside_the_number_with_both_values(client: Client, ann: Any) -> None:
    kept(ann, sampled([141.0, 140.9, 141.1] * 3, kind="not_reproduced"))
    text = shown(client.get(RUN)).partition("Rank 2")[0]
    said = "ann measured 141.0 µs, median of 9, in the same environment; the claim is 126.3 µs."
    assert f"Contested : {said}" in text
    assert client.get(f"/api/v1{RUN}").json()["community"]["testimony"]["contest"]["text"] == said


def test_several_results_against_the_claim_are_counted_and_the_newest_is_told(client: Client, ann: Any) -> None:
    kept(ann, statement(value="141.0", place="written", gpu="NVIDIA H100 80GB HBM3"))
    kept(member("bob"), statement(value="127", is_incorrect=True), now=NOW + MINUTE)
    text = shown(client.get(RUN))
    assert (
        "Contested : bob got wrong outputs (127.0 µs, no samples), in the same environment; the claim is 126.3 µs. "
        "The newest of 1 comparable result slower and 1 comparable result incorrect."
    ) in text


@pytest.mark.parametrize(
    "said",
    [
        statement(value="127"), statement(value="100"), note(), statement(value="141", setup="other"),
        statement(value="141", place=""), statement(value="141", place="written", gpu="NVIDIA B200"),
    ],
)  # fmt: skip
def test_what_agrees_is_faster_or_not_comparable_contests_nothing(client: Client, ann: Any, said: Any) -> None:
    kept(ann, said)
    assert "Contested" not in shown(client.get(RUN))


def test_what_is_withdrawn_or_hidden_contests_nothing(client: Client, ann: Any) -> None:
    made, other = kept(ann, statement(value="141")), kept(ann, statement(kind="regression", value="142"))
    attesting.withdraw(attestation=made, actor=actor_of(ann), now=NOW)
    attesting.hide([other], reason="advertising", actor=STAFF, now=NOW)
    page = client.get(RUN)
    assert (
        lacks(page, "none comparable; 1 withdrawn; 1 hidden.", "Hidden by a moderator on 2026-09-01: advertising") == []
    )
    assert "Contested" not in shown(page)


def test_hidden_words_are_nowhere(client: Client, ann: Any) -> None:
    made = kept(ann, sampled(AROUND, text="Buy cheap GPUs.", evidence_url="https://example.org/spam"))
    attesting.edit(attestation=made, actor=actor_of(ann), statement=sampled(AROUND, text="Buy GPUs."), now=NOW)
    attesting.hide([made], reason="advertising", actor=STAFF, now=NOW)
    own = f"/attestations/{made.pk}/"
    for path in (RUN, own, f"{RUN}attestations/", f"/api/v1{RUN}", f"/api/v1{own}", f"/api/v1{RUN}attestations/"):
        body = client.get(path).content.decode()
        assert "GPUs." not in body, path
        assert "example.org/spam" not in body, path
    assert client.get(f"{own}samples.csv").status_code == 404
    attesting.unhide([made], reason="it was none", actor=STAFF, now=NOW)
    assert "Buy GPUs." in shown(client.get(RUN))
    assert client.get(f"{own}samples.csv").status_code == 200


def test_the_summary_counts_comparable_ones_and_says_the_rest(client: Client) -> None:
    for number, said in enumerate(
        (statement(), statement(value="128"), statement(value="141"), statement(setup="other"), note())
    ):
        kept(member(f"m{number}"), said)
    assert "3 comparable: 2 agree, 1 slower; 1 under other setups; 1 without a measurement." in shown(client.get(RUN))


def test_the_newest_stands_first_whatever_it_says(client: Client) -> None:
    made = crowd(6)
    body = client.get(RUN).content.decode()
    places = [body.index(f"attestation-{row.pk}") for row in made]
    assert places == sorted(places, reverse=True)


def test_past_twenty_the_rest_stands_on_a_page_of_its_own(client: Client) -> None:
    made = crowd(23)
    body = client.get(RUN).content.decode()
    assert body.count('id="attestation-') == 20
    assert f'<a href="{RUN}attestations/">All 23: 3 more</a>' in body
    assert client.get(f"{RUN}attestations/").content.decode().count('id="attestation-') == 23
    assert made[0].pk != made[-1].pk


def test_the_run_s_page_takes_as_many_queries_with_1_attestation_as_with_20(client: Client) -> None:
    kept(member("first"), statement(kind="not_reproduced", value="141.0"))
    few = queries_of(client, RUN)
    crowd(20)
    assert queries_of(client, RUN) == few
    everything = f"{RUN}attestations/"
    many = queries_of(client, everything)
    crowd_of_one = f"/runs/{SOL}/attestations/"
    kept(member("last"), statement(value="209.8"), run=SOL)
    assert queries_of(client, crowd_of_one) == many


def test_an_own_run_and_its_class_are_labelled(client: Client, ann: Any) -> None:
    kept(ann, statement(relation="own"))
    kept(member("bob"))
    body = client.get(RUN).content.decode()
    assert body.count('<span class="tag">own run</span>') == 1
    assert lacks(
        client.get(RUN),
        "ACM: repeatability . Same team, same setup: the authors measure their own work again in the same way.",
        "ACM: reproducibility . Different team, same setup: others measure with what the authors published.",
    ) == []  # fmt: skip


def test_the_drawing_says_what_it_shows(client: Client, ann: Any) -> None:
    kept(ann, sampled([141.0, 140.9, 141.1] * 3))
    body = client.get(RUN).content.decode()
    label = (
        "measured 141.0 µs, 95 % interval of the median by order statistics 140.9 – 141.1 µs; claim 126.3 µs; slower"
    )
    assert f'role="img" aria-label="{label}"' in body
    assert "claim 126.3 µs and the band of the verdict, 5 % on each side" in shown(client.get(RUN))


def test_a_value_under_another_setup_is_not_drawn_against_the_claim(client: Client, ann: Any) -> None:
    kept(ann, statement(setup="other"))
    assert "bar-allowed" not in client.get(RUN).content.decode()


def test_words_of_strangers_are_text_and_their_links_are_nobody_s_recommendation(client: Client, ann: Any) -> None:
    kept(
        ann, statement(text='<img src=x onerror=alert(1)>\n"\u202ehidden', evidence_url="https://example.org/?a=1&b=2")
    )
    body = client.get(RUN).content.decode()
    assert "&lt;img src=x onerror=alert(1)&gt;" in body
    assert "<img" not in body
    assert "\u202e" not in body
    assert '<a href="https://example.org/?a=1&amp;b=2" rel="nofollow ugc noopener">evidence link</a>' in body


def test_the_name_of_a_deleted_account_is_gone(client: Client, ann: Any) -> None:
    kept(ann)
    ann.delete()
    text = shown(client.get(RUN))
    assert "deleted user" in text
    assert "ann " not in text.partition("Replications and notes")[2].partition("Canonical")[0]


def test_samples_come_as_a_file_of_numbers(client: Client, ann: Any) -> None:
    made = kept(ann, sampled(AROUND))
    response = client.get(f"/attestations/{made.pk}/samples.csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="attestation-{made.pk}.csv"'
    assert response.content.decode().split() == ["value_us", "126.1", "126.2", "126.5", "127", "126", "125.9", "126.9"]
    assert client.get(f"/attestations/{kept(member('bob')).pk}/samples.csv").status_code == 404


def test_reading_makes_no_row(hers: Client, client: Client) -> None:
    made = kept(member("bob"))
    reader = member("new", handle=None)
    reader.profile.delete()
    visitor = signed_in(reader)
    for path in (FORM, f"{RUN}attestations/", f"/attestations/{made.pk}/"):
        visitor.get(path)
    assert not hasattr(type(reader).objects.get(pk=reader.pk), "profile")
