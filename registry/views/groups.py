"""Comparison groups: the ranked table, and why two groups are two."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from attestations.models import Thing
from attestations.queries.follows import toggle
from registry.models import ComparisonGroup
from registry.queries import addresses, differences, groups, lists, search
from registry.views.shared import cursor_of, page_view, twin_of


@page_view
def group_list(request: HttpRequest) -> HttpResponse:
    page = lists.groups_page(cursor=cursor_of(request))
    return render(request, "registry/group_list.html", {"list": page, "alternate_json": twin_of(request)})


@page_view
def group_detail(request: HttpRequest, key: str) -> HttpResponse:
    page = groups.group_page(key, cursor=cursor_of(request))
    path = addresses.group(key)
    context = {
        "page": page,
        "canonical": f"{settings.SITE_URL}{path}",
        "alternate_json": addresses.twin(path),
        "why_not_url": addresses.why_not(key, key),
        "follow": toggle(request.user, Thing.GROUP, key),
    }
    return render(request, "registry/group_detail.html", context)


@page_view
def group_prefix(request: HttpRequest, prefix: str) -> HttpResponse:
    """Twelve and more hex digits of a key lead to the group; several matches are listed."""
    found = ComparisonGroup.objects.filter(key__startswith=f"sha256:{prefix}").values_list("key", flat=True)
    matches = list(found[:2])
    if not matches:
        raise ComparisonGroup.DoesNotExist
    if len(matches) == 1:
        return HttpResponseRedirect(addresses.group(matches[0]))
    return render(request, "registry/prefix_matches.html", {"prefix": prefix, "hits": search.digest_matches(prefix)})


@page_view
def why_not(request: HttpRequest, key: str, other: str) -> HttpResponse:
    page = differences.why_not_page(key, other)
    context = {"page": page, "alternate_json": addresses.twin(addresses.why_not(key, other))}
    return render(request, "registry/why_not.html", context)
