"""Imports at a shell leave their account like any sync, and publish at once."""

from pathlib import Path
from typing import Any

import pytest

from registry import syncs
from registry.importers import bundle
from registry.importers.base import MissingFacts, Question, Unreadable
from registry.models import Run, Snapshot, Source, StoredObject, Sync, SyncFile
from tests.conftest import NOW
from tests.factories import everything
from tests.registry.commands.test_import_commands import ran as command
from tests.registry.syncs.reading import BYTES, CURATOR, DAY, FIXTURE, asked, first_rows, liger_source, ran

SLUG = "liger-kernel-bench"


def test_an_import_is_a_sync_that_is_done(db: None) -> None:
    syncs.import_file(SLUG, FIXTURE, now=NOW)
    sync = Sync.objects.get()
    assert (sync.source.slug, sync.importer, sync.trigger, sync.state, sync.requested_by, sync.is_dry_run) == (
        SLUG, SLUG, "shell", "done", None, False,
    )  # fmt: skip
    assert sync.report["new"]["BenchmarkRun"] == 48
    assert list(sync.files.values_list("name", "sha256")) == list(Snapshot.objects.values_list("file_name", "sha256"))


def test_a_folder_is_one_input_of_its_files(db: None, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.csv").write_bytes(BYTES)
    (tmp_path / "b.csv").write_bytes(first_rows(0))
    syncs.import_file(SLUG, tmp_path, now=NOW)
    assert list(SyncFile.objects.values_list("name", flat=True)) == ["b.csv", "sub/a.csv"]
    assert Run.objects.count() == 48


def test_a_missing_source_is_made_of_the_importer_s_defaults(db: None, tmp_path: Path) -> None:
    """Also where nothing of the file is taken: its rejections are told under the source."""
    path = tmp_path / "rows.csv"
    path.write_text(FIXTURE.read_text().replace("relu_squared", "geglu"))
    syncs.import_file(SLUG, path, now=NOW)
    source = Source.objects.get()
    assert (source.slug, source.importer, source.licence, source.schedule) == (SLUG, SLUG, "BSD-2-Clause", "weekly")
    assert Sync.objects.get().rows.count() == 48
    assert StoredObject.objects.get().digest == SyncFile.objects.get().sha256


def test_a_curated_source_stays_as_it_is(db: None) -> None:
    liger_source(name="Renamed by staff")
    syncs.import_file(SLUG, FIXTURE, now=NOW)
    assert Source.objects.get().name == "Renamed by staff"


def test_a_dry_run_leaves_nothing(db: None) -> None:
    syncs.import_file(SLUG, FIXTURE, now=NOW, is_dry_run=True)
    assert (Sync.objects.count(), Source.objects.count(), StoredObject.objects.count()) == (0, 0, 0)


def test_bundles_leave_their_account_too(db: None) -> None:
    syncs.load_demo(now=NOW)
    assert list(Sync.objects.order_by("source__slug").values_list("source__slug", "importer", "state")) == [
        (SLUG, SLUG, "done"), ("sol-execbench", "bundle", "done"), ("sol-execbench", "bundle", "done"),
    ]  # fmt: skip
    assert bundle.SOURCE.slug not in Source.objects.values_list("slug", flat=True)


def test_the_next_sync_is_not_the_first_one(db: None) -> None:
    syncs.import_file(SLUG, FIXTURE, now=NOW)
    source = Source.objects.get()
    assert ran(asked(source, now=NOW + DAY), first_rows(48), now=NOW + DAY).state == "done"


def test_an_import_publishes_while_a_sync_waits(db: None) -> None:
    waiting = ran(asked(liger_source()), BYTES)
    syncs.import_file(SLUG, FIXTURE, now=NOW)
    assert (Run.objects.count(), Sync.objects.get(pk=waiting.pk).state) == (48, "waiting")


# The same input again


def test_an_input_that_was_published_is_noted_and_not_read(db: None) -> None:
    assert syncs.seen_again(SLUG, FIXTURE, now=NOW) is None
    syncs.import_file(SLUG, FIXTURE, now=NOW)
    before = everything()
    noted = syncs.seen_again(SLUG, FIXTURE, now=NOW + DAY)
    assert noted is not None
    assert (noted.report["new"], noted.report["known"]["BenchmarkRun"]) == ({}, 48)
    assert (noted.changes["new"], noted.changes["known"]) == (0, 48)
    changed = {name for name, rows in everything().items() if rows != before[name]}
    assert changed == {"registry.Sync", "registry.SyncFile"}


def test_the_command_says_that_there_is_nothing_to_do(db: None) -> None:
    command("import_source", SLUG, "--path", FIXTURE)
    code, out = command("import_source", SLUG, "--path", FIXTURE)
    assert code == 0
    assert out.startswith(f"{SLUG}: nothing to do (--again reads it anyway): the same input was published on 20")
    code, out = command("import_source", SLUG, "--path", FIXTURE, "--again")
    assert (code, out.splitlines()[1]) == (0, "  new:         none")


def test_an_import_that_left_nothing_published_is_done_again(db: None, tmp_path: Path) -> None:
    command("import_source", SLUG, "--path", FIXTURE, "--dry-run")
    _, out = command("import_source", SLUG, "--path", FIXTURE)
    assert "48 BenchmarkRun" in out


# Reviews, failures, missing facts


def test_a_review_waits_and_is_approved_like_any_sync(db: None) -> None:
    code, out = command("import_source", SLUG, "--path", FIXTURE, "--review")
    sync = Sync.objects.get()
    assert (code, out) == (3, f"sync {sync.pk} is waiting for a person: A review was asked for at a shell.\n")
    assert (Run.objects.count(), sync.report["new"]["BenchmarkRun"]) == (0, 48)
    syncs.approve(sync, actor=CURATOR, reason="Looks right.", now=NOW)
    assert (ran(sync).state, Run.objects.count()) == ("done", 48)


def test_a_review_of_what_can_t_be_read_fails(db: None, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xff")
    assert command("import_source", SLUG, "--path", path, "--review")[0] == 1
    assert Sync.objects.get().state == "failed"


def test_a_review_is_refused_while_the_source_is_read(db: None, capsys: Any) -> None:
    asked(liger_source())
    assert command("import_source", SLUG, "--path", FIXTURE, "--review")[0] == 2
    assert "is queued already" in capsys.readouterr().err


def test_an_unreadable_file_leaves_no_account(db: None, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xff")
    with pytest.raises(Unreadable):
        syncs.import_file(SLUG, path, now=NOW)
    assert (Sync.objects.count(), StoredObject.objects.count()) == (0, 0)


def test_missing_facts_are_a_list_of_questions_and_exit_code_2(db: None, monkeypatch: Any, capsys: Any) -> None:
    def translate(files: Any, known: Any) -> Any:
        raise MissingFacts([Question("unit", "In which unit?"), Question("gpu", "On which GPU?")])

    monkeypatch.setattr("registry.importers.liger.translate", translate)
    assert command("import_source", SLUG, "--path", FIXTURE)[0] == 2
    err = capsys.readouterr().err
    assert err.startswith("the file does not say, nothing was written.")
    assert err.endswith("  unit: In which unit?\n  gpu: On which GPU?\n")


# sync_source


def test_sync_source_asks_for_a_sync(db: None) -> None:
    liger_source()
    code, out = command("sync_source", SLUG)
    sync = Sync.objects.get()
    assert (code, out) == (0, f"Liger-Kernel benchmarks: sync {sync.pk} is queued\n")


@pytest.mark.parametrize(("state", "code"), [("done", 0), ("waiting", 3), ("failed", 1)])
def test_sync_source_can_be_told_to_do_it_here(db: None, monkeypatch: Any, state: str, code: int) -> None:
    def run(sync_id: Any, *, now: Any) -> None:
        Sync.objects.filter(pk=sync_id).update(state=state)

    liger_source()
    monkeypatch.setattr(syncs, "run", run)
    assert command("sync_source", SLUG, "--now")[0] == code


def test_sync_source_says_what_it_can_t(db: None, capsys: Any) -> None:
    assert command("sync_source", "nobody")[0] == 2
    liger_source(is_enabled=False)
    assert command("sync_source", SLUG)[0] == 2
    assert capsys.readouterr().err == (
        "no source 'nobody'\nLiger-Kernel benchmarks is switched off: nothing of it is fetched or taken.\n"
    )
