"""Bytes are kept under their own digest, once."""

from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from registry import artifacts, evidence, snapshots
from registry.importers.base import Unreadable
from registry.ingest import SnapshotFile
from registry.models import EvidenceFact, StoredObject
from tests.conftest import NOW
from tests.factories import bundle_of, ingest_bundle, run_entry

HELLO = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
PATH = "sha256/2c/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


@pytest.fixture
def hello(tmp_path: Path) -> Path:
    path = tmp_path / "hello.txt"
    path.write_bytes(b"hello")
    return path


def test_bytes_are_stored_under_their_digest(db: None) -> None:
    assert artifacts.store_bytes(b"hello", now=NOW) == HELLO
    held = StoredObject.objects.get()
    assert (held.digest, held.path, held.size_bytes, held.stored_at) == (HELLO, PATH, 5, NOW)
    with default_storage.open(PATH) as file:
        assert file.read() == b"hello"


def test_a_file_and_its_bytes_are_one_object(db: None, hello: Path) -> None:
    assert artifacts.store_file(hello, now=NOW) == artifacts.store_bytes(b"hello", now=NOW) == HELLO
    assert StoredObject.objects.count() == 1
    assert default_storage.listdir("sha256/2c")[1] == [HELLO.removeprefix("sha256:")]


def test_bytes_that_a_crash_left_without_a_row_are_found_in_place(db: None) -> None:
    artifacts.store_bytes(b"hello", now=NOW)
    StoredObject.objects.all().delete()
    artifacts.store_bytes(b"hello", now=NOW)
    assert StoredObject.objects.get().path == PATH
    assert default_storage.listdir("sha256/2c")[1] == [HELLO.removeprefix("sha256:")]


def test_the_row_never_stands_without_the_evidence_that_follows(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_bundle(bundle_of(run_entry(evidence={"logs": {"uri": "https://example.org/log", "digest": HELLO}})))

    def fails(*args: object, **kwargs: object) -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(evidence, "refresh", fails)
        with pytest.raises(RuntimeError):
            artifacts.store_bytes(b"hello", now=NOW)
    assert (StoredObject.objects.count(), EvidenceFact.objects.count()) == (0, 0)
    artifacts.store_bytes(b"hello", now=NOW)
    assert (StoredObject.objects.count(), EvidenceFact.objects.count()) == (1, 1)


def test_stored_bytes_are_opened_by_digest(db: None) -> None:
    artifacts.store_bytes(b"hello", now=NOW)
    with artifacts.open_stored(HELLO) as file:
        assert file.read() == b"hello"


def test_a_digest_that_is_not_held_opens_nothing(db: None) -> None:
    assert artifacts.open_stored(HELLO) is None


def test_a_file_is_described_without_being_stored(db: None, hello: Path) -> None:
    assert snapshots.take_file(hello) == SnapshotFile("hello.txt", HELLO, 5, url=None, revision=None)
    assert StoredObject.objects.count() == 0


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_what_is_no_file_is_unreadable(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unreadable, match="no such file"):
        snapshots.take_file(tmp_path / name)
