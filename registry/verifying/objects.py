"""Stored bytes: each file is there and hashes to its digest, and what has a file here has its row."""

import hashlib

from django.core.files.storage import default_storage

from registry.artifacts import object_path
from registry.models import RunArtifact, Snapshot, StoredObject
from registry.verifying.findings import Findings, Model, Row, chunks


def bytes_are_held(findings: Findings) -> None:
    for rows in chunks(StoredObject.objects.all()):
        findings.read(StoredObject, rows)
        for row in rows:
            if row["path"] != object_path(row["digest"]):
                text = "is not the path that follows from the digest"
                findings.add("DERIVED", StoredObject, row["digest"], "path", text, stored=row["path"])
            _file(findings, row)
    for rows in chunks(Snapshot.objects.all(), "id", "sha256", "size_bytes"):
        held = StoredObject.objects.filter(digest__in=[row["sha256"] for row in rows])
        sizes = dict(held.values_list("digest", "size_bytes"))
        for row in rows:
            if sizes.get(row["sha256"], row["size_bytes"]) != row["size_bytes"]:
                text = "is not the size of the bytes that are held"
                findings.add(
                    "STORED_SIZE",
                    Snapshot,
                    row["id"],
                    "size_bytes",
                    text,
                    stored=row["size_bytes"],
                    derived=sizes[row["sha256"]],
                )
            _has_row(findings, Snapshot, row["id"], row["sha256"], sizes)
    for rows in chunks(RunArtifact.objects.all(), "id", "digest"):
        held = StoredObject.objects.filter(digest__in=[row["digest"] for row in rows])
        sizes = dict(held.values_list("digest", "size_bytes"))
        for row in rows:
            _has_row(findings, RunArtifact, row["id"], row["digest"], sizes)


def _file(findings: Findings, row: Row) -> None:
    try:
        with default_storage.open(row["path"]) as file:
            size, digest = (
                default_storage.size(row["path"]),
                f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}",
            )
    except (OSError, ValueError) as error:  # ValueError: a path that leads out of the storage
        findings.add(
            "STORED_FILE", StoredObject, row["digest"], "path", f"the file can't be read: {type(error).__name__}"
        )
        return
    if digest != row["digest"]:
        text = "the file does not hash to its digest"
        findings.add("STORED_FILE", StoredObject, row["digest"], "digest", text, stored=row["digest"], derived=digest)
    if size != row["size_bytes"]:
        text = "is not the size of the file"
        findings.add(
            "STORED_SIZE", StoredObject, row["digest"], "size_bytes", text, stored=row["size_bytes"], derived=size
        )


def _has_row(findings: Findings, model: Model, name: object, digest: str, held: dict[str, int]) -> None:
    """Bytes of a snapshot need not be kept; but those that lie in the storage have a row that says so."""
    if digest not in held and default_storage.exists(object_path(digest)):
        text = f"the bytes of {model._meta.verbose_name} {name} lie in the storage, and no row says so"
        findings.add("MISSING", StoredObject, digest, "digest", text)
