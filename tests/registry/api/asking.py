"""Ask the API, and hold every answer to the committed schema."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.test import Client
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

SCHEMA = Path(__file__).resolve().parents[3] / "docs/openapi.yaml"


@cache
def document() -> dict[str, Any]:
    """The schema; objects are closed, so that a field which it does not name is a fault."""
    found: dict[str, Any] = yaml.safe_load(SCHEMA.read_text())
    for schema in found["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return found


@cache
def registry() -> Registry[Any]:
    return Registry().with_resource("urn:api", Resource(contents=document(), specification=DRAFT202012))


def template_of(path: str) -> str:
    """The schema's path that this one is of: literal parts win."""
    candidates = []
    for template in document()["paths"]:
        pattern = re.sub(r"\\\{[^}]+\\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path):
            candidates.append((template.count("{"), template))
    assert candidates, f"docs/openapi.yaml names no path for {path}"
    return min(candidates)[1]


def ask(client: Client, path: str, **headers: str) -> Any:
    """GET; the answer's body as JSON. An answer that breaks the schema is a failure."""
    response = client.get(path, headers=headers)
    if response.status_code == 304:
        assert response.content == b""
        return response
    kind = response["Content-Type"].partition(";")[0]
    template = template_of(path.partition("?")[0])
    answers = document()["paths"][template]["get"]["responses"]
    assert str(response.status_code) in answers, f"{template} documents no {response.status_code}"
    assert kind in answers[str(response.status_code)]["content"], f"{template} documents no {kind}"
    pointer = "/".join(
        part.replace("~", "~0").replace("/", "~1")
        for part in ("paths", template, "get", "responses", str(response.status_code), "content", kind, "schema")
    )
    validator = Draft202012Validator(
        {"$ref": f"urn:api#/{pointer}"}, registry=registry(), format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    faults = [
        f"{'/'.join(map(str, error.path))}: {error.message[:300]}" for error in validator.iter_errors(response.json())
    ]
    assert faults == []
    return response


def results(client: Client, path: str) -> list[Any]:
    """All rows of a list, page by page."""
    found, following = [], path
    while following:
        body = ask(client, following).json()
        assert set(body) == {"results", "next", "total"}
        found += body["results"]
        following = f"{path}{'&' if '?' in path else '?'}cursor={body['next']}" if body["next"] else ""
    return found
