"""Written-out paths are those of the URL table."""

import uuid

import pytest
from django.urls import resolve, reverse

from registry.queries import addresses

DIGEST, OTHER = "sha256:" + "a" * 64, "sha256:" + "b" * 64
ROW = uuid.UUID("01a0352b-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    ("path", "name", "arguments"),
    [
        (addresses.run(DIGEST), "run-detail", [DIGEST]),
        (addresses.group(DIGEST), "group-detail", [DIGEST]),
        (addresses.why_not(DIGEST, OTHER), "why-not", [DIGEST, OTHER]),
        (addresses.operation("liger-relu-squared"), "operation-detail", ["liger-relu-squared"]),
        (addresses.workload(DIGEST), "workload-detail", [DIGEST]),
        (addresses.implementation(ROW), "implementation-detail", [ROW]),
        (addresses.implementation(str(ROW)), "implementation-detail", [ROW]),
        (addresses.project("acme"), "project-detail", ["acme"]),
        (addresses.protocol(DIGEST), "protocol-detail", [DIGEST]),
        (addresses.environment(DIGEST), "environment-detail", [DIGEST]),
        (addresses.hardware("nvidia-b200"), "hardware-detail", ["nvidia-b200"]),
        (addresses.source("sol-execbench"), "source-detail", ["sol-execbench"]),
        (addresses.artifact(DIGEST), "artifact", [DIGEST]),
        (addresses.sync(ROW), "sync-detail", [ROW]),
        (addresses.incident("a-timer"), "incident-detail", ["a-timer"]),
        (addresses.citation(DIGEST, "csl.json"), "run-citation", [DIGEST, "csl.json"]),
        (addresses.canonical(addresses.run(DIGEST)), "run-canonical", [DIGEST]),
        (addresses.canonical(addresses.operation("relu")), "operations-canonical", ["relu"]),
        (addresses.canonical(addresses.workload(DIGEST)), "workloads-canonical", [DIGEST]),
        (addresses.canonical(addresses.protocol(DIGEST)), "protocols-canonical", [DIGEST]),
        (addresses.canonical(addresses.environment(DIGEST)), "environments-canonical", [DIGEST]),
        (addresses.canonical(addresses.implementation(ROW)), "implementations-canonical", [ROW]),
        (addresses.canonical(addresses.project("acme")), "projects-canonical", ["acme"]),
        (addresses.twin(addresses.run(DIGEST)), "v1:run-detail", [DIGEST]),
        (addresses.twin(addresses.group(DIGEST)), "v1:group-detail", [DIGEST]),
        (addresses.twin(addresses.why_not(DIGEST, OTHER)), "v1:why-not", [DIGEST, OTHER]),
        (addresses.twin(addresses.operation("relu")), "v1:operation-detail", ["relu"]),
        (addresses.twin(addresses.workload(DIGEST)), "v1:workload-detail", [DIGEST]),
        (addresses.twin(addresses.implementation(ROW)), "v1:implementation-detail", [ROW]),
        (addresses.twin(addresses.project("acme")), "v1:project-detail", ["acme"]),
        (addresses.twin(addresses.protocol(DIGEST)), "v1:protocol-detail", [DIGEST]),
        (addresses.twin(addresses.environment(DIGEST)), "v1:environment-detail", [DIGEST]),
        (addresses.twin(addresses.hardware("nvidia-b200")), "v1:hardware-detail", ["nvidia-b200"]),
        (addresses.twin(addresses.source("sol-execbench")), "v1:source-detail", ["sol-execbench"]),
        (addresses.twin(addresses.incident("a-timer")), "v1:incident-detail", ["a-timer"]),
    ],
)
def test_a_written_path_is_the_url_tables(path: str, name: str, arguments: list[object]) -> None:
    assert path == reverse(name, args=arguments)
    assert resolve(path).view_name == name


def test_every_function_of_addresses_is_held_to_the_table_above() -> None:
    public = {name for name, value in vars(addresses).items() if callable(value) and name.islower()}
    assert public == {
        "run", "group", "why_not", "operation", "workload", "implementation", "project", "protocol", "environment",
        "hardware", "source", "sync", "incident", "canonical", "citation", "artifact", "twin",
    }  # fmt: skip
