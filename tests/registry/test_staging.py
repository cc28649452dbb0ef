"""What a plan holds before a row of it is written, and what it refuses."""

from datetime import timedelta
from uuid import UUID

import pytest

from registry import corrections
from registry.importers.base import AliasEntry, ArtifactEntry, DocumentEntry, Rejected, Skipped, in_line
from registry.models import (
    Artifact,
    Environment,
    Implementation,
    Operation,
    OperationAlias,
    Project,
    ProjectRevision,
    Protocol,
    Run,
    Sighting,
    Workload,
)
from registry.staging import Account, Plan, Staging
from tests.conftest import NOW
from tests.factories import (
    COMMIT,
    UPSTREAM,
    bundle,
    bundle_of,
    changed,
    counts,
    digest_of,
    entries_of,
    environment_document,
    everything,
    implementation_document,
    ingest_bundle,
    ingest_entries,
    operation_document,
    project_document,
    protocol_document,
    run_entry,
    suite_document,
    told,
    workload_document,
)

ONE, TWO = UUID(int=1), UUID(int=2)
OPERATION_ID = UUID("01a05cd7-2a00-7000-8000-000000000001")
LATER = NOW + timedelta(days=1)


def staged(entries: list[object], *, is_own_data: bool = True) -> Staging:
    staging = Staging(source=UPSTREAM, snapshot_id=UUID(int=9), now=NOW, is_own_data=is_own_data)
    for entry in entries:
        staging.take(entry)
    return staging


def plan_of(entries: list[object]) -> Plan:
    return staged(entries).plan()


def account_of(entries: list[object]) -> Account:
    staging = staged(entries)
    staging.plan()
    return staging.account


def faults(account: Account) -> list[str]:
    return [f"{rejected.reason} {rejected.place}: {rejected.message}" for rejected in account.rejected]


def test_staging_writes_nothing(db: None) -> None:
    plan = plan_of(entries_of(bundle()))
    assert counts() == {}
    assert {model.__name__: len(rows) for model, rows in plan.rows.items()} == {
        "Environment": 1, "Hardware": 1, "Implementation": 1, "Operation": 1, "ProjectRevision": 1, "Protocol": 1,
        "Workload": 1,
    }  # fmt: skip
    assert (len(plan.runs), len(plan.groups), len(plan.beside_runs)) == (1, 1, 1)


def test_staging_twice_gives_the_same_plan(db: None) -> None:
    plans = [plan_of(entries_of(bundle())) for _ in range(2)]
    assert plans[0] == plans[1]


def test_entries_are_resolved_whatever_their_order(db: None) -> None:
    account = account_of(list(reversed(entries_of(bundle()))))
    assert (account.rejected, account.new["BenchmarkRun"]) == ([], 1)


def test_what_an_importer_rejects_or_skips_is_in_the_account(db: None) -> None:
    place = in_line("rows", 7)(())
    account = account_of([Rejected("UNKNOWN_GPU", place, "no such GPU"), Skipped("SERVING_KIND", place)])
    assert faults(account) == ["UNKNOWN_GPU rows: line 7: no such GPU"]
    assert dict(account.skipped) == {"SERVING_KIND": 1}


def test_a_serving_kind_in_a_list_of_kernels_is_rejected_as_one(db: None) -> None:
    value = changed(operation_document(), kind="ServingRun")
    [fault] = faults(account_of([DocumentEntry("OperationSpec", value, in_line("rows", 3))]))
    assert fault.startswith("SERVING_KIND rows: line 3: ")


def test_a_document_under_another_digest_than_stated_is_rejected_with_both(db: None) -> None:
    claimed, actual = "sha256:" + "0" * 64, digest_of(operation_document())
    entry = DocumentEntry("OperationSpec", operation_document(), in_line("rows", 3), claimed_digest=claimed)
    assert faults(account_of([entry])) == [
        f"DIGEST_MISMATCH rows: line 3: the input states {claimed}, the document hashes to {actual}"
    ]


def test_a_run_of_a_source_that_nobody_described_is_rejected(db: None) -> None:
    staging = staged(entries_of(bundle(), source="nobody"))
    plan = staging.plan()
    assert faults(staging.account) == [
        "UNKNOWN_SOURCE rows: line 2: run: no source 'nobody' in this input or the registry"
    ]
    assert plan.runs == []


def test_a_suite_and_a_case_are_both_workloads(db: None) -> None:
    suite = suite_document()
    content = bundle(workloads=[workload_document(), suite], runs=[run_entry(workload=suite)])
    ingest_bundle(content)
    workload = Run.objects.get().workload
    assert (workload.is_suite, workload.case_count, workload.axes) == (True, 2, None)


# What no column holds


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (
            run_entry(timing=None, measurements=[{"metric": "m" * 101, "unit": "s", "statistic": "mean", "value": 1}],
                      protocol=protocol_document(measurement__primaryStatistic="mean")),
            "run.spec: metric has 101 characters; the registry holds 100",
        ),
        (
            run_entry(timing__primaryStatistic="m" * 101,
                      protocol=protocol_document(measurement__primaryStatistic="m" * 101)),
            "run.spec: statistic has 101 characters; the registry holds 100",
        ),
        (
            run_entry(timing__samples=2**31),
            "run.spec: sample count 2147483648 is more than the registry holds, 2147483647",
        ),
        (
            run_entry(environment=environment_document(hardware__vendor="v" * 101)),
            "environment.spec.hardware.vendor: vendor has 101 characters; the registry holds 100",
        ),
        (
            run_entry(environment=environment_document(hardware__count=2**31)),
            "environment.spec.hardware.count: count 2147483648 is more than the registry holds, 2147483647",
        ),
    ],
    ids=["metric", "statistic", "samples", "vendor", "devices"],
)  # fmt: skip
def test_what_no_column_holds_is_refused_in_words(db: None, entry: dict[str, object], fault: str) -> None:
    staging = staged(entries_of(bundle_of(entry)))
    plan = staging.plan()
    assert [line.split("rows: line 2: ")[1] for line in faults(staging.account)] == [fault]
    assert plan.runs == []


def test_the_longest_token_and_the_largest_count_are_held(db: None) -> None:
    measured = [{"metric": "m" * 100, "unit": "s", "statistic": "mean", "value": 1, "sampleCount": 2**31 - 1}]
    entry = run_entry(
        timing=None, measurements=measured, protocol=protocol_document(measurement__primaryStatistic="mean")
    )
    ingest_bundle(bundle_of(entry))
    assert Run.objects.get().sample_count == 2147483647


def test_one_document_has_a_mebibyte_at_most_also_in_a_bundle(db: None) -> None:
    cases = [{"externalId": f"case-{number}", "axes": {"rows": number}} for number in range(30_000)]
    [fault] = faults(account_of(entries_of(bundle(workloads=[suite_document(cases=cases)], runs=[]))))
    assert fault.startswith("TOO_LARGE rows: line 1: is 1,")
    assert fault.endswith(" bytes in its canonical form; one document has at most 1,048,576")


# Aliases and files of an export


def aliased(*aliases: str, operation_id: UUID = OPERATION_ID) -> list[object]:
    place = in_line("rows", 4)(())
    operation = DocumentEntry("OperationSpec", operation_document(), in_line("rows", 1), id=OPERATION_ID)
    return [operation, *(AliasEntry(operation_id, alias, place) for alias in aliases)]


def test_an_alias_is_held_once_for_its_operation(db: None) -> None:
    for snapshot in "12":
        ingest_entries(aliased("multiply", "times", "multiply"), snapshot=snapshot)
    assert sorted(OperationAlias.objects.values_list("alias", flat=True)) == ["multiply", "times"]
    assert {alias.operation.slug for alias in OperationAlias.objects.all()} == {"scale"}


def test_an_alias_is_cut_where_the_column_ends_and_is_known_again(db: None) -> None:
    ingest_entries(aliased("a" * 250))
    before = everything()
    ingest_entries(aliased("a" * 250), snapshot="2")
    assert OperationAlias.objects.get().alias == "a" * 200
    assert everything() == before


def test_an_alias_follows_the_digest_where_the_operation_has_another_id(db: None) -> None:
    ingest_bundle(bundle())
    ingest_entries(aliased("multiply"), now=LATER)
    assert OperationAlias.objects.get().operation == Operation.objects.get()


def test_an_alias_of_an_operation_that_is_not_there_is_rejected(db: None) -> None:
    report = ingest_entries(aliased("multiply", operation_id=UUID(int=7)))
    assert told(report) == [
        "MISSING_DOCUMENT rows: line 4: alias of an unknown operation 00000000-0000-0000-0000-000000000007"
    ]


def test_a_described_file_is_held_once(db: None) -> None:
    place = in_line("rows", 5)(())
    entry = ArtifactEntry("sha256:" + "9" * 64, "source", None, 12, "https://example.org/a.py", None, place)
    first, second = (ingest_entries([entry], snapshot=snapshot) for snapshot in "12")
    assert (first.new, second.new, second.known) == ({"Artifact": 1}, {}, {"Artifact": 1})
    artifact = Artifact.objects.get()
    assert (artifact.media_type, artifact.licence, artifact.size_bytes) == (None, None, 12)


# What was redacted does not come back


def redact(row: object) -> None:
    request = corrections.request_redaction(row, reason_class="legal", reason="a court", actor=ONE, now=NOW)
    corrections.approve_redaction(request, citation="cited", actor=TWO, now=NOW)


@pytest.mark.parametrize(
    "model",
    [Run, Implementation, Workload, Operation, Protocol, Environment, ProjectRevision],
    ids=lambda model: model.__name__,
)
def test_a_redacted_row_is_known_and_stays_blank(db: None, model: type) -> None:
    content = bundle_of(run_entry(sourceNative={"source": "acme", "externalId": "someone@example.org"}))
    ingest_entries(entries_of(content))
    redact(model.objects.get())
    before = everything()
    ingest_entries(entries_of(content), snapshot="2", now=LATER)
    after = everything()
    changed_tables = {label for label in after if after[label] != before[label]}
    assert changed_tables <= {"registry.Batch", "registry.Sighting", "registry.Snapshot"}
    assert model.objects.get().name == ""


def test_a_new_sighting_of_a_redacted_run_does_not_bring_its_key_back(db: None) -> None:
    content = bundle_of(run_entry(sourceNative={"source": "acme", "externalId": "someone@example.org"}))
    ingest_entries(entries_of(content))
    redact(Run.objects.get())
    ingest_entries(entries_of(content), snapshot="2", now=LATER)
    assert list(Sighting.objects.order_by("seen_at").values_list("upstream_key", flat=True)) == ["", None]


def test_nothing_new_is_resolved_against_a_redacted_operation(db: None) -> None:
    ingest_bundle(bundle(workloads=[], runs=[]))
    redact(Operation.objects.get())
    [fault, *_] = faults(account_of(entries_of(bundle())))
    digest = digest_of(operation_document())
    assert fault.endswith(f"spec.operationSpecDigest: no operation {digest} in this input or the registry")


def test_a_new_run_of_a_redacted_operation_is_rejected(db: None) -> None:
    ingest_bundle(bundle(runs=[]))
    redact(Operation.objects.get())
    [fault] = faults(account_of(entries_of(bundle(operations=[], workloads=[], implementations=[], projects=[]))))
    assert fault.endswith(f"the operation {digest_of(operation_document())} of its workload is redacted")


def test_a_project_that_lost_its_name_keeps_its_slug(db: None) -> None:
    ingest_bundle(bundle(projects=[project_document(name="Jane Doe")]))
    redact(ProjectRevision.objects.get())
    project = Project.objects.get()
    assert (project.slug, project.name) == ("acme", "")


def test_columns_follow_from_the_documents(db: None) -> None:
    authors = {"authors": [{"name": "Ada"}, {"name": "Bob"}, {"github": "cyd"}], "labels": {"role": "baseline"}}
    implementation = implementation_document(metadata=authors, licensing__concluded="MIT-0")
    content = bundle(implementations=[{"projectSlug": "acme", "manifest": implementation}], runs=[])
    ingest_bundle(content)
    row = Implementation.objects.get()
    assert (row.author, row.is_baseline, row.language, row.licence) == ("Ada, Bob", True, "triton", "MIT-0")
    assert (row.revision, row.repository, row.source_digest) == (COMMIT, "https://example.org/acme", None)
