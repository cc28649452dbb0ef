"""SOL-ExecBench's leaderboard: the seed run from its payloads, what is stored unranked, and what is not taken."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry.core.json_text import loads
from registry.importers import sol_execbench
from registry.importers.base import (
    BytesEntry,
    CoverageEntry,
    DocumentEntry,
    Entry,
    Pending,
    Rejected,
    Request,
    RunEntry,
    Skipped,
    SourceEntry,
    Unreadable,
)
from registry.importers.documents import digest_of
from tests.conftest import SHARED
from tests.registry.importers.reading import translated

FIXTURE = Path(__file__).parents[2] / "data/sol_execbench"
NAME = "039_adaptive_instance_normalization_2d_backward"
NO_ZONE = ("TIME_ZONE_NOT_STATED", "The source gives the time without a zone; shown as if UTC.")
API = sol_execbench.SOURCE.location


def of(kind: type, entries: list[Entry]) -> list[Any]:
    return [entry for entry in entries if isinstance(entry, kind)]


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return list(translated(sol_execbench, FIXTURE))


def run_of(entries: list[Entry], number: int) -> RunEntry:
    [run] = [run for run in of(RunEntry, entries) if run.upstream_key == f"submission/{number}"]
    return run  # type: ignore[no-any-return]


# The seed


def test_the_seed_run_and_all_that_it_names_have_the_published_digests(entries: list[Entry]) -> None:
    run = run_of(entries, 16893)
    digests = {entry.kind: digest_of(entry.value) for entry in reversed(of(DocumentEntry, entries))}
    assert digest_of(run.run) == "sha256:7331cf583fb6e7ee800b9067515bdecb60520bfdb78282d9a614a26710a28f7c"
    assert digest_of(run.protocol) == "sha256:2964c5c4ed9cb0dcdc0f74674035bc71bf5e66620939e38441060f76434ed3e5"
    assert digest_of(run.environment) == "sha256:5296c820e166474e590abb1beaf7728cdfe0a4bde9bf55f8966a40f4f5401621"
    assert digests == {
        "OperationSpec": "sha256:3cc491fd1eb98b1e8fba683c2e3274f9199e2da01cadd74ccadc67da3225f336",
        "WorkloadSuite": "sha256:b902ef8dd87d37e4d5583fc20ac0fce3b7dd9b9f00ca84d7bddb153303559449",
        "SoftwareProject": "sha256:14cdeb7d37e0b05604a23f1a817b441d964b306617a020eadce8d20481b7757b",
        "ImplementationRevision": "sha256:a138b7c7c796cb293712edc6235e869c3fce0cd0e696aa0872a86fe18bf631cb",
    }


@pytest.mark.shared
def test_the_seed_documents_are_equal_with_their_metadata(entries: list[Entry]) -> None:
    seed = json.loads((SHARED / "seeds/seed-documents.json").read_text())["seed_002_sol"]
    run = run_of(entries, 16893)
    assert (run.run, run.protocol, run.environment) == tuple(
        seed[name]["document"] for name in ("run", "protocol", "environment")
    )
    documents = {entry.kind: entry.value for entry in reversed(of(DocumentEntry, entries))}
    assert documents == {
        "OperationSpec": seed["operation"]["document"],
        "WorkloadSuite": seed["workload"]["document"],
        "SoftwareProject": seed["project_current_rules"]["document"],
        "ImplementationRevision": seed["implementation"]["document"],
    }


def test_a_run_is_known_by_its_submission_and_released_by_its_stack(entries: list[Entry]) -> None:
    run = run_of(entries, 16893)
    assert (run.upstream_key, run.lasting_key, run.release) == ("submission/16893", "submission/16893", "v1.0")
    assert run.implementation == ("sol-user-ac4k", "sol-submission-16893")
    assert run.flags == (NO_ZONE,)
    assert str(run.locate(())) == "submissions/39/0.json: line 4: data.submissions[0]"


# The other rows


def test_a_row_that_states_less_gives_a_run_that_states_less(entries: list[Entry]) -> None:
    run = run_of(entries, 17001)
    assert run.flags == ()  # its time has a zone
    assert run.run["spec"]["observedAt"] == "2026-07-04T10:00:00.000Z"
    assert run.run["spec"]["sourceNative"]["metrics"] == {"latency_ms": 0.3, "fast_1_count": 16, "fast_1_total": 16}
    assert run.run["metadata"] == {
        "name": "sol-submission-17001",
        "title": f"Erika Muster | Beispiel GmbH · {NAME} · B200",
    }


def test_a_disqualified_row_is_stored_with_the_source_s_own_reason(entries: list[Entry]) -> None:
    run = run_of(entries, 17002)
    assert run.run["spec"]["status"] == "passed"
    assert run.flags == (
        ("DISQUALIFIED_UPSTREAM", "Caches the output between calls. (by review; at 2026-07-09T00:00:00)"),
        NO_ZONE,
    )


def test_an_incorrect_row_is_stored_as_incorrect_with_the_source_s_words(entries: list[Entry]) -> None:
    run = run_of(entries, 17003)
    assert run.run["spec"]["status"] == "incorrect_numerical"
    assert "timing" not in run.run["spec"]
    assert run.run["metadata"]["labels"]["error"] == "max abs error 0.31 on case 3"


def test_a_row_below_the_speed_of_light_is_stored_and_flagged(entries: list[Entry]) -> None:
    assert run_of(entries, 17004).flags == (
        (
            "IMPLAUSIBLE",
            "0.0109 ms is below 0.011 ms, the least speed-of-light time that the source states of a case.",
        ),
        NO_ZONE,
    )


def test_rows_that_are_not_taken_say_where_and_why_and_are_quoted(entries: list[Entry]) -> None:
    rejected = of(Rejected, entries)
    assert [(entry.reason, entry.key, str(entry.place), entry.message) for entry in rejected] == [
        (
            "UNFINISHED",
            "submission/17005",
            "submissions/39/4.json: line 74: data.submissions[2].status",
            "the submission is PENDING at the source",
        ),
        (
            "FAILED_UPSTREAM",
            "submission/17006",
            "submissions/39/4.json: line 104: data.submissions[3].status",
            "the submission is FAILED at the source: nvcc: no such file",
        ),
        (
            "NO_LATENCY",
            "submission/17007",
            "submissions/39/4.json: line 137: data.submissions[4].latency_ms",
            "the source states no latency",
        ),
    ]
    assert all(loads(entry.row)["id"] == int(entry.key.removeprefix("submission/")) for entry in rejected)


def test_a_gpu_that_nobody_knows_waits_for_a_person() -> None:
    [pending] = of(Pending, list(translated(sol_execbench, FIXTURE)))
    assert (pending.kind, pending.name, pending.key) == ("gpu", "X9000", "submission/17008")
    assert str(pending.place) == "submissions/39/4.json: line 172: data.submissions[5].gpu_type"
    facts = {"vendor": "other", "product": "X9000", "architecture": "x9"}
    settled = list(translated(sol_execbench, FIXTURE, names={("gpu", "X9000"): facts}))
    assert run_of(settled, 17008).environment["spec"]["hardware"] == facts


def test_a_row_that_stands_on_two_pages_counts_once(entries: list[Entry]) -> None:
    assert [str(entry.place) for entry in of(Skipped, entries) if entry.reason == "REPEATED_ROW"] == [
        "submissions/39/4.json: line 4: data.submissions[0]"
    ]


def test_coverage_says_what_the_source_counts_and_what_was_read(entries: list[Entry]) -> None:
    counted = "the source counts all that was submitted to kernel 39: 9 rows of it were read"
    assert of(CoverageEntry, entries) == [
        CoverageEntry(
            ("submission/16893", "submission/17002", "submission/17003", "submission/17004"),
            9,
            f"every completed submission on B200 under stack v1.0; {counted}",
        ),
        CoverageEntry(("submission/17001",), 9, f"every completed submission on B200 under stack v1.1; {counted}"),
    ]


def test_the_source_comes_first_and_is_read_when_a_person_asks(entries: list[Entry]) -> None:
    assert entries[0] == sol_execbench.SOURCE
    assert isinstance(entries[0], SourceEntry)
    assert (entries[0].schedule, entries[0].may_store, entries[0].hosts) == ("off", False, ("research.nvidia.com",))


# One row changed


@pytest.fixture
def changed(tmp_path: Path) -> Callable[..., list[Entry]]:
    """What the seed's row gives with these members changed; `kernel` changes the kernel's details."""

    def translate(kernel: dict[str, object] | None = None, rows: int = 1, **row: object) -> list[Entry]:
        folder = tmp_path / "payloads"
        shutil.copytree(FIXTURE, folder)
        shutil.rmtree(folder / "submissions")
        details = json.loads((folder / "kernels/39.json").read_text())
        details["data"] |= kernel or {}
        (folder / "kernels/39.json").write_text(json.dumps(details))
        page = json.loads((FIXTURE / "submissions/39/0.json").read_text())
        seed = page["data"]["submissions"][0]
        page["data"]["submissions"] = [seed | row, *[seed] * (rows - 1)]
        (folder / "page.json").write_text(json.dumps(page))
        return list(translated(sol_execbench, folder))

    return translate


def faults(entries: list[Entry]) -> list[tuple[str, str, str]]:
    return [(entry.reason, entry.place.path, entry.message) for entry in of(Rejected, entries)]


@pytest.mark.parametrize(
    ("row", "reason", "path", "message"),
    [
        ({"id": "16893"}, "SHAPE", ".id", 'must be a whole number, got "16893"'),
        ({"id": None}, "MISSING_FIELD", ".id", "id is missing"),
        ({"kernel_id": 40}, "NO_KERNEL", ".kernel_id", "no details of kernel 40 in the files read"),
        ({"type": "collection"}, "TYPE", ".type", "is no submission to a kernel"),
        ({"status": "RUNNING"}, "UNFINISHED", ".status", "the submission is RUNNING at the source"),
        ({"status": "ARCHIVED"}, "STATUS", ".status", 'unknown status "ARCHIVED"'),
        ({"status": True}, "SHAPE", ".status", "must be text, got a boolean"),
        (
            {"is_correct": None},
            "NO_VERDICT",
            ".is_correct",
            "the source does not say whether the submission is correct",
        ),
        ({"latency_ms": "B200"}, "SHAPE", ".latency_ms", 'must be a number, got "B200"'),
        ({"latency_ms": "NaN"}, "NO_LATENCY", ".latency_ms", "the source states no latency"),
        ({"latency_ms": -1}, "VALUE", ".latency_ms", "must be a time of a nanosecond or more, got -1 ms"),
        ({"latency_ms": 0}, "VALUE", ".latency_ms", "must be a time of a nanosecond or more, got 0 ms"),
        ({"latency_ms": 1e-9}, "VALUE", ".latency_ms", "must be a time of a nanosecond or more, got 1e-09 ms"),
        ({"sol_score": "high"}, "SHAPE", ".sol_score", 'must be a number, got "high"'),
        ({"username": ""}, "SHAPE", ".username", 'must be text, got ""'),
        ({"gpu_type": 0.209838}, "SHAPE", ".gpu_type", "must be text, got a number"),
        (
            {"finished_at": "yesterday"},
            "TIMESTAMP",
            ".finished_at",
            'must be a time such as 2026-07-03T03:55:35.544, got "yesterday"',
        ),
        (
            {"finished_at": "2026-02-30T00:00:00"},
            "TIMESTAMP",
            ".finished_at",
            'names a time that does not exist: "2026-02-30T00:00:00"',
        ),
        ({"finished_at": None, "submitted_at": None}, "MISSING_FIELD", ".submitted_at", "submitted_at is missing"),
    ],
)
def test_a_row_at_fault_is_told_by_its_member(
    changed: Callable[..., list[Entry]], row: dict[str, object], reason: str, path: str, message: str
) -> None:
    entries = changed(**row)
    assert faults(entries) == [(reason, f"data.submissions[0]{path}", message)]
    assert of(RunEntry, entries) == []


def test_one_id_with_two_contents_is_told_and_the_first_stands(changed: Callable[..., list[Entry]]) -> None:
    entries = changed(rows=2, latency_ms=0.25)
    assert faults(entries) == [
        ("DUPLICATE_ID", "data.submissions[1].id", "submission 16893 stands earlier with other figures")
    ]
    assert [run.run["spec"]["timing"]["latencyNs"] for run in of(RunEntry, entries)] == [{"mean": 250000}]


def test_a_row_without_a_time_of_ending_has_its_time_of_asking(changed: Callable[..., list[Entry]]) -> None:
    [run] = of(RunEntry, changed(finished_at=None))
    assert run.run["spec"]["observedAt"] == "2026-07-03T03:54:01.120Z"


def test_a_reason_that_the_source_leaves_out_is_said_to_be_left_out(changed: Callable[..., list[Entry]]) -> None:
    [run] = of(RunEntry, changed(is_disqualified=True))
    assert run.flags[0] == ("DISQUALIFIED_UPSTREAM", "The source states no reason.")


def test_a_stack_that_is_not_stated_stays_absent(changed: Callable[..., list[Entry]]) -> None:
    [run] = of(RunEntry, changed(evaluation_stack_version=None))
    assert run.release is None
    assert run.protocol["spec"]["harness"] == {"name": "SOL-ExecBench evaluation stack"}
    assert run.environment["spec"]["software"] == {}


@pytest.mark.parametrize("kernel", [{"sol_is_dummy": True}, {"workloads": [{"axes": {"N": 1, "H": 1, "W": 1}}]}])
def test_no_bound_is_taken_from_made_up_or_missing_bounds(
    changed: Callable[..., list[Entry]], kernel: dict[str, object]
) -> None:
    [run] = of(RunEntry, changed(kernel, latency_ms=0.0000011))
    assert run.flags == (NO_ZONE,)


@pytest.mark.parametrize(
    ("kernel", "reason", "path"),
    [
        ({"workloads": []}, "SHAPE", "data.workloads"),
        ({"workloads": [7]}, "SHAPE", "data.workloads[0]"),
        ({"workloads": [{"axes": {"N": 1.5}}]}, "SHAPE", "data.workloads[0].axes.N"),
        ({"inputs": {}}, "SHAPE", "data.inputs"),
        ({"inputs": {"x": {"shape": ["N", "Z"], "dtype": "float32"}}}, "UNDECLARED_AXIS", "data.inputs.x.shape[1]"),
        ({"axes": {"N": {"type": "var"}, "n": {"type": "var"}}}, "AXIS_NAMES", "data.axes.n"),
        ({"axes": {"N": {"type": "size"}}}, "AXIS_TYPE", "data.axes.N.type"),
        ({"axes": {"N": {"type": "expr", "expression": "2 *"}}}, "EXPRESSION", "data.axes.N.expression"),
        ({"name": None}, "MISSING_FIELD", "data.name"),
        ({"tags": "normalization"}, "SHAPE", "data.tags"),
    ],
)
def test_a_kernel_at_fault_is_told_and_its_rows_with_it(
    changed: Callable[..., list[Entry]], kernel: dict[str, object], reason: str, path: str
) -> None:
    found = [(told_reason, told_path) for told_reason, told_path, _ in faults(changed(kernel))]
    assert found == [(reason, path), ("NO_KERNEL", "data.submissions[0].kernel_id")]


def test_tags_may_be_null(changed: Callable[..., list[Entry]]) -> None:
    operation = next(entry.value for entry in of(DocumentEntry, changed({"tags": None})))
    assert operation["spec"]["family"] == "uncategorized"


def test_a_name_that_is_long_is_cut_where_documents_bound_it(changed: Callable[..., list[Entry]]) -> None:
    operation = next(entry.value for entry in of(DocumentEntry, changed({"name": "n" * 300})))
    assert operation["metadata"]["title"] == "n" * 199 + "…"


# Trace files, in the tree that FlashInfer-Bench's tests have


def test_traces_are_read_beside_payloads_and_their_code_is_not_kept(tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / "payloads")
    shutil.copytree(FIXTURE.parent / "flashinfer_bench", tmp_path / "tree")
    entries = list(translated(sol_execbench, tmp_path))
    traces = [run for run in of(RunEntry, entries) if not run.upstream_key.startswith("submission/")]
    assert len(of(RunEntry, entries)) == 10
    assert {run.source for run in traces} == {"sol-execbench"}
    assert {run.protocol["spec"]["comparability"]["family"] for run in traces} == {"sol_execbench_trace"}
    judged = [run.run["spec"]["correctness"]["comparator"] for run in traces if "correctness" in run.run["spec"]]
    assert judged == ["sol_execbench_eval"] * 3
    assert {entry.kind for entry in of(BytesEntry, entries)} == {"log"}
    documents = [entry.value for entry in of(DocumentEntry, entries)]
    assert not any("description" in document["metadata"] for document in documents)
    implementations = [entry for entry in of(DocumentEntry, entries) if entry.project == "sol-author-an-author"]
    assert [entry.value["spec"]["licensing"] for entry in implementations] == [{}]
    assert implementations[0].value["spec"]["source"]["fileName"] == "sources.json"  # its digest tells it apart


# Fetching


def test_fetching_leads_from_the_list_through_the_details_to_every_page() -> None:
    [listing] = sol_execbench.first(API)
    assert listing == Request(f"{API}/kernels", "kernels.json")
    details, page = sol_execbench.following(listing, (FIXTURE / "kernels.json").read_bytes())
    assert details == Request(f"{API}/kernels/39", "kernels/39.json")
    assert page == Request(f"{API}/submissions?kernel_id=39", "submissions/39/0.json")
    assert sol_execbench.following(details, (FIXTURE / details.name).read_bytes()) == ()
    [second] = sol_execbench.following(page, (FIXTURE / page.name).read_bytes())
    assert second == Request(f"{API}/submissions?kernel_id=39&offset=4&limit=4", "submissions/39/4.json")
    assert list(sol_execbench.following(second, (FIXTURE / second.name).read_bytes())) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", 'submissions/39/0.json: line 1: is not JSON: expected a value, found "<html>"'),
        (b"[]", 'submissions/39/0.json: the answer is not {"data": {…}}'),
        (
            b'{"data": {"submissions": [], "total": 9, "offset": 4, "limit": 4}}',
            "submissions/39/0.json: asked for submissions from 0, got those from 4",
        ),
        (
            b'{"data": {"submissions": [], "total": 9, "offset": 0, "limit": 4}}',
            "submissions/39/0.json: an empty page at 0 of 9 submissions",
        ),
        (b'{"data": {"submissions": [], "offset": 0}}', "submissions/39/0.json: total must be a whole number"),
    ],
)
def test_an_answer_that_would_pass_for_a_smaller_leaderboard_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(Unreadable) as refused:
        sol_execbench.following(Request(f"{API}/submissions?kernel_id=39", "submissions/39/0.json"), body)
    assert str(refused.value) == message
