"""The front page, search, and the page on how to read the index."""

import pytest
from django.test import Client

from registry.core import flags, ranking
from registry.core.citation import FORMATS
from tests.registry.pages import LIGER, SOL, lacks, publish, publish_group, queries_of, shown, timed

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("demo")
def test_the_front_page_has_live_counts_newest_records_and_a_search_box(client: Client) -> None:
    page = client.get("/")
    assert lacks(
        page,
        "GPU kernel benchmark runs, ranked only against runs that measured the same thing",
        "runs 52 comparison groups 26 operations 2 implementations 6 controlled reruns 0",
        "the newest run was published on 2026-09-01",
        "Adaptive instance normalization 2d backward suite of 16 cases, mean 138.9 µs Amir M. Mir | SF Tensor",
        "was 209.4 µs, ac4k 0.66× its value",
        "first measurement",
        "Liger-Kernel benchmarks 48 92 %",
        "1: nothing to rank against 1 4 %",
        "20 or more 0 0 %",
        "reported a named source says so",
    ) == []  # fmt: skip
    assert '<form class="find" role="search" action="/search/" method="get">' in page.content.decode()


@pytest.mark.usefixtures("demo")
def test_every_search_that_the_front_page_offers_finds_something(client: Client) -> None:
    for example in client.get("/").context["page"].examples:
        page = client.get(example.url)
        assert page.status_code == 200
        assert "Nothing found" not in shown(page)


def test_the_front_page_of_an_empty_registry_says_how_to_fill_it(client: Client) -> None:
    page = client.get("/")
    assert lacks(page, "Nothing has been published yet", "No run has been ranked yet.", "none yet 0 –") == []


@pytest.mark.parametrize(
    "path", ["/", "/search/?q=scale", "/search/?q=acme", "/search/?q=scale+none", "/search/?q=a+b+c+d+e+f+g+h"]
)
def test_a_page_takes_as_many_queries_for_2_runs_as_for_42(client: Client, path: str) -> None:
    publish(timed(100), timed(101))
    few = queries_of(client, path)
    publish_group(40)
    assert queries_of(client, path) == few
    assert few <= 8


# --- search


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("relu", ["Operations 1 ReLU squared", "Implementations 2 Liger PyTorch", "The 20 with most runs of 24"]),
        ("H100", ["GPUs 1 NVIDIA H100 80GB HBM3"]),
        ("submission/16893", ["Runs with this id 1 run", "209.8 µs ac4k"]),
        (LIGER[7:19], ["Run 1 sha256:e623e9242d413ecb00942059…"]),
        ("relu b200", ["Nothing found", "Nothing matches relu b200", "Without b200 there are these groups."]),
        ("nothing", ["Nothing found", "Try fewer words, or begin with all operations or all GPUs"]),
        ("", ["Words of an operation, implementation, GPU or workload"]),
        ("relu " * 9, ["The query was longer than is read"]),
    ],
)
def test_search_finds_or_says_what_stood_in_the_way(client: Client, query: str, words: list[str]) -> None:
    page = client.get("/search/", {"q": query})
    assert (page.status_code, lacks(page, *words)) == (200, [])


@pytest.mark.usefixtures("demo")
def test_a_digests_result_leads_to_its_page(client: Client) -> None:
    assert f'href="/runs/{SOL}/"' in client.get("/search/", {"q": SOL}).content.decode()


@pytest.mark.parametrize("query", ['"><script>alert(1)</script>', "' OR 1=1 --", "%00", "\x00", "é" * 300, "%", "\\"])
def test_no_query_breaks_the_page(client: Client, query: str) -> None:
    page = client.get("/search/", {"q": query})
    assert page.status_code == 200
    assert "<script>alert" not in page.content.decode()


def test_without_a_query_the_page_is_the_box_alone(client: Client) -> None:
    page = client.get("/search/")
    assert page.status_code == 200
    assert "Nothing found" not in shown(page)


# --- how to read it


def test_the_docs_page_lists_every_reason_flag_and_level(client: Client) -> None:
    page = client.get("/docs/")
    assert page.status_code == 200
    assert lacks(page, *ranking.REASON_TEXTS, *flags.RULES, *ranking.DIRECTIONS, "ranking-v2") == []
    assert lacks(
        page, "SINGLE_SAMPLE warning: The value rests on one sample.",
        "replicated Two accepted controlled reruns agree",
        "latency lower is better", "throughput higher is better",
    ) == []  # fmt: skip
    assert lacks(page, *(f"{form.label} {form.ending} {form.media_type}" for form in FORMATS.values())) == []
    for anchor in ("run", "comparison", "reasons", "flags", "evidence", "citing"):
        assert f'<section class="sec" id="{anchor}"' in page.content.decode()
