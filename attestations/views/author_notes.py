"""What a claimed author says and asks on a run: a note, a request to withdraw. Nobody else has these pages."""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from attestations import claims
from attestations.claims import ClaimError
from attestations.models import Claim, Report
from attestations.profiles import actor_if_any
from attestations.queries import claim_pages
from attestations.views.claims import claimants_view
from attestations.views.shared import member_required, read_or_send
from registry.models import Run


@never_cache
@member_required
@read_or_send
@claimants_view
def author_note(request: HttpRequest, digest: str) -> HttpResponse:
    """GET: the form, `?report=` beside a report. POST `action`: retract, else `text` is the note."""
    run, actor = _run(digest), actor_if_any(request.user)
    report = _report(request, run)
    page, held = claim_pages.note_page(actor, run, report)

    def act(claim: Claim) -> None:
        said = {"claim": claim, "run": run, "actor": actor, "now": timezone.now(), "report": report}
        if request.POST.get("action") == "retract":
            claims.retract_note(**said)
        else:
            claims.write_note(**said, text=request.POST.get("text", ""))

    part = "#report" if report else "#author-notes"
    return _asked(request, "attestations/author_note.html", page, held, act, f"{page.run.url}{part}")


@never_cache
@member_required
@read_or_send
@claimants_view
def withdrawal_request(request: HttpRequest, digest: str) -> HttpResponse:
    """GET: the form, and what was asked before. POST: `reason`."""
    run, actor = _run(digest), actor_if_any(request.user)
    page, held = claim_pages.withdrawal_page(actor, run)

    def act(claim: Claim) -> None:
        reason = request.POST.get("text", "")
        claims.request_withdrawal(claim=claim, run=run, reason=reason, actor=actor, now=timezone.now())

    return _asked(request, "attestations/withdrawal_request.html", page, held, act, request.path)


def _asked(
    request: HttpRequest, template: str, page: Any, held: Sequence[Claim], act: Callable[[Claim], None], after: str
) -> HttpResponse:
    """The form; after a good POST the page that shows what came of it, after a refused one the form with its text."""
    error, wanted = "", request.POST.get("claim") or str(held[0].pk)
    if request.method == "POST":
        try:
            chosen = next((claim for claim in held if str(claim.pk) == wanted), None)
            if chosen is None:
                raise ClaimError("Choose for which of your claims you speak.")
            act(chosen)
        except ClaimError as refused:
            error = str(refused)
        else:
            return HttpResponseRedirect(after)
    current = next((voice.text for voice in page.voices if voice.id == wanted), "")
    text = request.POST.get("text", "") if error else current
    context = {"page": page, "error": error, "text": text, "chosen": wanted, "current": current}
    return render(request, template, context, status=400 if error else 200)


def _run(digest: str) -> Run:
    return get_object_or_404(Run.objects.select_related("implementation", "operation"), digest=digest)


def _report(request: HttpRequest, run: Run) -> Report | None:
    """The report that the note stands beside; a duplicate's note stands beside the first of its group."""
    asked = request.POST.get("report") or request.GET.get("report")
    if not asked:
        return None
    report = Report.objects.select_related("duplicate_of").filter(pk=asked, run=run).first()
    if report is None:
        raise Http404
    return report.duplicate_of or report
