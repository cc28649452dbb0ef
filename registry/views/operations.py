"""Operation pages."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from attestations.models import Thing
from attestations.queries.follows import toggle
from registry.queries import operations
from registry.views.shared import cursor_of, page_view, twin_of


@page_view
def operation_detail(request: HttpRequest, slug: str) -> HttpResponse:
    page = operations.operation_page(slug, cursor=cursor_of(request))
    context = {
        "page": page,
        "section": "operations",
        "canonical": f"{settings.SITE_URL}{page.url}",
        "alternate_json": twin_of(request),
        "follow": toggle(request.user, Thing.OPERATION, slug),
    }
    return render(request, "registry/operation_detail.html", context)
