"""Operation pages."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from registry.queries import addresses, operations
from registry.views.shared import page_view


@page_view
def operation_detail(request: HttpRequest, slug: str) -> HttpResponse:
    page = operations.operation_page(slug, page=page_number(request))
    context = {
        "page": page,
        "section": "operations",
        "canonical": f"{settings.SITE_URL}{page.url}",
        "alternate_json": addresses.twin(page.url),
    }
    return render(request, "registry/operation_detail.html", context)


def page_number(request: HttpRequest) -> int:
    raw = request.GET.get("page", "1")
    if not (raw.isascii() and raw.isdigit() and 1 <= int(raw[:7]) <= 100_000):
        raise Http404("no such page of the table")
    return int(raw)
