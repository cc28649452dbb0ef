"""Facts that a tool's file leaves open: asked at the shell all at once, answered by options or a companion file."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.auditing import new_id
from registry.models import Run, Source
from tests.conftest import NOW
from tests.factories import counts
from tests.registry.commands.test_import_commands import ran

FACTS = {
    "axes": "n", "unit": "ms", "metric": "latency", "statistic": "median", "timer": "cuda_events", "gpu": "NVIDIA L4",
    "operation": "scale", "family": "elementwise", "inputs": "x: fp32[n]", "outputs": "y: fp32[n]", "project": "acme",
    "language": "triton", "observed": "2026-08-01T14:00:00Z",
}  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scale.csv"
    path.write_text("n,Triton\n4096.000000,0.004096\n")
    return path


@pytest.fixture
def companion(tmp_path: Path) -> Any:
    def write(facts: object, name: str = "facts.json") -> Path:
        path = tmp_path / name
        path.write_text(facts if isinstance(facts, str) else json.dumps(facts))
        return path

    return write


def options(facts: dict[str, str]) -> list[str]:
    return [f"--fact={name}={value}" for name, value in facts.items()]


def test_open_questions_exit_2_with_a_companion_to_fill_in(db: None, table: Path, companion: Any, capsys: Any) -> None:
    known = {name: value for name, value in FACTS.items() if name not in ("unit", "gpu")}
    code, out = ran("import_source", "perf-report", "--path", table, "--facts", companion(known))
    assert (code, counts()) == (2, {})
    assert out == (
        "# The unit of all providers' columns (ns, us, ms, s, tflops, gflops, gb_s, tb_s)\n"
        'unit: ""\n'
        "# The GPU as its driver names it, such as NVIDIA H100 80GB HBM3\n"
        'gpu: ""\n'
    )
    assert capsys.readouterr().err == (
        "the file does not say, nothing was written. Answer by --fact NAME=VALUE, or fill in the companion file that\n"
        "stands in the output and give it by --facts FILE:\n"
        "  unit: The unit of all providers' columns (ns, us, ms, s, tflops, gflops, gb_s, tb_s)\n"
        "  gpu: The GPU as its driver names it, such as NVIDIA H100 80GB HBM3\n"
    )


def test_what_is_written_can_be_filled_in_and_given(db: None, table: Path, companion: Any) -> None:
    _, skeleton = ran("import_source", "perf-report", "--path", table)
    for name, value in FACTS.items():
        skeleton = skeleton.replace(f'{name}: ""', f'{name}: "{value}"')
    code, _ = ran("import_source", "perf-report", "--path", table, "--facts", companion(skeleton, "facts.yaml"))
    assert (code, Run.objects.get().value) == (0, 4096.0)


def test_open_questions_for_programs_are_json(db: None, table: Path) -> None:
    known = {name: value for name, value in FACTS.items() if name != "unit"}
    code, out = ran("import_source", "perf-report", "--path", table, "--json", *options(known))
    assert code == 2
    assert json.loads(out) == {
        "missing": [
            {
                "name": "unit",
                "text": "The unit of all providers' columns",
                "choices": ["ns", "us", "ms", "s", "tflops", "gflops", "gb_s", "tb_s"],
                "example": "ms",
            }
        ]
    }


def test_an_option_wins_over_the_companion_and_runs_belong_to_community(db: None, table: Path, companion: Any) -> None:
    code, _ = ran("import_source", "perf-report", "--path", table, "--facts", companion(FACTS), "--fact", "unit=us")
    run = Run.objects.select_related("source").get()
    assert (code, run.value, run.source.slug) == (0, 4.0, "community")


def test_importing_again_changes_nothing(db: None, table: Path) -> None:
    for _ in range(2):
        assert ran("import_source", "perf-report", "--path", table, *options(FACTS))[0] == 0
    assert Run.objects.count() == 1


def test_a_source_may_be_named(demo: None, table: Path) -> None:
    Source.objects.create(id=new_id(NOW), slug="acme-lab", name="Acme lab", kind="benchmark", created_at=NOW)
    code, _ = ran("import_source", "perf-report", "--path", table, "--source", "acme-lab", *options(FACTS))
    assert (code, Run.objects.get(source__slug="acme-lab").value) == (0, 4096.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fact", "unit"], "--fact is NAME=VALUE, got 'unit'"),
        (["--fact", "=ms"], "--fact is NAME=VALUE, got '=ms'"),
        (["--facts", "nowhere.yaml"], "nowhere.yaml: No such file or directory"),
        (["--source", "nobody"], "no source 'nobody'; known: "),
    ],
)
def test_wrong_usage_exits_2(db: None, table: Path, capsys: Any, arguments: list[str], message: str) -> None:
    assert ran("import_source", "perf-report", "--path", table, *arguments)[0] == 2
    assert capsys.readouterr().err.startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unit: ms\nunit: s\n", "facts.yaml: line 2: unit: is written twice in one mapping"),
        ("- unit\n", "facts.yaml: line 1: a companion file is an object, one key a fact"),
        ("unit: [", "facts.yaml: line 1: "),
        ("", "facts.yaml: line 1: is empty"),
    ],
)
def test_a_companion_that_is_none_exits_2(
    db: None, table: Path, companion: Any, capsys: Any, text: str, message: str
) -> None:
    code, _ = ran("import_source", "perf-report", "--path", table, "--facts", companion(text, "facts.yaml"))
    assert code == 2
    assert capsys.readouterr().err.startswith(message)


def test_an_answer_that_makes_no_sense_exits_1_and_is_named(db: None, table: Path, capsys: Any) -> None:
    code, _ = ran("import_source", "perf-report", "--path", table, *options(FACTS | {"unit": "tflops"}))
    assert (code, counts()) == (1, {})
    assert capsys.readouterr().err == (
        "unreadable, nothing was written: fact metric: latency is not measured in tflops\n"
    )


def test_an_upstream_s_runs_belong_to_it_alone(demo: None, table: Path, capsys: Any) -> None:
    assert ran("import_source", "liger-kernel-bench", "--path", table, "--source", "community")[0] == 2
    assert capsys.readouterr().err == "runs of liger-kernel-bench belong to that source\n"
