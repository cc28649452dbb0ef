"""The front page, search and the page on how to read it all."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.core import citation, evidence, flags, ranking
from registry.queries import home, search
from registry.views.shared import page_view, twin_of


@page_view
def home_page(request: HttpRequest) -> HttpResponse:
    return render(request, "registry/home.html", {"page": home.home_page(), "alternate_json": "/api/v1/home/"})


@page_view
def search_page(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "")
    context = {"page": search.search_page(query), "q": query, "alternate_json": twin_of(request)}
    return render(request, "registry/search.html", context)


@page_view
def docs_page(request: HttpRequest) -> HttpResponse:
    """Tables on this page come from the code that decides, so they cannot tell another story."""
    context = {
        "section": "docs",
        "levels": list(evidence.MEANINGS.items()),
        "reasons": list(ranking.REASON_TEXTS.items()),
        "rules": list(flags.RULES.values()),
        "directions": ranking.DIRECTIONS.items(),
        "policy": ranking.POLICY,
        "formats": list(citation.FORMATS.values()),
    }
    return render(request, "registry/docs.html", context)
