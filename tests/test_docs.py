"""The documentation names what exists, and nothing that does not."""

import re
from pathlib import Path

import pytest

from attestations.core import disputes
from registry.core import evidence, flags
from registry.importers import IMPORTERS
from registry.models.marks import MarkKind

ROOT = Path(__file__).resolve().parents[1]
DOCS = (
    "README.md", "docs/manifest.md", "docs/architecture.md", "docs/operating.md", "docs/importing.md",
    "docs/curating.md",
)  # fmt: skip
KINDS = (
    "OperationSpec", "WorkloadCase", "WorkloadSuite", "SoftwareProject", "ImplementationRevision", "BenchmarkProtocol",
    "ExecutionEnvironment", "BenchmarkRun",
)  # fmt: skip
GLOSSARY = (
    "document", "canonical text", "digest", "manifest", "operation", "workload", "implementation", "protocol",
    "environment", "hardware", "benchmark run", "primary measurement", "comparison key", "comparison group", "standing",
    "tie", "separability", "spread", "record", "mark", "flag", "incident", "report",
    "protocol note", "redaction", "evidence level", "source", "snapshot",
    "sighting", "coverage", "batch",
)  # fmt: skip


def text(name: str) -> str:
    return (ROOT / name).read_text()


def variables(source: str) -> set[str]:
    return set(re.findall(r"\bKI_[A-Z][A-Z_]*[A-Z]\b", source))


def test_every_variable_of_the_settings_is_documented_and_no_other() -> None:
    read = set(re.findall(r'(?:environ\.get|env_\w+)\(\s*"(\w+)"', text("kernelindex/settings.py")))
    table = set(re.findall(r"^\| `([A-Z_]+)` \|", text("docs/operating.md"), re.M))
    assert read == table
    assert variables(text("kernelindex/settings.py")) <= read
    assert "KI_SECRET_KEY" in read


def test_every_management_command_is_documented_and_no_other() -> None:
    commands = {path.stem for path in (ROOT / "registry/management/commands").glob("[a-z]*.py")}
    table = {name for name in re.findall(r"^\| `([a-z_]+)[ `]", text("docs/operating.md"), re.M) if name.islower()}
    assert commands == table


@pytest.mark.parametrize("name", DOCS)
def test_every_relative_link_leads_to_a_file(name: str) -> None:
    folder = (ROOT / name).parent
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)[^)]*\)", text(name))
    assert [link for link in links if not (folder / link).exists()] == []


def test_the_readme_names_both_commands_and_what_is_bundled() -> None:
    readme = text("README.md")
    for words in (
        "make run",
        "make test",
        "http://localhost:8000",
        "docs/architecture.md",
        "docs/manifest.md",
        "docs/operating.md",
        "docs/importing.md",
        "docs/curating.md",
        "import_source liger-kernel-bench",
        "docs/openapi.yaml",
        "/api/v1/",
        "52 real runs",
        "48 results",
        "BSD-2-Clause",
    ):
        assert words in readme  # fmt: skip
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), re.M))
    assert {"run", "test", "lint", "types", "bench"} <= targets


@pytest.mark.parametrize("word", GLOSSARY)
def test_the_glossary_has_each_word(word: str) -> None:
    glossary = text("docs/architecture.md").partition("## Glossary")[2].partition("\n## ")[0]
    assert re.search(rf"\b{word}\b", glossary)


def test_the_tree_in_the_architecture_names_every_module_of_the_registry() -> None:
    architecture = text("docs/architecture.md")
    modules = {path.stem for path in (ROOT / "registry").glob("*.py")} - {"__init__", "apps", "urls"}
    rooms = {path.name for path in (ROOT / "registry").iterdir() if (path / "__init__.py").exists()} - {"migrations"}
    assert [name for name in sorted(modules | rooms) if not re.search(rf"\b{name}\b", architecture)] == []


def test_the_tree_names_every_act_of_the_attestations() -> None:
    tree = text("docs/architecture.md").partition("## The tree")[2].partition("\n## ")[0]
    modules = {path.stem for path in (ROOT / "attestations").glob("*.py")} - {"__init__", "apps", "urls"}
    rooms = {path.name for path in (ROOT / "attestations").iterdir() if (path / "__init__.py").exists()}
    wanted = sorted(modules | rooms - {"migrations", "templatetags"})
    assert [name for name in wanted if not re.search(rf"\b{name}\b", tree)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_document_is_described(kind: str) -> None:
    assert kind in text("docs/manifest.md")
    assert kind in text("docs/architecture.md")


def test_levels_marks_and_importers_are_named() -> None:
    architecture, operating = text("docs/architecture.md"), text("docs/operating.md")
    assert [level for level in evidence.MEANINGS if str(level) not in architecture] == []
    assert [kind.label for kind in MarkKind if kind.label not in architecture] == []
    assert [slug for slug in IMPORTERS if slug not in operating] == []
    assert {rule.kind for rule in flags.RULES.values()} == set(flags.Kind)


def test_the_exit_codes_of_the_imports_are_documented() -> None:
    assert "Exit codes of the imports: 0 done" in text("docs/operating.md")


def test_the_curators_guide_names_each_task_of_the_desk_and_each_button() -> None:
    guide = text("docs/curating.md")
    tasks = re.findall(r'_task\("([^"]+)"', text("registry/queries/curation.py"))
    buttons = re.findall(r'^    "[a-z-]+": \("([^":]+)', text("registry/admin/sources.py"), re.M)
    decisions = re.findall(r'^    "[a-z]+": \("([^"]+)"', text("registry/admin/syncs.py"), re.M)
    assert (len(tasks), len(buttons), len(decisions)) == (8, 5, 2)
    assert [name for name in (*tasks, *buttons, *decisions) if name not in guide] == []


def test_the_guide_s_chapter_on_moderating_names_each_queue_of_the_desk_and_each_group() -> None:
    guide = text("docs/curating.md").partition("# Moderating")[2]
    queues = re.findall(r'_queue\(\s*"([^"]+)"', text("attestations/queries/desk.py"))
    assert len(queues) == 5
    assert [title for title in queues if f"| {title} |" not in guide] == []
    groups = re.findall(r'^    "([a-z]+)": \(', text("registry/migrations/0005_staff_groups.py"), re.M)
    assert [name for name in (*groups, "superuser") if name not in guide] == []
    for words in (
        f"answer within {disputes.FIRST_ANSWER.days} days, decide within {disputes.DECISION.days}",
        f"deleted {disputes.CONTACT_KEPT.days} days after",
    ):
        assert words in guide
