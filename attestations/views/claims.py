"""Claims of projects and sources: the three ways to make one, and one's own, which nobody else sees."""

import uuid
from functools import wraps
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from attestations import claims
from attestations.claims import ClaimError
from attestations.models import Claim
from attestations.profiles import actor_if_any, actor_of
from attestations.queries import claim_pages
from attestations.views.shared import View, missing_step, read_or_send, signed_in_required
from registry.models import Project, Source


def claimants_view(view: View) -> View:
    """A page that is only there for a claimant: 404 to whoever is none, or no more."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except (ObjectDoesNotExist, ValidationError) as error:
            raise Http404 from error

    return wrapped


@never_cache
@read_or_send
def project_claim(request: HttpRequest, slug: str) -> HttpResponse:
    return _ways(request, get_object_or_404(Project.objects.select_related("newest"), slug=slug))


@never_cache
@read_or_send
def source_claim(request: HttpRequest, slug: str) -> HttpResponse:
    return _ways(request, get_object_or_404(Source, slug=slug))


def _ways(request: HttpRequest, thing: Project | Source) -> HttpResponse:
    sent, error = request.POST, ""
    if request.method == "POST":
        if missing := missing_step(request, back=request.path):
            return missing
        try:
            made = _claim(request, thing)
        except ClaimError as refused:
            error = str(refused)
        else:
            return HttpResponseRedirect(reverse("claim-detail", args=[made.pk]))
    actor = actor_if_any(request.user) if request.user.is_authenticated else None
    context = {
        "page": claim_pages.claim_ways(thing, actor), "error": error, "way": sent.get("method", ""),
        "message": sent.get("message", ""),
    }  # fmt: skip
    return render(request, "attestations/claim_ways.html", context, status=400 if error else 200)


def _claim(request: HttpRequest, thing: Project | Source) -> Claim:
    kind = "project" if isinstance(thing, Project) else "source"
    return claims.claim(
        actor=actor_of(request.user), method=request.POST.get("method", ""), now=timezone.now(),
        message=request.POST.get("message", ""), **{kind: thing},
    )  # fmt: skip


@never_cache
@signed_in_required
@require_safe
def claim_list(request: HttpRequest) -> HttpResponse:
    own = claim_pages.own_claims(actor_if_any(request.user))
    return render(request, "attestations/claim_list.html", {"claims": own})


@never_cache
@signed_in_required
@read_or_send
@claimants_view
def claim_detail(request: HttpRequest, claim_id: uuid.UUID) -> HttpResponse:
    """One's own claim; somebody else's is not there. POST `action`: check, drop."""
    actor, error = actor_if_any(request.user), ""
    claim, page = claim_pages.own_claim(actor, claim_id)
    if request.method == "POST":
        act = claims.drop if request.POST.get("action") == "drop" else claims.want_check
        try:
            act(claim, actor=actor, now=timezone.now())
        except ClaimError as refused:
            error = str(refused)
        else:
            return HttpResponseRedirect(page.url)
    context = {"page": page, "error": error}
    return render(request, "attestations/claim_detail.html", context, status=400 if error else 200)
