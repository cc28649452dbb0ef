"""Whether the links that our pages show to somewhere else still answer. Checked weekly, the longest unchecked first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.urls import reverse

from registry.auditing import new_id
from registry.core.links import answers
from registry.fetching import FetchError, Network, probe
from registry.fetching.inputs import PAUSE
from registry.fetching.network import THE_INTERNET
from registry.fetching.pace import Pace
from registry.models import Implementation, Incident, Link, Project, ProtocolNote, RunArtifact, Source, StoredObject

MOST = 20_000  # links that are kept in sight
LONGEST_RUN = 1800  # seconds; the rest comes next time
CHUNK = 400
Shown = tuple[str, str]  # URL, page that shows it


@dataclass(frozen=True, slots=True)
class Checked:
    """Of one run: links that pages show, links that no page shows any more, links asked, and which didn't answer."""

    shown: int
    gone: int
    asked: int
    failing: tuple[str, ...]


def check(*, now: datetime, limit: int = 300, network: Network = THE_INTERNET) -> Checked:
    """See which links are shown, and ask the longest unchecked of them. Each answer is kept as it comes."""
    shown, gone = _collect(now)
    pace, start = Pace(PAUSE, network), network.seconds()
    asked, failing = 0, []
    for link in Link.objects.order_by(F("checked_at").asc(nulls_first=True), "url")[:limit]:
        if network.seconds() - start > LONGEST_RUN:
            break
        is_there, status = _ask(link.url, pace, network)
        since = None if is_there else link.failing_since or now
        Link.objects.filter(pk=link.pk).update(checked_at=now, status=status, failing_since=since)
        asked += 1
        if not is_there:
            failing.append(link.url)
    return Checked(shown, gone, asked, tuple(failing))


def _ask(url: str, pace: Pace, network: Network) -> tuple[bool, str]:
    try:
        status = probe(url, network=network, before=pace.wait)
    except FetchError as error:
        return False, error.reason
    return answers(status), str(status)


def _collect(now: datetime) -> tuple[int, int]:
    """Make the table hold the links that are shown now, and no others; what was found out about them stays."""
    shown: dict[str, str] = {}
    for url, page in islice(_shown(), MOST):
        shown.setdefault(url, page)
    with transaction.atomic():
        held = {link.url: link for link in Link.objects.all()}
        gone = [held[url].pk for url in held.keys() - shown.keys()]
        for start in range(0, len(gone), CHUNK):
            Link.objects.filter(pk__in=gone[start : start + CHUNK]).delete()
        moved = [link for url, link in held.items() if url in shown and link.shown_on != shown[url]]
        for link in moved:
            link.shown_on = shown[link.url]
        Link.objects.bulk_update(moved, ["shown_on"], batch_size=CHUNK)
        Link.objects.bulk_create(
            [Link(id=new_id(now), url=url, shown_on=page) for url, page in shown.items() if url not in held],
            batch_size=CHUNK,
        )
    return len(shown), len(gone)


def _shown() -> Iterator[Shown]:
    """Every https link to somewhere else, in the order in which it matters; others can't be asked, and are not."""
    for found in (_of_sources, _of_notes, _of_incidents, _of_projects, _of_implementations, _of_artifacts):
        yield from ((url, page) for url, page in found() if url.startswith("https://"))


def _of_sources() -> Iterator[Shown]:
    for source in Source.objects.all():
        for url in (source.homepage, source.terms_url):
            yield url, source.get_absolute_url()


def _of_notes() -> Iterator[Shown]:
    """Of each subject's newest version, the evidence of its sentences."""
    told: set[str] = set()
    for note in ProtocolNote.objects.order_by("subject", "-version"):
        if note.subject not in told:
            told.add(note.subject)
            is_protocol = note.subject.startswith("sha256:")
            page = reverse("protocol-detail", args=[note.subject]) if is_protocol else note.subject
            yield from ((sentence["url"], page) for sentence in note.sentences if sentence.get("url"))


def _of_incidents() -> Iterator[Shown]:
    for incident in Incident.objects.exclude(evidence_url=""):
        yield incident.evidence_url, incident.get_absolute_url()


def _of_projects() -> Iterator[Shown]:
    for project in Project.objects.select_related("newest").exclude(newest=None):
        for url in (project.newest.homepage, project.newest.repository):
            if url:
                yield url, project.get_absolute_url()


def _of_implementations() -> Iterator[Shown]:
    rows = Implementation.objects.filter(repository__startswith="https://").order_by("repository", "id")
    for url, row_id in rows.values_list("repository", "id").iterator():
        yield url, reverse("implementation-detail", args=[row_id])


def _of_artifacts() -> Iterator[Shown]:
    """Files that a run names and that are only linked: those held here are offered from here."""
    held = StoredObject.objects.filter(digest=OuterRef("digest"))
    rows = RunArtifact.objects.filter(~Exists(held), uri__startswith="https://").order_by("uri")
    for url, digest in rows.values_list("uri", "run__digest").iterator():
        yield url, reverse("run-detail", args=[digest])
