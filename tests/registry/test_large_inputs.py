"""A share of the 200,000 rows whose memory `python -m bench kernelbot_200k` measures, through several windows."""

from pathlib import Path

import pytest

from bench.synthetic import write_kernelbot
from registry import syncs
from registry.ingest import writing
from registry.models import GroupStanding, Run, StoredObject
from registry.staging import Plan, reader
from registry.verifying import verify
from tests.conftest import NOW

ROWS = 3_000
WINDOW = 2_000


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many runs each window brought."""
    monkeypatch.setattr(reader, "WINDOW_RUNS", WINDOW)
    found: list[int] = []
    write = writing.Writer.write

    def counted(self: writing.Writer, plan: Plan) -> None:
        found.append(len(plan.runs))
        write(self, plan)

    monkeypatch.setattr(writing.Writer, "write", counted)
    return found


def test_three_thousand_rows_come_in_by_two_windows_and_hold(db: None, tmp_path: Path, written: list[int]) -> None:
    path = tmp_path / "rows.jsonl"
    write_kernelbot(path, ROWS)
    dry = syncs.import_file("gpumode-kernelbot", path, now=NOW, is_dry_run=True)
    assert (Run.objects.count(), StoredObject.objects.count(), written) == (0, 0, [])
    report = syncs.import_file("gpumode-kernelbot", path, now=NOW)
    assert [count > 0 for count in written] == [True, True, False]  # the last tells of the whole input
    assert max(written) <= WINDOW
    assert sum(written) == Run.objects.count() == report.new["BenchmarkRun"]
    assert (dry.new, dry.known, dry.rejected_by_reason) == (report.new, report.known, report.rejected_by_reason)
    assert sum(GroupStanding.objects.values_list("run_count", flat=True)) == Run.objects.count()
    assert verify().differences == ()
    again = syncs.import_file("gpumode-kernelbot", path, now=NOW)
    assert (again.new, again.batches) == ({}, 0)
