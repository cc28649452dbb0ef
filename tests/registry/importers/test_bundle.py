"""Bundles as people write them: entries in order, and each fault of shape with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.core.reading import read
from registry.importers.base import DocumentEntry, Rejected, RunEntry, Unreadable
from registry.importers.bundle import read_file, translate


def entries(value: object) -> list[Any]:
    reading = read(json.dumps(value, indent=1).encode(), syntax="json")
    return list(translate(reading, file="b.json"))


def faults(value: object) -> list[str]:
    return [f"{one.reason} {one.place}: {one.message}" for one in entries(value) if isinstance(one, Rejected)]


RUN = {"run": {"r": 1}, "protocol": {"p": 1}, "environment": {"e": 1}}


def test_lists_come_in_the_order_of_dependence_and_runs_last() -> None:
    value = {
        "runs": [RUN],
        "implementations": [{"projectSlug": "acme", "manifest": {"i": 1}}],
        "workloads": [{"w": 1}, {"kind": "WorkloadSuite"}],
        "operations": [{"o": 1}],
        "projects": [{"p": 1}],
    }
    told = [
        (entry.kind, entry.value, entry.project) if isinstance(entry, DocumentEntry) else entry.run
        for entry in entries(value)
    ]
    assert told == [
        ("SoftwareProject", {"p": 1}, None),
        ("OperationSpec", {"o": 1}, None),
        ("WorkloadCase", {"w": 1}, None),
        ("WorkloadSuite", {"kind": "WorkloadSuite"}, None),
        ("ImplementationRevision", {"i": 1}, "acme"),
        {"r": 1},
    ]


def test_a_lone_run_is_a_bundle_of_one() -> None:
    [entry] = entries(RUN)
    assert isinstance(entry, RunEntry)
    assert (entry.run, entry.protocol, entry.environment, entry.implementation) == ({"r": 1}, {"p": 1}, {"e": 1}, None)
    assert str(entry.locate(("run", "r"))) == "b.json: line 3: run.r"


def test_a_run_may_name_its_implementation_row() -> None:
    [entry] = entries({"runs": [RUN | {"implementation": {"project": "acme", "name": "scale"}}]})
    assert entry.implementation == ("acme", "scale")


def test_nothing_but_the_documents_is_taken_from_a_bundle() -> None:
    [entry] = entries(RUN)
    assert (entry.id, entry.published_at, entry.source, entry.upstream_key) == (None, None, None, None)
    assert (entry.claims, entry.flags, entry.withdrawn, entry.supersedes) == ({}, (), None, None)


def test_an_empty_bundle_holds_nothing() -> None:
    assert entries({}) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], ["SHAPE b.json: line 1: a bundle is an object of lists"]),
        ("text", ["SHAPE b.json: line 1: a bundle is an object of lists"]),
        (None, ["SHAPE b.json: line 1: a bundle is an object of lists"]),
        ({"kernels": []}, [
            "UNKNOWN_FIELD b.json: line 2: kernels: unknown list; a bundle has projects, operations, workloads, "
            "implementations, runs"
        ]),
        ({"operations": {}}, ["SHAPE b.json: line 2: operations: must be a list"]),
        ({"operations": None}, ["SHAPE b.json: line 2: operations: must be a list"]),
        ({"runs": {}}, ["SHAPE b.json: line 2: runs: must be a list"]),
        ({"runs": [1]}, [
            "SHAPE b.json: line 3: runs[0]: must be {run, protocol, environment}; lacks environment, protocol, run"
        ]),
        ({"runs": [{"run": {}, "protocol": {}}]}, [
            "SHAPE b.json: line 3: runs[0]: must be {run, protocol, environment}; lacks environment"
        ]),
        ({"runs": [RUN | {"publishedAt": "2020"}]}, [
            "UNKNOWN_FIELD b.json: line 13: runs[0].publishedAt: unknown field; known here: environment, "
            "implementation, protocol, run"
        ]),
        ({"runs": [RUN | {"implementation": "acme"}]}, [
            "SHAPE b.json: line 13: runs[0].implementation: must be {project: <slug>, name: <name>}"
        ]),
        ({"runs": [RUN | {"implementation": {"project": "acme", "name": 1}}]}, [
            "SHAPE b.json: line 13: runs[0].implementation: must be {project: <slug>, name: <name>}"
        ]),
        ({"runs": [RUN | {"implementation": {"project": "acme", "name": "a", "id": "b"}}]}, [
            "SHAPE b.json: line 13: runs[0].implementation: must be {project: <slug>, name: <name>}"
        ]),
        ({"implementations": [{"manifest": {}}]}, [
            "SHAPE b.json: line 3: implementations[0]: must be {projectSlug: <slug of a project>, manifest: {…}}"
        ]),
        ({"implementations": [{"projectSlug": 1, "manifest": {}}]}, [
            "SHAPE b.json: line 3: implementations[0]: must be {projectSlug: <slug of a project>, manifest: {…}}"
        ]),
        ({"implementations": [{"projectSlug": "a", "manifest": {}, "id": 1}]}, [
            "UNKNOWN_FIELD b.json: line 6: implementations[0].id: unknown field; known here: manifest, projectSlug"
        ]),
    ],
    ids=lambda value: json.dumps(value)[:40] if not isinstance(value, list) or not value else "",
)  # fmt: skip
def test_a_fault_of_shape_is_told_with_its_place(value: object, expected: list[str]) -> None:
    assert faults(value) == expected


def test_all_faults_are_told() -> None:
    assert len(faults({"operations": 1, "runs": [1, 2], "more": 1})) == 4


# Files


@pytest.mark.parametrize(
    ("name", "text"),
    [("b.json", '{"runs": []}'), ("b.yaml", "runs: []\n"), ("b.yml", "runs: []\n"), ("b", '{"runs": []}')],
)
def test_json_by_its_ending_and_all_else_as_yaml(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert read_file(path, limit=100).value == {"runs": []}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "b.json: line 1: is not JSON: expected a key in double quotes, found the end of the text"),
        (b'{"a":\n1,\n"a": 2}', "b.json: line 3: a: is written twice in one object"),
        (b" " * 101, "b.json: has more than 100 bytes"),
        (b"\xff", "b.json: line 1: is not UTF-8: byte 0xff at offset 0"),
        (b"", "b.json: line 1: is empty"),
    ],
)
def test_an_unreadable_file_says_where(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "b.json"
    path.write_bytes(data)
    with pytest.raises(Unreadable) as unreadable:
        read_file(path, limit=100)
    assert str(unreadable.value) == words


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_what_is_no_file_is_unreadable(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unreadable, match=r"No such file|Is a directory"):
        read_file(tmp_path / name, limit=100)


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    with path.open("wb") as file:
        file.truncate(2**40)  # a sparse terabyte
    with pytest.raises(Unreadable, match=r"has more than 100 bytes"):
        read_file(path, limit=100)
