"""Operation pages: the matrix, the scaling plot with its figures, who holds the best, the definition."""

import re
from urllib.parse import quote

import pytest
from django.test import Client

from tests.factories import workload_document
from tests.registry.pages import OPERATION, SOL_OPERATION, lacks, publish, publish_group, queries_of, shown, timed

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("demo")
def test_the_page_shows_the_best_known_of_every_workload_and_pass(client: Client) -> None:
    page = client.get(f"/operations/{OPERATION}/")
    assert lacks(
        page,
        "48 runs in 24 comparison groups",
        "Best known rows 4096 · bf16",
        "Liger PyTorch (baseline) median latency, µs; lower is better",
        "hidden forward backward full",
        "4,096 27.9 Liger · next 1.91×",
        "25.9 PyTorch · next 4.79×",
        "A “–” was not measured.",
        "Scaling by hidden",
        "Both axes are logarithmic and shared by the panels.",
        "it ranks nothing",
        "Full, median, µs hidden 128 256 512 1024 2048 4096 8192 16384 Liger 124.1 88.4 78.9 77.4 75.6 87.1",
        "Liger 20 BSD-2-Clause PyTorch 4 BSD-3-Clause",
        "All 2 implementations of this operation",
        "axis hidden variable",
    ) == []  # fmt: skip
    assert page.content.decode().count('<svg viewBox="0 0 304 262" role="group"') == 3
    assert queries_of(client, f"/operations/{OPERATION}/") <= 8


@pytest.mark.usefixtures("demo")
def test_two_stacks_stand_in_two_columns(client: Client) -> None:
    assert lacks(
        client.get(f"/operations/{SOL_OPERATION}/"),
        "SOL-ExecBench evaluation stack v1.0 SOL-ExecBench evaluation stack v1.1",
        "209.8 ac4k · only entry",
        "138.9 Amir M. Mir | SF Tensor · next 1.51×",
    ) == []  # fmt: skip


def test_a_page_takes_as_many_queries_for_1_run_as_for_43(client: Client) -> None:
    publish(timed(100))
    few = queries_of(client, "/operations/scale/")
    publish_group(40)
    assert queries_of(client, "/operations/scale/") == few
    assert few <= 8


def test_over_a_hundred_workloads_page_and_none_is_left_out(client: Client) -> None:
    sizes = range(1, 104)
    cases = [
        workload_document(f"rows-{size}", axes={"rows": size}, tensors={"x": {"shape": [size, 64], "dtype": "bf16"}})
        for size in sizes
    ]
    publish(*(timed(1000 + 10 * size, workload=case) for size, case in zip(sizes, cases, strict=True)), workloads=cases)
    first = client.get("/operations/scale/")
    following = client.get("/api/v1/operations/scale/").json()["matrix"]["next"]
    assert f'href="?cursor={quote(following)}" rel="next"' in first.content.decode()
    second = client.get("/operations/scale/", {"cursor": following})
    assert lacks(first, "Workloads 1 to 100 of 103.", "Next page of workloads") == []
    assert lacks(second, "Workloads 101 to 103 of 103.") == []
    assert "Next page of workloads" not in shown(second)
    rows = [
        re.findall(r'<th scope="row" class="num"><a href="[^"]+">([^<]+)</a>', page.content.decode())
        for page in (first, second)
    ]
    assert [int(row.replace(",", "")) for page in rows for row in page[-103:]] == list(sizes)


@pytest.mark.usefixtures("demo")
def test_a_cursor_that_is_none_is_a_bad_request_that_says_so(client: Client) -> None:
    response = client.get(f"/operations/{OPERATION}/?cursor=x")
    assert response.status_code == 400
    assert "he cursor is not one that this list gave." in shown(response)


@pytest.mark.usefixtures("demo")
def test_an_unknown_operation_is_not_found(client: Client) -> None:
    assert client.get("/operations/none/").status_code == 404
