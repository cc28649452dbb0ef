"""Comparison groups as JSON."""

import pytest
from django.test import Client

from tests.registry.api.asking import ask, results
from tests.registry.pages import LIGER_KEY, SOL_KEY, publish_group

pytestmark = pytest.mark.django_db
SOL_V11_KEY = "sha256:add079be99ec831795df7787b100c958724c093d2c59d45f649654d2443101f5"


@pytest.mark.usefixtures("demo")
def test_a_group_says_its_ranked_table_and_what_is_held_equal(client: Client) -> None:
    body = ask(client, f"/api/v1/groups/{LIGER_KEY}/").json()
    assert body["summary"]["key"] == LIGER_KEY
    assert [(row["rank"], row["implementation"]["name"], row["value"]["number"]) for row in body["rows"]] == [
        (1, "Liger", "39.4"), (2, "PyTorch", "126.3"),
    ]  # fmt: skip
    assert [fact["label"] for fact in body["held_equal"]] == [
        "operation", "workload", "protocol", "environment", "correctness", "metric",
    ]  # fmt: skip
    assert body["page"] == {"next": None, "total": 2}
    assert (body["unit"], body["policy"], body["unranked_count"]) == ("µs", "ranking-v2", 0)
    assert [row["axis_value"] for row in body["siblings"]["rows"]] == [128, 256, 512, 1024, 2048, 4096, 8192, 16384]
    assert "axis" not in body


@pytest.mark.usefixtures("demo")
def test_the_list_has_every_group_by_key(client: Client) -> None:
    keys = [group["key"] for group in results(client, "/api/v1/groups/")]
    assert len(keys) == 26
    assert keys == sorted(keys)


def test_the_table_of_a_large_group_comes_in_pages_that_add_up(client: Client) -> None:
    runs = publish_group(103)
    path = f"/api/v1/groups/{runs[0].group.key}/"
    first = ask(client, path).json()
    second = ask(client, f"{path}?cursor={first['page']['next']}").json()
    assert (len(first["rows"]), len(second["rows"]), second["page"]) == (100, 3, {"next": None, "total": 103})
    assert [row["rank"] for row in first["rows"] + second["rows"]] == list(range(1, 104))


@pytest.mark.usefixtures("demo")
def test_why_not_names_the_differing_leaves(client: Client) -> None:
    body = ask(client, f"/api/v1/groups/{SOL_KEY}/why-not/{SOL_V11_KEY}/").json()
    assert body["verdict"] == "not ranked together because protocol and environment differ"
    assert body["parts"][2] == {
        "name": "protocol", "keeps_apart": True,
        "leaves": [{"path": "harness.version", "left": "v1.0", "right": "v1.1"}],
    }  # fmt: skip
    assert (body["left"]["key"], body["right"]["key"]) == (SOL_KEY, SOL_V11_KEY)
