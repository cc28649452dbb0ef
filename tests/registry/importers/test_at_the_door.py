"""Both importers' folders through the door: what they yield is accepted, ranked or held back, and stays as it is."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from registry import snapshots, verifying
from registry.importers import flashinfer, sol_execbench
from registry.importers.base import Known, Translation
from registry.ingest import IngestReport, ingest
from registry.models import Coverage, Mark, Run, Standing
from tests.conftest import NOW
from tests.registry.importers.test_flashinfer import FIXTURE as FLASHINFER
from tests.registry.importers.test_sol_execbench import FIXTURE as SOL


def imported(importer: Any, folder: Path) -> IngestReport:
    files = snapshots.input_files(folder)
    first, *more = [replace(snapshots.take_file(file.path), file_name=file.name) for file in files]

    def keep() -> None:
        for file in files:
            snapshots.keep_file(file.path, now=NOW)

    return ingest(
        Translation(importer, files, Known()), source=importer.SOURCE, snapshot=first, more=more, keep=keep, now=NOW
    )


def ranked() -> dict[str, int | None]:
    return dict(Standing.objects.values_list("run__name", "rank"))


def test_the_leaderboard_is_taken_whole_and_only_sound_rows_rank(db: None) -> None:
    report = imported(sol_execbench, SOL)
    assert report.rejected_by_reason == {"UNFINISHED": 1, "FAILED_UPSTREAM": 1, "NO_LATENCY": 1}
    assert report.flagged == {"TIME_ZONE_NOT_STATED": 4, "DISQUALIFIED_UPSTREAM": 1, "IMPLAUSIBLE": 1}
    assert ranked() == {
        "sol-submission-16893": 1,
        "sol-submission-17001": 1,  # alone under the later stack
        "sol-submission-17002": None,
        "sol-submission-17003": None,
        "sol-submission-17004": None,
    }
    mark = Mark.objects.get(rule="DISQUALIFIED_UPSTREAM")
    assert mark.reason == "Caches the output between calls. (by review; at 2026-07-09T00:00:00)"
    assert sorted(Coverage.objects.values_list("offered", flat=True)) == [9, 9]


def test_a_disqualification_at_the_source_unranks_a_run_that_is_held(db: None, tmp_path: Path) -> None:
    imported(sol_execbench, SOL)
    later = shutil.copytree(SOL, tmp_path / "later")
    for page in (later / "submissions/39").iterdir():
        value = json.loads(page.read_text())
        for row in value["data"]["submissions"]:
            if row["id"] == 16893:
                row |= {"is_disqualified": True, "disqualification_reason": "Reads the reference's output."}
        page.write_text(json.dumps(value))
    report = imported(sol_execbench, later)
    assert report.new == {}
    assert ranked()["sol-submission-16893"] is None
    mark = Mark.objects.get(rule="DISQUALIFIED_UPSTREAM", run__name="sol-submission-16893")
    assert (mark.reason, mark.by) == ("Reads the reference's output.", "the source")


def test_the_tree_is_taken_whole_and_what_failed_has_no_rank(db: None) -> None:
    report = imported(flashinfer, FLASHINFER)
    assert report.rejected == []
    assert Run.objects.count() == 5
    assert {name: rank for name, rank in ranked().items() if rank} == {
        "plain-scale-sample-scale-n64-aaaaaaaa": 1,
        "plain-scale-sample-scale-n64-bbbbbbbb": 1,
    }
    assert set(Run.objects.values_list("implementation__author", flat=True)) == {"An Author", "baseline"}


@pytest.mark.parametrize(("importer", "folder"), [(sol_execbench, SOL), (flashinfer, FLASHINFER)])
def test_the_same_folder_again_changes_nothing_and_all_of_it_verifies(db: None, importer: Any, folder: Path) -> None:
    imported(importer, folder)
    assert verifying.verify().differences == ()
    again = imported(importer, folder)
    assert (again.has_changes, again.new) == (False, {})
