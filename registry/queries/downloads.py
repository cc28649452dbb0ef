"""Bytes held here: whether they are handed out, and where they came from where they are not."""

from dataclasses import dataclass

from django.db.models import Q

from registry.models import Artifact, Implementation, RunArtifact, Snapshot, Source
from registry.queries import addresses
from registry.queries.shapes import Ref


@dataclass(frozen=True, slots=True)
class Withheld:
    """By whose terms; where they stand and where the file came from, as far as that is known."""

    source: Ref
    terms: str
    terms_url: str | None
    upstream_url: str | None


@dataclass(frozen=True, slots=True)
class Download:
    digest: str
    file_name: str
    withheld: Withheld | None


def download(digest: str) -> Download:
    """What is published under a digest. Raises Snapshot.DoesNotExist for anything else, held here or not.

    Bytes that a sync has read and nobody has published yet are not published by being held. Where one source's terms
    keep bytes back, another's do not open them.
    """
    artifact = Artifact.objects.filter(digest=digest).first()
    snapshots = list(Snapshot.objects.filter(sha256=digest).select_related("source"))
    if not (artifact or snapshots or _is_named(digest)):
        raise Snapshot.DoesNotExist(digest)
    names = [artifact and artifact.file_name, *(snapshot.file_name for snapshot in snapshots)]
    name = next(filter(None, names), None) or digest.removeprefix("sha256:")[:16]
    return Download(digest, name.rsplit("/", 1)[-1], _withheld(digest, snapshots))


def available_at(digest: str, *, is_held: bool, may_store: bool, upstream_url: str | None) -> str | None:
    """Where a snapshot can be had: here where terms allow it, else upstream where it has an address."""
    if is_held and may_store:
        return addresses.artifact(digest)
    return _https(upstream_url)


def _is_named(digest: str) -> bool:
    by_run = RunArtifact.objects.filter(digest=digest)
    return by_run.exists() or Implementation.objects.filter(source_digest=digest).exists()


def _withheld(digest: str, snapshots: list[Snapshot]) -> Withheld | None:
    closed = next((snapshot for snapshot in snapshots if not snapshot.source.may_store), None)
    source = closed.source if closed else _closed_source_of_a_run(digest)
    if source is None:
        return None
    return Withheld(
        Ref(source.slug, source.name, addresses.source(source.slug)),
        source.terms,
        _https(source.terms_url),
        _https(closed.url if closed else None),
    )


def _closed_source_of_a_run(digest: str) -> Source | None:
    return Source.objects.filter(Q(may_store=False) & Q(runs__artifacts__digest=digest)).first()


def _https(url: str | None) -> str | None:
    return url if url and url.startswith("https://") else None
