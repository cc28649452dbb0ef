"""What curators write about protocols: notes in versions, and which protocol followed which. Neither moves a rank."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from registry import auditing
from registry.core import protocol_notes
from registry.core.protocol_notes import SUBJECT, NoteError, Sentence
from registry.core.reading import read
from registry.models import Protocol, ProtocolNote, ProtocolSuccession

BUNDLED = Path(__file__).parent / "fixtures/protocol-notes.yaml"
BUNDLED_REASON = "Read from the upstreams' code at the commits that the sentences link."
WRITTEN, SUCCEEDED = "protocol note written", "protocol succeeded"

__all__ = ["BUNDLED", "Loaded", "NoteError", "bundled", "load_bundled", "succeed", "write"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the bundled notes, by subject. `kept`: a person has written since, and that stands."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]


def write(*, subject: str, sentences: Any, reason: str, actor: uuid.UUID, now: datetime) -> ProtocolNote:
    """Write the next version of a subject's note; the earlier ones stay on record. Raises NoteError."""
    if not SUBJECT.fullmatch(subject):
        raise NoteError(["A subject is a protocol's digest, or family: and a comparability family."])
    if subject.startswith("sha256:") and not Protocol.objects.filter(digest=subject).exists():
        raise NoteError([f"No protocol here has the digest {subject}."])
    return _write(subject, protocol_notes.sentences(sentences), reason, actor, now)


def succeed(
    protocol: Protocol, *, successor: Protocol | None, reason: str, actor: uuid.UUID, now: datetime
) -> ProtocolSuccession:
    """Say that `successor` continues `protocol`; None revokes what was said. It joins no groups and moves no rank."""
    _require(reason)
    with transaction.atomic():
        standing = _successor(protocol.pk)
        if successor is None and standing is None:
            raise NoteError(["This protocol has no successor to revoke."])
        if successor and standing == successor.pk:
            raise NoteError(["This is its successor already."])
        seen, at = {protocol.pk}, successor.pk if successor else None
        while at is not None:
            if at in seen:
                raise NoteError(["A protocol can't be continued by itself, directly or by way of others."])
            seen.add(at)
            at = _successor(at)
        detail = {"successor": successor.digest if successor else None}
        event = auditing.record(SUCCEEDED, "protocol", protocol.digest, reason, actor, now, detail)
        return ProtocolSuccession.objects.create(
            id=auditing.new_id(now), at=now, protocol=protocol, successor=successor, reason=reason, actor=actor,
            audit=event,
        )  # fmt: skip


def bundled() -> dict[str, tuple[Sentence, ...]]:
    """The notes that come with the site, by subject. Several subjects may share one text."""
    value: Any = read(BUNDLED.read_bytes(), syntax="yaml").value
    return {
        subject: protocol_notes.sentences(note["sentences"]) for note in value["notes"] for subject in note["subjects"]
    }


def load_bundled(*, now: datetime) -> Loaded:
    """Write each bundled note that says something new, as the site itself; a person's version is never overwritten."""
    outcome: dict[str, list[str]] = {"written": [], "unchanged": [], "kept": []}
    with transaction.atomic():
        for subject, told in bundled().items():
            newest = _newest(subject)
            if newest and newest.actor is not None:
                outcome["kept"].append(subject)
            elif newest and newest.sentences == [sentence.as_json() for sentence in told]:
                outcome["unchanged"].append(subject)
            else:
                _write(subject, told, BUNDLED_REASON, None, now)
                outcome["written"].append(subject)
    return Loaded(**{name: tuple(subjects) for name, subjects in outcome.items()})


def _write(
    subject: str, told: tuple[Sentence, ...], reason: str, actor: uuid.UUID | None, now: datetime
) -> ProtocolNote:
    _require(reason)
    with transaction.atomic():
        newest = _newest(subject)
        version = newest.version + 1 if newest else 1
        event = auditing.record(WRITTEN, "protocol note", subject, reason, actor, now, {"version": version})
        return ProtocolNote.objects.create(
            id=auditing.new_id(now), at=now, subject=subject, version=version,
            sentences=[sentence.as_json() for sentence in told], reason=reason, actor=actor, audit=event,
        )  # fmt: skip


def _newest(subject: str) -> ProtocolNote | None:
    return ProtocolNote.objects.filter(subject=subject).order_by("-version").first()


def _successor(protocol_id: uuid.UUID) -> uuid.UUID | None:
    said = ProtocolSuccession.objects.filter(protocol=protocol_id).order_by("-at", "-id")
    return said.values_list("successor_id", flat=True).first()


def _require(reason: str) -> None:
    if not reason.strip():
        raise NoteError(["State a reason: it stands with the version."])
