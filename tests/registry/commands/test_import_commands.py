"""The doorways: exit codes, the report for people and for programs, and progress on a terminal only."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from django.core.management import CommandError, call_command

from registry.importers import IMPORTERS
from registry.management.commands import _reporting
from registry.management.commands._reporting import Progress
from registry.models import GroupStanding, Run, Source, Standing
from tests.conftest import NOW
from tests.factories import bundle, counts, everything, run_entry

FIXTURE = Path(__file__).parents[3] / "registry/fixtures/liger-relu-squared.csv"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return written(tmp_path / "good.json", bundle())


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    return written(tmp_path / "refused.json", bundle(operations=[]))


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content, indent=1))
    return path


def ran(*arguments: object, **options: object) -> tuple[int, str]:
    """Exit code and standard output of a command."""
    out = io.StringIO()
    try:
        call_command(*map(str, arguments), stdout=out, **options)
    except SystemExit as exit_:
        return int(exit_.code or 0), out.getvalue()
    return 0, out.getvalue()


# import_bundle


def test_a_bundle_is_imported_and_told(db: None, good: Path) -> None:
    code, out = ran("import_bundle", good)
    assert code == 0
    assert out.splitlines()[0].startswith("community, snapshot sha256:")
    assert out.splitlines()[1:] == [
        "  new:         1 SoftwareProject, 1 OperationSpec, 1 WorkloadCase, 1 ImplementationRevision, "
        "1 BenchmarkProtocol, 1 ExecutionEnvironment, 1 BenchmarkRun",
        "  known:       none",
        "  flagged:     none",
        "  not indexed: none",
        "  rejected:    none",
    ]
    assert Run.objects.get().source.slug == "community"


def test_a_second_import_says_what_is_known(db: None, good: Path) -> None:
    ran("import_bundle", good)
    before = everything()
    code, out = ran("import_bundle", good)
    assert (code, everything()) == (0, before)
    assert out.splitlines()[1] == "  new:         none"


def test_the_report_for_programs_is_json(db: None, good: Path) -> None:
    code, out = ran("import_bundle", good, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["snapshot"].startswith("sha256:")
    assert {key: value for key, value in report.items() if key != "snapshot"} == {
        "source": "community",
        "dry_run": False,
        "read": {
            "SoftwareProject": 1, "OperationSpec": 1, "WorkloadCase": 1, "ImplementationRevision": 1, "BenchmarkRun": 1,
        },
        "new": {
            "SoftwareProject": 1, "OperationSpec": 1, "WorkloadCase": 1, "ImplementationRevision": 1,
            "BenchmarkProtocol": 1, "ExecutionEnvironment": 1, "BenchmarkRun": 1,
        },
        "known": {},
        "flagged": {},
        "not_indexed": {},
        "rejected": {},
        "rejections": [],
        "rejections_listed": 0,
        "pending": 0,
        "unmapped": [],
        "changes": {},
        "share_changed": None,
        "metadata_differs": [],
        "groups_touched": 1,
        "batches": 8,
    }  # fmt: skip


def test_a_dry_run_writes_nothing(db: None, good: Path) -> None:
    code, out = ran("import_bundle", good, "--dry-run")
    assert (code, counts()) == (0, {})
    assert out.splitlines()[0].endswith("… (dry run: nothing was written)")


def test_a_refused_bundle_exits_1_and_lists_every_fault(db: None, refused: Path, capsys: Any) -> None:
    code, out = ran("import_bundle", refused, "--json")
    report = json.loads(out)
    assert (code, counts()) == (1, {})
    assert report["rejected"] == {"MISSING_DOCUMENT": 3}
    assert report["rejections"][0] == {
        "reason": "MISSING_DOCUMENT",
        "file": "refused.json",
        "line": 24,
        "path": "workloads[0].spec.operationSpecDigest",
        "text": "no operation sha256:9c47cdf2ef48c4773efb1776abfcb8baf8e77d924a104e4507381fd956379e58 in this input or "
        "the registry",
    }
    assert capsys.readouterr().err == "refused: 3 faults; nothing was written\n"


def test_faults_are_told_to_people_with_their_places(db: None, refused: Path) -> None:
    code, out = ran("import_bundle", refused)
    assert code == 1
    assert "  rejected:    3 MISSING_DOCUMENT" in out.splitlines()
    assert (
        "  MISSING_DOCUMENT refused.json: line 24: workloads[0].spec.operationSpecDigest: no operation sha256:" in out
    )


@pytest.mark.parametrize("text", ["{", "[1, 2", '{"a": NaN}'])
def test_an_unreadable_bundle_exits_1(db: None, tmp_path: Path, capsys: Any, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    assert ran("import_bundle", path) == (1, "")
    assert capsys.readouterr().err.startswith("unreadable, nothing was written: bad.json: line 1: ")
    assert counts() == {}


def test_a_bundle_that_is_not_there_exits_1(db: None, tmp_path: Path, capsys: Any) -> None:
    assert ran("import_bundle", tmp_path / "absent.json") == (1, "")
    assert "No such file" in capsys.readouterr().err


def test_no_bundle_is_written_before_each_could_be_read(db: None, good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    assert ran("import_bundle", good, bad) == (1, "")
    assert counts() == {}


def test_a_later_bundle_may_rest_on_an_earlier_one(db: None, good: Path, tmp_path: Path) -> None:
    later = written(tmp_path / "later.json", run_entry(observedAt="2026-07-02T00:00:00Z"))
    assert ran("import_bundle", good, later)[0] == 0
    assert Run.objects.count() == 2


def test_an_unknown_source_exits_2(db: None, good: Path, capsys: Any) -> None:
    assert ran("import_bundle", good, "--source", "nobody") == (2, "")
    assert capsys.readouterr().err == (
        "no source 'nobody'; known: catalog-export, community, flashinfer-bench, gpumode-kernelbot, "
        "liger-kernel-bench, sol-execbench and those in the admin\n"
    )
    assert counts() == {}


def test_a_bundle_may_come_under_a_source_of_the_admin(db: None, good: Path) -> None:
    Source.objects.create(
        id="01a05cd7-2a00-7000-8000-000000000001", slug="lab", name="A lab", kind="lab", created_at=NOW
    )
    assert ran("import_bundle", good, "--source", "lab")[0] == 0
    assert Run.objects.get().source.slug == "lab"


def test_a_bundle_of_yaml_is_read_as_yaml(db: None, tmp_path: Path) -> None:
    assert ran("import_bundle", written(tmp_path / "bundle.yaml", bundle()))[0] == 0
    assert Run.objects.count() == 1


# import_source


def test_a_source_s_file_is_imported_and_its_rejected_rows_are_told(db: None, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    lines = FIXTURE.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[3].replace(",ms,", ",us,")]) + "\n")
    code, out = ran("import_source", "liger-kernel-bench", "--path", path)
    assert code == 0
    assert "  flagged:     2 TIME_ZONE_NOT_STATED" in out.splitlines()
    assert "  rejected:    1 UNIT" in out.splitlines()
    assert "  UNIT rows.csv: line 4: metric_unit: speed is stated in ms, got 'us'" in out.splitlines()


def test_only_the_first_twenty_places_are_shown_to_people(db: None, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(FIXTURE.read_text().replace(",ms,", ",us,"))
    _, out = ran("import_source", "liger-kernel-bench", "--path", path)
    assert out.splitlines()[-1] == "  … 28 more rejections; --json lists them all"
    _, out = ran("import_source", "liger-kernel-bench", "--path", path, "--json", "--again")
    assert len(json.loads(out)["rejections"]) == 48


def test_a_dry_run_of_a_source_writes_nothing(db: None) -> None:
    code, out = ran("import_source", "liger-kernel-bench", "--path", FIXTURE, "--dry-run", "--json")
    assert (code, json.loads(out)["new"]["BenchmarkRun"], counts()) == (0, 48, {})


@pytest.mark.parametrize("data", [b"not zstd", zstandard.ZstdCompressor().compress(b"x" * 5000)[:-3], b""])
def test_an_unreadable_export_exits_1_and_writes_nothing(db: None, tmp_path: Path, capsys: Any, data: bytes) -> None:
    path = tmp_path / "catalog.jsonl.zst"
    path.write_bytes(data)
    assert ran("import_source", "catalog-export", "--path", path) == (1, "")
    assert capsys.readouterr().err.startswith("unreadable, nothing was written: ")
    assert counts() == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ("import_source", "nobody", "--path", "x"),
        ("import_source", "catalog-export"),
        ("import_source",),
        ("import_bundle",),
        ("import_bundle", "x", "--nonsense"),
    ],
)
def test_wrong_usage_is_an_error_of_the_command_line(db: None, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="Error: "):
        call_command(*arguments)


def test_each_importer_is_a_source_that_the_command_offers() -> None:
    assert sorted(IMPORTERS) == [
        "catalog-export", "flashinfer-bench", "gpumode-kernelbot", "kernel-tuner", "liger-kernel-bench", "nvbench",
        "perf-report", "sol-execbench",
    ]  # fmt: skip
    brought = {slug for slug, importer in IMPORTERS.items() if importer.SOURCE.slug == "community"}
    assert brought == {"kernel-tuner", "nvbench", "perf-report"}  # tools' output, which people bring
    assert all(slug == importer.SOURCE.slug for slug, importer in IMPORTERS.items() if slug not in brought)


# load_demo and refresh_standings


def test_the_demo_is_loaded_and_told(db: None) -> None:
    code, out = ran("load_demo")
    assert (code, Run.objects.count()) == (0, 52)
    assert [line.split(",")[0] for line in out.splitlines() if not line.startswith(" ")] == [
        "sol-execbench", "sol-execbench", "liger-kernel-bench",
    ]  # fmt: skip


def test_standings_are_refreshed_where_they_lack_and_everywhere_on_request(demo: None) -> None:
    before = everything()
    Standing.objects.filter(group__metric="latency").delete()
    GroupStanding.objects.filter(run_count=3).delete()
    assert ran("refresh_standings")[1] == "1 groups refreshed\n"
    assert ran("refresh_standings", "--all")[1] == "26 groups refreshed\n"
    assert everything() == before


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that passes, one value a look."""
    times = [0.0]
    monkeypatch.setattr(_reporting.time, "monotonic", lambda: times[0])
    return times


def test_progress_is_shown_with_a_rate_on_a_terminal(clock: list[float]) -> None:
    terminal = Terminal()
    progress = Progress(terminal, "entries")
    clock[0] = 2.0
    progress.read(5000)
    assert terminal.getvalue() == "\r\x1b[Kreading 5,000 entries (2,500/s)"


def test_progress_is_shown_ten_times_a_second_at_most(clock: list[float]) -> None:
    terminal = Terminal()
    progress = Progress(terminal, "entries")
    clock[0] = 0.05
    progress.read(1)
    clock[0] = 0.2
    progress.write(10, 40)
    clock[0] = 0.25
    progress.write(20, 40)
    assert terminal.getvalue() == "\r\x1b[Kwriting 10 of 40 rows (50/s)"
    progress.write(40, 40)
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_no_progress_is_shown_elsewhere(clock: list[float]) -> None:
    file = io.StringIO()
    progress = Progress(file, "entries")
    clock[0] = 9.0
    progress.read(1)
    progress.write(1, 1)
    assert file.getvalue() == ""
