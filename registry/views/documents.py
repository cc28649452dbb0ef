"""Pages of what runs refer to, and every document's canonical bytes."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition

from attestations.models import Thing
from attestations.queries.claim_pages import with_project_speakers
from attestations.queries.follows import toggle
from registry.models import Environment, Implementation, Operation, Project, Protocol, Workload
from registry.queries import addresses, documents, lists, search
from registry.queries.documents import EntityPage
from registry.views.shared import cursor_of, page_view, twin_of

SECTIONS = {"operations": "operations", "hardware": "hardware"}


@page_view
def noun_list(request: HttpRequest, kind: str) -> HttpResponse:
    page = lists.list_page(kind, cursor=cursor_of(request), filters=request.GET.dict())
    query = request.GET.copy()
    query.pop("cursor", None)
    context = {
        "list": page,
        "section": SECTIONS.get(kind),
        "query": query.urlencode(),
        "alternate_json": twin_of(request),
    }
    return render(request, "registry/noun_list.html", context)


def _detail(
    build: Callable[..., EntityPage], section: str | None = None, thing: Thing | None = None
) -> Callable[..., HttpResponse]:
    """`thing`: what it is to those who follow it."""

    @page_view
    def view(request: HttpRequest, reference: Any) -> HttpResponse:
        page = build(str(reference), cursor=cursor_of(request))
        context = {"page": page, "section": section, "alternate_json": addresses.twin(page.url)}
        if thing:
            context["follow"] = toggle(request.user, thing, page.id)
        return render(request, "registry/entity_detail.html", context)

    return view


workload_detail = _detail(documents.workload_page)
protocol_detail = _detail(documents.protocol_page)
environment_detail = _detail(documents.environment_page)
hardware_detail = _detail(documents.hardware_page, "hardware", Thing.HARDWARE)
implementation_detail = _detail(documents.implementation_page)
project_detail = _detail(
    lambda slug, cursor: with_project_speakers(documents.project_page(slug, cursor)), thing=Thing.PROJECT
)


@page_view
def implementation_slug(request: HttpRequest, slug: str) -> HttpResponse:
    """A slug names a line of work: one row is shown at once, several are listed."""
    found = documents.implementations_by_slug(slug)
    if not found:
        raise Implementation.DoesNotExist
    if len(found) == 1:
        return HttpResponseRedirect(found[0].url)
    return render(request, "registry/implementation_choice.html", {"slug": slug, "found": found})


def canonical_response(request: HttpRequest, row: Any, *, is_fixed: bool = True) -> HttpResponse:
    """The canonical bytes; 410 where they were redacted. `is_fixed`: this address never names another document."""
    if not row.canonical:
        return HttpResponse("These bytes were redacted.\n", status=410, content_type="text/plain; charset=utf-8")

    @condition(etag_func=lambda request: f'"{row.digest}"')
    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(row.canonical.encode(), content_type="application/json")

    response = answer(request)
    if is_fixed:
        patch_cache_control(response, public=True, max_age=31_536_000, immutable=True)
    else:
        patch_cache_control(response, public=True, max_age=0, must_revalidate=True)
    return response


@page_view
def canonical(request: HttpRequest, kind: str, reference: str) -> HttpResponse:
    """The canonical bytes of a document by its page's address."""
    return canonical_response(request, CANONICAL[kind](reference), is_fixed=kind != "projects")


@page_view
def by_prefix(request: HttpRequest, kind: str, prefix: str) -> HttpResponse:
    """Twelve and more hex digits of a digest lead to the page; several matches are listed."""
    hits = tuple(hit for hit in search.digest_matches(prefix) if f"{hit.kind}s" == kind)
    if not hits:
        raise Workload.DoesNotExist
    if hits[0].total == 1:
        return HttpResponseRedirect(hits[0].items[0].url)
    return render(request, "registry/prefix_matches.html", {"prefix": prefix, "hits": hits})


CANONICAL: dict[str, Callable[[str], Any]] = {
    "operations": lambda slug: Operation.objects.get(slug=slug),
    "workloads": lambda digest: Workload.objects.get(digest=digest),
    "protocols": lambda digest: Protocol.objects.get(digest=digest),
    "environments": lambda digest: Environment.objects.get(digest=digest),
    "implementations": lambda row_id: Implementation.objects.get(pk=row_id),
    "projects": lambda slug: Project.objects.select_related("newest").get(slug=slug).newest,
}
