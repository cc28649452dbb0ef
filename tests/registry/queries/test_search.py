"""One box finds an operation, an implementation, a GPU, a digest's beginning, a source's own id."""

import uuid
from datetime import datetime, timedelta

import pytest

from registry import aliases
from registry.models import NameAlias, Run, Sighting
from registry.queries import search
from tests.conftest import NOW
from tests.registry.pages import LIGER, SOL, SOL_KEY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
ACTOR = uuid.UUID("00000000-0000-4000-8000-00000000c0de")
EXTERNAL = "relu_squared/backward/torch/nvidia-h100-80gb-hbm3/hidden4096-rows4096-bf16/2026-03-27-06-09-46"


@pytest.mark.parametrize(
    ("query", "hits", "groups", "runs"),
    [
        ("h100", {"GPUs": ["NVIDIA H100 80GB HBM3"]}, 24, 0),
        ("H100 80gb", {"GPUs": ["NVIDIA H100 80GB HBM3"]}, 24, 0),
        ("relu", {"operations": ["ReLU squared"], "implementations": ["Liger", "PyTorch"]}, 24, 0),
        ("relu h100", {}, 24, 0),
        ("relu backward", {}, 8, 0),
        ("hidden=4096", {}, 3, 0),
        ("amir", {"implementations": ["Amir M. Mir | SF Tensor"]}, 0, 0),
        ("ac4k", {"implementations": ["ac4k", "ac4k"]}, 0, 0),
        ("submission/16893", {}, 0, 1),
        ("16893", {"implementations": ["ac4k"]}, 0, 1),
        (EXTERNAL, {}, 0, 1),
        (f"  {EXTERNAL} ", {}, 0, 1),
        ("7331cf583fb6", {"run": ["sha256:7331cf583fb6e7ee800b9067…"]}, 0, 0),
        (SOL, {"run": ["sha256:7331cf583fb6e7ee800b9067…"]}, 0, 0),
        (SOL_KEY[:19], {"comparison group": ["sha256:5d97d1668cb9ea2e17a8a3e6…"]}, 0, 0),
        ("ddb7fe09e7cc", {"operation": ["sha256:ddb7fe09e7ccecb7a304760e…"]}, 0, 0),
        ("%", {}, 0, 0),
        ("_______", {}, 0, 0),
    ],
)
def test_a_query_finds(query: str, hits: dict[str, list[str]], groups: int, runs: int) -> None:
    page = search.search_page(query)
    assert {hit.kind: [item.name for item in hit.items] for hit in page.hits} == hits
    assert (page.group_total, page.run_total) == (groups, runs)
    assert page.is_empty == (not hits and not groups and not runs)


def test_the_run_of_an_external_id_is_the_seeds() -> None:
    [row] = search.search_page(EXTERNAL).runs
    assert row.digest == LIGER


def test_a_sources_own_id_of_hex_digits_is_found_where_no_digest_begins_so() -> None:
    seen = Sighting.objects.get(run__digest=LIGER)
    run = Run.objects.get(digest=SOL)
    Sighting.objects.create(
        id=uuid.uuid4(), run=run, snapshot=seen.snapshot, upstream_key="0123456789abcdef", seen_at=NOW, batch=seen.batch
    )
    assert [row.digest for row in search.search_page("0123456789abcdef").runs] == [SOL]


def test_many_groups_are_cut_to_twenty_and_their_number_is_exact() -> None:
    page = search.search_page("relu")
    assert (len(page.groups), page.group_total) == (20, 24)


def test_nothing_found_names_the_word_that_excludes_most_and_the_groups_without_it() -> None:
    page = search.search_page("relu b200")
    assert page.is_empty
    assert (page.dropped, len(page.without_dropped)) == ("b200", 20)
    assert search.search_page("relu nothing").dropped == "nothing"
    assert (search.search_page("nothing").dropped, search.search_page("none nothing").dropped) == (None, None)


def gpu_called(name: str, target: str, *, now: datetime = NOW) -> NameAlias:
    return aliases.settle(source=None, kind="gpu", name=name, target=target, reason="So.", actor=ACTOR, now=now)


def test_a_gpu_is_found_by_a_name_that_people_settled_while_it_holds() -> None:
    [gpus, before] = [hit.items for hit in search.search_page("b200").hits], search.search_page("b200").group_total
    assert search.search_page("blackwell-node").is_empty
    alias = gpu_called("Blackwell-Node-7", "NVIDIA B200")
    page = search.search_page("blackwell-node")
    assert ([hit.items for hit in page.hits], page.group_total) == (gpus, before)
    assert search.search_page("blackwell-node adaptive").group_total == search.search_page("b200 adaptive").group_total
    aliases.revoke(alias, reason="A mistake.", actor=ACTOR, now=NOW + timedelta(minutes=1))
    assert search.search_page("blackwell-node").is_empty


def test_only_a_settled_gpu_is_looked_for_among_gpus() -> None:
    aliases.settle(source=None, kind="provider", name="zorro", target="NVIDIA B200", reason="So.", actor=ACTOR, now=NOW)
    assert search.search_page("zorro").is_empty


@pytest.mark.parametrize("query", ["", "   ", "\x00", "\t\n"])
def test_an_empty_query_finds_nothing_and_asks_nothing(query: str, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        page = search.search_page(query)
    assert (page.words, page.is_empty, page.dropped) == ((), True, None)


def test_a_long_query_is_cut_and_says_so() -> None:
    assert search.search_page("relu " * 9).is_cut
    assert search.search_page("r" * 201).is_cut
    assert len(search.search_page("r" * 5000).query) == 200
    assert not search.search_page("relu h100").is_cut


def test_a_prefix_of_several_digests_lists_each_kind() -> None:
    assert search.digest_matches("000000000000") == ()
    [hit] = search.digest_matches(LIGER.removeprefix("sha256:")[:12])
    assert (hit.kind, hit.total, hit.items[0].id, hit.items[0].url) == ("run", 1, LIGER, f"/runs/{LIGER}/")
