"""Attestations: the form, its preview, and each one's page; edited and withdrawn by their authors alone."""

import csv
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from attestations import attesting, limits
from attestations.attesting import AttestingError
from attestations.forms import AttestationForm
from attestations.models import Attestation, Profile
from attestations.profiles import actor_of, is_verified, name_of
from attestations.queries import attestations as queries
from attestations.queries.offers import filled_by, offered
from attestations.views import drafts
from attestations.views.shared import member_required, missing_step, read_or_send, signed_in_required
from registry.models import Run
from registry.queries import addresses
from registry.views.shared import cursor_of, page_view, twin_of

REFUSED = 400
DRAFTS = limits.Limit("drafts kept for an address", 60, timedelta(hours=1))


@dataclass(frozen=True, slots=True)
class Part:
    """What a run's page needs of its reader: the form of a member, or the step that is missing to have it."""

    url: str
    form: AttestationForm | None
    step: str | None
    mine: frozenset[str]
    editable: frozenset[str]


def part_of(request: HttpRequest, run: Any) -> Part:
    """Nothing is asked of the database for a reader who is not signed in."""
    url = reverse("attest", args=[run.digest])
    if not request.user.is_authenticated:
        return Part(url, None, "sign-in", frozenset(), frozenset())
    mine, now = list(_of(request, run=run.id)), timezone.now()
    step = None if name_of(request.user) else "name"
    step = step if is_verified(request.user) else "address"
    form = AttestationForm(initial=drafts.kept(request, run.digest), offered=offered(run)) if step is None else None
    editable = frozenset(str(row.pk) for row in mine if attesting.is_editable(row, now))
    return Part(url, form, step, frozenset(str(row.pk) for row in mine), editable)


@never_cache
@read_or_send
def attest(request: HttpRequest, digest: str) -> HttpResponse:
    """The form on a page of its own. What somebody sends before they may is kept until they have signed in."""
    run = _run(digest)
    if request.method == "POST":
        return _sent(request, run)
    form = AttestationForm(initial=drafts.kept(request, digest), offered=offered(run))
    return _form_page(request, run, form)


def _sent(request: HttpRequest, run: Run) -> HttpResponse:
    if step := missing_step(request, reverse("attest", args=[run.digest])):
        messages.info(request, _kept_words(request, run))
        return step
    form = AttestationForm(request.POST, request.FILES, offered=offered(run))
    actor = actor_of(request.user)
    if form.is_valid():
        try:
            if request.POST.get("action") == "preview":
                made = attesting.preview(run=run, actor=actor, statement=form.statement(), now=timezone.now())
                return _form_page(request, run, form, preview=queries.previewed(*made, run))
            kept = attesting.attest(run=run, actor=actor, statement=form.statement(), now=timezone.now())
        except AttestingError as error:
            _refuse(form, error)
        else:
            drafts.drop(request, run.digest)
            return HttpResponseRedirect(f"{addresses.run(run.digest)}#attestation-{kept.pk}")
    return _form_page(request, run, form, status=REFUSED)


def _kept_words(request: HttpRequest, run: Run) -> str:
    """Keep what was written, and say so. Sessions without an account cost nothing to have, so their drafts are few."""
    address = get_adapter().get_client_ip(request)
    if not request.user.is_authenticated and not limits.take(DRAFTS, address, now=timezone.now()):
        return "Too many drafts were kept from here in the last hour, so yours was not. Sign in, then write it again."
    lost = drafts.keep(request, run.digest)
    without = f" Not kept: {' and '.join(lost)}." if lost else ""
    return f"What you wrote is kept until you are back.{without}"


@page_view
def attestation_list(request: HttpRequest, digest: str) -> HttpResponse:
    page = queries.attestation_list(_run(digest), cursor=cursor_of(request))
    return render(request, "attestations/attestation_list.html", {"page": page, "alternate_json": twin_of(request)})


@page_view
def attestation_detail(request: HttpRequest, attestation_id: Any) -> HttpResponse:
    page = queries.attestation_page(attestation_id)
    own = _own(request, attestation_id) if request.user.is_authenticated else None
    context = {
        "page": page,
        "newest": [page.entry],
        "is_own": own is not None,
        "is_editable": bool(own and attesting.is_editable(own, timezone.now())),
        "editable_until": own and own.at + attesting.EDITABLE_FOR,
        "alternate_json": addresses.twin(page.entry.url),
    }
    return render(request, "attestations/attestation_detail.html", context)


@page_view
def attestation_samples(request: HttpRequest, attestation_id: Any) -> HttpResponse:
    """The samples of the newest wording, as a file; nothing of what was withdrawn or hidden."""
    found = Attestation.objects.filter(withdrawn_at=None, hidden_at=None).exclude(run__name="").get(pk=attestation_id)
    row = found.versions.get(number=found.version)
    if not row.samples:
        raise Http404("no samples")
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="attestation-{found.pk}.csv"'
    csv.writer(response).writerows([[f"value_{row.unit}"], *([line] for line in row.samples.splitlines())])
    return response


@never_cache
@read_or_send
@member_required
def attestation_edit(request: HttpRequest, attestation_id: Any) -> HttpResponse:
    own = _required_own(request, attestation_id)
    run, newest = own.run, own.versions.select_related("attestation", "environment", "hardware").get(number=own.version)
    options: dict[str, Any] = {"offered": offered(run), "kind": own.kind}
    try:
        attesting.require_editable(own, timezone.now())
    except AttestingError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(queries.attestation_url(own.pk))
    if request.method != "POST":
        return _form_page(request, run, AttestationForm(initial=filled_by(newest, run), **options), own=own)
    return _edited(request, own, AttestationForm(request.POST, request.FILES, **options))


def _edited(request: HttpRequest, own: Attestation, form: AttestationForm) -> HttpResponse:
    actor, now = actor_of(request.user), timezone.now()
    if form.is_valid():
        try:
            if request.POST.get("action") == "preview":
                made = attesting.preview(run=own.run, actor=actor, statement=form.statement(), now=now)
                return _form_page(request, own.run, form, own=own, preview=queries.previewed(*made, own.run))
            attesting.edit(attestation=own, actor=actor, statement=form.statement(), now=now)
        except AttestingError as error:
            _refuse(form, error)
        else:
            return HttpResponseRedirect(queries.attestation_url(own.pk))
    return _form_page(request, own.run, form, own=own, status=REFUSED)


@never_cache
@read_or_send
@signed_in_required
def attestation_withdraw(request: HttpRequest, attestation_id: Any) -> HttpResponse:
    """Asks first; withdraws on POST."""
    own = _required_own(request, attestation_id)
    back = queries.attestation_url(own.pk)
    if request.method != "POST":
        page = queries.attestation_page(own.pk)
        return render(request, "attestations/withdraw.html", {"page": page, "back": back})
    try:
        attesting.withdraw(attestation=own, actor=actor_of(request.user), now=timezone.now())
    except AttestingError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(back)


# --- what the views share


def _run(digest: str) -> Run:
    """The run of a digest, with what a verdict needs; a redacted one is not there any more."""
    related = ("group", "source", "environment__hardware", "implementation__project", "operation")
    return get_object_or_404(Run.objects.exclude(name="").select_related(*related), digest=digest)


def _own(request: HttpRequest, attestation_id: Any) -> Attestation | None:
    """The attestation, if it is this reader's."""
    related = (
        "run__group",
        "run__source",
        "run__environment__hardware",
        "run__implementation__project",
        "run__operation",
    )
    return _of(request, pk=attestation_id).exclude(run__name="").select_related(*related).first()


def _of(request: HttpRequest, **which: Any) -> QuerySet[Attestation]:
    """This reader's own. A page that is read makes no profile for it."""
    return Attestation.objects.filter(actor__in=Profile.objects.filter(user=request.user).values("actor"), **which)


def _required_own(request: HttpRequest, attestation_id: Any) -> Attestation:
    """Another author's is answered as one that is not there."""
    own = _own(request, attestation_id)
    if own is None:
        raise Http404("no attestation of yours")
    return own


def _refuse(form: AttestationForm, error: AttestingError) -> None:
    form.add_error(error.field if error.field in form.fields else None, str(error))


def _form_page(
    request: HttpRequest, run: Run, form: AttestationForm, *, own: Attestation | None = None, preview: Any = None,
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    entry, claim, axis = preview or (None, queries.claimed(run), None)
    context = {
        "run": run,
        "run_url": addresses.run(run.digest),
        "form": form,
        "action": reverse("attestation-edit", args=[own.pk]) if own else reverse("attest", args=[run.digest]),
        "is_edit": own is not None,
        "kind_word": own.get_kind_display() if own else "",
        "editable_until": own and own.at + attesting.EDITABLE_FOR,
        "entries": [entry] if entry else [],
        "claim": claim,
        "axis": axis,
        "is_member": request.user.is_authenticated,
    }
    return render(request, "attestations/attest.html", context, status=status)
