"""Documents as importers write them: the envelope, the digest, and each of them told once."""

from collections.abc import Hashable, Iterator

from registry.core.digest import API_VERSION, document_text, sha256
from registry.importers.base import DocumentEntry, Locate

Spec = dict[str, object]
TITLE_CHARACTERS = 200


def document(kind: str, spec: Spec, metadata: Spec) -> Spec:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def digest_of(written: Spec) -> str:
    """The digest of a document that is written in its normal form: whole nanoseconds, sorted sets."""
    return sha256(document_text(str(written["kind"]), written["spec"]))


class Once:
    """What was told already, so that rows that share a document or a file tell it once."""

    def __init__(self) -> None:
        self._told: set[Hashable] = set()

    def is_first(self, *identity: Hashable) -> bool:
        if identity in self._told:
            return False
        self._told.add(identity)
        return True

    def document(
        self, written: Spec, locate: Locate, *, slug: str | None = None, project: str | None = None
    ) -> Iterator[DocumentEntry]:
        """The document's entry, the first time; implementations are told apart by project and name too."""
        kind, metadata = str(written["kind"]), written["metadata"]
        name = metadata.get("name") if isinstance(metadata, dict) and project else None
        if self.is_first(kind, digest_of(written), slug, project, name):
            yield DocumentEntry(kind, written, locate, slug=slug, project=project)
