"""What a public name attested."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from attestations.queries import people
from registry.views.shared import cursor_of, page_view, twin_of


@page_view
def person(request: HttpRequest, handle: str) -> HttpResponse:
    page = people.person_page(handle, cursor=cursor_of(request))
    return render(request, "attestations/person_detail.html", {"page": page, "alternate_json": twin_of(request)})
