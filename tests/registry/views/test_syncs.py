"""Pages of syncs, and the file of rows that were not taken."""

import csv
import io

import pytest
from django.test import Client

from tests.registry.pages import lacks, queries_of, recorded_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
UNKNOWN = "01a0352b-0000-7000-8000-000000000001"


def table(response: object) -> list[list[str]]:
    body = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.reader(io.StringIO(body)))


def test_a_sync_says_what_was_read_and_what_became_of_it(client: Client) -> None:
    sync = recorded_sync()
    page = client.get(f"/syncs/{sync.id}/")
    assert lacks(
        page,
        "Sync of 2026-09-01", "Liger-Kernel benchmarks: nothing new", "by button", "new: BenchmarkRun 48",
        "all.csv revision abc sha256:777777777777… 2 KiB", "VALUE rejected", "GPU waiting for a name",
        "all.csv, line 7 y_value_50 VALUE not a number: 'x' relu/forward/liger", "– the source gives none",
    ) == []  # fmt: skip
    assert queries_of(client, f"/syncs/{sync.id}/") <= 8


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"state": "waiting", "waits_because": "first sync"}, "waiting first sync. Nothing of it is published until"),
        ({"state": "failed", "error": "TIMEOUT no answer", "report": {}}, "TIMEOUT no answer"),
        ({"state": "queued", "report": {}, "started_at": None, "finished_at": None}, "started – not yet"),
    ],
)
def test_one_that_is_not_published_says_why(client: Client, fields: dict[str, object], words: str) -> None:
    assert lacks(client.get(f"/syncs/{recorded_sync(**fields).id}/"), words) == []


def test_the_rows_that_were_not_taken_are_a_file_that_no_spreadsheet_runs(client: Client) -> None:
    sync = recorded_sync()
    for address in (f"/syncs/{sync.id}/rows.csv", "/sources/liger-kernel-bench/rows.csv"):
        response = client.get(address)
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert response["Content-Disposition"] == 'attachment; filename="liger-kernel-bench-2026-09-01-rows.csv"'
        assert table(response) == [
            ["kind", "reason", "file", "line", "path", "key", "text"],
            ["rejected", "VALUE", "all.csv", "7", "y_value_50", "relu/forward/liger", "not a number: 'x'"],
            ["pending", "GPU", "all.csv", "9", "y_value_50", "", "'=no such GPU"],
        ]


@pytest.mark.parametrize("address", [f"/syncs/{UNKNOWN}/", f"/syncs/{UNKNOWN}/rows.csv", "/sources/nobody/rows.csv"])
def test_what_was_never_read_is_not_found(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_the_source_shows_its_syncs_and_leads_to_the_rows(client: Client) -> None:
    sync = recorded_sync()
    page = client.get("/sources/liger-kernel-bench/")
    assert lacks(page, "2026-09-01 by button nothing new new runs 48", "GPU waiting for a name rows 1") == []
    assert f'href="/syncs/{sync.id}/"' in page.content.decode()
    assert 'href="/sources/liger-kernel-bench/rows.csv"' in page.content.decode()
    assert queries_of(client, "/sources/liger-kernel-bench/") <= 8 + 1  # who speaks for it
