"""The catalog export: each of its tables, each reason of rejection, and files that are not what they seem."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import zstandard

from registry import syncs
from registry.importers import catalog_export
from registry.importers.base import (
    AliasEntry,
    ArtifactEntry,
    DocumentEntry,
    InputFile,
    Known,
    Rejected,
    RunEntry,
    Skipped,
    SourceEntry,
    Unreadable,
)
from registry.models import Mark, Run, Sighting, Source
from tests.conftest import NOW, SHARED
from tests.factories import (
    changed,
    counts,
    digest_of,
    everything,
    implementation_document,
    operation_document,
    project_document,
    run_entry,
    suite_document,
    told,
    workload_document,
)
from tests.registry.importers.reading import translated

SOURCE, PROJECT, OPERATION, WORKLOAD, IMPLEMENTATION, RUN, OTHER = (
    f"01a00329-0000-7000-8000-00000000000{number}" for number in range(7)
)
KEY = "sha256:922a69bf25214e49334b4ee2622ebae7372be831caa40bd5b9e2ac4ce63635f1"
SOURCES = {"id": SOURCE, "slug": "acme-bench", "kind": "benchmark", "name": "Acme benchmarks", "policy": None}
PROJECTS = {"id": PROJECT, "slug": "acme", "name": "Acme Kernels", "manifest": project_document()}
OPERATIONS = {
    "id": OPERATION, "slug": "scale", "semanticDigest": digest_of(operation_document()),
    "manifest": operation_document(),
}  # fmt: skip
ALIASES = {"operationId": OPERATION, "alias": "multiply"}
WORKLOADS = {"id": WORKLOAD, "workloadDigest": digest_of(workload_document()), "manifest": workload_document()}
IMPLEMENTATIONS = {
    "id": IMPLEMENTATION, "projectId": PROJECT, "slug": "acme-scale",
    "implementationDigest": digest_of(implementation_document()), "manifest": implementation_document(),
}  # fmt: skip
ARTIFACTS = {
    "id": OTHER, "contentDigest": "sha256:" + "9" * 64, "kind": "source", "mediaType": "text/x-python",
    "sizeBytes": 4575, "uri": "https://example.org/a.py", "license": None,
}  # fmt: skip


def runs_row(entry: dict[str, Any] | None = None, **columns: object) -> dict[str, Any]:
    entry = entry or run_entry()
    return {
        "id": RUN, "runDigest": digest_of(entry["run"]), "implementationId": IMPLEMENTATION, "sourceId": SOURCE,
        "publishedAt": "2026-08-15T18:49:22.604Z", "protocolKey": digest_of(entry["protocol"]),
        "environmentKey": digest_of(entry["environment"]), "comparisonKey": KEY, "retractedAt": None,
        "supersedesId": None, "manifest": entry,
    } | columns  # fmt: skip


WHOLE = [
    ("sources", SOURCES),
    ("projects", PROJECTS),
    ("operations", OPERATIONS),
    ("operation_aliases", ALIASES),
    ("workloads", WORKLOADS),
    ("implementations", IMPLEMENTATIONS),
    ("benchmark_runs", runs_row()),
    ("artifacts", ARTIFACTS),
]


def text_of(rows: list[tuple[str, Any]]) -> bytes:
    return "".join(json.dumps({"table": table, "row": row}) + "\n" for table, row in rows).encode()


@pytest.fixture
def export(tmp_path: Path) -> Any:
    """Write rows, or bytes as they are, as an export."""

    def write(content: list[tuple[str, Any]] | bytes) -> Path:
        path = tmp_path / "catalog.jsonl.zst"
        data = content if isinstance(content, bytes) else text_of(content)
        path.write_bytes(zstandard.ZstdCompressor().compress(data))
        return path

    return write


def with_row(table: str, row: object) -> list[tuple[str, Any]]:
    """The whole export with the row of one table replaced."""
    return [(name, row if name == table else old) for name, old in WHOLE]


def faults(path: Path) -> list[str]:
    return [
        f"{one.reason} {one.place}: {one.message}"
        for one in translated(catalog_export, path)
        if isinstance(one, Rejected)
    ]


def test_a_row_that_is_not_taken_keeps_its_id_and_its_text(export: Any) -> None:
    [rejected] = translated(catalog_export, export([("projects", PROJECTS | {"slug": "no slug"})]))
    assert rejected.key == PROJECT
    assert json.loads(rejected.row)["row"]["slug"] == "no slug"


def test_a_file_is_known_by_its_name_wherever_its_bytes_lie(export: Any, tmp_path: Path) -> None:
    stored = export([("projects", {})]).rename(tmp_path / "000001")
    [rejected] = catalog_export.translate([InputFile("catalog.jsonl.zst", stored)], Known())
    assert (str(rejected.place), rejected.key) == ("catalog.jsonl.zst: line 1", None)


# Each table


def test_each_table_becomes_an_entry(export: Any) -> None:
    source, project, operation, alias, workload, implementation, run, artifact = translated(
        catalog_export, export(WHOLE)
    )
    assert source == SourceEntry("acme-bench", "Acme benchmarks", "benchmark")
    for entry, kind, row in (
        (project, "SoftwareProject", PROJECTS),
        (operation, "OperationSpec", OPERATIONS),
        (workload, "WorkloadCase", WORKLOADS),
        (implementation, "ImplementationRevision", IMPLEMENTATIONS),
    ):
        assert isinstance(entry, DocumentEntry)
        assert (entry.kind, entry.value, entry.id) == (kind, row["manifest"], UUID(row["id"]))
    assert (project.slug, operation.slug, implementation.slug) == ("acme", "scale", "acme-scale")
    assert (operation.claimed_digest, project.claimed_digest) == (OPERATIONS["semanticDigest"], None)
    assert implementation.project == "acme"
    assert isinstance(alias, AliasEntry)
    assert (alias.operation_id, alias.alias, str(alias.place)) == (
        UUID(OPERATION),
        "multiply",
        "catalog.jsonl.zst: line 4",
    )
    assert isinstance(run, RunEntry)
    assert (run.id, run.source, run.implementation) == (UUID(RUN), "acme-bench", ("acme", "acme-scale"))
    assert run.published_at == datetime(2026, 8, 15, 18, 49, 22, 604000, UTC)
    assert (run.withdrawn, run.supersedes) == (None, None)
    assert run.claims["comparisonKey"] == KEY
    assert str(run.locate(("run", "spec"))) == "catalog.jsonl.zst: line 7: row.manifest.run.spec"
    assert isinstance(artifact, ArtifactEntry)
    assert (artifact.digest, artifact.size_bytes, artifact.licence) == ("sha256:" + "9" * 64, 4575, None)


def test_a_suite_is_a_workload(export: Any) -> None:
    suite = suite_document()
    row = WORKLOADS | {"manifest": suite, "workloadDigest": digest_of(suite)}
    [entry] = translated(catalog_export, export([("workloads", row)]))
    assert entry.kind == "WorkloadSuite"


def test_a_source_s_policy_is_kept(export: Any) -> None:
    policy = {"url": "https://example.org", "license": "MIT", "terms": "ask", "attribution": "Acme"}
    [entry] = translated(catalog_export, export([("sources", SOURCES | {"policy": policy})]))
    assert (entry.homepage, entry.licence, entry.terms, entry.attribution) == (
        "https://example.org", "MIT", "ask", "Acme",
    )  # fmt: skip


def test_a_retraction_comes_with_its_date_and_reason(export: Any) -> None:
    row = runs_row(retractedAt="2026-08-16T00:00:00Z", retractionReason="cheated", supersedesId=OTHER)
    *_, run, _ = translated(catalog_export, export(with_row("benchmark_runs", row)))
    assert run.withdrawn == (datetime(2026, 8, 16, tzinfo=UTC), "cheated")
    assert run.supersedes == UUID(OTHER)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("model_revisions", "SERVING_KIND"),
        ("serving_stack_revisions", "SERVING_KIND"),
        ("serving_configurations", "SERVING_KIND"),
        ("serving_workloads", "SERVING_KIND"),
        ("serving_runs", "SERVING_KIND"),
        ("serving_measurements", "SERVING_KIND"),
        ("measurements", "DERIVED_FROM_MANIFEST"),
        ("record_events", "DERIVED_HERE"),
    ],
)
def test_what_is_not_indexed_is_counted_by_reason(export: Any, table: str, reason: str) -> None:
    [entry] = translated(catalog_export, export([(table, {})]))
    assert isinstance(entry, Skipped)
    assert (entry.reason, str(entry.place)) == (reason, f"catalog.jsonl.zst: line 1: {table}")


def test_translating_twice_gives_equal_documents(export: Any) -> None:
    path = export(WHOLE)
    first, second = (
        [one.value for one in translated(catalog_export, path) if isinstance(one, DocumentEntry)] for _ in range(2)
    )
    assert first == second


@pytest.mark.shared
def test_one_row_of_each_real_table_is_understood(export: Any) -> None:
    data = (SHARED / "data/samples/export_one_of_each.jsonl").read_bytes()
    entries = list(translated(catalog_export, export(data if data.endswith(b"\n") else data + b"\n")))
    told_kinds = [
        entry.kind if isinstance(entry, DocumentEntry) else getattr(entry, "reason", type(entry).__name__)
        for entry in entries
    ]
    # The samples' implementation and run name rows of other projects and sources than the one of each that is there.
    assert told_kinds == [
        "SourceEntry", "SoftwareProject", "OperationSpec", "AliasEntry", "WorkloadCase", "WorkloadSuite", "COLUMN",
        "COLUMN", "DERIVED_FROM_MANIFEST", "DERIVED_HERE", "ArtifactEntry", *["SERVING_KIND"] * 6,
    ]  # fmt: skip


# Rows that are not taken

LONG = "x" * 2001


@pytest.mark.parametrize(
    ("line", "table", "row", "words"),
    [
        (1, "sources", changed(SOURCES, slug=None), "'slug'"),
        (1, "sources", SOURCES | {"slug": 1}, "slug must be text"),
        (1, "sources", SOURCES | {"slug": "a b"}, "slug must be letters, digits, _ and -, got 'a b'"),
        (1, "sources", SOURCES | {"slug": "a" * 101}, "slug has 101 characters; the registry holds 100"),
        (1, "sources", SOURCES | {"name": "a" * 201}, "name has 201 characters; the registry holds 200"),
        (1, "sources", SOURCES | {"kind": "a" * 41}, "kind has 41 characters; the registry holds 40"),
        (1, "sources", SOURCES | {"policy": "ask"}, "policy must be an object"),
        (1, "sources", SOURCES | {"policy": {"url": LONG}}, "policy.url has 2001 characters; the registry holds 2000"),
        (2, "projects", changed(PROJECTS, manifest=None), "'manifest'"),
        (2, "projects", PROJECTS | {"id": "x"}, "badly formed hexadecimal UUID string"),
        (3, "operations", OPERATIONS | {"slug": "a" * 121}, "slug has 121 characters; the registry holds 120"),
        (4, "operation_aliases", ALIASES | {"operationId": "x"}, "badly formed hexadecimal UUID string"),
        (5, "workloads", changed(WORKLOADS, workloadDigest=None), "'workloadDigest'"),
        (6, "implementations", IMPLEMENTATIONS | {"projectId": OTHER}, f"'{OTHER}'"),
        (6, "implementations", IMPLEMENTATIONS | {"manifest": {}}, "'metadata'"),
        (7, "benchmark_runs", runs_row(sourceId=OTHER), f"'{OTHER}'"),
        (7, "benchmark_runs", runs_row(publishedAt="yesterday"), "Invalid isoformat string: 'yesterday'"),
        (
            7,
            "benchmark_runs",
            runs_row(publishedAt="2026-08-15T18:49:22"),
            "publishedAt must be an instant with a zone, got '2026-08-15T18:49:22'",
        ),
        (
            7,
            "benchmark_runs",
            runs_row(publishedAt="1066-10-14T09:00:00Z"),
            "publishedAt must be an instant with a zone, got '1066-10-14T09:00:00Z'",
        ),
        (8, "artifacts", ARTIFACTS | {"uri": LONG}, "uri has 2001 characters; the registry holds 2000"),
    ],
)
def test_a_column_that_is_missing_or_malformed_is_told(
    export: Any, line: int, table: str, row: object, words: str
) -> None:
    assert faults(export(with_row(table, row)))[0] == (
        f"COLUMN catalog.jsonl.zst: line {line}: {table}: a column is missing or malformed: {words}"
    )


@pytest.mark.parametrize("manifest", [{"run": {}}, [], None])
def test_a_run_without_its_protocol_and_environment_is_told(export: Any, manifest: object) -> None:
    assert faults(export(with_row("benchmark_runs", runs_row(manifest=manifest)))) == [
        "SHAPE catalog.jsonl.zst: line 7: row.manifest: must be {run, protocol, environment}"
    ]


def test_a_file_without_a_sha256_digest_is_told(export: Any) -> None:
    assert faults(export(with_row("artifacts", ARTIFACTS | {"contentDigest": "md5:1"}))) == [
        "COLUMN catalog.jsonl.zst: line 8: row.contentDigest: not a sha256 digest"
    ]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"{", "SYNTAX catalog.jsonl.zst: line 2: is not JSON: expected a key in double quotes, found the end"),
        (b"[]", 'SHAPE catalog.jsonl.zst: line 2: a line is {"table": <name>, "row": {'),
        (b'{"table": "runs"}', 'SHAPE catalog.jsonl.zst: line 2: a line is {"table": <name>, "row": {'),
        (b'{"table": 1, "row": {}}', 'SHAPE catalog.jsonl.zst: line 2: a line is {"table": <name>, "row": {'),
        (b'{"table": "users", "row": {}}', "UNKNOWN_TABLE catalog.jsonl.zst: line 2: unknown table 'users'"),
        (
            b'{"table": "a", "table": "b", "row": {}}',
            "DUPLICATE_KEY catalog.jsonl.zst: line 2: table: is written twice",
        ),
        (
            b'{"table": "a", "row": {"n": NaN}}',
            "NOT_FINITE catalog.jsonl.zst: line 2: row.n: NaN is not a finite number",
        ),
        (b"[" * 65 + b"]" * 65, "TOO_DEEP catalog.jsonl.zst: line 2: nests deeper than 64 levels"),
    ],
)
def test_a_line_that_is_no_row_is_told_with_its_number(export: Any, line: bytes, fault: str) -> None:
    data = text_of([("sources", SOURCES)]) + line + b"\n" + text_of([("projects", PROJECTS)])
    path = export(data)
    assert faults(path)[0].startswith(fault)
    assert len(list(translated(catalog_export, path))) == 3


def test_blank_lines_are_passed_over(export: Any) -> None:
    assert len(list(translated(catalog_export, export(b"\n" + text_of([("sources", SOURCES)]) + b"\n")))) == 1


# Files that are not exports


def unreadable(path: Path) -> str:
    with pytest.raises(Unreadable) as refused:
        list(translated(catalog_export, path))
    return str(refused.value)


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    assert "No such file" in unreadable(tmp_path / "absent.zst")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a zstd file (it starts with nothing)"),
        (b"{}", "not a zstd file (it starts with 7b 7d)"),
        (b"PK\x03\x04....", "not a zstd file (it starts with 50 4b 03 04)"),
        (b"\x28\xb5\x2f\xfd", "not a whole zstd stream of UTF-8 lines"),
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "not a whole zstd stream of UTF-8 lines"),
    ],
)
def test_what_is_not_zstd_is_unreadable(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "catalog.jsonl.zst"
    path.write_bytes(data)
    assert words in unreadable(path)


def test_text_that_is_not_utf8_is_unreadable(export: Any) -> None:
    assert "not a whole zstd stream of UTF-8 lines" in unreadable(export(b'"\xff"\n'))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("states_size", [True, False])
def test_a_file_that_was_cut_short_is_unreadable(tmp_path: Path, share: float, states_size: bool) -> None:
    rows = [("record_events", {"id": f"{number:08x}" * 4}) for number in range(20_000)]
    compressor = zstandard.ZstdCompressor(write_content_size=states_size)
    data = compressor.compress(text_of(rows))
    path = tmp_path / "catalog.jsonl.zst"
    path.write_bytes(data[: int(len(data) * share)])
    assert "cut short" in unreadable(path) or "not a whole zstd stream" in unreadable(path)


def test_a_last_line_without_its_end_is_taken_for_cut_short(export: Any) -> None:
    assert "cut short after" in unreadable(export(text_of(WHOLE)[:-1]))


def test_an_export_in_several_frames_is_one_export(tmp_path: Path) -> None:
    path = tmp_path / "catalog.jsonl.zst"
    path.write_bytes(b"".join(zstandard.ZstdCompressor().compress(text_of([row])) for row in WHOLE))
    assert len(list(translated(catalog_export, path))) == 8


def test_a_bomb_is_cut_off_by_its_total(export: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = export(b" \n" * 1000)
    monkeypatch.setattr(catalog_export, "TOTAL_LIMIT", 1999)
    assert "more than 1,999 bytes after decompression" in unreadable(path)
    monkeypatch.setattr(catalog_export, "TOTAL_LIMIT", 2000)
    assert list(translated(catalog_export, path)) == []


def test_the_total_is_of_bytes_not_characters(export: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = export("µµµ\n".encode())
    monkeypatch.setattr(catalog_export, "TOTAL_LIMIT", 6)
    assert "more than 6 bytes" in unreadable(path)


def test_a_bomb_is_cut_off_by_its_line(export: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_export, "LINE_LIMIT", 100)
    assert "a line is longer than 100 characters" in unreadable(export(b"x" * 100_000 + b"\n"))


def test_a_real_bomb_costs_little(export: Any) -> None:
    path = export(b"[" * (64 * 2**20) + b"\n")
    assert path.stat().st_size < 10_000
    assert "a line is longer than 4,194,304 characters" in unreadable(path)


# Through the door


def test_a_whole_export_is_imported_under_its_ids_and_instants(db: None, export: Any) -> None:
    report = syncs.import_file("catalog-export", export(WHOLE), now=NOW)
    run = Run.objects.get()
    assert (report.rejected, report.new["BenchmarkRun"]) == ([], 1)
    assert (run.id, run.published_at) == (UUID(RUN), datetime(2026, 8, 15, 18, 49, 22, 604000, UTC))
    assert (run.operation_id, run.workload_id, run.implementation_id) == (
        UUID(OPERATION), UUID(WORKLOAD), UUID(IMPLEMENTATION),
    )  # fmt: skip
    assert (run.source.slug, Sighting.objects.get().snapshot.source.slug) == ("acme-bench", "catalog-export")
    assert set(Source.objects.values_list("slug", flat=True)) == {"acme-bench", "catalog-export"}


def test_a_second_import_of_an_export_changes_nothing(db: None, export: Any) -> None:
    syncs.import_file("catalog-export", export(WHOLE), now=NOW)
    before = everything()
    report = syncs.import_file("catalog-export", export(WHOLE), now=NOW)
    assert (everything(), report.new) == (before, {})


@pytest.mark.parametrize("column", ["runDigest", "protocolKey", "environmentKey", "comparisonKey"])
def test_a_run_whose_digests_disagree_is_left_out_with_both(db: None, export: Any, column: str) -> None:
    claimed = "sha256:" + "0" * 64
    row = runs_row(**{column: claimed})
    report = syncs.import_file("catalog-export", export(with_row("benchmark_runs", row)), now=NOW)
    [fault] = told(report)
    assert fault.startswith(f"DIGEST_MISMATCH catalog.jsonl.zst: line 7: row.manifest.run: {column} states {claimed}, ")
    assert fault.count("sha256:") == 2
    assert (Run.objects.count(), report.new["WorkloadCase"]) == (0, 1)


@pytest.mark.parametrize(
    ("table", "column", "line"),
    [
        ("operations", "semanticDigest", 3),
        ("workloads", "workloadDigest", 5),
        ("implementations", "implementationDigest", 6),
    ],
)
def test_a_document_whose_digest_disagrees_is_left_out(
    db: None, export: Any, table: str, column: str, line: int
) -> None:
    claimed = "sha256:" + "0" * 64
    row = dict(WHOLE)[table] | {column: claimed}
    report = syncs.import_file("catalog-export", export(with_row(table, row)), now=NOW)
    assert told(report)[0].startswith(
        f"DIGEST_MISMATCH catalog.jsonl.zst: line {line}: row.manifest: the input states {claimed}, "
        "the document hashes to sha256:"
    )
    assert Run.objects.count() == 0


def test_a_retracted_run_comes_in_withdrawn(db: None, export: Any) -> None:
    row = runs_row(retractedAt="2026-08-16T00:00:00Z", retractionReason="cheated")
    syncs.import_file("catalog-export", export(with_row("benchmark_runs", row)), now=NOW)
    assert Mark.objects.values_list("kind", "reason", "at").get() == (
        "withdrawn", "cheated", datetime(2026, 8, 16, tzinfo=UTC),
    )  # fmt: skip


def test_an_unreadable_export_writes_nothing(db: None, export: Any) -> None:
    path = export(text_of(WHOLE)[:-1])
    with pytest.raises(Unreadable):
        syncs.import_file("catalog-export", path, now=NOW)
    assert counts() == {}
