"""Citations as files, and what a run's own address answers to a program that asks for one of their media types."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from registry.core.citation import FORMATS, Format
from registry.queries import addresses, runs
from registry.queries.citations import CitedAs
from registry.queries.runs import Tombstone
from registry.views.shared import page_view

BY_ENDING = {form.ending: form for form in FORMATS.values()}
HTML, JSON = "text/html", "application/json"
# Of two formats with one media type the first answers.
BY_MEDIA_TYPE = {form.media_type: form for form in reversed(FORMATS.values())}
# HTML is first: what has no preference (*/*) gets the page.
OFFERED = (HTML, JSON, *BY_MEDIA_TYPE)
NAMED = ("application/*", JSON, *BY_MEDIA_TYPE)


class BadDayError(ValueError):
    """An access date that is none, or that is nobody's today."""


@page_view
def run_citation(request: HttpRequest, digest: str, form: str) -> HttpResponse:
    """A citation as a file. `?accessed=` names the reader's day; without it, it is the day in UTC."""
    if form not in BY_ENDING:
        raise Http404("no such form of citation")
    return _cited(request, runs.find(digest), BY_ENDING[form], "attachment")


def negotiated(request: HttpRequest, run: Any) -> HttpResponse | None:
    """What the run's own address answers to its Accept header, or None for the page.

    JSON is at the twin's address (303), which has its own ETags and limits: no second code path answers with it. A type
    that is not offered gets the page: a 406 would help nobody, and RFC 9110 leaves the choice.
    """
    accept = request.headers.get("Accept", "").lower()
    if not any(named in accept for named in NAMED):
        return None  # a browser, mostly: its header is long to weigh, and could only come to this
    wanted = request.get_preferred_type(OFFERED)
    if wanted == JSON:
        response: HttpResponse = HttpResponseRedirect(addresses.twin(addresses.run(run.digest)))
        response.status_code = 303
        return response
    if wanted in BY_MEDIA_TYPE:
        form = BY_MEDIA_TYPE[wanted]
        response = _cited(request, run, form, "inline")
        response["Content-Location"] = addresses.citation(run.digest, form.ending)
        return response
    return None


def links(permalink: str, formats: tuple[CitedAs, ...]) -> str:
    """The Link header of a run's page: what to cite (RFC 8574), and the citation in each format."""
    told = [f'<{permalink}>; rel="cite-as"']
    told += [f'<{form.url}>; rel="alternate"; type="{form.media_type}"; title="{form.label}"' for form in formats]
    return ", ".join(told)


def _cited(request: HttpRequest, run: Any, form: Format, disposition: str) -> HttpResponse:
    """One format as a file; 410 with the frozen citation where the run was redacted, whatever the format."""
    try:
        day = accessed_on(request.GET.get("accessed"), timezone.now())
    except BadDayError as error:
        return _said(str(error), 400)
    cited = runs.citation_of(run, site_url=settings.SITE_URL, today=day)
    if isinstance(cited, Tombstone):
        return _said(cited.text, 410)
    response = HttpResponse(form.write(cited) + form.line_end, content_type=f"{form.media_type}; charset=utf-8")
    response["Content-Disposition"] = f'{disposition}; filename="{cited.key}.{form.ending}"'
    return response


def _said(words: str, status: int) -> HttpResponse:
    return HttpResponse(f"{words}\n", status=status, content_type="text/plain; charset=utf-8")


def accessed_on(written: str | None, now: datetime) -> date:
    """The reader's day: somewhere on Earth it is one day later or earlier than in UTC. Raises BadDayError."""
    today = now.astimezone(UTC).date()
    if written is None:
        return today
    try:
        day = date.fromisoformat(written) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", written, re.ASCII) else None
    except ValueError:
        day = None
    if day is None:
        raise BadDayError("accessed is a date, written YYYY-MM-DD.")
    if abs(day - today) > timedelta(days=1):
        raise BadDayError(f"accessed is the day on which you read this: within a day of {today}, which it is in UTC.")
    return day
