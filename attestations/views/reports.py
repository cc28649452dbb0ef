"""Issue reports: the form, the public list, one report, the answer to a question, and the dispute rule."""

import uuid
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from attestations import reporters, reports
from attestations.core import disputes
from attestations.forms import AnswerForm, ReportForm
from attestations.models import Reason, Report
from attestations.profiles import actor_if_any, actor_of, is_verified
from attestations.queries import reports as queries
from attestations.views.shared import led_to, read_or_send
from registry.models import Run
from registry.queries import addresses
from registry.views.shared import cursor_of, page_view, twin_of

RULE = {
    "answer_days": disputes.FIRST_ANSWER.days,
    "decision_days": disputes.DECISION.days,
    "appeal_days": disputes.APPEAL.days,
    "contact_days": disputes.CONTACT_KEPT.days,
}
SENT = "Your report was sent. This is its page: what comes of it stands here, and on the run's page."
JOINED = "Your report was sent. It joined this one, which is open for the same reason: they are decided together."


@never_cache
@read_or_send
def report(request: HttpRequest, digest: str) -> HttpResponse:
    """The form; a refused try keeps what was written."""
    run = _reportable(digest)
    form = ReportForm(request.POST if request.method == "POST" else None, initial={"reason": request.GET.get("reason")})
    if not (form.is_bound and form.is_valid()):
        return _form_page(request, run, form, status=400 if form.is_bound else 200)
    try:
        made = _sent(request, run, form.cleaned_data)
    except reports.TooManyReportsError as error:
        return _form_page(request, run, form, status=429, again_at=error.again_at)
    except reports.ReportError as error:
        form.add_error(None, str(error))
        return _form_page(request, run, form, status=400)
    messages.success(request, JOINED if made.duplicate_of_id else SENT)
    return HttpResponseRedirect(queries.address(made.duplicate_of_id or made.id))


def _reportable(digest: str) -> Run:
    run = Run.objects.only("digest", "name", "implementation__display_name").select_related("implementation")
    found = get_object_or_404(run, digest=digest)
    if not found.name:
        raise Http404("a redacted run has nothing to report on")
    return found


def _sent(request: HttpRequest, run: Run, told: dict[str, Any]) -> Report:
    now, actor = timezone.now(), _actor(request)
    address = get_adapter().get_client_ip(request)
    reports.count_try(sender=lambda: _sender(request, actor), address=address, now=now)
    stated = {name: told[name] for name in ("reason", "text", "evidence_url", "contact")}
    return reports.open_report(run=run, actor=actor, now=now, **stated)


def _sender(request: HttpRequest, actor: uuid.UUID | None) -> str:
    """Who is counted: an account, or a session, which is made for the first report."""
    if actor:
        return f"account {actor}"
    if not request.session.session_key:
        request.session.create()
    return f"session {request.session.session_key}"


def _actor(request: HttpRequest) -> uuid.UUID | None:
    return actor_of(request.user) if request.user.is_authenticated else None


def _form_page(
    request: HttpRequest, run: Run, form: ReportForm, *, status: int, again_at: datetime | None = None
) -> HttpResponse:
    context = {
        **RULE,
        "form": form,
        "faults": [form[name] for name in form.fields if name in form.errors],
        "run": run,
        "run_url": addresses.run(run.digest),
        "again_at": again_at,
        "has_account": request.user.is_authenticated,
        "is_told": request.user.is_authenticated and is_verified(request.user),
    }
    response = render(request, "attestations/report_form.html", context, status=status)
    if again_at:
        response["Retry-After"] = str(max(1, int((again_at - timezone.now()).total_seconds())))
    return response


@page_view
def report_list(request: HttpRequest) -> HttpResponse:
    state, run = request.GET.get("state"), request.GET.get("run")
    found = queries.report_list(now=timezone.now(), state=state, run=run, cursor=cursor_of(request))
    context = {"list": found, "links": _filters(found), "alternate_json": twin_of(request)}
    return render(request, "attestations/report_list.html", context)


def _filters(found: queries.ReportList) -> list[dict[str, Any]]:
    """Every state as a link, that of the page as a word."""
    run = {"run": found.run.id} if found.run else {}
    chosen = {None: "all", **{state: state for state in (*queries.STATES, queries.OVERDUE)}}
    return [
        {
            "name": name,
            "url": f"?{urlencode(run | ({'state': state} if state else {}))}",
            "is_chosen": state == found.state,
        }
        for state, name in chosen.items()
    ]


@page_view
def report_detail(request: HttpRequest, report_id: uuid.UUID) -> HttpResponse:
    page = queries.report_page(report_id, now=timezone.now())
    context = {**RULE, "page": page, "alternate_json": addresses.twin(queries.address(report_id))}
    return render(request, "attestations/report_detail.html", context)


@never_cache
@read_or_send
def report_answer(request: HttpRequest, report_id: uuid.UUID) -> HttpResponse:
    """By the link of a letter, or signed in as the one who reported."""
    found = get_object_or_404(Report.objects.select_related("duplicate_of"), pk=report_id)
    token = request.POST.get("token") or request.GET.get("token") or ""
    if not token and not request.user.is_authenticated:
        return led_to("account_login", request)
    _is_theirs(found, token, actor_if_any(request.user) if request.user.is_authenticated else None)
    form = AnswerForm(request.POST if request.method == "POST" else None)
    now = timezone.now()
    try:
        question = reports.open_question(found, now=now)
        if form.is_bound and form.is_valid():
            reports.answer(found, text=form.cleaned_data["text"], now=now)
            messages.success(request, "Your answer was sent to the moderators. It is not shown in public.")
            return HttpResponseRedirect(queries.address(found.id))
        context = {"question": question, "form": form, "token": token, "why_not": None}
    except reports.ReportError as error:
        context = {"question": None, "form": form, "token": token, "why_not": str(error)}
    context["page"] = queries.report_page(report_id, now=now)
    return render(request, "attestations/report_answer.html", context, status=400 if form.is_bound else 200)


def _is_theirs(report: Report, token: str, actor: uuid.UUID | None) -> None:
    """404 for anybody but the one who sent the report: nobody learns by guessing what was asked."""
    if token:
        try:
            reporters.check_token(token, report.id)
        except reporters.BadLinkError as error:
            raise Http404(str(error)) from error
    elif report.actor is None or report.actor != actor:
        raise Http404("not this account's report")


@require_safe
def disputes_page(request: HttpRequest) -> HttpResponse:
    return render(request, "attestations/disputes.html", {**RULE, "reasons": Reason.labels})
