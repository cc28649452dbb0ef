"""The one door in, seen from outside: what stands in the registry after an import, and what the report says."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.core.files.storage import default_storage

from registry import corrections, syncs
from registry.core.digest import sha256
from registry.importers.base import CoverageEntry
from registry.ingest import Refusal, writing
from registry.models import (
    Batch,
    ComparisonGroup,
    Coverage,
    Environment,
    EvidenceLevel,
    Hardware,
    Implementation,
    Mark,
    Operation,
    Project,
    Protocol,
    Run,
    Sighting,
    Snapshot,
    Source,
    Standing,
    Workload,
)
from registry.verifying import verify
from tests.conftest import NOW, SHARED
from tests.factories import (
    UPSTREAM,
    bundle,
    bundle_of,
    changed,
    counts,
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
    told,
    workload_document,
)

LATER = NOW + timedelta(days=1)
SOL_RUN = "sha256:7331cf583fb6e7ee800b9067515bdecb60520bfdb78282d9a614a26710a28f7c"
SOL_KEY = "sha256:5d97d1668cb9ea2e17a8a3e674370944ac17a81abb0c6990ca3bffd4a62531e2"
LIGER_RUN = "sha256:e623e9242d413ecb009420593bdc959332909ee286c0e13ed1a7f98117891b24"
LIGER_KEY = "sha256:f78db58cec2cc7eabed53fa02f442f24eb22c7bb5d5a51b9697c8b971f159d43"


def refusal_of(content: object, **options: object) -> list[str]:
    with pytest.raises(Refusal) as refused:
        ingest_bundle(content, **options)
    return told(refused.value.report)


# The bundled registry


def test_the_bundled_registry_is_both_seeds_the_sweep_and_the_later_stack(demo: None) -> None:
    assert Run.objects.count() == 52
    assert Run.objects.filter(source__slug="liger-kernel-bench").count() == 48
    assert Run.objects.filter(source__slug="sol-execbench").count() == 4
    assert ComparisonGroup.objects.count() == 26


def test_both_seed_runs_have_their_digest_and_comparison_key(demo: None) -> None:
    assert Run.objects.get(digest=SOL_RUN).group.key == SOL_KEY
    assert Run.objects.get(digest=LIGER_RUN).group.key == LIGER_KEY


def test_the_sol_seed_keeps_its_publication_instant_and_the_id_made_of_it(demo: None) -> None:
    run = Run.objects.get(digest=SOL_RUN)
    assert run.published_at == datetime(2026, 8, 24, 19, 7, tzinfo=UTC)
    assert str(run.id).startswith("01a0352b-")
    assert set(Run.objects.exclude(pk=run.pk).values_list("published_at", flat=True)) == {NOW}


def test_the_demo_flags_only_what_upstream_does_not_state(demo: None) -> None:
    assert set(Mark.objects.values_list("kind", "rule", "run__source__slug")) == {
        ("flagged", "TIME_ZONE_NOT_STATED", "liger-kernel-bench")
    }
    assert Mark.objects.count() == 48


@pytest.mark.shared
def test_the_liger_runs_have_the_expected_digests(demo: None) -> None:
    rows = [line.split("\t") for line in (SHARED / "data/liger/expected-digests.tsv").read_text().splitlines()[1:]]
    expected = {row[0]: tuple(row[1:4]) for row in rows}
    runs = Run.objects.filter(source__slug="liger-kernel-bench").values_list(
        "external_id", "digest", "workload__digest", "implementation__digest"
    )
    assert {key: tuple(digests) for key, *digests in runs} == {key: expected[key] for key, *_ in runs}
    assert len(runs) == 48


@pytest.mark.shared
@pytest.mark.parametrize("seed", ["seed_000_liger", "seed_002_sol"])
def test_every_document_of_a_seed_is_held_under_its_digest(demo: None, seed: str) -> None:
    stated = json.loads((SHARED / "seeds/seed-documents.json").read_text())[seed]
    models = {
        "run": Run, "protocol": Protocol, "environment": Environment, "workload": Workload, "operation": Operation,
        "implementation": Implementation,
    }  # fmt: skip
    held = {part: model.objects.filter(digest=stated[part]["digest"]).first() for part, model in models.items()}
    assert [part for part, row in held.items() if row is None] == []
    for part, row in held.items():
        assert json.loads(row.canonical)["spec"] == stated[part]["document"]["spec"], part


def test_loading_the_demo_again_changes_nothing(demo: None) -> None:
    before = everything()
    reports = syncs.load_demo(now=LATER)
    assert everything() == before
    assert [(report.new, report.batches, report.has_changes) for report in reports] == [({}, 0, False)] * 3


# What one run makes


def test_a_bundle_of_one_run_makes_one_row_of_each(db: None) -> None:
    report = ingest_bundle(bundle())
    assert counts() == {
        "Batch": 8, "ComparisonGroup": 1, "Environment": 1, "EvidenceLevel": 1, "GroupStanding": 1, "Hardware": 1,
        "Implementation": 1, "Operation": 1, "Project": 1, "ProjectRevision": 1, "Protocol": 1, "Record": 1, "Run": 1,
        "Sighting": 1, "Snapshot": 1, "Source": 1, "Standing": 1, "Workload": 1,
    }  # fmt: skip
    assert report.new == {
        "SoftwareProject": 1, "OperationSpec": 1, "WorkloadCase": 1, "ImplementationRevision": 1,
        "BenchmarkProtocol": 1, "ExecutionEnvironment": 1, "BenchmarkRun": 1,
    }  # fmt: skip
    assert (report.known, report.rejected, report.groups_touched, report.batches) == ({}, [], 1, 8)


def test_every_document_is_held_as_the_bytes_that_its_digest_is_of(demo: None) -> None:
    for model in (Operation, Workload, Protocol, Environment, Implementation, Run):
        for row in model.objects.all():
            assert sha256(row.canonical) == row.digest
            assert sha256(row.metadata) == row.metadata_sha256


def test_a_batch_accounts_for_its_rows(db: None) -> None:
    ingest_bundle(bundle())
    batch = Batch.objects.get(counts__has_key="registry_run")
    assert batch.counts == {"registry_comparisongroup": 1, "registry_run": 1, "registry_sighting": 1}
    assert set(Run.objects.values_list("batch", flat=True)) == {batch.id}
    assert set(Sighting.objects.values_list("batch", flat=True)) == {batch.id}


def test_durations_are_stored_as_whole_nanoseconds(db: None) -> None:
    ingest_bundle(bundle_of(run_entry(timing__latencyNs__median="1.001 us")))
    assert Run.objects.get().value == 1001


def test_a_run_without_a_figure_joins_a_group_without_a_metric(db: None) -> None:
    ingest_bundle(bundle_of(run_entry(status="runtime_error", timing=None)))
    group = ComparisonGroup.objects.get()
    assert (group.metric, group.statistic, group.unit) == (None, None, None)
    assert Standing.objects.get().reasons == ["STATUS_RUNTIME_ERROR", "MISSING_PRIMARY_METRIC"]


def test_a_run_observed_before_1970_is_taken_like_any_other(db: None) -> None:
    ingest_bundle(bundle_of(run_entry(observedAt="1969-07-20T20:17:40Z")))
    assert Run.objects.get().observed_at == datetime(1969, 7, 20, 20, 17, 40, tzinfo=UTC)
    assert Standing.objects.get().rank == 1


def test_a_bundle_of_yaml_says_what_the_same_json_says(db: None) -> None:
    ingest_bundle(bundle())
    report = ingest_bundle(bundle(), file="bundle.yaml")
    assert report.new == {}


# A second import


def test_a_second_import_changes_nothing(db: None) -> None:
    ingest_bundle(bundle())
    before = everything()
    report = ingest_bundle(bundle(), now=LATER)
    assert everything() == before
    assert report.known == {
        "SoftwareProject": 1, "OperationSpec": 1, "WorkloadCase": 1, "ImplementationRevision": 1, "BenchmarkRun": 1,
    }  # fmt: skip
    assert (report.new, report.batches, report.has_changes) == ({}, 0, False)


def test_a_dry_run_writes_nothing_and_says_the_same(db: None) -> None:
    report = ingest_bundle(bundle(), is_dry_run=True)
    assert counts() == {}
    assert report.is_dry_run
    assert report.new["BenchmarkRun"] == 1


def test_other_metadata_of_a_known_digest_is_noted_and_changes_nothing(db: None) -> None:
    ingest_bundle(bundle())
    before = everything()
    other = {"title": "Another title"}
    protocol, environment = protocol_document(metadata=other), environment_document(metadata=other)
    content = bundle(
        projects=[project_document(metadata=other)],
        operations=[operation_document(metadata=other)],
        workloads=[workload_document(metadata=other)],
        implementations=[{"projectSlug": "acme", "manifest": implementation_document(metadata=other)}],
        runs=[run_entry(protocol=protocol, environment=environment, metadata=other)],
    )
    report = ingest_bundle(content)
    assert [line.split()[0] for line in report.metadata_differs] == [
        "SoftwareProject", "OperationSpec", "WorkloadCase", "ImplementationRevision", "BenchmarkProtocol",
        "ExecutionEnvironment", "BenchmarkRun",
    ]  # fmt: skip
    assert (report.new, report.rejected) == ({}, [])
    after = everything()
    assert {label for label in after if after[label] != before[label]} == {
        "registry.Batch", "registry.Sighting", "registry.Snapshot",
    }  # fmt: skip


def test_the_same_document_twice_in_one_bundle_counts_once(db: None) -> None:
    report = ingest_bundle(bundle(operations=[operation_document(), operation_document()]))
    assert (report.new["OperationSpec"], report.known["OperationSpec"]) == (1, 1)


def test_the_same_run_twice_in_one_bundle_counts_once(db: None) -> None:
    report = ingest_bundle(bundle_of(run_entry(), run_entry()))
    assert (report.new["BenchmarkRun"], report.known["BenchmarkRun"]) == (1, 1)
    assert Sighting.objects.count() == 1


# All or nothing


def test_every_fault_of_a_bundle_is_listed_at_once_with_its_place(db: None) -> None:
    content = bundle(
        operations=[changed(operation_document(), spec__family="Not A Slug")],
        workloads=[changed(workload_document(), spec__axes__rows="8")],
        runs=[run_entry(), changed(run_entry(), run__spec__status="fine")],
    )
    assert refusal_of(content) == [
        "SHAPE bundle.json: line 23: operations[0].spec.family: must be a slug: small letters, digits and -, "
        'not starting with -; got "Not A Slug"',
        "SHAPE bundle.json: line 76: workloads[0].spec.axes.rows: must be an integer, got a string",
        "SHAPE bundle.json: line 198: runs[1].run.spec.status: must be passed, incorrect_shape, incorrect_dtype, "
        "incorrect_numerical, compile_error, runtime_error, timeout, resource_exceeded, invalid_reference, "
        'policy_violation, suspected_reward_hack, incomplete_evidence or revoked, got "fine"',
        "MISSING_DOCUMENT bundle.json: line 109: implementations[0].manifest.spec.operation.specDigest: no operation "
        "sha256:9c47cdf2ef48c4773efb1776abfcb8baf8e77d924a104e4507381fd956379e58 in this input or the registry",
        "MISSING_DOCUMENT bundle.json: line 137: runs[0].run.spec: not in this input or the registry: "
        "workload sha256:76b5cde56c10eb674ec651e61d1139ea9ea1ec88fd5bad5c769030ae1848df6e, "
        "implementation sha256:7f8710425a3a6512bcfe2263a6ee5f66b3e92dca86912cd2dd86b11ecfd401bd",
    ]
    assert counts() == {}


def test_one_bad_run_of_a_bundle_keeps_the_good_ones_out(db: None) -> None:
    content = bundle_of(run_entry(), run_entry(observedAt="2026-07-02T00:00:00Z", timing__primaryStatistic="mean"))
    [fault] = refusal_of(content)
    assert fault.startswith("STATISTIC_MISMATCH bundle.json: line ")
    assert counts() == {}


def test_an_upstream_s_bad_row_is_left_out_and_the_others_are_taken(db: None) -> None:
    content = bundle_of(run_entry(), changed(run_entry(), run__spec__status="fine"))
    report = ingest_bundle(content, is_upstream=True)
    assert (report.new["BenchmarkRun"], report.rejected_by_reason) == (1, {"SHAPE": 1})


# A run that comes alone


def test_a_lone_run_is_refused_with_the_digests_that_are_missing(db: None) -> None:
    assert refusal_of(run_entry()) == [
        "MISSING_DOCUMENT bundle.json: line 8: run.spec: not in this input or the registry: "
        "workload sha256:76b5cde56c10eb674ec651e61d1139ea9ea1ec88fd5bad5c769030ae1848df6e, "
        "implementation sha256:7f8710425a3a6512bcfe2263a6ee5f66b3e92dca86912cd2dd86b11ecfd401bd"
    ]
    assert counts() == {}


def test_a_lone_run_is_taken_once_its_documents_are_known(db: None) -> None:
    ingest_bundle(bundle(runs=[]))
    report = ingest_bundle(run_entry())
    assert report.new == {"BenchmarkProtocol": 1, "ExecutionEnvironment": 1, "BenchmarkRun": 1}


def test_a_run_whose_protocol_is_not_the_one_it_names_is_refused(db: None) -> None:
    other = changed(run_entry(), protocol__spec__measurement__timer="wall_clock")
    [fault] = refusal_of(bundle_of(other))
    assert fault.startswith("REFERENCE_MISMATCH bundle.json: line 140: runs[0].run.spec.protocolDigest: names sha256:")
    assert ", the BenchmarkProtocol beside it hashes to sha256:" in fault


def test_a_workload_digest_that_is_an_operation_s_is_not_a_workload(db: None) -> None:
    [fault] = refusal_of(bundle_of(run_entry(workload=operation_document())))
    assert "not in this input or the registry: workload sha256:" in fault


# Implementations


def two_rows(**run: object) -> dict[str, object]:
    """One implementation document that two projects have under their names."""
    return bundle(
        projects=[project_document(), project_document("other", name="Other Kernels")],
        implementations=[
            {"projectSlug": "acme", "manifest": implementation_document()},
            {"projectSlug": "other", "manifest": implementation_document("other-scale")},
        ],
        runs=[run_entry(**run)],
    )


def test_a_run_whose_implementation_has_several_rows_must_name_one(db: None) -> None:
    assert refusal_of(two_rows()) == [
        "AMBIGUOUS_IMPLEMENTATION bundle.json: line 182: runs[0].run.spec.implementationDigest: the implementation "
        "digest has several rows; name one by implementation: {project, name}: acme-scale of acme; "
        "other-scale of other"
    ]


def test_a_named_implementation_row_is_the_run_s(db: None) -> None:
    ingest_bundle(two_rows(row={"project": "other", "name": "other-scale"}))
    assert Run.objects.get().implementation.name == "other-scale"
    assert Implementation.objects.count() == 2


def test_a_named_implementation_row_that_nobody_has_is_refused(db: None) -> None:
    [fault] = refusal_of(two_rows(row={"project": "acme", "name": "other-scale"}))
    assert fault.endswith("no implementation other-scale of project acme has the run's digest")


def test_a_known_run_under_another_row_is_a_conflict(db: None) -> None:
    ingest_bundle(two_rows(row={"project": "acme", "name": "acme-scale"}))
    before = everything()
    [fault] = refusal_of(two_rows(row={"project": "other", "name": "other-scale"}))
    assert fault.startswith("CONFLICTING_IMPLEMENTATION bundle.json: line ")
    assert everything() == before


def test_a_known_run_is_known_again_after_its_digest_got_a_second_row(db: None) -> None:
    ingest_bundle(bundle())
    ingest_bundle(two_rows(row={"project": "acme", "name": "acme-scale"}))
    before = everything()
    assert ingest_bundle(bundle(), now=LATER).known["BenchmarkRun"] == 1
    assert everything() == before


def test_an_implementation_of_an_unknown_project_is_refused(db: None) -> None:
    faults = refusal_of(bundle(projects=[]))
    assert faults[0].endswith("implementations[0].manifest: no project 'acme' in this input or the registry")


# Slugs and revisions


def test_an_operation_slug_that_is_taken_gets_eight_digits_of_the_digest(db: None) -> None:
    other = operation_document(family="other")
    report = ingest_bundle(bundle(operations=[operation_document(), other]))
    assert report.new["OperationSpec"] == 2
    assert sorted(Operation.objects.values_list("slug", flat=True)) == ["scale", "scale-f90a0dc9"]


def test_a_changed_project_document_is_a_revision_and_the_newest_is_shown(db: None) -> None:
    ingest_bundle(bundle())
    ingest_bundle(bundle(projects=[project_document(name="Acme Kernels, renamed")]), now=LATER)
    project = Project.objects.get()
    assert project.revisions.count() == 2
    assert (project.name, project.newest.name) == ("Acme Kernels, renamed", "Acme Kernels, renamed")


def test_two_revisions_in_one_bundle_leave_the_later_one_shown(db: None) -> None:
    ingest_bundle(bundle(projects=[project_document(), project_document(name="Second")]))
    project = Project.objects.get()
    assert (project.revisions.count(), project.name, project.newest.name) == (2, "Second", "Second")


def test_machines_whose_names_share_a_slug_stay_two(db: None) -> None:
    hosts = [environment_document(hardware__product=product) for product in ("NVIDIA H100", "nvidia h100")]
    ingest_bundle(bundle_of(*(run_entry(environment=host) for host in hosts)))
    assert dict(Hardware.objects.values_list("name", "slug")) == {
        "NVIDIA H100 PCIe": "nvidia-h100-pcie",
        "nvidia h100 PCIe": "nvidia-h100-pcie-02469501",
    }


def test_hardware_without_a_latin_letter_has_a_page_all_the_same(db: None) -> None:
    host = environment_document(hardware__product="加速器", hardware__formFactor=None)
    ingest_bundle(bundle_of(run_entry(environment=host)))
    assert list(Hardware.objects.values_list("name", "slug")) == [("加速器", "hardware")]


# Flags at the door


def other_operation() -> dict[str, object]:
    return operation_document("shift", family="shift")


def mismatched() -> dict[str, object]:
    """A run whose implementation is of another operation than its workload."""
    implementation = implementation_document(operation=other_operation())
    return bundle(
        operations=[operation_document(), other_operation()],
        implementations=[{"projectSlug": "acme", "manifest": implementation}],
        runs=[run_entry(implementation=implementation)],
    )


def test_an_upstream_s_operation_mismatch_is_taken_flagged_and_unranked(db: None) -> None:
    report = ingest_bundle(mismatched(), is_upstream=True)
    assert report.flagged == {"OPERATION_MISMATCH": 1}
    mark = Mark.objects.get()
    assert (mark.rule, mark.is_blocking, mark.by) == ("OPERATION_MISMATCH", True, "KernelIndex, at the door")
    assert Standing.objects.get().reasons == ["FLAGGED_OPERATION_MISMATCH"]


def test_a_bundle_s_operation_mismatch_is_refused(db: None) -> None:
    [fault] = refusal_of(mismatched())
    assert fault.startswith("OPERATION_MISMATCH bundle.json: line ")
    assert counts() == {}


def workload_with(**spec: object) -> dict[str, object]:
    workload = changed(workload_document(), **{f"spec__{path}": value for path, value in spec.items()})
    return bundle(workloads=[workload], runs=[run_entry(workload=workload)])


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"axes__cols": 4}, "UNDECLARED_AXIS"),
        ({"axes__hidden": 65}, "CONSTANT_AXIS"),
        ({"axes__rows": None}, "MISSING_AXIS"),
        ({"tensors__x__shape": [9, 64]}, "TENSOR_MISMATCH"),
    ],
)
def test_an_upstream_s_bad_workload_flags_its_runs(db: None, change: dict[str, object], rule: str) -> None:
    report = ingest_bundle(workload_with(**change), is_upstream=True)
    assert report.flagged == {rule: 1}
    assert Standing.objects.get().reasons == [f"FLAGGED_{rule}"]


def on_an_operation_that_derives_an_axis_of_one_it_lacks() -> dict[str, object]:
    half = {"role": "derived", "type": "integer", "expression": "heads // 2"}
    operation = changed(operation_document(), spec__axes__half=half)
    workload, implementation = workload_document(operation=operation), implementation_document(operation=operation)
    return bundle(
        operations=[operation],
        workloads=[workload],
        implementations=[{"projectSlug": "acme", "manifest": implementation}],
        runs=[run_entry(workload=workload, implementation=implementation)],
    )


def test_an_upstream_s_bad_operation_flags_the_runs_of_its_workloads(db: None) -> None:
    report = ingest_bundle(on_an_operation_that_derives_an_axis_of_one_it_lacks(), is_upstream=True)
    assert (report.rejected, report.flagged) == ([], {"UNDECLARED_AXIS": 1})
    assert Mark.objects.get().reason == "axis heads is not declared"
    assert Standing.objects.get().reasons == ["FLAGGED_UNDECLARED_AXIS"]


def test_an_upstream_s_bad_operation_flags_them_also_when_it_was_known(db: None) -> None:
    content = on_an_operation_that_derives_an_axis_of_one_it_lacks()
    ingest_bundle(content | {"runs": []}, is_upstream=True)
    assert ingest_bundle(content, is_upstream=True).flagged == {"UNDECLARED_AXIS": 1}


def test_a_bundle_s_bad_operation_is_refused(db: None) -> None:
    faults = refusal_of(on_an_operation_that_derives_an_axis_of_one_it_lacks())
    assert faults[0].startswith("UNDECLARED_AXIS bundle.json: line ")
    assert faults[0].endswith("spec.axes.half.expression: axis heads is not declared")
    assert counts() == {}


def test_a_metric_of_unknown_direction_is_flagged_and_unranked(db: None) -> None:
    measured = [{"metric": "occupancy", "unit": "percent", "statistic": "median", "value": 80}]
    report = ingest_bundle(bundle_of(run_entry(timing=None, measurements=measured)))
    assert report.flagged == {"UNKNOWN_DIRECTION": 1}
    assert Standing.objects.get().reasons == ["FLAGGED_UNKNOWN_DIRECTION"]


def test_a_flag_that_the_importer_states_is_ours(db: None) -> None:
    ingest_entries(entries_of(bundle(), flags=(("TIME_ZONE_NOT_STATED", "No zone."),)))
    mark = Mark.objects.get()
    assert (mark.reason, mark.by, mark.is_blocking) == ("No zone.", "KernelIndex, at the door", False)
    assert Standing.objects.get().rank == 1


DISQUALIFIED = (("DISQUALIFIED_UPSTREAM", "reads the answer from the reference"),)


def test_an_upstream_s_disqualification_of_a_held_run_unranks_it_in_the_same_import(db: None) -> None:
    ingest_entries(entries_of(bundle()))
    assert Standing.objects.get().rank == 1
    report = ingest_entries(entries_of(bundle(), flags=DISQUALIFIED), snapshot="2", now=LATER)
    mark = Mark.objects.get()
    assert (mark.rule, mark.is_blocking, mark.by, mark.reason, mark.at) == (
        "DISQUALIFIED_UPSTREAM", True, "the source", "reads the answer from the reference", LATER,
    )  # fmt: skip
    assert Standing.objects.get().reasons == ["FLAGGED_DISQUALIFIED_UPSTREAM"]
    assert (report.flagged, report.new, report.known["BenchmarkRun"]) == ({"DISQUALIFIED_UPSTREAM": 1}, {}, 1)
    assert verify().differences == ()


def test_a_flag_is_added_once_whatever_the_snapshot(db: None) -> None:
    flagged = entries_of(bundle(), flags=DISQUALIFIED)
    for snapshot in "112":
        ingest_entries(flagged, snapshot=snapshot, now=LATER)
    assert Mark.objects.count() == 1


def test_a_flag_that_staff_cleared_does_not_come_back(db: None) -> None:
    ingest_entries(entries_of(bundle(), flags=DISQUALIFIED))
    corrections.clear([Mark.objects.get()], reason="appealed", actor=EXPORT_IDS[0], now=LATER)
    ingest_entries(entries_of(bundle(), flags=DISQUALIFIED), snapshot="2", now=LATER)
    assert Standing.objects.get().rank == 1
    assert Mark.objects.filter(kind="flagged").count() == 1


def test_a_run_that_stands_twice_in_an_input_is_flagged_by_either(db: None) -> None:
    entries = [*entries_of(bundle()), *entries_of(bundle(), flags=DISQUALIFIED)]
    report = ingest_entries(entries)
    assert (report.flagged, Standing.objects.get().rank) == ({"DISQUALIFIED_UPSTREAM": 1}, None)


# Publication


@pytest.mark.parametrize(
    "content",
    [
        bundle(publishedAt="2020-01-01T00:00:00Z"),
        bundle_of(run_entry() | {"publishedAt": "2020-01-01T00:00:00Z"}),
        bundle_of(changed(run_entry(), run__metadata__publishedAt="2020-01-01T00:00:00Z")),
        bundle_of(changed(run_entry(), run__spec__publishedAt="2020-01-01T00:00:00Z")),
        bundle_of(run_entry() | {"id": "01a0352b-3820-7459-8104-3722f7e4a95d"}),
    ],
    ids=["of the bundle", "of the entry", "of the metadata", "of the spec", "the id"],
)
def test_no_bundle_sets_when_a_run_was_published(db: None, content: dict[str, object]) -> None:
    [fault] = refusal_of(content)
    assert "unknown" in fault
    assert counts() == {}


def test_a_run_of_a_bundle_is_published_when_it_is_imported(db: None) -> None:
    ingest_bundle(bundle())
    run = Run.objects.get()
    assert (run.published_at, str(run.id)[:13]) == (NOW, "01a05cd7-2a00")


# What an export says of its runs

EXPORT_IDS = UUID("01a05cd7-2a00-7000-8000-00000000000a"), UUID("01a05cd7-2a00-7000-8000-00000000000b")
OLD_RUN = run_entry()
NEW_RUN = run_entry(observedAt="2026-07-02T00:00:00Z", timing__latencyNs__median=900)


def exported(**of_new: object) -> list[object]:
    """Two runs under the export's ids, of which the second corrects the first."""
    old = entries_of(bundle_of(OLD_RUN), id=EXPORT_IDS[0])
    [*_, new] = entries_of(bundle_of(NEW_RUN), id=EXPORT_IDS[1], supersedes=EXPORT_IDS[0], **of_new)
    return [*old, new]


def superseded() -> dict[str, str]:
    marks = Mark.objects.filter(kind="superseded").values_list("run__digest", "successor__digest")
    return dict(marks)


def digests() -> tuple[str, str]:
    old, new = Run.objects.order_by("observed_at")
    return old.digest, new.digest


def test_an_exported_run_keeps_its_id(db: None) -> None:
    ingest_entries(exported())
    assert set(Run.objects.values_list("id", flat=True)) == set(EXPORT_IDS)


def test_a_run_that_the_export_corrects_is_superseded(db: None) -> None:
    ingest_entries(exported())
    old, new = digests()
    assert superseded() == {old: new}
    assert Standing.objects.get(run__digest=old).reasons == ["SUPERSEDED"]
    assert Standing.objects.get(run__digest=new).rank == 1


def test_the_corrected_run_may_stand_in_another_batch(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "FIRST_BATCH", 1)
    monkeypatch.setattr(writing, "SECONDS_A_BATCH", {"sqlite": 0, "postgresql": 0})
    ingest_entries([*exported()])
    old, new = digests()
    assert superseded() == {old: new}


def test_a_reference_follows_the_digest_where_the_run_is_held_under_another_id(db: None) -> None:
    ingest_bundle(bundle_of(OLD_RUN))
    ingest_entries(exported(), now=LATER)
    old, new = digests()
    assert superseded() == {old: new}
    assert Run.objects.get(digest=old).id not in EXPORT_IDS


def test_a_correction_that_an_export_states_later_is_made_once(db: None) -> None:
    ingest_entries(entries_of(bundle_of(OLD_RUN, NEW_RUN)))
    ingest_entries(exported(), snapshot="2", now=LATER)
    ingest_entries(exported(), snapshot="3", now=LATER)
    old, new = digests()
    assert superseded() == {old: new}
    assert Mark.objects.count() == 1


def test_a_run_that_the_source_withdrew_is_withdrawn_as_of_then(db: None) -> None:
    at = datetime(2026, 8, 1, tzinfo=UTC)
    ingest_entries(entries_of(bundle(), withdrawn=(at, "cheated")))
    mark = Mark.objects.get()
    assert (mark.kind, mark.at, mark.reason, mark.by) == ("withdrawn", at, "cheated", "the source")
    assert Standing.objects.get().reasons == ["WITHDRAWN"]


def test_a_withdrawal_that_reaches_a_known_run_unranks_it_once(db: None) -> None:
    ingest_entries(entries_of(bundle()))
    withdrawn = entries_of(bundle(), withdrawn=(LATER, "cheated"))
    ingest_entries(withdrawn, snapshot="2", now=LATER)
    before = everything()
    ingest_entries(withdrawn, snapshot="2", now=LATER)
    assert Standing.objects.get().reasons == ["WITHDRAWN"]
    assert everything() == before


@pytest.mark.parametrize("column", ["runDigest", "protocolKey", "environmentKey", "comparisonKey"])
def test_a_run_whose_columns_disagree_with_its_documents_is_rejected_with_both_digests(db: None, column: str) -> None:
    claimed = "sha256:" + "0" * 64
    report = ingest_entries(entries_of(bundle(), claims={column: claimed}))
    [fault] = told(report)
    assert fault.startswith(f"DIGEST_MISMATCH rows: line 2: run: {column} states {claimed}, the ")
    actual = {
        "runDigest": "BenchmarkRun hashes to sha256:",
        "protocolKey": "BenchmarkProtocol hashes to sha256:",
        "environmentKey": "ExecutionEnvironment hashes to sha256:",
        "comparisonKey": "documents give sha256:",
    }
    assert actual[column] in fault
    assert Run.objects.count() == 0


# Sightings and coverage


def test_each_snapshot_that_a_run_stood_in_is_a_sighting(db: None) -> None:
    entries = entries_of(bundle(), upstream_key="row/1")
    for snapshot in "1212":
        ingest_entries(entries, snapshot=snapshot, now=LATER)
    assert list(Sighting.objects.values_list("upstream_key", "locator")) == [("row/1", "rows: line 2: run")] * 2
    assert Snapshot.objects.count() == 2


def test_the_reporting_source_is_whom_the_run_names_and_the_channel_is_in_the_sighting(db: None) -> None:
    ingest_bundle(bundle())
    ingest_entries(entries_of(bundle()), now=LATER)
    assert Run.objects.get().source.slug == "community"
    assert set(Sighting.objects.values_list("snapshot__source__slug", flat=True)) == {"community", "upstream"}


COVERED = [*entries_of(bundle_of(OLD_RUN), upstream_key="a"), *entries_of(bundle_of(NEW_RUN), upstream_key="b")]


def covering(*keys: str) -> list[object]:
    return [*COVERED, CoverageEntry(keys, 251, "top 3 by score")]


def coverage() -> list[tuple[object, ...]]:
    return list(Coverage.objects.order_by("at").values_list("offered", "taken", "rule"))


def test_what_upstream_offered_for_a_group_is_recorded(db: None) -> None:
    ingest_entries(covering("a", "b", "never taken"))
    assert coverage() == [(251, 2, "top 3 by score")]
    assert Coverage.objects.get().group == ComparisonGroup.objects.get()


def test_each_snapshot_records_its_own_coverage_also_of_known_runs(db: None) -> None:
    ingest_entries(covering("a", "b"))
    ingest_entries(covering("a", "b"), snapshot="2", now=LATER)
    ingest_entries(covering("a", "b"), snapshot="2", now=LATER)
    assert coverage() == [(251, 2, "top 3 by score")] * 2


def test_coverage_of_a_group_that_two_batches_share_is_recorded_once(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "FIRST_BATCH", 1)
    monkeypatch.setattr(writing, "SECONDS_A_BATCH", {"sqlite": 0, "postgresql": 0})
    ingest_entries(covering("a", "b"))
    assert coverage() == [(251, 2, "top 3 by score")]


def test_coverage_of_nothing_that_was_taken_is_left_out(db: None) -> None:
    ingest_entries(covering("never taken"))
    assert coverage() == []


# The bytes that an import reads


def stored_files() -> list[str]:
    folders, _ = default_storage.listdir("sha256") if default_storage.exists("sha256") else ([], [])
    return [name for folder in folders for name in default_storage.listdir(f"sha256/{folder}")[1]]


def test_the_bytes_of_an_import_are_kept(db: None, tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle()))
    syncs.import_bundles([path], source_slug="community", now=NOW)
    assert [f"sha256:{name}" for name in stored_files()] == [Snapshot.objects.get().sha256]


def test_a_refused_bundle_leaves_no_bytes_behind(db: None, tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle(operations=[])))
    with pytest.raises(Refusal):
        syncs.import_bundles([path], source_slug="community", now=NOW)
    assert (counts(), stored_files()) == ({}, [])


def test_every_run_has_a_standing_a_level_a_sighting_and_a_group(demo: None) -> None:
    for model in (Standing, EvidenceLevel, Sighting):
        assert set(model.objects.values_list("run", flat=True)) == set(Run.objects.values_list("id", flat=True))
    assert set(Source.objects.values_list("slug", flat=True)) == {"liger-kernel-bench", "sol-execbench"}


def test_a_short_batch_makes_the_next_one_no_longer_and_no_kind_speaks_for_another(db: None) -> None:
    writer = writing.Writer(UPSTREAM, {UUID(int=1): None}, NOW, lambda: None, lambda done, total: None)
    for _ in writer._chunks(Project, [1, 2, 3]):
        pass
    assert writer.sizes[Project] == writing.FIRST_BATCH
    for _ in writer._chunks(Project, list(range(writing.FIRST_BATCH))):
        pass
    assert (writer.sizes[Project], writer.sizes[Run]) == (2 * writing.FIRST_BATCH, writing.FIRST_BATCH)
