"""Protocol notes as pages show them: in full on the protocol's page, as chips wherever a protocol is named.

All newest notes and successions are kept in the process: they are few. What they are kept under is how many rows
there are, so a page that knows the two counts needs no query of its own; the tables only ever grow.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Func, IntegerField, Subquery

from registry.core import protocol_notes
from registry.models import Protocol, ProtocolNote, ProtocolSuccession
from registry.queries import addresses
from registry.queries.kept import Kept
from registry.queries.shapes import Ref


@dataclass(frozen=True, slots=True)
class Chip:
    """A sentence of a note in few words, linked to the sentence."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Succession:
    """A curator's word that another protocol continues this one; no rank follows from it."""

    successor: Ref
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class ProtocolNotes:
    """What stands beside a protocol's name. `version` None: nobody has written a note of it."""

    chips: tuple[Chip, ...]
    url: str
    version: int | None
    at: datetime | None
    succession: Succession | None


@dataclass(frozen=True, slots=True)
class NoteSentence:
    """`url` and `read_at` None: what upstream does not state."""

    text: str
    url: str | None
    read_at: str | None


@dataclass(frozen=True, slots=True)
class Topic:
    key: str
    name: str
    sentences: tuple[NoteSentence, ...]


@dataclass(frozen=True, slots=True)
class NoteVersion:
    """One version of a note. `is_bundled`: it came with the site, no person of this one wrote it."""

    version: int
    at: datetime
    reason: str
    is_bundled: bool
    topics: tuple[Topic, ...]


@dataclass(frozen=True, slots=True)
class NotePart:
    """The note on a protocol's page. `of_family` names the family whose note stands in for one of its own."""

    newest: NoteVersion
    earlier: tuple[NoteVersion, ...]
    of_family: str | None


@dataclass(frozen=True, slots=True)
class _Newest:
    version: int
    at: datetime
    sentences: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Book:
    notes: dict[str, _Newest]
    successions: dict[str, Succession]


_kept: Kept[_Book] = Kept(2)


def counted() -> dict[str, Subquery]:
    """Annotations that say how many notes and successions there are, for a query that is made anyway."""
    return {"notes_written": _count(ProtocolNote.objects), "successions_written": _count(ProtocolSuccession.objects)}


def _count(rows: Any) -> Subquery:
    return Subquery(rows.order_by().annotate(n=Func(F("pk"), function="COUNT")).values("n"), IntegerField())


def of_protocol(digest: str, family: str | None, row: Any) -> ProtocolNotes:
    """What stands beside this protocol's name. `row` is one of a query that was annotated with `counted`."""
    book = _kept.get((row.notes_written, row.successions_written), _read)
    note = book.notes.get(digest) or (book.notes.get(protocol_notes.family_subject(family)) if family else None)
    page = addresses.protocol(digest)
    chips = [
        Chip(sentence["chip"], f"{page}#note-{sentence['topic']}")
        for sentence in (note.sentences if note else ())
        if sentence["chip"]
    ]
    return ProtocolNotes(
        chips=tuple(chips[: protocol_notes.CHIPS]),
        url=f"{page}#note",
        version=note.version if note else None,
        at=note.at if note else None,
        succession=book.successions.get(digest),
    )


def _read() -> _Book:
    notes = {
        row.pop("subject"): _Newest(**row)
        for row in ProtocolNote.objects.order_by("version").values("subject", "version", "at", "sentences")
    }
    successions: dict[str, Succession] = {}
    said = ProtocolSuccession.objects.order_by("at", "id").values_list(
        "protocol__digest", "successor__digest", "successor__label", "at", "reason"
    )
    for protocol, digest, label, at, reason in said:
        successions.pop(protocol, None)
        if digest:
            successor = Ref(digest, label or "redacted protocol", addresses.protocol(digest))
            successions[protocol] = Succession(successor, at, reason)
    return _Book(notes, successions)


def note_part(protocol: Protocol, family: str | None) -> NotePart | None:
    """Every version of the note that holds for a protocol, newest first. None where nobody has written one."""
    subjects = [protocol.digest, *([protocol_notes.family_subject(family)] if family else ())]
    found = list(ProtocolNote.objects.filter(subject__in=subjects).order_by("-version"))
    its_own = [note for note in found if note.subject == protocol.digest]
    versions = [
        NoteVersion(note.version, note.at, note.reason, note.actor is None, _topics(note.sentences))
        for note in its_own or found
    ]
    return NotePart(versions[0], tuple(versions[1:]), None if its_own else family) if versions else None


def _topics(sentences: list[dict[str, Any]]) -> tuple[Topic, ...]:
    return tuple(
        Topic(
            key,
            name,
            tuple(
                NoteSentence(s["text"], s["url"], protocol_notes.read_at(s["url"]) if s["url"] else None)
                for s in sentences
                if s["topic"] == key
            ),
        )
        for key, name in protocol_notes.TOPICS.items()
        if any(s["topic"] == key for s in sentences)
    )
