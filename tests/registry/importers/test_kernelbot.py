"""KernelBot's rows: golden documents, each reason for which a row is not taken, paging, and the published runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from registry import syncs
from registry.core.digest import document_text, sha256
from registry.core.kinds import parse
from registry.importers import kernelbot
from registry.importers.base import (
    BytesEntry,
    CoverageEntry,
    DocumentEntry,
    Entry,
    InputFile,
    Known,
    Pending,
    Rejected,
    Request,
    RunEntry,
    Skipped,
    Unreadable,
)
from registry.importers.kernelbot import documents, pages
from registry.importers.kernelbot.boards import BOARDS
from registry.importers.kernelbot.documents import Source, Submission
from registry.models import Coverage, Run, Sighting
from tests.conftest import NOW, SHARED
from tests.registry.importers.reading import translated

DATA = Path(__file__).parents[2] / "data/kernelbot"
PAGE, SCORES, LEADERBOARDS = DATA / "page.json", DATA / "scores.jsonl", DATA / "leaderboards.json"
MI300X = "AMD Instinct MI300X"
RULE = "every row that passed in leaderboard mode"


def of(kind: type, path: Path, **known: object) -> list[Any]:
    return [entry for entry in translated(kernelbot, path, **known) if isinstance(entry, kind)]


def digest(value: Any) -> str:
    manifest = parse(value)
    return sha256(document_text(manifest.kind, manifest.spec))


def shaped() -> dict[str, Any]:
    """The fixture's first row: two benchmarks with their statistics."""
    row: dict[str, Any] = json.loads(PAGE.read_text())["rows"][0]["row"]
    return row


def scored() -> dict[str, Any]:
    """The fixture's first score."""
    row: dict[str, Any] = json.loads(SCORES.read_text().splitlines()[0])
    return row


@pytest.fixture
def lines(tmp_path: Path) -> Any:
    """Write rows, or texts as they are, as JSON lines."""

    def write(*rows: object) -> Path:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    return write


def faults(path: Path) -> list[str]:
    return [f"{one.reason} {one.place}: {one.message}" for one in of(Rejected, path)]


# Golden rows


def test_each_benchmark_of_a_row_is_a_run_with_its_statistics() -> None:
    first, second, third = of(RunEntry, PAGE)
    assert first.run["spec"] | {"implementationDigest": "", "environmentDigest": ""} == {
        "implementationDigest": "",
        "workloadDigest": "sha256:77311ba07b5660366a97d74c666691e85081f02f0d038b6e8ac15f6a06824417",
        "protocolDigest": "sha256:7c66da4b5866502eb10444a7ba013d0f6bdf1620c55847945008cad2fbf98aec",
        "environmentDigest": "",
        "observedAt": "2025-06-02T19:14:36.811Z",
        "status": "passed",
        "timing": {
            "primaryStatistic": "mean",
            "latencyNs": {"mean": 79545, "minimum": 77737, "maximum": 84790},
            "samples": 100,
        },
        "measurements": [
            {
                "metric": "latency",
                "statistic": "std",
                "unit": "ns",
                "value": 1107.4411177800378 if False else 1107.4411117800378,
                "sampleCount": 100,
            }
        ],
        "sourceNative": {
            "source": "gpumode-kernelbot",
            "benchmark": "amd-fp8-mm/0",
            "externalId": "submission/101",
            "metrics": {"mean_ns": 79544.5, "best_ns": 77737.0, "leaderboard_score_s": 0.00005},
        },
    }
    assert first.run["metadata"] == {
        "name": "kernelbot-101-k7168-m1024-n1536-seed8135",
        "title": "amd-fp8-mm · submission 101 · case 0",
        "labels": {"torch": "2.8.0", "platform": "Linux"},
    }
    assert second.run["spec"]["timing"] == {"primaryStatistic": "mean", "latencyNs": {"mean": 52111}, "samples": 3}
    assert second.run["spec"]["measurements"][0]["value"] == 0
    assert third.run["spec"]["timing"] == {"primaryStatistic": "mean", "latencyNs": {"mean": 80000}}
    assert "measurements" not in third.run["spec"]


def test_keys_name_submission_board_gpu_benchmark_and_run() -> None:
    first, second, _ = of(RunEntry, PAGE)
    assert first.upstream_key == first.lasting_key == f"submission/101/amd-fp8-mm/{MI300X}/0/run/9001"
    assert second.lasting_key == f"submission/101/amd-fp8-mm/{MI300X}/1/run/9001"
    assert (first.release, first.implementation) == (None, ("kernelbot-user-7", "kernelbot-submission-101"))


def test_a_run_without_an_id_of_its_own_is_told_by_its_time_and_lasts_without_it(lines: Any) -> None:
    [run] = of(RunEntry, lines(scored() | {"run_start_time": "2026-03-14T23:57:00"}))
    assert run.upstream_key == "submission/555/causal_conv1d/B200_Nebius/at/2026-03-14T23:57:00"
    assert run.lasting_key == "submission/555/causal_conv1d/B200_Nebius"


def test_a_score_is_a_score_in_seconds_and_no_latency() -> None:
    run = of(RunEntry, SCORES)[0]
    assert "timing" not in run.run["spec"]
    assert run.run["spec"]["measurements"] == [
        {"metric": "score", "statistic": "geomean", "unit": "s", "value": 0.000010048658277929109}
    ]
    assert run.run["spec"]["protocolDigest"] == (
        "sha256:07f73e59fb4c7fac9bf84af1e107001e008035039bb08edcf6948cea84a7027f"
    )
    assert run.run["spec"]["workloadDigest"] == (
        "sha256:6310dc90d076c0b2ce800d298f8ca282bdfaed3c1f39e0d3729eb67142c2cf9d"
    )
    assert run.environment["spec"] == {
        "hardware": {
            "vendor": "nvidia",
            "product": "NVIDIA B200",
            "architecture": "sm_100",
            "formFactor": "runner:B200_Nebius",
        },
        "software": {},
    }
    assert digest(run.environment) == "sha256:ae9023c10f29175df672364d1c12236ab822f4cc36316069a7f7a4ca9cacabe8"


def test_a_board_that_does_not_say_how_it_ranks_has_an_unspecified_statistic() -> None:
    run = of(RunEntry, SCORES)[1]
    assert run.run["spec"]["measurements"][0]["statistic"] == "unspecified"
    assert run.run["spec"]["protocolDigest"] == (
        "sha256:7357ace8541377a2cac3f8a7cac881aa2e74ce8bd0cef1296828304ecb37db23"
    )


def test_a_time_without_a_zone_is_flagged_and_one_with_a_zone_is_turned_into_utc() -> None:
    first, _, third = of(RunEntry, PAGE)
    assert [rule for rule, _ in first.flags] == ["TIME_ZONE_NOT_STATED"]
    assert (third.flags, third.run["spec"]["observedAt"]) == ((), "2025-06-03T08:00:00.000Z")


def test_whole_code_is_kept_and_named_and_code_cut_short_is_not() -> None:
    [code] = of(BytesEntry, PAGE)
    whole, cut = (entry.value for entry in of(DocumentEntry, PAGE) if entry.kind == "ImplementationRevision")
    assert (code.data, code.kind, code.media_type, code.file_name) == (
        b"import torch\n", "source", "text/x-python", "fast.py",
    )  # fmt: skip
    assert code.digest == sha256(b"import torch\n")
    assert whole["spec"]["source"] == {"contentDigest": code.digest, "sizeBytes": 13, "fileName": "fast.py"}
    assert "source" not in cut["spec"]


def test_rows_take_their_user_s_name_where_they_state_one() -> None:
    names = [entry.value["spec"]["name"] for path in (PAGE, SCORES) for entry in of(DocumentEntry, path)
             if entry.kind == "SoftwareProject"]  # fmt: skip
    assert names == ["KernelBot user 7", "KernelBot user 8", "ada", "grace"]


def test_what_rows_share_comes_once() -> None:
    kinds = [entry.kind for entry in of(DocumentEntry, SCORES)]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "SoftwareProject": 2, "OperationSpec": 2, "WorkloadSuite": 2, "ImplementationRevision": 4,
    }  # fmt: skip


# Boards, GPUs and the names that people settle


def test_a_listing_of_leaderboards_names_those_of_later_rows(lines: Any) -> None:
    row = {name: cell for name, cell in scored().items() if name != "problem_name"} | {"leaderboard_id": 990}
    files = [InputFile(path.name, path) for path in (LEADERBOARDS, lines(row | {"runner": "A100"}))]
    entries = list(kernelbot.translate(files, Known()))
    assert [entry.reason for entry in entries if isinstance(entry, Skipped)] == ["LEADERBOARD", "LEADERBOARD"]
    assert [entry.run["spec"]["sourceNative"]["benchmark"] for entry in runs_of(entries)] == ["vectorsum_v2"]


def runs_of(entries: list[Entry]) -> Iterator[Any]:
    return (entry for entry in entries if isinstance(entry, RunEntry))


@pytest.mark.parametrize(
    ("changes", "kind", "name"),
    [
        ({"problem_name": "softmax_v9"}, "kernel", "softmax_v9"),
        ({"problem_name": None, "leaderboard_id": 4}, "kernel", "leaderboard 4"),
        ({"runner": "Moon"}, "gpu", "Moon"),
    ],
)
def test_an_unknown_board_or_runner_waits_for_a_person(
    lines: Any, changes: dict[str, object], kind: str, name: str
) -> None:
    path = lines(scored() | changes)
    [pending] = of(Pending, path)
    assert (pending.kind, pending.name, pending.key, str(pending.place)) == (
        kind, name, "submission/555", "rows.jsonl: line 1",
    )  # fmt: skip
    assert '"user_name": "ada"' in pending.row
    assert "custom_kernel" not in pending.row
    assert (of(RunEntry, path), of(Rejected, path)) == ([], [])


def test_an_unknown_gpu_of_a_row_waits_too(lines: Any) -> None:
    [pending] = of(Pending, lines(shaped() | {"run_system_info": {"gpu": "AMD Instinct MI999"}}))
    assert (pending.kind, pending.name) == ("gpu", "AMD Instinct MI999")


def test_a_settled_name_is_taken_before_the_tables(lines: Any) -> None:
    path = lines(scored() | {"problem_name": "softmax_v9", "runner": "NVIDIA"})
    facts = {"vendor": "nvidia", "product": "NVIDIA B300", "architecture": "sm_103"}
    [run] = of(RunEntry, path, names={("kernel", "softmax_v9"): "vectorsum_v2", ("gpu", "NVIDIA"): facts})
    assert run.environment["spec"]["hardware"] == facts | {"formFactor": "runner:NVIDIA"}
    assert run.run["spec"]["sourceNative"]["benchmark"] == "softmax_v9"
    assert run.run["spec"]["workloadDigest"] == documents.digest(documents.suite(BOARDS["vectorsum_v2"]))


# Reasons


def result(**changes: object) -> dict[str, Any]:
    """The first row with cells of its first benchmark changed, or the count of benchmarks."""
    named = {"benchmark-count" if name == "count" else f"benchmark.0.{name}": cell for name, cell in changes.items()}
    return shaped() | {"run_result": {**shaped()["run_result"], **named}}


TEXT = "must be text of at most 200 characters, got"
BOUNDS = "must be over 0 and below 2^53, got"
PAIRS = 'must be "axis: whole number; …" with each axis once, got'
REFUSED: list[tuple[object, str, str, str]] = [
    (shaped() | {"run_passed": False}, "NOT_PASSED", "run_passed", "the run did not pass upstream's checks"),
    (scored() | {"mode": "benchmark"}, "NOT_LEADERBOARD", "mode", "runs of mode benchmark have no ranked result"),
    (scored() | {"passed": None}, "COLUMN", "run_passed", "must be true or false, got nothing"),
    (scored() | {"passed": "yes"}, "COLUMN", "passed", "must be true or false, got 'yes'"),
    (scored() | {"runner": None}, "COLUMN", "runner", f"{TEXT} nothing"),
    (scored() | {"user_id": ""}, "COLUMN", "user_id", f"{TEXT} ''"),
    (scored() | {"score": "B200", "runner": 0.5}, "COLUMN", "runner", f"{TEXT} 0.5"),
    (scored() | {"submission_id": "a b"}, "COLUMN", "submission_id", "must be an id, got 'a b'"),
    (shaped() | {"run_result": "slow"}, "COLUMN", "run_result", "must be an object, got 'slow'"),
    (shaped() | {"run_system_info": {}}, "COLUMN", "run_system_info.gpu", "must name the GPU, got nothing"),
    (scored() | {"submission_time": "today"}, "TIMESTAMP", "submission_time", "not an ISO 8601 time: 'today'"),
    (scored() | {"submission_time": "2026-03-14"}, "TIMESTAMP", "submission_time",
     "not a time of this age: '2026-03-14'"),
    (scored() | {"submission_time": "1970-01-01T00:00"}, "TIMESTAMP", "submission_time",
     "not a time of this age: '1970-01-01T00:00'"),
    (scored() | {"score": None}, "VALUE", "run_score", "must be a number, got nothing"),
    (scored() | {"score": "None"}, "VALUE", "score", "must be a number, got 'None'"),
    (scored() | {"score": "NaN"}, "VALUE", "score", "must be a number, got 'NaN'"),
    (scored() | {"score": "0x10"}, "VALUE", "score", "must be a number, got '0x10'"),
    (scored() | {"score": True}, "VALUE", "score", "must be a number, got True"),
    (scored() | {"score": 0}, "VALUE", "score", f"{BOUNDS} 0"),
    (scored() | {"score": -1}, "VALUE", "score", f"{BOUNDS} -1"),
    (result(count="many"), "VALUE", "run_result.benchmark-count", "must be a count, got 'many'"),
    (result(count="1"), "BENCHMARK_COUNT", "run_result.benchmark-count", "states 1, the map holds another number"),
    (result(count="3"), "BENCHMARK_COUNT", "run_result.benchmark-count", "states 3, the map holds another number"),
    (result(mean="-1"), "VALUE", "run_result.benchmark.0.mean", f"{BOUNDS} '-1'"),
    (result(mean="fast"), "VALUE", "run_result.benchmark.0.mean", "must be a number, got 'fast'"),
    (result(mean="0.4"), "VALUE", "run_result.benchmark.0.mean", "rounds to 0 ns: '0.4'"),
    (result(mean="1e300"), "VALUE", "run_result.benchmark.0.mean", f"{BOUNDS} '1e300'"),
    (result(best="Infinity"), "VALUE", "run_result.benchmark.0.best", "must be a number, got 'Infinity'"),
    (result(std="-1"), "VALUE", "run_result.benchmark.0.std", f"{BOUNDS} '-1'"),
    (result(runs="0"), "VALUE", "run_result.benchmark.0.runs", "must be a count, got '0'"),
    (result(spec="k: 1.5"), "SPEC", "run_result.benchmark.0.spec", f"{PAIRS} 'k: 1.5'"),
    (result(spec="k: 1; k: 2"), "SPEC", "run_result.benchmark.0.spec", f"{PAIRS} 'k: 1; k: 2'"),
    (result(spec="k: 1; m: 2"), "SPEC", "run_result.benchmark.0.spec",
     "a case of amd-fp8-mm has the axes k, m, n, seed"),
    ({"row": shaped(), "truncated_cells": ["run_result"]}, "TRUNCATED", "row.run_result",
     "the server cut this cell short"),
    (["row"], "SHAPE", "", "a row is an object of columns"),
    ({"row": [1]}, "SHAPE", "", "a row is an object of columns"),
    ('{"score": NaN}', "NOT_FINITE", "score", "NaN is not a finite number"),
    ('{"score": 1,}', "SYNTAX", "", "is not JSON: expected a key in double quotes, found \"}\""),
    ('{"score": 1', "SYNTAX", "", "is not JSON: expected ',' or '}', found the end of the text"),
    ('{"score": 1, "score": 2}', "DUPLICATE_KEY", "score", "is written twice in one object"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "reason", "path", "message"), REFUSED)
def test_a_row_is_refused_with_its_reason_and_place(
    lines: Any, row: object, reason: str, path: str, message: str
) -> None:
    [refused] = of(Rejected, lines(row))
    assert (refused.reason, refused.place.path.replace('["', ".").replace('"]', ""), refused.message) == (
        reason, path, message,
    )  # fmt: skip
    assert (refused.place.file, refused.place.line) == ("rows.jsonl", 1)


def test_a_benchmark_that_can_t_be_read_leaves_the_others_standing(lines: Any) -> None:
    path = lines(result(mean="fast"))
    assert [run.run["spec"]["sourceNative"]["benchmark"] for run in of(RunEntry, path)] == ["amd-fp8-mm/1"]
    offered = [(entry.offered, len(entry.run_external_ids)) for entry in of(CoverageEntry, path)]
    assert offered == [(1, 0), (1, 1)]


def test_the_same_run_is_taken_once(lines: Any) -> None:
    path = lines(scored(), scored())
    assert faults(path) == [
        "DUPLICATE rows.jsonl: line 2: submission_id: submission/555/causal_conv1d/B200_Nebius stands in an earlier row"
    ]
    assert len(of(RunEntry, path)) == 1


def test_a_refused_row_keeps_its_key_and_its_text_without_the_code(lines: Any) -> None:
    [refused] = of(Rejected, lines(scored() | {"score": "None"}))
    assert refused.key == "submission/555"
    assert json.loads(refused.row)["score"] == "None"
    assert "code" not in json.loads(refused.row)


def test_a_run_that_is_not_ranked_keeps_its_key_alone(lines: Any) -> None:
    [refused] = of(Rejected, lines(scored() | {"passed": False}))
    assert (refused.key, refused.row) == ("submission/555", None)


# Files


def test_an_array_and_lines_of_rows_or_of_pages_give_the_same_runs(tmp_path: Path, lines: Any) -> None:
    page = json.loads(PAGE.read_text())
    array = tmp_path / "array.json"
    array.write_text(json.dumps([item["row"] for item in page["rows"]]))
    for path in (array, lines(*page["rows"]), lines(page)):
        assert [run.run["spec"]["timing"] for run in of(RunEntry, path)] == [
            run.run["spec"]["timing"] for run in of(RunEntry, PAGE)
        ]


def test_a_file_is_known_by_its_name_wherever_its_bytes_lie(lines: Any, tmp_path: Path) -> None:
    stored = lines(scored()).rename(tmp_path / "000001")
    [run] = runs_of(list(kernelbot.translate([InputFile("trimul/rows.jsonl", stored)], Known())))
    assert str(run.locate(())) == "trimul/rows.jsonl: line 1"


def test_carriage_returns_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(json.dumps(scored()).encode() + b"\r\n\r\n" + json.dumps(scored() | {"runner": "B200"}).encode())
    assert [str(run.locate(())) for run in of(RunEntry, path)] == ["rows.jsonl: line 1", "rows.jsonl: line 3"]


def test_a_line_that_is_no_text_or_too_long_is_left_out_and_told(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(pages, "LINE_LIMIT", 1_000)
    path = tmp_path / "rows.jsonl"
    row = json.dumps(scored()).encode()
    path.write_bytes(b"\n".join([b"\xff", b'{"a": "' + b"x" * 2_500 + b'"}', row, row[:-9]]))
    assert faults(path) == [
        "NOT_UTF8 rows.jsonl: line 1: byte 0xff at offset 0",
        "TOO_LARGE rows.jsonl: line 2: the line has more than 1,000 bytes",
        "SYNTAX rows.jsonl: line 4: runner: is not JSON: a string has no closing quote",
    ]
    assert [str(run.locate(())) for run in of(RunEntry, path)] == ["rows.jsonl: line 3"]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("rows.jsonl", b"", "rows.jsonl: is empty"),
        ("rows.jsonl", b"\xef\xbb\xbf{}", "rows.jsonl: line 1: starts with a byte order mark; write plain UTF-8"),
        ("rows.jsonl", b"\xff\xfe{\x00", "rows.jsonl: line 1: starts with UTF-16; write plain UTF-8"),
        ("page.json", b"", "page.json: line 1: is empty"),
        ("page.json", b"\xef\xbb\xbf{}", "page.json: line 1: starts with a byte order mark; write plain UTF-8"),
        ("page.json", b'{"rows": [1,]}', 'page.json: line 1: rows[1]: is not JSON: expected a value, found "]}"'),
        ("page.json", b'{"rows": [',
         "page.json: line 1: rows[0]: is not JSON: expected a value, found the end of the text"),
        ("page.json", b'{"error": "busy"}',
         "page.json: line 1: must be a list of rows or {rows: [{row, truncated_cells}]}"),
        ("page.json", b"[" + b" " * 99 + b"]",
         "page.json: has more than 100 bytes; a longer file has one row a line and ends in .jsonl"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_rows_is_unreadable(
    tmp_path: Path, monkeypatch: Any, name: str, data: bytes, expected: str
) -> None:
    monkeypatch.setattr(pages, "PAGE_LIMIT", 100)
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(Unreadable) as unreadable:
        list(translated(kernelbot, path))
    assert str(unreadable.value) == expected


def test_a_missing_file_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"none\.jsonl: No such file"):
        list(translated(kernelbot, tmp_path / "none.jsonl"))


# Coverage and pages


def test_coverage_counts_what_stood_in_the_files() -> None:
    assert [(entry.offered, len(entry.run_external_ids), entry.rule) for entry in of(CoverageEntry, SCORES)] == [
        (1, 1, RULE), (2, 2, RULE), (1, 1, RULE),
    ]  # fmt: skip


def test_what_upstream_offers_is_unknown_while_pages_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_text(PAGE.read_text().replace('"num_rows_total": 3', '"num_rows_total": 4910'))
    entry = of(CoverageEntry, path)[0]
    assert (entry.offered, entry.rule) == (None, f"{RULE}; 3 of the 4,910 rows that upstream counts were read")


def test_fetching_starts_with_the_first_page_of_each_configuration() -> None:
    first = kernelbot.first(kernelbot.SOURCE.location)
    assert [request.name for request in first] == [f"{name}/00000000.json" for name in kernelbot.CONFIGURATIONS]
    assert first[3].url == (
        "https://datasets-server.huggingface.co/rows?dataset=GPUMODE/kernelbot-data&split=train"
        "&config=trimul_submissions&offset=0&length=100"
    )
    [own] = kernelbot.first("https://datasets-server.huggingface.co/rows?dataset=a/b&split=train&config=pmpp")
    assert own.name == "pmpp/00000000.json"


@pytest.mark.parametrize(
    ("offset", "body", "following"),
    [
        (0, b'{"rows": [], "num_rows_total": 101}', ["trimul/00000100.json"]),
        (0, b'{"rows": [], "num_rows_total": 100}', []),
        (100, b'{"rows": [], "num_rows_total": 250}', ["trimul/00000200.json"]),
        (0, b'{"error": "busy"}', []),
        (0, b"<html>", []),
    ],
)
def test_a_page_leads_to_the_next_one(offset: int, body: bytes, following: list[str]) -> None:
    url = (
        f"https://datasets-server.huggingface.co/rows?dataset=a/b&config=trimul&split=train&offset={offset}&length=100"
    )
    found = kernelbot.following(Request(url, ""), body)
    assert [request.name for request in found] == following
    assert all(f"offset={offset + 100}&" in request.url for request in found)


# Through the door


def test_rows_come_in_once(db: None) -> None:
    reports = [syncs.import_file("gpumode-kernelbot", path, now=NOW) for path in (PAGE, SCORES)]
    assert [report.new["BenchmarkRun"] for report in reports] == [3, 4]
    assert [report.rejected_by_reason for report in reports] == [{"NOT_LEADERBOARD": 1}, {}]
    assert [report.flagged for report in reports] == [{"TIME_ZONE_NOT_STATED": 2}, {"TIME_ZONE_NOT_STATED": 4}]
    assert not any(syncs.import_file("gpumode-kernelbot", path, now=NOW).has_changes for path in (PAGE, SCORES))
    assert sorted(Run.objects.values_list("title", "standing__rank")) == [
        ("amd-fp8-mm · submission 101 · case 0", 1),
        ("amd-fp8-mm · submission 101 · case 1", 1),
        ("amd-fp8-mm · submission 102 · case 0", 2),
        ("causal_conv1d · submission 555 · leaderboard score", 1),
        ("vectoradd_v2 · submission 556 · leaderboard score", 1),
        ("vectoradd_v2 · submission 556 · leaderboard score", 1),
        ("vectoradd_v2 · submission 557 · leaderboard score", 2),
    ]
    assert sorted(Coverage.objects.values_list("offered", "taken", "rule")) == [
        (1, 1, RULE), (1, 1, RULE), (1, 1, RULE), (2, 2, RULE), (2, 2, RULE),
    ]  # fmt: skip
    keys = Sighting.objects.exclude(lasting_key=None).values_list("lasting_key", "release")
    assert ("submission/556/vectoradd_v2/H100", None) in keys


# The real data


@pytest.mark.shared
def test_the_real_page_gives_runs_with_the_published_workloads_and_protocol() -> None:
    runs = of(RunEntry, SHARED / "data/kernelbot/fp8-mm-top.json")
    published = {
        (run["spec"]["sourceNative"]["externalId"], run["spec"]["sourceNative"]["benchmark"]): run
        for run, *_ in published_runs()
    }
    assert len(runs) == 6
    for entry in runs:
        native = entry.run["spec"]["sourceNative"]
        theirs = published.get((native["externalId"], native["benchmark"]))
        if theirs:  # but for the implementation: the page has no code
            beside = {"implementationDigest": ""}
            assert entry.run["spec"] | beside == theirs["spec"] | beside
            assert entry.run["metadata"] == theirs["metadata"]


@pytest.mark.shared
def test_every_published_document_follows_from_its_row() -> None:
    """The export holds no rows; what a row states is taken from the documents, and the rest made from the tables."""
    count = 0
    for run, _, environment, workload, implementation in published_runs():
        count += 1
        spec, native = run["spec"], run["spec"]["sourceNative"]
        board = BOARDS[native["benchmark"].split("/")[0]]
        if board.is_suite:
            ours = documents.suite(board), documents.score_protocol(board.statistic)
        else:
            axes = workload["spec"]["axes"]
            ours = documents.case(board, axes, board.problem.shapes(axes) or {}), documents.per_case_protocol()
        assert [digest(one) for one in ours] == [spec["workloadDigest"], spec["protocolDigest"]]
        hardware = environment["spec"]["hardware"]
        name = hardware.get("formFactor", hardware["product"]).removeprefix("runner:")
        assert documents.environment(hardware, name) == environment
        source = implementation["spec"]["source"]
        submission = Submission(
            native["externalId"].removeprefix("submission/"),
            native["benchmark"].split("/")[0],
            "",
            implementation["metadata"].get("authors", [{}])[0].get("name"),
            source["fileName"],
            Source(source["contentDigest"], source["sizeBytes"], source["fileName"]),
        )
        made = documents.implementation(board, submission, hardware)
        assert digest(made) == spec["implementationDigest"]
        assert made["metadata"] == implementation["metadata"]
    assert count == 5215


def published_runs() -> Iterator[tuple[Any, ...]]:
    """(run, protocol, environment, workload, implementation) of each KernelBot run of the export."""
    [path] = (SHARED / "data/catalog").glob("*.jsonl.zst")
    tables: dict[str, dict[str, Any]] = {"workloads": {}, "implementations": {}}
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        rows = [json.loads(line) for line in stream.read().splitlines()]
    for line in rows:
        if line["table"] in tables:
            tables[line["table"]][line["row"]["id"]] = line["row"]["manifest"]
    for line in rows:
        if line["table"] == "benchmark_runs":
            row, manifest = line["row"], line["row"]["manifest"]
            if manifest["run"]["spec"]["sourceNative"]["source"] == "gpumode-kernelbot":
                yield (
                    manifest["run"], manifest["protocol"], manifest["environment"],
                    tables["workloads"][row["workloadId"]], tables["implementations"][row["implementationId"]],
                )  # fmt: skip
