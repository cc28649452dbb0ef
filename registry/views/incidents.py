"""Incident pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.queries import addresses, incidents
from registry.views.shared import cursor_of, page_view, twin_of


@page_view
def incident_list(request: HttpRequest) -> HttpResponse:
    context = {"lines": incidents.incident_lines(), "alternate_json": twin_of(request)}
    return render(request, "registry/incident_list.html", context)


@page_view
def incident_detail(request: HttpRequest, slug: str) -> HttpResponse:
    page = incidents.incident_page(slug, cursor=cursor_of(request))
    context = {"page": page, "alternate_json": addresses.twin(page.url)}
    return render(request, "registry/incident_detail.html", context)
