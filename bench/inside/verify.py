"""verify_registry against hashing every canonical text once more."""

import resource
import time
from typing import Any

from registry.core.digest import sha256
from registry.models import Environment, Implementation, Operation, ProjectRevision, Protocol, Run, Workload
from registry.verifying import verify

DOCUMENTS = (ProjectRevision, Operation, Workload, Protocol, Environment, Implementation, Run)


def measure(*, rounds: int) -> list[dict[str, Any]]:
    """Both in turn; each reads every document from the database."""
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        count = _rehash()
        rehash_s = time.perf_counter() - began
        report = verify()
        found.append(
            {
                "documents": count,
                "rows": sum(report.rows.values()),
                "differences": len(report.differences),
                "rehash_s": rehash_s,
                "verify_s": report.seconds,
                "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            }
        )
    return found


def _rehash() -> int:
    """Read and hash every canonical text and metadata; count the documents."""
    count = 0
    for model in DOCUMENTS:
        columns = ("digest", "canonical", "metadata_sha256", "metadata")
        for digest, text, metadata_sha256, metadata in model.objects.values_list(*columns).iterator():
            assert (sha256(text), sha256(metadata)) == (digest, metadata_sha256)
            count += 1
    return count
