"""Pages of comparison groups: the ranked table, ties, unranked rows with their reasons, why two groups are apart."""

import html
import re
import uuid

import pytest
from django.test import Client

from registry import corrections
from registry.models import ComparisonGroup
from registry.queries import groups
from tests.conftest import NOW
from tests.factories import run_entry
from tests.registry.pages import (
    LIGER_KEY,
    SOL_KEY,
    STAFF,
    labelled,
    lacks,
    publish,
    publish_divided,
    publish_group,
    queries_of,
    shown,
    timed,
)

pytestmark = pytest.mark.django_db
RANKS = re.compile(r'<td role="cell" class="c-rank">(.*?)</td>')


@pytest.mark.usefixtures("demo")
def test_the_liger_seeds_group_reads_as_two_ranked_runs_with_their_spread_and_the_sweep(client: Client) -> None:
    page = client.get(f"/groups/{LIGER_KEY}/")
    assert lacks(
        page,
        "ReLU squared, backward pass · hidden 4096",
        "latency, median · lower is better",
        "2 runs, both ranked",
        "source-native comparison",
        "ranking-v2",
        "Rank Implementation median, µs p20 – p80, µs × best Observed",
        "1 Liger Liger-Kernel 0.7.0",
        "39.4 µs 39.1 – 40.4",
        "126.3 µs 125.2 – 127.1",
        "× best 3.20×",
        "lead 220.5 % (unknown: the source publishes no interval)",
        "A spread of samples is not an uncertainty interval",
        "Runs that differ in any of these six are in other groups.",
        "correctness not_asserted",
        "outside the key – no label differs between these runs",
        "Groups beside it backward pass · rows 4096 · bf16 · NVIDIA H100 80GB HBM3",
        "4,096 39.4 126.3 3.20×",
        "16,384 137.1 452.7 3.30×",
        "workload.axes.hidden differs, so no rank spans rows.",
    ) == []  # fmt: skip
    body = page.content.decode()
    assert body.count('<svg class="bar" width="100%" height="21" role="img"') == 10
    assert '<caption class="vh">Runs of this group, ranked first</caption>' in body
    assert f'<link rel="canonical" href="http://localhost:8000/groups/{LIGER_KEY}/">' in body
    assert f'href="/api/v1/groups/{LIGER_KEY}/"' in body


def test_ties_share_a_rank_and_unranked_runs_follow_with_their_reasons(client: Client) -> None:
    first, second, gone, failed = publish(
        timed(1000),
        timed(1000, observedAt="2026-07-02T00:00:00Z"),
        timed(900),
        timed(800, status="incorrect_numerical"),
    )  # fmt: skip
    corrections.withdraw([gone], reason="wrong clock", actor=STAFF, now=NOW)
    page = client.get(f"/groups/{first.group.key}/")
    assert RANKS.findall(page.content.decode()) == ["1 =", "1 =", "–", "–"]
    assert lacks(
        page,
        "4 runs, 2 ranked",
        "Tied runs share a rank.",
        "Not ranked: 2 runs. Nothing is hidden.",
        "WITHDRAWN · The run was withdrawn.",
        "STATUS_INCORRECT_NUMERICAL · The output was numerically incorrect.",
        "2 not ranked, each with its reason.",
        "observed 2026-07-01 to 2026-07-02",
    ) == []  # fmt: skip
    assert {run.group_id for run in (second, failed)} == {first.group_id}


def test_a_group_whose_runs_have_no_value_says_so(client: Client) -> None:
    [run] = publish(run_entry(status="timeout", timing=None))
    page = client.get(f"/groups/{run.group.key}/")
    assert lacks(
        page, "no measurement", "1 run, 0 ranked", "STATUS_TIMEOUT · The kernel ran out of time.",
        "metric – its runs state no primary value",
    ) == []  # fmt: skip


def test_labels_outside_the_key_that_differ_are_listed(client: Client) -> None:
    run, *_ = publish(
        run_entry(metadata={"labels": {"torch": "2.10"}}),
        run_entry(metadata={"labels": {"torch": "2.11"}}, observedAt="2026-07-02T00:00:00Z"),
        run_entry(observedAt="2026-07-03T00:00:00Z"),
    )
    text = shown(client.get(f"/groups/{run.group.key}/"))
    assert "torch differs: 2 values, 1 run states none (2.10, 2.11)" in text


def test_a_page_takes_as_many_queries_for_2_runs_as_for_42(client: Client) -> None:
    [run, _] = publish(timed(100), timed(101))
    few = queries_of(client, f"/groups/{run.group.key}/")
    publish_group(40)
    assert queries_of(client, f"/groups/{run.group.key}/") == few
    assert few <= 8


def test_a_group_of_over_a_hundred_runs_pages_without_losing_one(client: Client) -> None:
    runs = publish_group(103)
    path = f"/groups/{runs[0].group.key}/"
    first = client.get(path)
    assert lacks(first, "103 runs, all ranked", "100 of 103 runs on this page") == []
    [following] = re.findall(r'<a href="(\?cursor=[^"]+)" rel="next">', first.content.decode())
    second = client.get(path + html.unescape(following))
    assert RANKS.findall(first.content.decode())[-1] == "100"
    assert RANKS.findall(second.content.decode()) == ["101", "102", "103"]
    assert 'rel="next"' not in second.content.decode()


@pytest.mark.usefixtures("demo")
def test_a_prefix_leads_to_the_group_and_several_matches_are_listed(client: Client) -> None:
    response = client.get("/groups/5d97d1668cb9/")
    assert (response.status_code, response["Location"]) == (302, f"/groups/{SOL_KEY}/")
    twin = ComparisonGroup.objects.get(key=SOL_KEY)
    twin.pk, twin.key = uuid.uuid4(), SOL_KEY[:30] + "0" * 41
    twin.save(force_insert=True)
    assert lacks(client.get("/groups/sha256:5d97d1668cb9/"), "Several digests begin with these digits", twin.key) == []


@pytest.mark.usefixtures("demo")
def test_why_two_groups_are_apart_names_every_differing_leaf(client: Client) -> None:
    page = client.get(f"/groups/{SOL_KEY}/")
    [path] = re.findall(r'href="(/groups/[^"]+/why-not/[^"]+)"', page.content.decode())
    assert lacks(
        client.get(path),
        "Why these two are not ranked together",
        "Not ranked together because protocol and environment differ.",
        "harness.version v1.0 v1.1",
        "software.libraries.evaluation_stack v1.0 v1.1",
        "Protocol keeps them apart",
        "Workload equal No difference.",
    ) == []  # fmt: skip
    assert queries_of(client, path) <= 8
    assert lacks(client.get(f"/groups/{LIGER_KEY}/why-not/{SOL_KEY}/"), "– states nothing") == []


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    "path",
    [
        "/groups/sha256:" + "0" * 64 + "/", "/groups/000000000000/", f"/groups/{SOL_KEY[:18]}/",
        f"/groups/{SOL_KEY}/why-not/sha256:{'0' * 64}/", f"/groups/{SOL_KEY}/why-not/",
    ],
)  # fmt: skip
def test_an_unknown_group_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.usefixtures("demo")
def test_the_list_names_each_groups_best_and_its_size(client: Client) -> None:
    assert lacks(
        client.get("/groups/"), "26 groups.", "209.8 µs ac4k NVIDIA B200 1 run only entry so far", "39.4 µs Liger",
    ) == []  # fmt: skip
    assert queries_of(client, "/groups/") <= 8


# --- two kinds of mathematics, and releases


def test_a_divided_group_shows_a_numbered_table_for_each_variant_and_says_why(client: Client) -> None:
    key = publish_divided()[0].group.key
    page = client.get(f"/groups/{key}/")
    assert lacks(
        page,
        "5 runs, 0 ranked",
        "This group holds two kinds of mathematics under one comparison key: sequence and token.",
        "sequence 2 runs, by latency No. Implementation median, ns latency, ns Observed 1 acme-scale",
        "token 3 runs, by latency No. Implementation",
        "timeout STATUS_TIMEOUT · The kernel ran out of time.",
        "variant differs: 2 values (sequence, token)",
    ) == []  # fmt: skip
    body = page.content.decode()
    assert RANKS.findall(body) == ["1", "2", "1", "2", "–"]
    assert "Rank</th>" not in body
    assert "× best" not in body
    assert "FLAGGED_OPERATION_MISMATCH" not in body
    assert body.count('aria-labelledby="variant-') == 2
    assert f'href="/groups/{key}/why-not/{key}/"' in body


def test_a_divided_group_pages_through_its_tables(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "ROWS_A_PAGE", 3)
    key = publish_divided()[0].group.key
    first = client.get(f"/groups/{key}/").content.decode()
    assert RANKS.findall(first) == ["1", "2", "1"]
    [following] = re.findall(r'<a href="(\?cursor=[^"]+)" rel="next">', first)
    second = client.get(f"/groups/{key}/{html.unescape(following)}").content.decode()
    assert RANKS.findall(second) == ["2", "–"]
    assert 'id="variant-2"' not in second


def test_why_not_names_the_variant_as_outside_the_key(client: Client) -> None:
    key = publish_divided()[0].group.key
    assert lacks(
        client.get(f"/groups/{key}/why-not/{key}/"),
        "One comparison group, and not ranked together because the variant differs, which no digest covers.",
        "Outside the key",
        "metadata.labels.variant sequence token",
    ) == []  # fmt: skip


def test_releases_have_a_column_where_rows_differ_in_them(client: Client) -> None:
    [old, _] = publish(labelled(900, acme_version="0.1"), labelled(800, acme_version="0.2", day="2026-07-02"))
    page = client.get(f"/groups/{old.group.key}/")
    assert lacks(page, "× best Release Observed", "release 0.2 2026-07-02", "release 0.1 2026-07-01") == []


def test_equal_releases_have_no_column(client: Client) -> None:
    [run, _] = publish(labelled(900, acme_version="0.1"), labelled(800, acme_version="0.1"))
    assert "Release</th>" not in client.get(f"/groups/{run.group.key}/").content.decode()
