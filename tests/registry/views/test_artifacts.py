"""Bytes held here are handed out as a download that no browser would run."""

import hashlib
from uuid import uuid4

import pytest
from django.test import Client

from registry import artifacts
from registry.ingest import SnapshotFile, ingest
from registry.models import Artifact, Run, Snapshot, Source
from tests.conftest import NOW
from tests.factories import UPSTREAM, bundle_of, entries_of, run_entry
from tests.registry.pages import lacks, publish

pytestmark = pytest.mark.django_db
HOSTILE = b"<html><script>alert(1)</script></html>"


def known(digest: str, file_name: str | None = None) -> None:
    Artifact.objects.create(id=uuid4(), digest=digest, kind="log", file_name=file_name, created_at=NOW)


def snapshot_of(slug: str, *, may_store: bool, url: str | None = None, **source: str) -> Snapshot:
    """The hostile bytes as one source's file."""
    made = Source.objects.create(
        id=uuid4(), slug=slug, name=slug.title(), kind="benchmark", may_store=may_store, created_at=NOW, **source
    )
    digest = artifacts.store_bytes(HOSTILE, now=NOW)
    return Snapshot.objects.create(
        id=uuid4(), source=made, sha256=digest, file_name="boards/rows.html", url=url, size_bytes=len(HOSTILE),
        taken_at=NOW,
    )  # fmt: skip


def test_stored_bytes_are_a_download_in_a_sandbox(client: Client) -> None:
    digest = artifacts.store_bytes(HOSTILE, now=NOW)
    known(digest)
    response = client.get(f"/artifacts/{digest}/")
    body = b"".join(response.streaming_content)
    assert (response.status_code, body) == (200, HOSTILE)
    assert f"sha256:{hashlib.sha256(body).hexdigest()}" == digest
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == f'attachment; filename="{digest[7:23]}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response["ETag"] == f'"{digest}"'
    assert response["Cache-Control"] == "public, max-age=3600"


def test_a_known_file_keeps_its_name(client: Client) -> None:
    digest = artifacts.store_bytes(HOSTILE, now=NOW)
    known(digest, 'a"b.html')
    response = client.get(f"/artifacts/{digest}/")
    assert response["Content-Disposition"] == 'attachment; filename="a\\"b.html"'
    response.close()


def test_a_snapshot_is_a_download_where_its_source_s_terms_allow_it(client: Client) -> None:
    snapshot = snapshot_of("open", may_store=True)
    response = client.get(f"/artifacts/{snapshot.sha256}/")
    assert (response.status_code, b"".join(response.streaming_content)) == (200, HOSTILE)
    assert response["Content-Disposition"] == 'attachment; filename="rows.html"'
    assert response["Content-Type"] == "application/octet-stream"


def test_a_snapshot_that_terms_keep_back_is_told_of_and_linked(client: Client) -> None:
    snapshot = snapshot_of(
        "closed",
        may_store=False,
        url="https://example.org/rows",
        terms="Only linked.",
        terms_url="https://example.org/t",
    )
    page = client.get(f"/artifacts/{snapshot.sha256}/")
    assert (page.status_code, page["Content-Type"]) == (451, "text/html; charset=utf-8")
    assert lacks(page, "This file is not handed out here", "rows.html, by the terms of Closed", "Only linked.") == []
    for link in ("https://example.org/rows", "https://example.org/t", "/sources/closed/"):
        assert f'href="{link}"' in page.content.decode()
    assert b"alert" not in page.content
    assert "public" not in page.get("Cache-Control", "")


def test_an_address_that_is_no_link_is_not_linked(client: Client) -> None:
    snapshot = snapshot_of("closed", may_store=False, url="javascript:alert(1)")
    page = client.get(f"/artifacts/{snapshot.sha256}/")
    assert lacks(page, "Its address at the source is not stated") == []
    assert b"javascript" not in page.content


def test_another_source_s_terms_do_not_open_what_one_keeps_back(client: Client) -> None:
    snapshot = snapshot_of("closed", may_store=False)
    snapshot_of("open", may_store=True)
    known(snapshot.sha256, "log.txt")
    assert client.get(f"/artifacts/{snapshot.sha256}/").status_code == 451


def test_a_file_of_a_run_is_kept_back_with_the_source_of_the_run(client: Client) -> None:
    digest = artifacts.store_bytes(HOSTILE, now=NOW)
    publish(run_entry(evidence={"logs": {"uri": "https://example.org/log", "digest": digest}}))
    assert b"".join(client.get(f"/artifacts/{digest}/").streaming_content) == HOSTILE
    Source.objects.update(may_store=False)
    assert client.get(f"/artifacts/{digest}/").status_code == 451


def test_what_a_sync_has_read_and_nobody_published_is_not_found(client: Client) -> None:
    digest = artifacts.store_bytes(HOSTILE, now=NOW)
    assert client.get(f"/artifacts/{digest}/").status_code == 404


def test_what_is_published_and_no_longer_held_is_not_found(client: Client) -> None:
    known("sha256:" + "6" * 64)
    assert client.get("/artifacts/sha256:" + "6" * 64 + "/").status_code == 404


@pytest.mark.parametrize(("may_store", "leads_to"), [(True, "/artifacts/{}/"), (False, "https://example.org/rows")])
def test_a_run_and_its_source_lead_to_the_snapshot_where_it_can_be_had(
    client: Client, may_store: bool, leads_to: str
) -> None:
    file = SnapshotFile(
        "rows.csv", artifacts.store_bytes(HOSTILE, now=NOW), len(HOSTILE), url="https://example.org/rows"
    )
    ingest(entries_of(bundle_of(run_entry())), source=UPSTREAM, snapshot=file, now=NOW)
    run, snapshot = Run.objects.get(), Snapshot.objects.get()
    Source.objects.update(may_store=may_store)
    for url in (f"/runs/{run.digest}/", snapshot.source.get_absolute_url()):
        page = client.get(url).content.decode()
        assert f'<a href="{leads_to.format(snapshot.sha256)}" rel="nofollow noopener">{snapshot.file_name}</a>' in page


def test_bytes_that_are_not_held_are_not_found(client: Client) -> None:
    assert client.get("/artifacts/sha256:" + "0" * 64 + "/").status_code == 404
    assert client.get("/artifacts/../../etc/passwd/").status_code == 404


def test_a_run_page_offers_the_files_that_are_held_links_those_elsewhere_and_names_the_others(client: Client) -> None:
    held = artifacts.store_bytes(b"log", now=NOW)
    elsewhere, nowhere = "sha256:" + "7" * 64, "sha256:" + "8" * 64
    one, two = publish(
        run_entry(evidence={
            "logs": {"uri": "https://example.org/log", "digest": held},
            "rawSamples": {"uri": "https://example.org/raw", "digest": elsewhere},
        }),
        run_entry(
            evidence={"logs": {"uri": "oci://example.org/log", "digest": nowhere}}, observedAt="2026-07-02T00:00:00Z"
        ),
    )  # fmt: skip
    page = client.get(f"/runs/{one.digest}/")
    assert f'href="/artifacts/{held}/"' in page.content.decode()
    assert 'href="https://example.org/raw" rel="nofollow noopener"' in page.content.decode()
    assert lacks(page, "size not stated", "type not stated") == []
    page = client.get(f"/runs/{two.digest}/")
    assert lacks(page, "– named by digest; its bytes are not held here") == []
    assert "oci://example.org" not in page.content.decode().split("manifest-text")[0]


def test_a_runs_level_rises_when_its_log_is_stored_and_its_page_says_why(client: Client) -> None:
    log = b"compiled, ran, passed"
    [run] = publish(
        run_entry(
            evidence={"logs": {"uri": "https://example.org/log", "digest": f"sha256:{hashlib.sha256(log).hexdigest()}"}}
        )
    )
    assert lacks(client.get(f"/runs/{run.digest}/"), "reproducible lacks : raw samples or a log, stored here") == []
    artifacts.store_bytes(log, now=NOW)
    page = client.get(f"/runs/{run.digest}/")
    assert lacks(
        page, "Evidence level: artifacts available, nobody has rerun it",
        "reproducible holds: raw samples or a log, stored here",
    ) == []  # fmt: skip
