"""docs/openapi.yaml is what the code says now."""

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from tests.registry.api.asking import SCHEMA, template_of
from tests.registry.pages import TWINNED

AGAIN = "docs/openapi.yaml is out of date: .venv/bin/python manage.py spectacular --file docs/openapi.yaml"


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(SCHEMA.read_text())
    return found


def test_the_committed_schema_is_the_generated_one(tmp_path: Path) -> None:
    call_command("spectacular", file=str(tmp_path / "openapi.yaml"))
    assert (tmp_path / "openapi.yaml").read_text() == SCHEMA.read_text(), AGAIN


def test_generation_warns_of_nothing() -> None:
    GENERATOR_STATS.reset()
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=io.StringIO())
    assert not GENERATOR_STATS


def test_the_committed_schema_is_valid_openapi(committed: dict[str, Any]) -> None:
    assert committed["openapi"] == "3.1.1"
    validate_schema(committed)


def test_every_operation_has_a_name_a_summary_and_its_problems(committed: dict[str, Any]) -> None:
    operations = [operation for path in committed["paths"].values() for operation in path.values()]
    named = [operation["operationId"] for operation in operations]
    assert len(named) == len(set(named))
    for operation in operations:
        assert operation["summary"]
        assert set(operation["responses"]) == {"200", "400", "404"}
        for status in ("400", "404"):
            assert set(operation["responses"][status]["content"]) == {"application/problem+json"}


def test_the_api_only_reads(committed: dict[str, Any]) -> None:
    assert {method for path in committed["paths"].values() for method in path} == {"get"}


@pytest.mark.django_db
@pytest.mark.usefixtures("demo")
def test_every_twin_of_a_page_is_in_the_schema() -> None:
    found = {
        template_of("/api/v1/home/" if name == "home" else f"/api/v1{path()}".partition("?")[0])
        for name, path in TWINNED.items()
        if name != "run-by-id"
    }
    assert len(found) == len(TWINNED) - 1


def test_every_list_names_its_cursor_and_its_filters(committed: dict[str, Any]) -> None:
    parameters = {
        path: [parameter["name"] for parameter in operations["get"].get("parameters", []) if parameter["in"] == "query"]
        for path, operations in committed["paths"].items()
    }
    assert parameters["/api/v1/runs/"] == ["cursor"]
    assert parameters["/api/v1/implementations/"] == ["cursor", "operation", "project"]
    assert parameters["/api/v1/environments/"] == ["cursor", "hardware"]
    assert parameters["/api/v1/operations/{slug}/"] == ["cursor"]
    assert parameters["/api/v1/search/"] == ["q"]
