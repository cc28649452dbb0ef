"""docs/importing.md: its examples are run as they stand, and give what it says."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from registry.importers import IMPORTERS
from registry.models import Run, RunArtifact, StoredObject

TEXT = (Path(__file__).parents[1] / "docs/importing.md").read_text()
FILES = re.compile(r"^`([\w.-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n\.venv/bin/python manage\.py (.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def examples(db: None, tmp_path: Path, monkeypatch: Any) -> list[list[str]]:
    """The documented files where the commands find them, and the commands."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.findall(TEXT):
        (tmp_path / name).write_text(content)
    return [shlex.split(command.replace("\\\n", " ")) for command in COMMANDS.findall(TEXT)]


def test_each_example_gives_the_runs_that_are_documented(examples: list[list[str]]) -> None:
    found = {}
    for name, slug, *arguments in examples:
        before = set(Run.objects.values_list("pk", flat=True))
        call_command(name, slug, *arguments)
        runs = Run.objects.exclude(pk__in=before).order_by("value")
        found[slug] = list(runs.values_list("value", "sample_count", "interval_kind", "source__slug"))
    assert found == {
        "perf-report": [(4096.0, None, None, "community"), (6144.0, None, None, "community")],
        "nvbench": [(4500.0, 90000, None, "community"), (5250.0, 2000, "derived", "community")],
        "kernel-tuner": [(2500000.0, 3, None, "community")],
    }


def test_raw_samples_and_the_search_of_the_tuner_are_held(examples: list[list[str]]) -> None:
    [(name, *arguments)] = [command for command in examples if "kernel-tuner" in command]
    call_command(name, *arguments)
    named = dict(RunArtifact.objects.values_list("role", "digest"))
    assert sorted(named) == ["log", "raw samples"]
    assert StoredObject.objects.filter(digest__in=named.values()).count() == 2


def test_every_tool_has_an_example() -> None:
    tools = {slug for slug, importer in IMPORTERS.items() if importer.SOURCE.slug == "community"}
    assert {shlex.split(command)[1] for command in COMMANDS.findall(TEXT)} == tools
