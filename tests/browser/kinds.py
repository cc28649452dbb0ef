"""Every kind of page, and the states in which one looks different: the address of each, in one registry."""

import io
import uuid

from django.core.management import call_command

from registry import artifacts, notes
from registry.models import Run, Snapshot, Source, UnmappedName
from tests.conftest import NOW
from tests.factories import protocol_document, run_entry
from tests.registry.pages import (
    PAGES,
    SOL,
    SOL_OPERATION,
    WORKLOAD,
    incident,
    publish,
    publish_divided,
    recorded_sync,
    timed,
)

SPEED = protocol_document("acme-speed", measurement__samples=2)
MEMORY = protocol_document("acme-memory", measurement__samples=3)
PEAK = [{"metric": "memory", "unit": "mib", "statistic": "median", "value": 734.5}]


def page_kinds() -> dict[str, str]:
    """One address of every kind that tests of pages share, and of each further state. Makes what they show."""
    notes.load_bundled(now=NOW)
    call_command("verify_registry", stdout=io.StringIO())
    shared = {kind: address() for kind, address in PAGES.items()}
    sync = recorded_sync()
    waiting = recorded_sync("sol-execbench", state="waiting", waits_because="the first sync of this source")
    failed = recorded_sync("sol-execbench", state="failed", error="TIMEOUT no answer from example.org", report={})
    UnmappedName.objects.create(
        id=uuid.uuid4(), source=sync.source, kind="gpu", name="NVIDIA B300", first_seen_at=NOW, row_count=3,
        example="relu,…",
    )  # fmt: skip
    old, _, memory = _releases_and_memory()
    return shared | {
        "search, nothing found": "/search/?q=relu+nonsense",
        "run, alone in its group": f"/runs/{SOL}/",
        "run under an incident": f"/runs/{incident().marks.order_by('run__digest')[0].run.digest}/",
        "run with a history and memory beside it": f"/runs/{old.digest}/",
        "run of memory": f"/runs/{memory.digest}/",
        "group with releases": f"/groups/{old.group.key}/",
        "group of two kinds of mathematics": f"/groups/{publish_divided()[0].group.key}/",
        "operation of a suite": f"/operations/{SOL_OPERATION}/",
        "workload": f"/workloads/{WORKLOAD}/",
        "source with rows not taken and names": "/sources/liger-kernel-bench/",
        "sync that waits": f"/syncs/{waiting.pk}/",
        "sync that failed": f"/syncs/{failed.pk}/",
        "file that is only linked": _withheld(),
        "sign-in": "/accounts/login/?next=/docs/",
        "sign-up": "/accounts/signup/",
        "password forgotten": "/accounts/password/reset/",
        "a mail was sent": "/accounts/confirm-email/",
    }


def _releases_and_memory() -> list[Run]:
    """Two releases of one implementation under equal conditions, and its peak memory."""
    speeds = [
        timed(
            value, protocol=SPEED, observedAt=f"2026-07-0{day}T00:00:00Z",
            metadata={"name": "acme-run", "labels": {"acme_version": f"0.{day}"}},
        )
        for day, value in ((1, 900), (2, 800))
    ]  # fmt: skip
    return publish(*speeds, run_entry(protocol=MEMORY, timing=None, measurements=PEAK))


def _withheld() -> str:
    """Where a file stands that its source's terms keep back."""
    source = Source.objects.create(
        id=uuid.uuid4(), slug="closed", name="Closed", kind="benchmark", may_store=False, created_at=NOW,
        terms="Only linked.", terms_url="https://example.org/terms",
    )  # fmt: skip
    digest = artifacts.store_bytes(b"kept back", now=NOW)
    Snapshot.objects.create(
        id=uuid.uuid4(), source=source, sha256=digest, file_name="rows.csv", url="https://example.org/rows.csv",
        size_bytes=9, taken_at=NOW,
    )  # fmt: skip
    return f"/artifacts/{digest}/"
