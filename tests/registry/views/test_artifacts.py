"""Bytes held here are handed out as a download that no browser would run."""

import hashlib

import pytest
from django.test import Client

from registry import artifacts
from registry.models import Artifact
from tests.conftest import NOW
from tests.factories import run_entry
from tests.registry.pages import lacks, publish

pytestmark = pytest.mark.django_db
HOSTILE = b"<html><script>alert(1)</script></html>"


def test_stored_bytes_are_a_download_in_a_sandbox(client: Client) -> None:
    digest = artifacts.store_bytes(HOSTILE, now=NOW)
    response = client.get(f"/artifacts/{digest}/")
    body = b"".join(response.streaming_content)
    assert (response.status_code, body) == (200, HOSTILE)
    assert f"sha256:{hashlib.sha256(body).hexdigest()}" == digest
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == f'attachment; filename="{digest[7:23]}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response["ETag"] == f'"{digest}"'
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"


def test_a_known_file_keeps_its_name(client: Client) -> None:
    digest = artifacts.store_bytes(HOSTILE, now=NOW)
    Artifact.objects.create(
        id="01a0352b-0000-7000-8000-000000000001", digest=digest, kind="log", file_name='a"b.html', created_at=NOW
    )
    response = client.get(f"/artifacts/{digest}/")
    assert response["Content-Disposition"] == 'attachment; filename="a\\"b.html"'
    response.close()


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
