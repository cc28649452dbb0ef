"""News: derived from rows, an act a line, in as many queries for three hundred things as for one."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from attestations.models import (
    Attestation,
    AttestationVersion,
    AuthorNote,
    Claim,
    Report,
    Thing,
)
from attestations.profiles import actor_of
from attestations.queries.news import SETTLE, NewsLine, Span, horizon, news
from registry import bulk, corrections, incidents
from registry.auditing import new_id
from registry.models import ComparisonGroup, EvidenceFact, Project, Run
from tests.conftest import NOW
from tests.factories import (
    bundle,
    changed,
    entries_of,
    implementation_document,
    ingest_bundle,
    ingest_entries,
    project_document,
    run_entry,
)
from tests.people import member
from tests.registry.pages import LIGER, LIGER_KEY, OPERATION, SOL, STAFF, publish_group, recorded_sync, timed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
HOUR = timedelta(hours=1)
LATER = NOW + HOUR
REASON = "The clock was not locked."


def span(thing: str, target: str, since: datetime = NOW, until: datetime = NOW + 99 * HOUR) -> Span:
    return Span(thing, target, since, until)


def lines(thing: str, target: str, since: datetime = NOW, until: datetime = NOW + 99 * HOUR) -> tuple[NewsLine, ...]:
    asked = span(thing, target, since, until)
    return news([asked]).get(asked.key, ())


def texts(*asked: Any, **options: Any) -> list[str]:
    return [line.text for line in lines(*asked, **options)]


def run(digest: str = LIGER) -> Run:
    return Run.objects.get(digest=digest)


def acme_key() -> str:
    return Run.objects.filter(implementation__project__slug="acme").order_by("created_at")[0].group.key


def flag(*runs: Run, at: datetime = LATER) -> None:
    corrections.flag(runs, rule="IMPLAUSIBLE", reason=REASON, actor=STAFF, now=at)


@pytest.mark.parametrize(
    ("thing", "target", "text"),
    [
        (Thing.SOURCE, "liger-kernel-bench", "48 new runs, imported 2026-09-01; 4 took the lead"),
        (Thing.OPERATION, OPERATION, "48 new runs of Liger-Kernel benchmarks, imported 2026-09-01; 4 took the lead"),
        (Thing.PROJECT, "liger-kernel", "24 new runs of Liger-Kernel benchmarks, imported 2026-09-01"),
    ],
)
def test_an_import_is_one_line_for_each_thing(thing: str, target: str, text: str) -> None:
    assert texts(thing, target, since=NOW - HOUR) == [text]


def test_up_to_three_new_runs_are_named() -> None:
    [line] = lines(Thing.GROUP, LIGER_KEY, since=NOW - HOUR)
    assert (line.count, len(line.runs)) == (2, 2)
    assert {named.url for named in line.runs} == {
        f"/runs/{digest}/" for digest in Run.objects.filter(group__key=LIGER_KEY).values_list("digest", flat=True)
    }
    assert all(named.value and named.about and named.name for named in line.runs)


def later_runs(*medians: int, at: datetime = LATER) -> None:
    """Runs of other implementations in the group of publish_group, observed and imported later."""
    made = [implementation_document(f"later-{median}", projectRevision__version=f"9.{median}") for median in medians]
    project = project_document("other", name="Other Kernels")
    ingest_bundle(
        bundle(
            projects=[project],
            runs=[
                timed(median, implementation=of, observedAt="2026-07-02T00:00:00Z")
                for median, of in zip(medians, made, strict=True)
            ],
            implementations=[{"projectSlug": "other", "manifest": of} for of in made],
        ),
        now=at,
    )


def test_of_many_new_runs_those_are_named_that_took_a_lead_if_they_are_few() -> None:
    publish_group(3)
    later_runs(5000, 5001, 5002, 100)
    [line] = lines(Thing.GROUP, acme_key())
    assert line.text == "4 new runs of Community, imported 2026-09-01; 1 took the lead"
    assert [named.value.value for named in line.runs if named.value] == [100.0]


def test_imports_of_one_day_are_one_line_and_of_two_days_two() -> None:
    for number, at in enumerate((NOW, NOW + HOUR, NOW + 24 * HOUR)):
        of = implementation_document(f"acme-{number}", projectRevision__version=f"{number}")
        ingest_bundle(
            bundle(
                runs=[timed(1000 + number, implementation=of)],
                implementations=[{"projectSlug": "acme", "manifest": of}],
            ),
            now=at,
        )
    assert [line.count for line in lines(Thing.PROJECT, "acme", since=NOW - HOUR)] == [1, 2]
    assert [line.count for line in lines(Thing.PROJECT, "acme", since=NOW)] == [1, 1]
    first, second = lines(Thing.PROJECT, "acme", since=NOW - HOUR)
    assert first.id != second.id
    assert second.at == NOW + HOUR


def test_what_lies_outside_the_span_is_no_news() -> None:
    assert lines(Thing.OPERATION, OPERATION, since=NOW) == ()
    assert lines(Thing.OPERATION, OPERATION, since=NOW - 2 * HOUR, until=NOW - HOUR) == ()


def test_each_thing_has_its_own_span() -> None:
    early, late = span(Thing.OPERATION, OPERATION, since=NOW - HOUR), span(Thing.SOURCE, "liger-kernel-bench", NOW)
    other = span(Thing.GROUP, LIGER_KEY, since=NOW - HOUR)
    assert set(news([early, late, other])) == {early.key, other.key}
    flag(run())
    found = news([span(Thing.GROUP, LIGER_KEY, since=LATER), span(Thing.GROUP, run(SOL).group.key, since=NOW)])
    assert found == {}


@pytest.mark.parametrize(
    ("thing", "target"),
    [(Thing.GROUP, LIGER_KEY), (Thing.OPERATION, OPERATION), (Thing.SOURCE, "liger-kernel-bench")],
)
def test_a_mark_is_told_to_who_follows_what_the_run_belongs_to(thing: str, target: str) -> None:
    flag(run())
    [line] = lines(thing, target)
    assert (line.text, line.detail) == ("1 run flagged IMPLAUSIBLE by KernelIndex staff", REASON)
    assert [named.url for named in line.runs] == [f"/runs/{LIGER}/"]


def test_a_mark_is_told_to_who_follows_the_run() -> None:
    corrections.withdraw([run()], reason=REASON, actor=STAFF, now=LATER)
    [line] = lines(Thing.RUN, LIGER)
    assert (line.kind, line.text, line.detail, line.runs) == ("withdrawn", "Withdrawn by KernelIndex staff", REASON, ())


def test_a_superseded_run_names_the_one_that_replaces_it() -> None:
    other = Run.objects.filter(operation__slug=OPERATION).exclude(digest=LIGER).order_by("digest")[0]
    corrections.supersede(run(), successor=other, reason=REASON, actor=STAFF, now=LATER)
    [line] = lines(Thing.RUN, LIGER)
    assert line.link
    assert line.link.url == f"/runs/{other.digest}/"


def test_a_clearing_says_of_what() -> None:
    [mark] = corrections.withdraw([run()], reason=REASON, actor=STAFF, now=LATER)
    corrections.clear([mark], reason="Wrong run.", actor=STAFF, now=LATER + HOUR)
    assert texts(Thing.RUN, LIGER) == [
        "Cleared of its mark “withdrawn” by KernelIndex staff",
        "Withdrawn by KernelIndex staff",
    ]


def test_one_act_on_many_runs_is_one_line() -> None:
    flag(*Run.objects.filter(operation__slug=OPERATION))
    [line] = lines(Thing.OPERATION, OPERATION)
    assert (line.count, line.text, line.runs) == (48, "48 runs flagged IMPLAUSIBLE by KernelIndex staff", ())


def test_an_incident_is_one_line_and_its_reversal_another() -> None:
    incident = incidents.publish(
        title="Clocks", text="Not locked.", evidence_url="", criteria={"sources": ["liger-kernel-bench"]},
        effect="unrank", reason=REASON, actor=STAFF, now=LATER,
    )  # fmt: skip
    incidents.reverse(incident, reason="They were.", actor=STAFF, now=LATER + HOUR)
    after, before = lines(Thing.OPERATION, OPERATION)
    assert before.text == "48 runs flagged by the incident “Clocks”"
    assert after.text == "48 runs cleared of their marks “flagged” as the incident “Clocks” was reversed"
    assert {line.link.url for line in (before, after) if line.link} == {"/incidents/clocks/"}


def test_an_incident_that_only_notes_flags_nothing() -> None:
    incidents.publish(
        title="Clocks", text="Locked.", evidence_url="", criteria={"operations": [OPERATION]}, effect="note",
        reason=REASON, actor=STAFF, now=LATER,
    )  # fmt: skip
    assert [(line.kind, line.text) for line in lines(Thing.RUN, LIGER)] == [("noted", "Noted by the incident “Clocks”")]


def test_a_mark_that_a_run_came_in_with_is_part_of_it_and_no_news() -> None:
    entry = changed(run_entry(), run__spec__timing__latencyNs={"median": 1000, "p05": 2000})
    ingest_entries(entries_of(bundle(runs=[entry])))
    kinds = [line.kind for line in lines(Thing.PROJECT, "acme", since=NOW - HOUR)]
    assert (Run.objects.get(implementation__project__slug="acme").marks.count(), kinds) == (1, ["runs"])


def attest(*, at: datetime = LATER, verdict: str | None = None, name: str = "ada", **columns: Any) -> Attestation:
    made = Attestation.objects.create(
        id=new_id(at), run=run(), actor=actor_of(member(name)), kind="not_reproduced", at=at, **columns
    )
    AttestationVersion.objects.create(
        id=new_id(at), attestation=made, number=1, at=at, digest="sha256:" + "0" * 64, text="<script>",
        verdict=verdict, is_comparable=verdict is not None,
    )  # fmt: skip
    return made


def test_what_is_said_of_a_run_is_told_to_who_follows_the_run_only() -> None:
    attest(verdict="slower")
    assert texts(Thing.RUN, LIGER) == ["Could not reproduce, says ada: the measured value is slower"]
    assert texts(Thing.OPERATION, OPERATION) == []


def test_what_was_withdrawn_or_hidden_is_no_news() -> None:
    attest(withdrawn_at=LATER)
    attest(name="bea", hidden_at=LATER)
    assert texts(Thing.RUN, LIGER) == []


def test_reports_are_told_when_they_open_and_when_they_are_decided() -> None:
    first = Report.objects.create(
        id=new_id(LATER), run=run(), at=LATER, reason="licence", text="<script>", contact="x@example.org",
        state="resolved", closed_at=LATER + HOUR, outcome="flagged", public_note="Asked the author.",
    )  # fmt: skip
    Report.objects.create(id=new_id(LATER), run=run(), at=LATER, reason="licence", text="The same.", duplicate_of=first)
    decided, opened = lines(Thing.RUN, LIGER)
    assert (opened.text, opened.detail) == ("Report opened: licence", "")
    assert (decided.text, decided.detail) == ("Report resolved: licence; run flagged", "Asked the author.")
    assert texts(Thing.RUN, LIGER, since=LATER) == ["Report resolved: licence; run flagged"]


def note(number: int, text: str = "My words.", **columns: Any) -> AuthorNote:
    claim, _ = Claim.objects.get_or_create(
        project=Project.objects.get(slug="liger-kernel"), actor=uuid.UUID(int=7), method="staff", state="granted",
        defaults={"id": new_id(NOW), "at": NOW},
    )  # fmt: skip
    return AuthorNote.objects.create(
        id=new_id(LATER), claim=claim, run=run(), number=number, at=LATER + number * HOUR, text=text, **columns
    )


def test_the_newest_words_of_an_author_are_told() -> None:
    report = Report.objects.create(id=new_id(NOW), run=run(), at=NOW, reason="licence", text="x")
    note(1)
    note(2, report=report)
    note(3)
    assert [line.at for line in lines(Thing.RUN, LIGER)] == [LATER + 3 * HOUR, LATER + 2 * HOUR]
    assert texts(Thing.RUN, LIGER)[0] == "Author's note by Liger-Kernel"


def test_retracted_words_are_not() -> None:
    note(1)
    note(2, text="")
    assert texts(Thing.RUN, LIGER) == []


def test_a_rerun_is_told() -> None:
    EvidenceFact.objects.create(id=new_id(LATER), run=run(), kind="rerun", at=LATER, detail={"verdict": "slower"})
    assert texts(Thing.RUN, LIGER) == ["Rerun by KernelIndex: slower"]


def test_a_redacted_run_keeps_no_name() -> None:
    request = corrections.request_redaction(
        run().implementation, reason_class="legal", reason=REASON, actor=STAFF, now=NOW
    )
    flag(run())
    corrections.approve_redaction(request, citation="–", actor=uuid.UUID(int=2), now=LATER)
    [line] = lines(Thing.GROUP, LIGER_KEY)
    assert [named.name for named in line.runs] == ["redacted"]


def test_what_a_sync_at_work_may_still_add_to_is_not_past() -> None:
    assert horizon(LATER) == LATER - SETTLE
    recorded_sync("sol-execbench", state="running", requested_at=NOW, started_at=NOW + HOUR / 2)
    assert horizon(LATER) == NOW + HOUR / 2 - SETTLE


def test_a_sync_that_was_approved_is_at_work_from_then_on() -> None:
    recorded_sync("sol-execbench", state="publishing", started_at=NOW, decided_at=NOW + HOUR / 2)
    assert horizon(LATER) == NOW + HOUR / 2 - SETTLE


def queries(spans: list[Span]) -> int:
    with CaptureQueriesContext(connection) as captured:
        news(spans)
    return len(captured)


def test_three_hundred_things_take_as_many_queries_as_one() -> None:
    flag(run())
    everything = {
        Thing.GROUP: ComparisonGroup.objects.values_list("key", flat=True),
        Thing.RUN: Run.objects.values_list("digest", flat=True),
    }
    for thing, targets in everything.items():
        several = [span(thing, target, since=NOW - HOUR) for target in targets]
        one = [one for one in several if one.target in (LIGER_KEY, LIGER)]
        assert len(several) > 20
        assert queries(several) == queries(one)


@pytest.mark.parametrize(("count", "expected"), [(1, 7), (20, 6)])
def test_twenty_new_runs_take_no_more_queries_than_one(count: int, expected: int) -> None:
    publish_group(count)
    asked = [
        span(Thing.PROJECT, "acme", since=NOW - HOUR),
        span(Thing.GROUP, acme_key(), since=NOW - HOUR),
    ]
    assert queries(asked) == expected  # of each kind runs, leads, marks; and the names, where some are told


def test_twenty_thousand_new_runs_of_three_hundred_things_are_three_hundred_lines() -> None:
    """As many queries as for one run of one thing, and no line that names more than three runs."""
    first, *_ = publish_group(1)
    batch = first.batch
    batch.id, batch.at = new_id(LATER), LATER
    batch.save(force_insert=True)
    keys = {f"sha256:{number:064x}": uuid.uuid4() for number in range(300)}
    of_group, of_run = _columns(first.group), _columns(first) | {"batch_id": batch.pk, "created_at": LATER}
    bulk.insert(ComparisonGroup, [of_group | {"id": group, "key": key} for key, group in keys.items()])
    groups = [*keys.values()] * 67
    bulk.insert(
        Run,
        [
            of_run | {"id": uuid.uuid4(), "digest": f"sha256:{number:064x}", "group_id": groups[number]}
            for number in range(20_000)
        ],
    )
    one = queries([span(Thing.GROUP, acme_key(), since=NOW - HOUR)])
    asked = [span(Thing.GROUP, key) for key in keys]
    with CaptureQueriesContext(connection) as captured:
        found = news(asked)
    assert len(captured) == one - 1  # there is no run to name
    assert sum(line.count for told in found.values() for line in told) == 20_000
    assert {len(told) for told in found.values()} == {1}


def _columns(row: Any) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
