"""What an address that leads nowhere answers: plain words, and what still works."""

import pytest
from django.conf import settings
from django.test import Client, RequestFactory
from django.views.csrf import csrf_failure
from django.views.defaults import bad_request, permission_denied, server_error

from tests.registry.pages import ENVIRONMENT, LIGER_KEY, PAGES, PROTOCOL, lacks, publish_group

pytestmark = pytest.mark.django_db
WITH_CURSOR = (
    "run-list", "group-list", "group-detail", "workload-detail", "protocol-detail", "environment-detail",
    "hardware-detail", "implementation-detail", "project-detail", "source-detail", "operations-list", "projects-list",
    "implementations-list", "hardware-list", "protocols-list", "environments-list", "workloads-list",
)  # fmt: skip


def test_the_icon_is_where_browsers_look_of_their_own_accord(client: Client) -> None:
    assert client.get("/favicon.ico")["Location"] == "/static/img/icon.svg"


@pytest.mark.parametrize("path", ["/nothing/", "/runs/nothing", "/api/", "/robots.txt", "/%00/", "/runs/%F0%9F/"])
def test_an_unknown_address_is_a_page_in_plain_words(client: Client, path: str) -> None:
    response = client.get(path, follow=True)
    assert response.status_code == 404
    assert lacks(
        response, "There is no page at this address", "Twelve hex digits of the digest are enough.", "What still works"
    ) == []  # fmt: skip


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("name", WITH_CURSOR)
def test_a_cursor_that_is_not_the_lists_is_a_400_with_the_way_back(client: Client, name: str) -> None:
    path = PAGES[name]()
    response = client.get(f"{path}{'&' if '?' in path else '?'}cursor=nonsense")
    assert response.status_code == 400
    assert lacks(
        response, "This address can’t be read", "The cursor is not one that this list gave.", "its first page"
    ) == []  # fmt: skip
    assert f'<a href="{path.split("?")[0]}">its first page</a>' in response.content.decode()


def test_the_cursor_of_another_list_is_a_400(client: Client) -> None:
    publish_group(101)
    page = client.get("/runs/").context["list"].page
    assert client.get("/runs/", {"cursor": page.next}).status_code == 200
    response = client.get("/sources/community/", {"cursor": page.next})
    assert response.status_code == 400
    assert lacks(response, "The cursor belongs to another list or another filter.") == []


@pytest.mark.usefixtures("demo")
def test_an_empty_cursor_is_the_first_page(client: Client) -> None:
    for path in (f"/protocols/{PROTOCOL}/", f"/environments/{ENVIRONMENT}/", f"/groups/{LIGER_KEY}/", "/runs/"):
        assert client.get(path, {"cursor": ""}).status_code == 200


def test_an_address_without_its_slash_leads_to_the_one_with_it(client: Client) -> None:
    response = client.get("/operations")
    assert (response.status_code, response["Location"]) == (301, "/operations/")


def test_each_error_page_has_one_heading_and_what_still_works(rf: RequestFactory) -> None:
    request = rf.get("/somewhere/")
    answers = {
        400: bad_request(request, ValueError()),
        403: permission_denied(request, ValueError()),
        500: server_error(request),
    }
    for status, response in answers.items():
        assert response.status_code == status
        assert response.content.decode().count("<h1>") == 1
        assert lacks(response, "What still works") == []
    csrf = csrf_failure(request)
    assert csrf.status_code == 403
    assert lacks(csrf, "This form could not be accepted", "Nothing was sent.") == []
    assert not settings.DEBUG
