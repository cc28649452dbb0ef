"""What an import reads from is described, kept by digest and laid out again."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from registry import artifacts, snapshots
from registry.importers.base import InputFile, RunEntry, Unreadable, in_line
from registry.ingest import SnapshotFile, ingest
from registry.models import Sighting, Snapshot, StoredObject
from tests.conftest import NOW
from tests.factories import UPSTREAM, bundle_of, entries_of, run_entry

HELLO = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with files at two depths, two of them equal, and one that no upstream wrote."""
    root = tmp_path / "tree"
    for name, data in {"b/z.jsonl": b"hello", "a.json": b"", "b/a.jsonl": b"hello", "b/.hidden": b"x"}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def test_a_folder_is_one_snapshot_file_for_each_file_by_its_path_below(tree: Path) -> None:
    assert snapshots.take_files(snapshots.input_files(tree)) == [
        SnapshotFile("a.json", EMPTY, 0),
        SnapshotFile("b/a.jsonl", HELLO, 5),
        SnapshotFile("b/z.jsonl", HELLO, 5),
    ]


def test_the_files_of_an_input_are_kept_by_digest(db: None, tree: Path) -> None:
    assert snapshots.keep_files(snapshots.input_files(tree), now=NOW) == [EMPTY, HELLO, HELLO]
    assert StoredObject.objects.count() == 2


def test_held_files_are_laid_out_under_numbers_whatever_they_are_called(db: None, tree: Path, tmp_path: Path) -> None:
    snapshots.keep_files(snapshots.input_files(tree), now=NOW)
    folder = tmp_path / "out"
    folder.mkdir()
    found = snapshots.lay_out([("../../etc/passwd", HELLO), ("b/a.jsonl", EMPTY)], folder)
    assert found == [InputFile("../../etc/passwd", folder / "000000"), InputFile("b/a.jsonl", folder / "000001")]
    assert [file.path.read_bytes() for file in found] == [b"hello", b""]
    assert sorted(path.name for path in tmp_path.rglob("*") if path.name.startswith("0")) == ["000000", "000001"]


def test_bytes_that_are_not_held_or_not_what_they_were_are_unreadable(db: None, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=f"a.json: {HELLO} is not held here"):
        snapshots.lay_out([("a.json", HELLO)], tmp_path)
    artifacts.store_bytes(b"hello", now=NOW)
    Path(default_storage.path(artifacts.object_path(HELLO))).write_bytes(b"hullo")
    with pytest.raises(Unreadable, match="no longer those"):
        snapshots.lay_out([("a.json", HELLO)], tmp_path)
    default_storage.delete(artifacts.object_path(HELLO))
    with pytest.raises(Unreadable, match=r"a\.json: No such file"):
        snapshots.lay_out([("a.json", HELLO)], tmp_path)


def test_files_of_equal_bytes_are_one_snapshot_that_rows_of_either_were_seen_in(db: None) -> None:
    files = [SnapshotFile(name, digest, 1) for name, digest in (("a", EMPTY), ("b", HELLO), ("c", HELLO))]
    entries = [
        replace(entry, locate=in_line("b" if number % 2 else "c", 1)) if isinstance(entry, RunEntry) else entry
        for number, entry in enumerate(
            entries_of(bundle_of(run_entry(), run_entry(observedAt="2026-07-02T00:00:00Z")))
        )
    ]  # fmt: skip
    report = ingest(entries, source=UPSTREAM, snapshot=files[0], more=files[1:], now=NOW)
    assert report.rejected == []
    assert sorted(Snapshot.objects.values_list("sha256", flat=True)) == [HELLO, EMPTY]
    assert list(Sighting.objects.values_list("snapshot__sha256", flat=True)) == [HELLO, HELLO]
