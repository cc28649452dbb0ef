"""A source to read, its file, and an upstream that answers without a network."""

import csv
import io
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from registry import artifacts, syncs
from registry.core.digest import sha256
from registry.core.ids import uuid7
from registry.fetching import InputFetched
from registry.importers import liger
from registry.ingest import source_row
from registry.models import (
    ComparisonGroup,
    Coverage,
    Environment,
    Implementation,
    Mark,
    Run,
    Sighting,
    Source,
    Standing,
    StoredObject,
    Sync,
    Workload,
)
from registry.models.syncs import Trigger
from tests.conftest import NOW

FIXTURE = Path(__file__).parents[3] / "registry/fixtures/liger-relu-squared.csv"
BYTES = FIXTURE.read_bytes()
CURATOR = UUID("00000000-0000-4000-8000-00000000c0de")
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def first_rows(count: int) -> bytes:
    """The file with the header and so many of its 48 rows."""
    return b"".join(BYTES.splitlines(keepends=True)[: count + 1])


def corrected(count: int) -> bytes:
    """The whole file, so many of its rows with another value under their key."""
    header, *rows = BYTES.splitlines(keepends=True)
    columns = header.decode().strip().split(",")
    at = [columns.index(name) for name in ("y_value_50", "y_value_20", "y_value_80")]
    for number in range(count):
        [cells] = csv.reader([rows[number].decode()])
        for column in at:
            cells[column] = f"{float(cells[column]) * 2}"
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow(cells)
        rows[number] = out.getvalue().encode()
    return b"".join([header, *rows])


def liger_source(**columns: Any) -> Source:
    row = {**source_row(liger.SOURCE, NOW), "schedule": "off", **columns}
    return Source.objects.create(
        slug=columns.pop("slug", liger.SOURCE.slug), **{k: v for k, v in row.items() if k != "slug"}
    )


def another_source(slug: str = "another") -> Source:
    return liger_source(slug=slug, id=uuid7(NOW, slug), name=slug.title())


def asked(source: Source, *, now: datetime = NOW, **options: Any) -> Sync:
    return syncs.request(source, trigger=options.pop("trigger", Trigger.BUTTON), actor=CURATOR, now=now, **options)


def uploaded(
    source: Source, data: bytes = BYTES, *, name: str = "rows.csv", now: datetime = NOW, **options: Any
) -> Sync:
    return syncs.request_upload(source, [(name, io.BytesIO(data))], actor=CURATOR, now=now, **options)


def ran(sync: Sync, *pages: bytes, now: datetime = NOW) -> Sync:
    """The sync as it stands after a worker had it; the upstream answers with these pages."""
    syncs.run(sync.pk, now=now, fetch=answering(*pages))
    sync.refresh_from_db()
    return sync


def published(source: Source, data: bytes = BYTES, *, now: datetime = NOW) -> Sync:
    """A sync that a person approved, done."""
    sync = ran(uploaded(source, data, now=now), now=now)
    if sync.state == "waiting":
        syncs.approve(sync, actor=CURATOR, reason="Looks right.", now=now)
        ran(sync, now=now)
    assert sync.state == "done", sync.error
    return sync


def answering(*pages: bytes, before_page: Callable[[int], None] = lambda number: None) -> Any:
    """A stand-in for fetching.fetch_input: stores each page and tells it, but for those that it had already."""

    def fetch(importer: Any, **options: Any) -> Sequence[InputFetched]:
        held = {file.name: file for file in options["already"]}
        found = []
        for position, data in enumerate(pages):
            name = f"page-{position}.csv"
            if name not in held:
                before_page(position)
                options["on_request"]()
                artifacts.store_bytes(data, now=options["now"])
                file = InputFetched(position, name, f"https://upstream.test/{name}", None, sha256(data), len(data))
                options["on_file"](file)
                held[name] = file
            found.append(held[name])
        return found

    return fetch


def held() -> dict[str, Any]:
    """What the registry holds of facts, without what depends on when it came in."""
    rows = Standing.objects.order_by("run__digest").values_list("run__digest", "rank", "tied", "reasons")
    counted = (Run, Sighting, ComparisonGroup, Implementation, Workload, Environment, Mark, Coverage, StoredObject)
    counts = {model.__name__: model._default_manager.count() for model in counted}
    return {"counts": counts, "standings": [list(row) for row in rows]}
