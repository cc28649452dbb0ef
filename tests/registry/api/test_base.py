"""What all of the API has in common: problems, entity tags, parameters, the front door."""

import pytest
from django.test import Client

from tests.registry.api.asking import ask
from tests.registry.pages import LIGER, LIGER_KEY, OPERATION, SOL_KEY, TWINNED

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
NOBODY = "sha256:" + "0" * 64
UNKNOWN_ID = "01a0352b-0000-7000-8000-000000000000"


def problem(client: Client, path: str, status: int) -> dict[str, object]:
    response = ask(client, path)
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")
    body: dict[str, object] = response.json()
    assert body["status"] == status
    return body


@pytest.mark.parametrize(
    "path",
    [
        f"/api/v1/runs/{NOBODY}/", f"/api/v1/groups/{NOBODY}/", f"/api/v1/groups/{SOL_KEY}/why-not/{NOBODY}/",
        f"/api/v1/workloads/{NOBODY}/", f"/api/v1/protocols/{NOBODY}/", f"/api/v1/environments/{NOBODY}/",
        f"/api/v1/implementations/{UNKNOWN_ID}/", "/api/v1/operations/none/", "/api/v1/hardware/none/",
        "/api/v1/projects/none/", "/api/v1/sources/none/", f"/api/v1/workloads/{LIGER}/",
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_404_problem(client: Client, path: str) -> None:
    assert problem(client, path, 404) == {
        "type": "urn:kernelindex:problem:not-found", "title": "Not Found", "status": 404,
        "detail": "nothing under this id",
    }  # fmt: skip


@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/v1/nothing/", "/api/v1/runs/x/", "/api/v1/runs/7331cf583fb6/"]
)
def test_any_other_path_under_the_api_is_a_problem_and_no_page(client: Client, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")
    assert response.json()["detail"] == "no such resource; /api/v1/ lists what there is"


@pytest.mark.parametrize(
    ("path", "parameter", "message"),
    [
        ("/api/v1/runs/?cursor=x", "cursor", "the cursor is not one that this list gave"),
        (f"/api/v1/groups/{LIGER_KEY}/?cursor=x", "cursor", "the cursor is not one that this list gave"),
        ("/api/v1/sources/sol-execbench/?cursor=x", "cursor", "the cursor is not one that this list gave"),
        ("/api/v1/workloads/?cursor=x", "cursor", "the cursor is not one that this list gave"),
        (f"/api/v1/operations/{OPERATION}/?cursor=x", "cursor", "the cursor is not one that this list gave"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_a_400_problem_that_names_it(
    client: Client, path: str, parameter: str, message: str
) -> None:
    body = problem(client, path, 400)
    assert (body["type"], body["errors"]) == ("urn:kernelindex:problem:invalid-request", {parameter: [message]})


@pytest.mark.parametrize("name", TWINNED)
def test_a_parameter_that_nobody_reads_is_refused_and_never_ignored(client: Client, name: str) -> None:
    path = f"/api/v1{TWINNED[name]()}".replace("/api/v1/?", "/api/v1/home/?") if name != "home" else "/api/v1/home/"
    body = problem(client, f"{path}{'&' if '?' in path else '?'}colour=red", 400)
    [message] = body["errors"]["colour"]  # type: ignore[index]
    assert message.startswith("unknown parameter; known here: ")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize(
    "path", ["/api/v1/", "/api/v1/runs/", f"/api/v1/runs/{LIGER}/", "/api/v1/sources/sol-execbench/"]
)
def test_the_api_is_read_only(client: Client, method: str, path: str) -> None:
    response = getattr(client, method)(path)
    assert (response.status_code, response["Content-Type"]) == (405, "application/problem+json")
    assert response.json() == {
        "type": "urn:kernelindex:problem:method-not-allowed", "title": "Method Not Allowed", "status": 405,
        "detail": f'Method "{method.upper()}" not allowed.',
    }  # fmt: skip
    assert response["Allow"] == "GET, HEAD, OPTIONS"


def test_what_only_reads_html_is_told_that_there_is_none(client: Client) -> None:
    response = client.get("/api/v1/home/", headers={"accept": "text/html"})
    assert (response.status_code, response["Content-Type"]) == (406, "application/problem+json")


@pytest.mark.parametrize("name", TWINNED)
def test_an_answer_has_an_entity_tag_and_is_not_sent_twice(client: Client, name: str) -> None:
    path = "/api/v1/home/" if name == "home" else f"/api/v1{TWINNED[name]()}"
    first = ask(client, path)
    tag = first["ETag"]
    assert first["Cache-Control"] == "public, max-age=0, must-revalidate"
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = ask(client, path, **{"if-none-match": given})
        assert (again.status_code, again["ETag"]) == (304, tag)
    assert ask(client, path, **{"if-none-match": '"other"'}).status_code == 200


def test_the_front_door_lists_every_list_and_each_answers(client: Client) -> None:
    body = ask(client, "/api/v1/").json()
    assert set(body) == {
        "home", "search", "runs", "groups", "sources", "incidents", "reports", "status", "operations", "projects",
        "implementations", "hardware", "protocols", "environments", "workloads", "schema",
    }  # fmt: skip
    for path in body.values():
        assert client.get(path).status_code == 200


def test_the_schema_is_served_as_json(client: Client) -> None:
    response = client.get("/api/v1/openapi.json")
    assert response.json()["openapi"] == "3.1.1"


def test_a_parameter_with_a_nul_is_refused_by_name(client: Client) -> None:
    answer = client.get("/api/v1/implementations/?project=a%00")
    assert answer.status_code == 400
    assert "holds a NUL character" in answer.content.decode()
