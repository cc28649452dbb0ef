"""The run page: both seeds word for word, every state of a run, its canonical bytes."""

import hashlib
import html
import importlib.util
import json
import re
import subprocess
import sys
import uuid
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.test import Client

from registry import corrections
from registry.models import Protocol, Run, Workload
from registry.queries import runs as run_queries
from tests.conftest import NOW, SHARED
from tests.factories import protocol_document, run_entry, suite_document
from tests.registry.pages import (
    LIGER,
    NOTHING_SAID,
    OTHER_STAFF,
    SOL,
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
SEED = SHARED / "seeds/run-page-sol-16893.txt"


def page_of(client: Client, run: Run | str) -> Any:
    response = client.get(f"/runs/{run if isinstance(run, str) else run.digest}/")
    assert response.status_code == 200
    return response


def redact(row: Any, citation: str) -> None:
    request = corrections.request_redaction(row, reason_class="legal", reason="a court", actor=STAFF, now=NOW)
    corrections.approve_redaction(request, citation=citation, actor=OTHER_STAFF, now=NOW)


# --- the seeds


class TestSeeds:
    pytestmark = pytest.mark.usefixtures("demo")

    @pytest.fixture
    def checks(self) -> ModuleType:
        spec = importlib.util.spec_from_file_location("seed_page_lines", SHARED / "checks/seed_page_lines.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @pytest.mark.shared
    def test_every_line_of_the_sol_seed_stands_on_its_page_in_order(self, client: Client, checks: ModuleType) -> None:
        page = page_of(client, SOL).content.decode()
        assert checks.missing_lines(page, SEED.read_text()) == []
        assert "<title>Run 01a0352b · KernelIndex</title>" in page

    @pytest.mark.shared
    def test_the_manifest_on_the_page_is_the_seeds(self, client: Client) -> None:
        seed = SEED.read_text()
        stated = json.loads(seed[seed.index("\n{") : seed.rindex("\n}") + 2])
        assert json.loads(manifest_on(page_of(client, SOL))) == stated

    def test_the_sol_seed_reads_as_a_group_of_one(self, client: Client) -> None:
        assert lacks(
            page_of(client, SOL),
            "209.8 µs mean",
            "no spread published · sample count not published",
            "mean over the suite's 16 cases; per-case estimator not stated",
            "Rank 1 in its comparison group · source-native comparison · observed 2026-07-03",
            "only entry so far",
            "One run alone says nothing about being fast.",
            "1 run by 1 author; source total unknown.",
            "3 runs under SOL-ExecBench evaluation stack v1.1 , best mean 138.9 µs by Amir M. Mir | SF Tensor",
            "not ranked with this one because protocol and environment differ",
            "SOL 0.8055 · 4.05× reference · 16/16 cases faster",
            "As published by the source: its SOL score (0.5 at its baseline, 1 at the speed of light)",
            "Times for single cases were not published.",
            "The 16 cases",
            "No attestations yet.",
            "Sign in to add a reproduction or note. You come back to this place.",
            "Report an issue with this run",
        ) == []  # fmt: skip

    def test_the_liger_seed_reads_as_the_second_of_two(self, client: Client) -> None:
        assert lacks(
            page_of(client, LIGER),
            "PyTorch baseline",
            "ReLU squared , backward pass · rows 4096 · hidden 4096 · bf16 · NVIDIA H100 80GB HBM3",
            "time zone not stated TIME_ZONE_NOT_STATED : The source gives the time of observation without a time zone.",
            "The run is ranked all the same.",
            "126.3 µs median",
            "p20 – p80 125.2 – 127.1 µs · sample count not published",
            "median across samples; one case",
            "Rank 2 in its comparison group · source-native comparison · observed 2026-03-27",
            "2 of 2 runs · 3.20× the value of the best · see rank 1",
            "Liger Liger-Kernel 0.7.0",
            "PyTorch baseline ◂ this run version not published",
            "2 runs by 2 authors; the source lists 2 runs, 2 taken",
            "2 runs under Liger benchmark harness · forward pass , best median 27.9 µs by Liger ( 2026-03-27 )",
            "revision – not published by the source",
            "liger version 0.7.0",
            "not asserted : the workload names no comparator, the protocol states none.",
            "measured errors – none published",
            "Axis starts at 125 µs, not at 0.",
            "not stated – driver, CUDA toolkit and framework not published by the source",
            "Comparable only within one kernel, workload, timed pass, and GPU.",
            "No artifacts published with this run.",
            "reproducible lacks : raw samples or a log, stored here",
            "Published 2026-09-01 · Liger-Kernel benchmarks · BSD-2-Clause",
        ) == []  # fmt: skip

    def test_this_row_is_marked_once_in_words_and_for_machines(self, client: Client) -> None:
        body = page_of(client, LIGER).content.decode()
        assert body.count("◂ this run") == 1
        assert body.count('aria-current="true"') == 1

    def test_everything_in_identity_that_has_a_page_is_a_link(self, client: Client) -> None:
        page = page_of(client, SOL)
        run = Run.objects.get(digest=SOL)
        for path in (
            f"/implementations/{run.implementation_id}/", "/projects/sol-user-ac4k/", f"/groups/{SOL_KEY}/",
            "/sources/sol-execbench/", "/hardware/nvidia-b200/", f"/workloads/{run.workload.digest}/",
            f"/protocols/{run.protocol.digest}/", f"/environments/{run.environment.digest}/",
        ):  # fmt: skip
            assert f'href="{path}"' in page.content.decode()
            assert client.get(path).status_code == 200


def manifest_on(response: Any) -> str:
    found = re.search(r'<pre class="scroll" id="manifest-text"[^>]*>(.*?)</pre>', response.content.decode(), re.S)
    assert found is not None
    return html.unescape(found[1])


@pytest.mark.usefixtures("demo")
def test_the_python_line_on_the_page_computes_the_digest_from_the_manifest(client: Client, tmp_path: Path) -> None:
    page = page_of(client, SOL)
    (tmp_path / "manifest.json").write_text(manifest_on(page))
    line = re.search(r"^(python3 -c .*?)</pre>", page.content.decode(), re.M | re.S)
    assert line is not None
    command = html.unescape(line[1]).replace("python3", sys.executable, 1)
    made = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"sha256:{made.stdout.strip()}" == SOL


# --- the states of a run


def test_a_withdrawn_run_says_when_by_whom_and_why_and_is_cited_as_withdrawn(client: Client) -> None:
    [run] = publish(timed(1000))
    corrections.withdraw([run], reason="The clock was wrong.", actor=STAFF, now=NOW)
    page = page_of(client, run)
    assert lacks(
        page,
        "withdrawn on 2026-09-01 by KernelIndex staff: The clock was wrong.",
        "The figures stay readable and are not ranked; a citation says so.",
        "1.00 µs median",
        "Not ranked in its comparison group",
        "WITHDRAWN · The run was withdrawn.",
        "Not ranked (WITHDRAWN) in its comparison group",
        "(2026): [withdrawn 2026-09-01: The clock was wrong] acme-scale",
    ) == []  # fmt: skip
    assert "Rank 1" not in shown(page)


def test_a_superseded_run_and_its_successor_link_to_each_other(client: Client) -> None:
    old, new = publish(timed(1000), timed(1100))
    corrections.supersede(old, successor=new, reason="Measured again.", actor=STAFF, now=NOW)
    before, after = page_of(client, old), page_of(client, new)
    assert lacks(
        before,
        "superseded on 2026-09-01 by KernelIndex staff: Measured again.",
        f"Replaced by {new.digest[:19]}…",
        "SUPERSEDED · A corrected run supersedes this one.",
        f"[superseded 2026-09-01 by {new.digest}: Measured again]",
    ) == []  # fmt: skip
    assert f'href="/runs/{new.digest}/">{new.digest[:19]}…</a>' in before.content.decode()
    assert lacks(after, f"This run replaces {old.digest[:19]}…", "1 of 1 ranked runs") == []
    assert f'href="/runs/{old.digest}/">{old.digest[:19]}…</a>' in after.content.decode()
    assert "[superseded" not in shown(after)


def test_a_redacted_run_is_a_tombstone_with_its_frozen_citation(client: Client) -> None:
    [run] = publish(timed(1000))
    cited = run_queries.citation_text(run_queries.find(run.digest), site_url="https://ki.test", today=date(2026, 9, 2))
    assert client.get(f"/runs/{run.digest}/canonical.json").status_code == 200
    assert client.get(f"/runs/{run.digest}/").status_code == 200
    redact(run, cited)
    for path in (f"/runs/{run.digest}/", f"/runs/{run.pk}/"):
        page = client.get(path)
        assert lacks(page, "This run was redacted", "Redacted on 2026-09-01 : legal removal.", run.digest, cited) == []
        assert "Canonical manifest" not in shown(page)
    for path in ("canonical.json", "cite.bib", "cite.txt"):
        assert client.get(f"/runs/{run.digest}/{path}").status_code == 410
    assert "immutable" not in client.get(f"/runs/{run.digest}/canonical.json").headers.get("Cache-Control", "")
    assert client.get(f"/groups/{run.group.key}/").status_code == 200
    assert client.get("/runs/").status_code == 200


def test_a_redacted_document_leaves_the_runs_that_name_it_even_where_their_pages_were_kept(client: Client) -> None:
    [run] = publish(timed(1000))
    assert "cuda_events" in shown(page_of(client, run))
    redact(Protocol.objects.get(), "cited")
    page = page_of(client, run)
    assert "cuda_events" not in shown(page)
    assert "redacted" in shown(page)
    redact(Workload.objects.get(), "cited")
    assert "allclose" not in shown(page_of(client, run))


def test_a_failed_run_has_no_value_and_says_what_happened(client: Client) -> None:
    [run] = publish(run_entry(status="compile_error", timing=None))
    page = page_of(client, run)
    assert lacks(
        page,
        "compile error",
        "– no measurement",
        "The source published no value: compile error.",
        "STATUS_COMPILE_ERROR · The kernel did not compile.",
        "MISSING_PRIMARY_METRIC · The run states no primary value.",
        "No measurements: compile error.",
        "Marked compile error by the source.",
    ) == []  # fmt: skip
    assert "0.00" not in shown(page)


def test_a_blocking_flag_unranks_and_gives_its_reason(client: Client) -> None:
    [run] = publish(timed(1000))
    [mark] = corrections.flag([run], rule="IMPLAUSIBLE", reason="Below the bound.", actor=STAFF, now=NOW)
    assert lacks(
        page_of(client, run),
        "flagged FLAGGED_IMPLAUSIBLE on 2026-09-01 by KernelIndex staff: Below the bound.",
        "Not ranked while the flag stands.",
        "FLAGGED_IMPLAUSIBLE · The value is below a lower bound that the source itself states.",
        "[flagged FLAGGED_IMPLAUSIBLE 2026-09-01: Below the bound]",
    ) == []  # fmt: skip
    corrections.clear([mark], reason="A typing error.", actor=STAFF, now=NOW)
    page = page_of(client, run)
    assert lacks(page, "Cleared since ; kept for the record.", "Rank 1 in its comparison group") == []
    assert "[flagged" not in shown(page)


def test_a_warning_flag_marks_and_leaves_the_rank(client: Client) -> None:
    [run] = publish(timed(1000))
    corrections.flag([run], rule="SINGLE_SAMPLE", reason="One sample.", actor=STAFF, now=NOW)
    assert lacks(
        page_of(client, run),
        "single sample SINGLE_SAMPLE : The value rests on one sample. The run is ranked all the same.",
        "Rank 1 in its comparison group",
    ) == []  # fmt: skip


def test_a_suite_run_lists_its_cases_and_both_parts_of_its_statistic(client: Client) -> None:
    suite = suite_document()
    [run] = publish(timed(1000, workload=suite), workloads=[suite])
    assert lacks(
        page_of(client, run),
        "suite of 2 cases · mean latency",
        "mean over the suite's 2 cases",
        "The 2 cases",
        "Case rows External id 1 8 one",
        "2 16 two",
        "Times for single cases were not published.",
    ) == []  # fmt: skip


def test_a_single_entry_says_that_it_is_alone(client: Client) -> None:
    [run] = publish(timed(1000))
    assert lacks(
        page_of(client, run), "Rank 1 in its comparison group", "only entry so far",
        "One run alone says nothing about being fast.", "acme-scale ◂ this run",
    ) == []  # fmt: skip


def test_tied_runs_say_with_how_many_they_share_their_rank(client: Client) -> None:
    runs = publish(*(timed(1000, observedAt=f"2026-07-0{day}T00:00:00Z") for day in (1, 2, 3)))
    for place, run in enumerate(runs, start=1):
        assert lacks(
            page_of(client, run), "Rank 1 in its comparison group", f"{place} of 3 runs · shared with 2 others", "1 ="
        ) == []  # fmt: skip
    two = publish(timed(2000, observedAt="2026-07-04T00:00:00Z"), timed(2000, observedAt="2026-07-05T00:00:00Z"))
    assert lacks(page_of(client, two[0]), "Rank 2 in its comparison group", "shared with 1 other") == []


def test_a_lead_under_one_percent_without_intervals_is_not_known_to_be_real(client: Client) -> None:
    best, second = publish(timed(1000), timed(1002))
    assert lacks(page_of(client, best), "1 of 2 runs · lead 0.2 %, not known to be real") == []
    assert "not known to be real" not in shown(page_of(client, second))
    clear, _ = publish(timed(500), timed(1003))
    assert lacks(page_of(client, clear), "lead 100.0 %") == []
    assert "not known to be real" not in shown(page_of(client, clear))


def test_a_run_in_a_large_group_shows_seven_rows_rank_1_and_its_neighbours(client: Client) -> None:
    runs = publish_group(40)
    page = page_of(client, runs[20])
    assert lacks(page, "21 of 40 runs · 1.20× the value of the best · see rank 1", "… 17 more", "… 17 more") == []
    ranks = re.findall(r'<td role="cell" class="c-rank">(.*?)</td>', page.content.decode())
    assert ranks == ["1", "19", "20", "21", "22", "23", "24"]
    first = re.findall(r'<td role="cell" class="c-rank">(.*?)</td>', page_of(client, runs[0]).content.decode())
    last = re.findall(r'<td role="cell" class="c-rank">(.*?)</td>', page_of(client, runs[39]).content.decode())
    assert (first, last) == (["1", "2", "3", "4", "5", "6", "7"], ["1", "35", "36", "37", "38", "39", "40"])


def test_a_page_takes_as_many_queries_in_a_group_of_2_as_in_one_of_42(client: Client) -> None:
    [run, _] = publish(timed(100), timed(101))
    few = queries_of(client, f"/runs/{run.digest}/")
    publish_group(40)
    many = queries_of(client, f"/runs/{run.digest}/")
    assert few == many
    assert few <= 8 + NOTHING_SAID


def test_a_page_takes_as_many_queries_with_a_history_of_1_as_of_20(client: Client) -> None:
    [run] = publish(labelled(1000))
    few = queries_of(client, f"/runs/{run.digest}/")
    publish(*(labelled(1000 + day, day=f"2026-06-{day:02d}", acme_version=f"0.{day}") for day in range(1, 21)))
    assert "21 runs of this implementation" in shown(page_of(client, run))
    assert queries_of(client, f"/runs/{run.digest}/") == few
    assert few <= 8 + NOTHING_SAID


def test_a_history_is_a_plot_and_the_same_figures_in_a_table(client: Client) -> None:
    run, _, gone = publish(
        labelled(900, day="2026-03-01", acme_version="0.2"),
        labelled(1000, day="2026-01-01", acme_version="0.1"),
        labelled(950, day="2026-06-01", acme_version="0.3"),
    )
    corrections.withdraw([gone], reason="wrong clock", actor=STAFF, now=NOW)
    page = page_of(client, run)
    assert lacks(
        page,
        "History 3 runs of this implementation under equal conditions.",
        "The axis starts at 900 ns, not at 0.",
        "Observed Release median, ns Standing 2026-01-01 0.1 1,000 no spread published rank 2 "
        "2026-03-01 ◂ this run 0.2 900 no spread published rank 1 "
        "2026-06-01 0.3 950 no spread published not ranked withdrawn",
    ) == []  # fmt: skip
    body = page.content.decode()
    assert body.count("<title>0.") == 3
    assert 'style="' not in body


def test_a_run_of_a_divided_group_shows_its_own_variant_and_that_ranking_is_withheld(client: Client) -> None:
    run, *_ = publish_divided()
    page = page_of(client, run)
    assert lacks(
        page,
        "Not ranked in its comparison group",
        "FLAGGED_OPERATION_MISMATCH",
        "Ranking is withheld. This group holds two kinds of mathematics under one comparison key: sequence and token.",
        "token 3 runs of this variant, by value",
        "2 acme-scale ◂ this run",
        "variant token",
    ) == []  # fmt: skip
    assert re.findall(r'<td role="cell" class="c-rank">(.*?)</td>', page.content.decode()) == ["1", "2", "–"]


def test_memory_and_time_of_one_thing_name_each_other(client: Client) -> None:
    peak = [{"metric": "memory", "unit": "mib", "statistic": "median", "value": 734.5}]
    fast, memory = publish(
        timed(900), run_entry(protocol=protocol_document("mem", measurement__samples=3), timing=None, measurements=peak)
    )
    page = page_of(client, fast)
    assert lacks(page, "Memory: 734.5 MiB (median) · its own run · mem") == []
    assert f'<a href="/runs/{memory.digest}/">734.5' in page.content.decode()
    page = page_of(client, memory)
    assert (
        lacks(
            page, "Latency: 900 ns (median) · its own run · acme-bench", "734.5 MiB", "memory 734.5 MiB (median across"
        )
        == []
    )
    assert f'<a href="/runs/{fast.digest}/">900' in page.content.decode()


def test_hostile_text_of_a_document_is_escaped(client: Client) -> None:
    hostile = "<script>alert(1)</script>"
    [run] = publish(run_entry(metadata={"title": hostile, "labels": {"worker": hostile}}))
    for path in (f"/runs/{run.digest}/", "/runs/", f"/groups/{run.group.key}/"):
        assert "<script>alert" not in client.get(path).content.decode()
    assert "worker &lt;script&gt;alert(1)&lt;/script&gt;" in re.sub(
        r"<[^>]+>", " ", page_of(client, run).content.decode()
    ).replace("  ", " ")


# --- addresses


@pytest.mark.usefixtures("demo")
def test_a_run_answers_by_id_and_by_digest_and_the_digests_address_is_the_canonical_one(client: Client) -> None:
    run = Run.objects.get(digest=LIGER)
    for path in (f"/runs/{run.pk}/", f"/runs/{LIGER}/"):
        body = client.get(path).content.decode()
        assert f'<link rel="canonical" href="http://localhost:8000/runs/{LIGER}/">' in body
        assert f'<link rel="alternate" type="application/json" href="/api/v1/runs/{LIGER}/">' in body
    assert client.get(f"/api/v1/runs/{LIGER}/").status_code == 200


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("prefix", [LIGER[7:19], LIGER[7:40], LIGER[7:], LIGER[:19]])
def test_a_prefix_of_twelve_and_more_digits_leads_to_the_run(client: Client, prefix: str) -> None:
    response = client.get(f"/runs/{prefix}/")
    assert (response.status_code, response["Location"]) == (302, f"/runs/{LIGER}/")


@pytest.mark.usefixtures("demo")
def test_a_prefix_of_several_runs_lists_them(client: Client) -> None:
    twin = Run.objects.get(digest=LIGER)
    twin.pk, twin.digest = uuid.uuid4(), LIGER[:30] + "0" * 41
    twin.save(force_insert=True)
    response = client.get(f"/runs/{LIGER[7:19]}/")
    assert response.status_code == 200
    assert lacks(response, "Several digests begin with these digits", LIGER, twin.digest) == []


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    "path",
    [
        "/runs/sha256:" + "0" * 64 + "/",
        "/runs/sha256:" + "0" * 64 + "/canonical.json",
        "/runs/sha256:" + "0" * 64 + "/cite.bib",
        f"/runs/{SOL}/cite.cff",
        "/runs/01a0352b-0000-7000-8000-000000000000/",
        "/runs/000000000000/",
        "/runs/" + LIGER[7:18] + "/",
        "/runs/" + LIGER[7:].upper() + "/",
        "/runs/nothing/",
    ],
)
def test_an_unknown_run_is_not_found(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert lacks(response, "There is no page at this address") == []


# --- canonical bytes


@pytest.mark.usefixtures("demo")
def test_the_sha256_of_the_canonical_bytes_is_the_digest_and_they_may_be_kept_for_good(client: Client) -> None:
    response = client.get(f"/runs/{SOL}/canonical.json")
    assert f"sha256:{hashlib.sha256(response.content).hexdigest()}" == SOL
    assert response["Content-Type"] == "application/json"
    assert response["ETag"] == f'"{SOL}"'
    assert {part.strip() for part in response["Cache-Control"].split(",")} == {
        "public", "max-age=31536000", "immutable",
    }  # fmt: skip
    assert client.get(f"/runs/{SOL}/canonical.json", headers={"if-none-match": f'"{SOL}"'}).status_code == 304
    assert client.get(f"/runs/{SOL}/canonical.json", headers={"if-none-match": '"other"'}).status_code == 200


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("digest", [SOL, LIGER])
def test_every_document_that_the_page_links_hashes_to_the_digest_beside_it(client: Client, digest: str) -> None:
    links = re.findall(
        r'<a href="([^"]+canonical\.json)" title="(sha256:[0-9a-f]{64})">', page_of(client, digest).content.decode()
    )
    assert len(links) == 6
    for path, stated in links:
        assert f"sha256:{hashlib.sha256(client.get(path).content).hexdigest()}" == stated


# --- the list


def test_the_list_of_runs_says_which_are_ranked_and_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = publish_group(3)
    corrections.withdraw([runs[0]], reason="r", actor=STAFF, now=NOW)
    assert lacks(client.get("/runs/"), "3 runs.", "rank 1", "rank 2", "not ranked WITHDRAWN", "acme-0", "acme-2") == []
    few = queries_of(client, "/runs/")
    publish_group(40)
    assert queries_of(client, "/runs/") == few
    assert few <= 8 + NOTHING_SAID


def test_a_list_of_over_a_hundred_runs_has_a_next_page_with_the_rest(client: Client) -> None:
    publish_group(103)
    first = client.get("/runs/")
    [following] = re.findall(r'<a href="(\?cursor=[^"]+)" rel="next">', first.content.decode())
    second = client.get("/runs/" + html.unescape(following))
    digests = [
        set(re.findall(r'href="/runs/(sha256:[0-9a-f]{64})/"', page.content.decode())) for page in (first, second)
    ]
    assert [len(found) for found in digests] == [100, 3]
    assert not digests[0] & digests[1]
    assert 'rel="next"' not in second.content.decode()


def test_an_empty_registry_has_an_empty_list(client: Client) -> None:
    assert lacks(client.get("/runs/"), "No run has been published yet.", "0 runs.") == []
