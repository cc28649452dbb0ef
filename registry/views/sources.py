"""Source pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from attestations.models import Thing
from attestations.queries.claim_pages import with_source_speakers
from attestations.queries.follows import toggle
from registry.queries import addresses, sources
from registry.views.shared import cursor_of, page_view, twin_of


@page_view
def source_list(request: HttpRequest) -> HttpResponse:
    context = {"lines": sources.source_lines(), "section": "sources", "alternate_json": twin_of(request)}
    return render(request, "registry/source_list.html", context)


@page_view
def source_detail(request: HttpRequest, slug: str) -> HttpResponse:
    page = with_source_speakers(sources.source_page(slug, cursor=cursor_of(request)))
    context = {
        "page": page,
        "section": "sources",
        "alternate_json": addresses.twin(page.url),
        "follow": toggle(request.user, Thing.SOURCE, slug),
    }
    return render(request, "registry/source_detail.html", context)
