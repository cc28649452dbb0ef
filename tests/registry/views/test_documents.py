"""Pages of what runs refer to, their lists, their prefixes and their canonical bytes."""

import hashlib
import html
import re
from typing import Any

import pytest
from django.test import Client

from registry import corrections
from registry.models import (
    Environment,
    Implementation,
    Operation,
    ProjectRevision,
    Protocol,
    Workload,
)
from registry.queries import keyset
from tests.conftest import NOW
from tests.factories import implementation_document, project_document
from tests.registry.pages import (
    ENVIRONMENT,
    HARDWARE,
    OPERATION,
    OTHER_STAFF,
    PAGES,
    PROTOCOL,
    STAFF,
    SUITE,
    WORKLOAD,
    lacks,
    publish,
    publish_group,
    queries_of,
    shown,
    timed,
)

pytestmark = pytest.mark.django_db
ENTITIES = ("workload", "protocol", "environment", "hardware", "implementation", "project")


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        (
            f"/workloads/{WORKLOAD}/",
            ["ReLU squared, rows 4096 · hidden 4096 · bf16", "6 runs in 3 comparison groups", "kind one case",
             "tensor x bf16 [4096, 4096]", "definition comparator not_asserted", "39.4 µs Liger"],
        ),
        (
            f"/workloads/{SUITE}/",
            ["4 runs in 2 comparison groups", "kind suite", "aggregate mean of latency over cases", "The 16 cases",
             "3 1 32 1,163 1,249 e3c9a6e3cc7a"],
        ),
        (
            f"/protocols/{PROTOCOL}/",
            ["Liger benchmark harness · backward pass", "Measures the backward pass. 16 runs in 8 comparison groups",
             "timer cuda_events", "Comparability. Timed: the backward pass", "timed pass, and GPU."],
        ),
        (
            f"/environments/{ENVIRONMENT}/",
            ["48 runs in 24 comparison groups", "gpu NVIDIA H100 (sm_90)",
             "not stated – driver, CUDA toolkit and framework not published by the source"],
        ),
        (
            f"/hardware/{HARDWARE}/",
            ["NVIDIA H100 80GB HBM3", "form factor 80GB HBM3", "count – not stated; one is assumed by no one",
             "No other form factor of this product has a run."],
        ),
        (
            "/projects/pytorch/",
            ["PyTorch", "24 runs in 24 comparison groups", "document revisions 1; the newest is shown",
             "PyTorch · ReLU squared"],
        ),
    ],
)  # fmt: skip
def test_a_page_has_the_things_own_facts_and_its_runs(client: Client, path: str, words: list[str]) -> None:
    page = client.get(path)
    assert page.status_code == 200
    assert lacks(page, *words, "Newest first. Nothing is left out.") == []
    assert f'<link rel="alternate" type="application/json" href="/api/v1{path}">' in page.content.decode()


@pytest.mark.usefixtures("demo")
def test_an_implementation_says_what_its_source_does_not_state(client: Client) -> None:
    page = client.get(PAGES["implementation-detail"]())
    assert lacks(
        page, "PyTorch", "of ReLU squared 24 runs in 24 comparison groups", "licence BSD-3-Clause",
        "revision – not published by the source", "No other project's document has this digest.",
    ) == []  # fmt: skip


@pytest.mark.parametrize("kind", ENTITIES)
def test_a_page_takes_as_many_queries_for_2_runs_as_for_42(client: Client, kind: str) -> None:
    [run, _] = publish(timed(100), timed(101))
    path = {
        "workload": run.workload.get_absolute_url,
        "protocol": run.protocol.get_absolute_url,
        "environment": run.environment.get_absolute_url,
        "hardware": run.environment.hardware.get_absolute_url,
        "implementation": run.implementation.get_absolute_url,
        "project": run.implementation.project.get_absolute_url,
    }[kind]()
    few = queries_of(client, path)
    made = [implementation_document(f"acme-{n}", projectRevision__version=f"{n}") for n in range(40)]
    publish(
        *(timed(1000 + n) for n in range(40)),
        *(timed(2000, implementation=of) for of in made),
        implementations=[
            {"projectSlug": "acme", "manifest": of} for of in (implementation_document(), *made)
        ],
    )  # fmt: skip
    assert queries_of(client, path) == few
    assert few <= 8 + (kind == "project")  # who speaks for it


# --- slugs, prefixes and unknown addresses


@pytest.mark.usefixtures("demo")
def test_a_slug_of_one_implementation_leads_to_it(client: Client) -> None:
    response = client.get("/implementations/liger-bench-relu-squared-torch/")
    assert (response.status_code, response["Location"]) == (302, PAGES["implementation-detail"]())


def test_a_slug_of_several_implementations_lists_them_and_each_names_the_others(client: Client) -> None:
    manifest = implementation_document()
    publish(
        timed(100, row={"project": "acme", "name": "acme-scale"}),
        projects=[project_document(), project_document("other", name="Other")],
        implementations=[{"projectSlug": slug, "manifest": manifest} for slug in ("acme", "other")],
    )
    page = client.get("/implementations/acme-scale/")
    assert lacks(page, "2 implementation rows share this slug", "acme-scale · Acme Kernels", "acme-scale · Other") == []
    row = Implementation.objects.get(project__slug="acme")
    page = client.get(row.get_absolute_url())
    assert lacks(page, "Rows of other projects whose document hashes alike.", "acme-scale · Other") == []


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("path", "whole"),
    [
        (f"/workloads/{WORKLOAD[7:19]}/", f"/workloads/{WORKLOAD}/"),
        (f"/protocols/{PROTOCOL[:19]}/", f"/protocols/{PROTOCOL}/"),
        (f"/environments/{ENVIRONMENT[7:]}/", f"/environments/{ENVIRONMENT}/"),
    ],
)
def test_a_prefix_of_twelve_digits_leads_to_the_page(client: Client, path: str, whole: str) -> None:
    response = client.get(path)
    assert (response.status_code, response["Location"]) == (302, whole)


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    "path",
    [
        "/workloads/sha256:" + "0" * 64 + "/",
        f"/workloads/{PROTOCOL}/",
        f"/workloads/{PROTOCOL[7:19]}/",
        "/protocols/000000000000/",
        "/environments/none/",
        "/hardware/none/",
        "/projects/none/",
        "/implementations/none/",
        "/implementations/01a0352b-0000-7000-8000-000000000000/",
        "/implementations/none/canonical.json",
        "/implementations/01a0352b-0000-7000-8000-000000000000/canonical.json",
        "/operations/none/canonical.json",
        "/projects/none/canonical.json",
        f"/workloads/{WORKLOAD[7:19]}/canonical.json",
        "/hardware/nvidia-b200/canonical.json",
    ],
)
def test_what_is_unknown_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


# --- canonical bytes


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("model", [Operation, Workload, Protocol, Environment, Implementation, ProjectRevision])
def test_canonical_bytes_hash_to_the_digest(client: Client, model: Any) -> None:
    for row in model.objects.all():
        page = row.project.get_absolute_url() if model is ProjectRevision else row.get_absolute_url()
        response = client.get(f"{page}canonical.json")
        assert f"sha256:{hashlib.sha256(response.content).hexdigest()}" == row.digest
        assert response["ETag"] == f'"{row.digest}"'
        assert client.get(f"{page}canonical.json", headers={"if-none-match": f'"{row.digest}"'}).status_code == 304


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("path", "is_immutable"),
    [
        (f"/workloads/{WORKLOAD}/canonical.json", True),
        (f"/protocols/{PROTOCOL}/canonical.json", True),
        ("/projects/pytorch/canonical.json", False),
    ],
)
def test_only_an_address_that_names_the_digest_is_cached_for_good(
    client: Client, path: str, is_immutable: bool
) -> None:
    assert ("immutable" in client.get(path)["Cache-Control"]) is is_immutable


def test_each_redacted_document_has_a_tombstone_and_no_bytes(client: Client) -> None:
    [run] = publish(timed(100))
    revision = ProjectRevision.objects.get()
    pages = {
        run.workload: run.workload.get_absolute_url(),
        run.protocol: run.protocol.get_absolute_url(),
        run.environment: run.environment.get_absolute_url(),
        run.implementation: run.implementation.get_absolute_url(),
        run.operation: run.operation.get_absolute_url(),
        revision: "/projects/acme/",
    }
    for row, path in pages.items():
        request = corrections.request_redaction(row, reason_class="personal_data", reason="r", actor=STAFF, now=NOW)
        corrections.approve_redaction(request, citation=f"Cited {row.digest}.", actor=OTHER_STAFF, now=NOW)
        page = client.get(path)
        assert page.status_code == 200
        assert lacks(page, "Redacted on 2026-09-01", "personal data", f"Cited {row.digest}.") == []
        assert client.get(f"{path}canonical.json").status_code == 410
    for path in (f"/runs/{run.digest}/", "/runs/", "/", f"/groups/{run.group.key}/", "/search/?q=scale"):
        assert client.get(path).status_code == 200


# --- lists


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/operations/", ["2 in all", "ReLU squared relu-squared sha256:ddb7fe09e7cc… runs 48"]),
        ("/projects/", ["5 in all", "PyTorch pytorch – not one document runs 24"]),
        ("/implementations/", ["6 in all", "PyTorch ReLU squared · PyTorch sha256:ce55d39a62f0… runs 24"]),
        ("/hardware/", ["GPUs", "2 in all", "All GPUs", "NVIDIA B200 nvidia – not one document runs 4"]),
        ("/protocols/", ["5 in all", "Liger-Kernel benchmark scripts sha256:080e6e66e4ec… runs 16"]),
        ("/environments/", ["3 in all", "NVIDIA H100 80GB HBM3 · sm_90 sha256:2750ae381d6d… runs 48"]),
        ("/workloads/", ["9 in all", "rows 4096 · hidden 4096 · bf16 ReLU squared sha256:5cb8c859206c… runs 6"]),
        (f"/implementations/?operation={OPERATION}", ["2 in all, filtered by operation liger-relu-squared"]),
        ("/implementations/?operation=none", ["0 in all", "None with operation none."]),
    ],
)
def test_a_list_names_each_thing_with_its_runs(client: Client, path: str, words: list[str]) -> None:
    page = client.get(path)
    assert (page.status_code, lacks(page, *words)) == (200, [])
    assert queries_of(client, path) <= 8


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/operations/", "None yet."), ("/runs/", "No run has been published yet."),
        ("/groups/", "No comparison group exists yet."), ("/sources/", "No source has been added yet."),
    ],
)  # fmt: skip
def test_an_empty_list_says_so(client: Client, path: str, words: str) -> None:
    assert lacks(client.get(path), words) == []


def test_a_filtered_list_keeps_its_filter_over_its_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_group(7)
    monkeypatch.setattr(keyset.page, "__kwdefaults__", {"limit": 3})
    path, found = "/implementations/?operation=scale", []
    while path:
        page = client.get(path)
        assert "filtered by operation scale" in shown(page)
        found += re.findall(r'class="l-name"><a href="(/implementations/[^"]+)"', page.content.decode())
        following = re.findall(r'<a href="(\?[^"]+)" rel="next">', page.content.decode())
        path = "/implementations/" + html.unescape(following[0]) if following else ""
    assert (len(found), len(set(found))) == (7, 7)


def test_a_list_takes_as_many_queries_for_2_rows_as_for_42(client: Client) -> None:
    publish_group(2)
    few = queries_of(client, "/implementations/")
    publish_group(42)
    assert queries_of(client, "/implementations/") == few
