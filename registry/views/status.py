"""How the site is."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from registry.queries import status
from registry.views.shared import page_view


@page_view
def status_page(request: HttpRequest) -> HttpResponse:
    context = {"page": status.status_page(timezone.now()), "alternate_json": "/api/v1/status/"}
    return render(request, "registry/status.html", context)
