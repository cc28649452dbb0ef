"""What a public name attested."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from attestations.models import Profile
from attestations.queries import people
from registry.views.shared import cursor_of, page_view, twin_of


@page_view
def person(request: HttpRequest, handle: str) -> HttpResponse:
    """A name in another case leads to the name as it is written; for now, as names can be changed."""
    try:
        page = people.person_page(handle, cursor=cursor_of(request))
    except Profile.DoesNotExist:
        if held := people.spelled(handle):
            return redirect(people.address_of(held))
        raise
    return render(request, "attestations/person_detail.html", {"page": page, "alternate_json": twin_of(request)})
