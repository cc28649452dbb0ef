"""Run pages and their canonical bytes."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString

from attestations.models import Reason, Thing
from attestations.profiles import actor_if_any
from attestations.queries.claim_pages import author_tools
from attestations.queries.community import with_community
from attestations.queries.follows import toggle
from attestations.views.attestations import part_of
from registry.models import Run
from registry.queries import addresses, lists, runs, search
from registry.queries.kept import Kept
from registry.queries.parts import KEPT, key_of
from registry.queries.runs import RunPage, Tombstone
from registry.views import citations
from registry.views.documents import canonical_response
from registry.views.shared import cursor_of, page_view, twin_of


@page_view
def run_list(request: HttpRequest) -> HttpResponse:
    page = lists.runs_page(cursor=cursor_of(request))
    return render(request, "registry/run_list.html", {"list": page, "alternate_json": twin_of(request)})


@page_view
def run_detail(request: HttpRequest, reference: str) -> HttpResponse:
    """By row id or digest, the canonical one; as a page, or as what the Accept header asks for."""
    run = runs.find(reference)
    response = citations.negotiated(request, run) or _page(request, run)
    patch_vary_headers(response, ["Accept"])
    return response


def _page(request: HttpRequest, run: Any) -> HttpResponse:
    now = timezone.now()
    page = with_community(runs.run_page(run, site_url=settings.SITE_URL, today=now.date()), run, now=now)
    context = {
        "page": page,
        "run": run,
        "canonical": f"{settings.SITE_URL}{addresses.run(run.digest)}",
        "alternate_json": addresses.twin(addresses.run(run.digest)),
        "report_reasons": Reason.choices,
        "follow": toggle(request.user, Thing.RUN, run.digest),
    }
    if isinstance(page, Tombstone):
        return render(request, "registry/run_tombstone.html", context)
    actor = actor_if_any(request.user) if request.user.is_authenticated else None
    context["author"] = author_tools(actor, run.id) if actor else None
    context["attest"] = part_of(request, run)
    context |= {name: _kept_html(name, run, page) for name in KEPT_PARTS}
    context["cite_html"] = _html.get(page.cite, lambda: render_to_string("registry/_cite.html", {"cite": page.cite}))
    response = render(request, "registry/run_detail.html", context)
    response["Link"] = citations.links(page.permalink, page.cite.formats)
    return response


# The sections that a run's documents alone decide are rendered once and kept by its digest; its citation, by itself.
KEPT_PARTS = {"facts_html": "registry/_run_facts.html", "manifest_html": "registry/_manifest.html"}
_html: Kept[SafeString] = Kept(3 * KEPT)


def _kept_html(name: str, run: Any, page: RunPage) -> SafeString:
    return _html.get(
        (name, *key_of(run), page.protocol_notes), lambda: render_to_string(KEPT_PARTS[name], {"page": page})
    )


@page_view
def run_prefix(request: HttpRequest, prefix: str) -> HttpResponse:
    """Twelve and more hex digits of a digest lead to the run; several matches are listed."""
    found = (
        Run.objects.filter(digest__startswith=f"sha256:{prefix}").order_by("digest").values_list("digest", flat=True)
    )
    matches = list(found[:2])
    if not matches:
        raise Run.DoesNotExist
    if len(matches) == 1:
        return HttpResponseRedirect(addresses.run(matches[0]))
    hits = search.digest_matches(prefix)
    return render(request, "registry/prefix_matches.html", {"prefix": prefix, "hits": hits})


@page_view
def run_canonical(request: HttpRequest, digest: str) -> HttpResponse:
    return canonical_response(request, Run.objects.only("digest", "canonical").get(digest=digest))
