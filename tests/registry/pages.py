"""What tests of pages share: the demo's addresses, a page's visible text, runs of one group, staff."""

import html
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from attestations import attesting, reports
from attestations.core.statements import Statement
from attestations.models import Attestation, Report
from attestations.profiles import actor_of
from attestations.queries.names import names
from registry import incidents
from registry.core.ids import uuid7
from registry.models import Implementation, Incident, Run, Source, Sync, SyncFile, SyncRow
from registry.models.syncs import SyncState, Trigger
from tests.conftest import NOW
from tests.factories import bundle, changed, digest_of, implementation_document, ingest_bundle, run_entry
from tests.people import member

STAFF, OTHER_STAFF = uuid.UUID(int=1), uuid.UUID(int=2)
NOTHING_SAID = 3  # queries of a run's page that find no attestation, no report, no author's note
SOL = "sha256:7331cf583fb6e7ee800b9067515bdecb60520bfdb78282d9a614a26710a28f7c"
SOL_KEY = "sha256:5d97d1668cb9ea2e17a8a3e674370944ac17a81abb0c6990ca3bffd4a62531e2"
LIGER = "sha256:e623e9242d413ecb009420593bdc959332909ee286c0e13ed1a7f98117891b24"
LIGER_KEY = "sha256:f78db58cec2cc7eabed53fa02f442f24eb22c7bb5d5a51b9697c8b971f159d43"
OPERATION = "liger-relu-squared"
SOL_OPERATION = "039-adaptive-instance-normalization-2d-backward"
PROTOCOL = "sha256:080e6e66e4ec75a131aa0c9121c74b8e8eed64e7b6d621d567c6a28f79548be8"
ENVIRONMENT = "sha256:2750ae381d6de582f1eb6b9008e0987463d19ede8af127d97d76c5ae09121393"
WORKLOAD = "sha256:5cb8c859206c6117aeecd3c604a56f1db73ea602eeaa23dba7a922bc698d4227"
SUITE = "sha256:b902ef8dd87d37e4d5583fc20ac0fce3b7dd9b9f00ca84d7bddb153303559449"
HARDWARE = "nvidia-h100-80gb-hbm3"


def shown(response: Any) -> str:
    """The visible text of a page in one line, without what is drawn."""
    body = re.sub(r"<(script|style|svg|head)\b.*?</\1>", " ", response.content.decode(), flags=re.S | re.I)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body))).strip()


def lacks(response: Any, *words: str) -> list[str]:
    """The words that a page does not show."""
    text = shown(response)
    return [word for word in words if word not in text]


def publish(*entries: dict[str, Any], **lists: Any) -> list[Run]:
    """Bring runs in by the door; in the order given."""
    ingest_bundle(bundle(runs=list(entries), **lists))
    return [Run.objects.get(digest=digest_of(entry["run"])) for entry in entries]


def timed(median: float, **fields: Any) -> dict[str, Any]:
    """A run entry of this many nanoseconds."""
    return changed(run_entry(**fields), run__spec__timing__latencyNs__median=median)


def labelled(median: float, *, day: str = "2026-07-01", **labels: str) -> dict[str, Any]:
    """A run entry with these labels: `variant`, `acme_version`."""
    return timed(median, metadata={"name": "acme-run", "labels": labels}, observedAt=f"{day}T00:00:00Z")


def publish_divided() -> list[Run]:
    """Five runs of one group and two kinds of mathematics, the last of them failed."""
    failed = changed(labelled(400, variant="token"), run__spec__status="timeout")
    values = ((900, "token"), (800, "sequence"), (700, "token"), (500, "sequence"))
    return publish(*(labelled(value, variant=variant) for value, variant in values), failed)


def publish_group(count: int) -> list[Run]:
    """So many runs in one group, each of an implementation of its own, 1,000 ns and 10 more for each next."""
    made = [implementation_document(f"acme-{number}", projectRevision__version=f"{number}") for number in range(count)]
    return publish(
        *(timed(1000 + 10 * number, implementation=of) for number, of in enumerate(made)),
        implementations=[{"projectSlug": "acme", "manifest": of} for of in made],
    )


def queries_of(client: Client, path: str) -> int:
    """How many queries a page takes, once the process is warm."""
    assert client.get(path).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


def recorded_sync(slug: str = "liger-kernel-bench", **fields: Any) -> Sync:
    """A sync of a source of the demo with two rows that were not taken; made once a test."""
    sync, is_new = Sync.objects.get_or_create(
        id=uuid.uuid5(uuid.NAMESPACE_URL, slug + repr(fields)),
        defaults={
            "source": Source.objects.get(slug=slug),
            "importer": slug,
            "trigger": Trigger.BUTTON,
            "state": SyncState.DONE,
            "requested_at": NOW,
            "started_at": NOW,
            "finished_at": NOW,
            "report": {"new": {"BenchmarkRun": 48}, "known": {}, "rejected": {"VALUE": 1}, "pending": {"GPU": 1}},
            "changes": {"new": 48, "known": 0, "vanished": 0},
            **fields,
        },
    )
    if is_new:
        SyncFile.objects.create(
            id=uuid.uuid4(), sync=sync, position=0, name="all.csv", url="https://example.org/all.csv", revision="abc",
            sha256="sha256:" + "7" * 64, size_bytes=2048, taken_at=NOW,
        )  # fmt: skip
        told = {"sync": sync, "file": "all.csv", "path": "y_value_50"}
        SyncRow.objects.create(
            id=uuid7(NOW, f"{sync.id}:1"), kind="rejected", reason="VALUE", line=7, key="relu/forward/liger",
            row="relu,…", text="not a number: 'x'", **told,
        )  # fmt: skip
        SyncRow.objects.create(
            id=uuid7(NOW + timedelta(seconds=1), f"{sync.id}:2"), kind="pending", reason="GPU", line=9,
            key=None, row="=relu,…", text="=no such GPU", **told,
        )  # fmt: skip
    return sync


def _implementation() -> str:
    return f"/implementations/{Implementation.objects.get(slug='liger-bench-relu-squared-torch').pk}/"


def incident() -> Incident:
    """An incident that notes the Liger seed's operation; published at the first call."""
    return Incident.objects.first() or incidents.publish(
        title="Timers of March", text="The timer stood still.\n\nNobody saw it.", evidence_url="https://example.org/t",
        criteria={"operations": [OPERATION], "observed_to": "2026-12-01"}, effect="note", reason="seen in the logs",
        actor=STAFF, now=NOW,
    )  # fmt: skip


def attestation() -> Attestation:
    """A reproduction of the Liger seed's run by samples that are slower; sent at the first call."""
    said = Statement(
        kind="not_reproduced", text="Same card.\nClocks not locked.", unit="us", samples_from="one number a line",
        samples=tuple(Decimal(number) for number in range(139, 146)), setup="as_published", relation="independent",
        place="run", evidence_url="https://example.org/log.txt",
    )  # fmt: skip
    return Attestation.objects.first() or attesting.attest(
        run=Run.objects.get(digest=LIGER), actor=actor_of(member("attestor")), statement=said, now=NOW
    )


def report() -> Report:
    """An open report on the Liger seed that nobody answered in time, joined by another; made at the first call."""
    first = Report.objects.first()
    if first is None:
        told = {"run": Run.objects.get(digest=LIGER), "reason": "incorrect_result", "contact": "reader@example.org"}
        first = reports.open_report(**told, text="Private words.", now=NOW)
        reports.open_report(**told, text="Private words too.", now=NOW + timedelta(days=1))
    return first.duplicate_of or first


# Each kind of page of the demo. Those with a twin answer at the same path under /api/v1.
TWINNED: dict[str, Callable[[], str]] = {
    "home": lambda: "/",
    "search": lambda: "/search/?q=relu",
    "run-list": lambda: "/runs/",
    "run-detail": lambda: f"/runs/{LIGER}/",
    "run-by-id": lambda: f"/runs/{Run.objects.get(digest=SOL).pk}/",
    "group-list": lambda: "/groups/",
    "group-detail": lambda: f"/groups/{LIGER_KEY}/",
    "why-not": lambda: f"/groups/{LIGER_KEY}/why-not/{SOL_KEY}/",
    "operation-detail": lambda: f"/operations/{OPERATION}/",
    "workload-detail": lambda: f"/workloads/{SUITE}/",
    "protocol-detail": lambda: f"/protocols/{PROTOCOL}/",
    "environment-detail": lambda: f"/environments/{ENVIRONMENT}/",
    "hardware-detail": lambda: f"/hardware/{HARDWARE}/",
    "implementation-detail": _implementation,
    "project-detail": lambda: "/projects/pytorch/",
    "source-list": lambda: "/sources/",
    "source-detail": lambda: "/sources/sol-execbench/",
    "sync-detail": lambda: f"/syncs/{recorded_sync().pk}/",
    "status": lambda: "/status/",
    "incident-list": lambda: "/incidents/",
    "report-list": lambda: f"/reports/?run={report().run.digest}",
    "report-detail": lambda: f"/reports/{report().pk}/",
    "incident-detail": lambda: f"/incidents/{incident().slug}/",
    "attestation-list": lambda: f"/runs/{attestation().run.digest}/attestations/",
    "attestation-detail": lambda: f"/attestations/{attestation().pk}/",
    "person": lambda: f"/people/{names([attestation().actor])[attestation().actor]}/",
    "operations-list": lambda: "/operations/",
    "projects-list": lambda: "/projects/",
    "implementations-list": lambda: f"/implementations/?operation={OPERATION}",
    "hardware-list": lambda: "/hardware/",
    "protocols-list": lambda: "/protocols/",
    "environments-list": lambda: "/environments/",
    "workloads-list": lambda: "/workloads/",
}
ALONE: dict[str, Callable[[], str]] = {
    "docs": lambda: "/docs/", "login": lambda: "/accounts/login/", "attest": lambda: f"/runs/{LIGER}/attest/",
    "report": lambda: f"/runs/{LIGER}/report/", "disputes": lambda: "/disputes/",
    "project-claim": lambda: "/projects/pytorch/claim/",
}  # fmt: skip
PAGES = TWINNED | ALONE
