"""Paths of pages, written out: a list of a hundred rows names six hundred, and reverse() would be most of its time.

tests/registry/queries/test_addresses.py holds them to the URL table.
"""

from uuid import UUID


def run(digest: str) -> str:
    return f"/runs/{digest}/"


def group(key: str) -> str:
    return f"/groups/{key}/"


def why_not(key: str, other: str) -> str:
    return f"/groups/{key}/why-not/{other}/"


def operation(slug: str) -> str:
    return f"/operations/{slug}/"


def workload(digest: str) -> str:
    return f"/workloads/{digest}/"


def implementation(row_id: UUID | str) -> str:
    return f"/implementations/{row_id}/"


def project(slug: str) -> str:
    return f"/projects/{slug}/"


def protocol(digest: str) -> str:
    return f"/protocols/{digest}/"


def environment(digest: str) -> str:
    return f"/environments/{digest}/"


def hardware(slug: str) -> str:
    return f"/hardware/{slug}/"


def source(slug: str) -> str:
    return f"/sources/{slug}/"


def sync(sync_id: UUID | str) -> str:
    return f"/syncs/{sync_id}/"


def incident(slug: str) -> str:
    return f"/incidents/{slug}/"


def canonical(page: str) -> str:
    """The canonical bytes of the document whose page this is."""
    return f"{page}canonical.json"


def citation(digest: str, ending: str) -> str:
    """A run's citation as a file, by its format's ending."""
    return f"{run(digest)}cite.{ending}"


def artifact(digest: str) -> str:
    return f"/artifacts/{digest}/"


def twin(page: str) -> str:
    """The JSON of the same facts as a page."""
    return f"/api/v1{page}"
