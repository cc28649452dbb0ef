"""Where importers meet the door: a source is asked for, read, judged, published and accounted for.

A sync is queued, running (fetching, translating, checking), waiting for a person or publishing, then done; or failed,
to be tried again after a pause; or discarded. The acts are here by name; each module says which part it answers for.
"""

from registry.syncs.asking import pause, request, request_upload, resume
from registry.syncs.deciding import approve, discard
from registry.syncs.errors import SyncError
from registry.syncs.reading import importer_names
from registry.syncs.running import run
from registry.syncs.shell import (
    DEMO_SOL,
    UnknownSourceError,
    import_bundles,
    import_file,
    load_demo,
    review_file,
    seen_again,
)
from registry.syncs.ticking import Tick, tick

__all__ = [
    "DEMO_SOL",
    "SyncError",
    "Tick",
    "UnknownSourceError",
    "approve",
    "discard",
    "import_bundles",
    "import_file",
    "importer_names",
    "load_demo",
    "pause",
    "request",
    "request_upload",
    "resume",
    "review_file",
    "run",
    "seen_again",
    "tick",
]
