"""What staff may do to a published run: each act a dated mark and one audit event, and the standings follow."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from registry import artifacts, corrections, standings
from registry.corrections import CorrectionError
from registry.models import (
    AuditEvent,
    ComparisonGroup,
    EvidenceLevel,
    GroupStanding,
    Implementation,
    Mark,
    Project,
    ProjectRevision,
    Record,
    Redaction,
    RedactionRequest,
    Run,
    RunArtifact,
    Sighting,
    Standing,
)
from tests.conftest import NOW
from tests.factories import (
    bundle_of,
    changed,
    everything,
    implementation_document,
    ingest_bundle,
    operation_document,
    run_entry,
    workload_document,
)

ADA, BOB = uuid.UUID(int=1), uuid.UUID(int=2)
LATER = NOW + timedelta(days=1)
BY_ADA: dict[str, Any] = {"actor": ADA, "now": NOW}
BY_BOB: dict[str, Any] = {"actor": BOB, "now": LATER}


@pytest.fixture
def runs(db: None) -> dict[str, Run]:
    """Two runs of one group, `fast` before `slow`, and one of another operation."""
    operation = operation_document("shift", family="shift")
    workload = workload_document("shift-8", operation=operation)
    implementation = implementation_document("acme-shift", operation=operation)
    ingest_bundle(
        bundle_of(
            run_entry(metadata={"name": "slow", "labels": {"host": "doe"}}, timing__latencyNs__median=2000),
            run_entry(metadata={"name": "fast", "labels": {"host": "roe"}}),
            run_entry(metadata={"name": "other"}, implementation=implementation, workload=workload),
            operations=[operation_document(), operation],
            workloads=[workload_document(), workload],
            implementations=[
                {"projectSlug": "acme", "manifest": one} for one in (implementation_document(), implementation)
            ],
        )
    )
    return {run.name: run for run in Run.objects.all()}


def ranks() -> dict[str, tuple[int | None, list[str]]]:
    rows = Standing.objects.exclude(run__name="other").values_list("run__name", "rank", "reasons")
    return {name: (rank, reasons) for name, rank, reasons in rows}


def audit() -> list[tuple[Any, ...]]:
    return list(
        AuditEvent.objects.order_by("at", "id").values_list("action", "target_kind", "target", "reason", "actor")
    )


def derived_as_stands() -> bool:
    derived = standings.derive(list(ComparisonGroup.objects.values_list("id", flat=True)))
    tables = ((Standing, derived.standings, "run_id"), (GroupStanding, derived.groups, "group_id"))
    return all(
        sorted(rows, key=lambda row: row[key]) == sorted(model.objects.values(), key=lambda row: row[key])
        for model, rows, key in (*tables, (Record, derived.records, "id"))
    )


# Withdraw


def test_a_withdrawn_run_stays_and_leaves_the_ranking(runs: dict[str, Run]) -> None:
    [mark] = corrections.withdraw([runs["fast"]], reason="typo", **BY_ADA)
    assert ranks() == {"slow": (1, []), "fast": (None, ["WITHDRAWN"])}
    assert (mark.kind, mark.at, mark.reason, mark.by, mark.actor) == (
        "withdrawn",
        NOW,
        "typo",
        "KernelIndex staff",
        ADA,
    )
    assert audit() == [("withdrawn", "run", runs["fast"].digest, "typo", ADA)]
    assert mark.audit == AuditEvent.objects.get()
    assert list(Record.objects.filter(group=runs["slow"].group).values_list("run__name", flat=True)) == ["slow"]


def test_several_runs_are_withdrawn_with_one_event_each(runs: dict[str, Run]) -> None:
    corrections.withdraw([runs["fast"], runs["slow"]], reason="typo", **BY_ADA)
    assert ranks() == {"slow": (None, ["WITHDRAWN"]), "fast": (None, ["WITHDRAWN"])}
    assert sorted(event[2] for event in audit()) == sorted([runs["fast"].digest, runs["slow"].digest])


def test_a_run_is_withdrawn_once(runs: dict[str, Run]) -> None:
    corrections.withdraw([runs["fast"]], reason="typo", **BY_ADA)
    before = everything()
    with pytest.raises(CorrectionError, match="is withdrawn already"):
        corrections.withdraw([runs["slow"], runs["fast"]], reason="typo", **BY_BOB)
    assert everything() == before


@pytest.mark.parametrize("reason", ["", "   ", "\n"])
def test_every_act_needs_a_reason(runs: dict[str, Run], reason: str) -> None:
    before = everything()
    fast, slow = runs["fast"], runs["slow"]
    acts = (
        lambda: corrections.withdraw([fast], reason=reason, **BY_ADA),
        lambda: corrections.flag([fast], rule="IMPLAUSIBLE", reason=reason, **BY_ADA),
        lambda: corrections.supersede(fast, successor=slow, reason=reason, **BY_ADA),
        lambda: corrections.request_redaction(fast, reason_class="legal", reason=reason, **BY_ADA),
    )
    for act in acts:
        with pytest.raises(CorrectionError, match="State a reason"):
            act()
    assert everything() == before


# Supersede


def test_a_superseded_run_names_its_successor(runs: dict[str, Run]) -> None:
    mark = corrections.supersede(runs["fast"], successor=runs["slow"], reason="measured again", **BY_ADA)
    assert ranks() == {"slow": (1, []), "fast": (None, ["SUPERSEDED"])}
    assert (mark.kind, mark.successor) == ("superseded", runs["slow"])
    assert list(runs["slow"].supersedes.all()) == [mark]
    assert AuditEvent.objects.get().detail == {"successor": runs["slow"].digest}


def test_no_run_supersedes_itself(runs: dict[str, Run]) -> None:
    with pytest.raises(CorrectionError, match="cannot supersede itself"):
        corrections.supersede(runs["fast"], successor=runs["fast"], reason="measured again", **BY_ADA)


def test_a_successor_measures_the_same_operation(runs: dict[str, Run]) -> None:
    with pytest.raises(CorrectionError, match="measures another operation"):
        corrections.supersede(runs["fast"], successor=runs["other"], reason="measured again", **BY_ADA)


def test_supersession_runs_in_no_circle(runs: dict[str, Run]) -> None:
    ingest_bundle(bundle_of(run_entry(metadata={"name": "third"}, timing__latencyNs__median=3000)))
    third = Run.objects.get(name="third")
    corrections.supersede(runs["fast"], successor=runs["slow"], reason="measured again", **BY_ADA)
    corrections.supersede(runs["slow"], successor=third, reason="measured again", **BY_ADA)
    before = everything()
    with pytest.raises(CorrectionError, match="itself superseded by this run"):
        corrections.supersede(third, successor=runs["fast"], reason="measured again", **BY_BOB)
    assert everything() == before


def test_a_cleared_supersession_no_longer_closes_a_circle(runs: dict[str, Run]) -> None:
    mark = corrections.supersede(runs["fast"], successor=runs["slow"], reason="measured again", **BY_ADA)
    corrections.clear([mark], reason="the wrong way round", **BY_ADA)
    corrections.supersede(runs["slow"], successor=runs["fast"], reason="measured again", **BY_BOB)
    assert ranks() == {"fast": (1, []), "slow": (None, ["SUPERSEDED"])}


# Flag and clear


def test_a_blocking_flag_unranks(runs: dict[str, Run]) -> None:
    [mark] = corrections.flag([runs["fast"]], rule="IMPLAUSIBLE", reason="below the bound", **BY_ADA)
    assert (mark.is_blocking, mark.rule) == (True, "IMPLAUSIBLE")
    assert ranks() == {"slow": (1, []), "fast": (None, ["FLAGGED_IMPLAUSIBLE"])}
    assert AuditEvent.objects.get().detail == {"rule": "IMPLAUSIBLE"}


def test_a_warning_flag_marks_and_leaves_the_rank(runs: dict[str, Run]) -> None:
    [mark] = corrections.flag([runs["fast"]], rule="SINGLE_SAMPLE", reason="one sample", **BY_ADA)
    assert not mark.is_blocking
    assert ranks() == {"fast": (1, []), "slow": (2, [])}
    assert Standing.objects.get(run=runs["fast"]).warnings == ["SINGLE_SAMPLE"]


def test_an_unknown_rule_is_refused(runs: dict[str, Run]) -> None:
    with pytest.raises(CorrectionError, match="Unknown rule NONSENSE; known are IMPLAUSIBLE, "):
        corrections.flag([runs["fast"]], rule="NONSENSE", reason="because", **BY_ADA)


def test_a_run_is_flagged_once_by_one_rule_and_again_by_another(runs: dict[str, Run]) -> None:
    corrections.flag([runs["fast"]], rule="IMPLAUSIBLE", reason="below the bound", **BY_ADA)
    corrections.flag([runs["fast"]], rule="DISQUALIFIED_UPSTREAM", reason="a bad day", **BY_ADA)
    with pytest.raises(CorrectionError, match="is flagged already"):
        corrections.flag([runs["fast"]], rule="DISQUALIFIED_UPSTREAM", reason="a bad day", **BY_ADA)
    assert ranks()["fast"] == (None, ["FLAGGED_DISQUALIFIED_UPSTREAM", "FLAGGED_IMPLAUSIBLE"])


@pytest.mark.parametrize("act", ["withdraw", "flag", "supersede"])
def test_a_cleared_mark_stays_on_record_and_no_longer_counts(runs: dict[str, Run], act: str) -> None:
    fast = runs["fast"]
    marks = {
        "withdraw": lambda: corrections.withdraw([fast], reason="typo", **BY_ADA),
        "flag": lambda: corrections.flag([fast], rule="DISQUALIFIED_UPSTREAM", reason="typo", **BY_ADA),
        "supersede": lambda: [corrections.supersede(fast, successor=runs["slow"], reason="typo", **BY_ADA)],
    }[act]()
    [cleared] = corrections.clear(marks, reason="it was right after all", **BY_BOB)
    assert ranks() == {"fast": (1, []), "slow": (2, [])}
    assert (cleared.kind, cleared.clears, cleared.at) == ("cleared", marks[0], LATER)
    assert Mark.objects.count() == AuditEvent.objects.count() == 2
    assert Standing.objects.get(run=fast).has_marks


def test_a_mark_is_cleared_once_and_a_clearing_never(runs: dict[str, Run]) -> None:
    marks = corrections.withdraw([runs["fast"]], reason="typo", **BY_ADA)
    cleared = corrections.clear(marks, reason="it was right", **BY_BOB)
    before = everything()
    with pytest.raises(CorrectionError, match="withdrawn of 2026-09-01 is cleared already"):
        corrections.clear(marks, reason="it was right", **BY_BOB)
    with pytest.raises(CorrectionError, match="A clearing cannot be cleared"):
        corrections.clear(cleared, reason="it was wrong", **BY_BOB)
    assert everything() == before


def test_a_cleared_run_can_be_withdrawn_again(runs: dict[str, Run]) -> None:
    marks = corrections.withdraw([runs["fast"]], reason="typo", **BY_ADA)
    corrections.clear(marks, reason="it was right", **BY_BOB)
    corrections.withdraw([runs["fast"]], reason="another typo", **BY_BOB)
    assert ranks()["fast"] == (None, ["WITHDRAWN"])


# Redact


def request(target: Any, **options: Any) -> RedactionRequest:
    return corrections.request_redaction(target, **{"reason_class": "legal", "reason": "a court"} | options | BY_ADA)


def redact(target: Any) -> Redaction:
    return corrections.approve_redaction(request(target), citation="as it was cited", **BY_BOB)


def test_a_request_alone_changes_nothing_but_the_record_of_it(runs: dict[str, Run]) -> None:
    before = everything()
    request(runs["fast"])
    after = everything()
    assert {label for label in after if after[label] != before[label]} == {
        "registry.AuditEvent", "registry.RedactionRequest",
    }  # fmt: skip
    assert audit() == [("redaction requested", "run", runs["fast"].digest, "a court", ADA)]


def test_the_one_who_asked_cannot_also_approve(runs: dict[str, Run]) -> None:
    asked = request(runs["fast"])
    before = everything()
    with pytest.raises(CorrectionError, match="takes two"):
        corrections.approve_redaction(asked, citation="as it was cited", **BY_ADA)
    assert everything() == before


def test_a_row_is_redacted_once(runs: dict[str, Run]) -> None:
    again = request(runs["fast"])
    redact(runs["fast"])
    with pytest.raises(CorrectionError, match="redacted already"):
        corrections.approve_redaction(again, citation="as it was cited", **BY_BOB)


@pytest.mark.parametrize(
    ("reason_class", "words"),
    [("spite", "A redaction is for one of: legal, personal_data."), ("", "A redaction is for one of")],
)
def test_a_redaction_has_a_reason_class(runs: dict[str, Run], reason_class: str, words: str) -> None:
    with pytest.raises(CorrectionError, match=words):
        request(runs["fast"], reason_class=reason_class)


def test_rows_without_texts_of_their_own_are_not_redacted(runs: dict[str, Run]) -> None:
    with pytest.raises(CorrectionError, match="comparison group rows have nothing to redact"):
        request(runs["fast"].group)


LOG = {"uri": "https://example.org/~doe/log", "digest": "sha256:" + "a" * 64}


@pytest.fixture
def personal(db: None) -> Run:
    """A run that names a person wherever a run can."""
    native = {"source": "acme", "benchmark": "doe's", "externalId": "doe@example.org"}
    metadata = {"name": "run-of-doe", "title": "Run of Jane Doe", "labels": {"host": "doe"}}
    ingest_bundle(
        bundle_of(
            run_entry(metadata=metadata, sourceNative=native, evidence={"logs": LOG}),
            run_entry(metadata={"name": "plain", "labels": {"host": "roe"}}, timing__latencyNs__median=3000),
        )
    )
    return Run.objects.get(name="run-of-doe")


def test_a_redaction_takes_bytes_and_names_and_leaves_the_facts(personal: Run) -> None:
    kept = ("id", "digest", "metadata_sha256", "value", "observed_at", "published_at", "created_at", "status", "group")
    before = Run.objects.values_list(*kept).get(pk=personal.pk)
    redaction = redact(personal)
    row = Run.objects.values().get(pk=personal.pk)
    assert Run.objects.values_list(*kept).get(pk=personal.pk) == before
    gone = ("canonical", "metadata", "benchmark", "external_id", "name", "title")
    assert [row[column] for column in gone] == [""] * 6
    assert Sighting.objects.get(run=personal).upstream_key == ""
    assert RunArtifact.objects.get(run=personal).uri == ""
    assert RunArtifact.objects.get(run=personal).digest == LOG["digest"]
    assert (redaction.citation, redaction.approved_by, redaction.request.requested_by) == ("as it was cited", BOB, ADA)
    assert audit()[-1] == ("redacted", "run", personal.digest, "legal: a court", BOB)
    assert AuditEvent.objects.count() == 2
    left = {label for label, rows in everything().items() if any("doe" in row.lower() for row in rows)}
    assert left == set()


def test_a_redacted_run_keeps_its_rank_and_the_standings_follow(personal: Run) -> None:
    assert GroupStanding.objects.get().undigested != []
    redact(personal)
    assert Standing.objects.get(run=personal).rank == 1
    assert [label["examples"] for label in GroupStanding.objects.get().undigested] == [["roe"]]
    assert derived_as_stands()


def test_what_a_source_never_stated_stays_unstated(runs: dict[str, Run]) -> None:
    redact(runs["fast"])
    row = Run.objects.get(pk=runs["fast"].pk)
    assert (row.title, row.benchmark, row.external_id) == (None, None, None)


def test_other_rows_are_left_alone(personal: Run) -> None:
    plain = Run.objects.values().get(name="plain")
    redact(personal)
    assert Run.objects.values().get(pk=plain["id"]) == plain


@pytest.mark.parametrize("part", ["implementation", "workload", "protocol", "environment", "operation"])
def test_each_document_of_a_run_can_be_redacted(runs: dict[str, Run], part: str) -> None:
    row = getattr(runs["fast"], part)
    digest, model = row.digest, type(row)
    redact(row)
    row = model.objects.get(pk=row.pk)
    assert (row.digest, row.canonical, row.metadata, row.name) == (digest, "", "", "")
    assert derived_as_stands()


def test_a_redacted_implementation_takes_its_author_and_repository_along(db: None) -> None:
    by_doe = implementation_document("by-doe", metadata={"authors": [{"name": "Jane Doe"}]})
    log = changed(LOG, digest=artifacts.store_bytes(b"a log", now=NOW))
    ingest_bundle(
        bundle_of(
            run_entry(implementation=by_doe, evidence={"logs": log}),
            implementations=[{"projectSlug": "acme", "manifest": by_doe}],
        )
    )
    assert EvidenceLevel.objects.get().level == "reproducible"
    redact(Implementation.objects.get())
    row = Implementation.objects.get()
    assert (row.author, row.repository, row.revision) == ("", "", "0123456789abcdef0123456789abcdef01234567")
    assert EvidenceLevel.objects.get().level == "reported"
    assert derived_as_stands()


def test_a_redacted_revision_takes_the_project_s_name_along(runs: dict[str, Run]) -> None:
    redact(ProjectRevision.objects.get())
    project = Project.objects.get()
    assert (project.name, project.newest.name, project.slug) == ("", "", "acme")
