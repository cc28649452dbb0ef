"""The way out of mail, from the mail itself: no sign-in, one press, or none where the mail program does it."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from attestations import follows
from attestations.core.news import MAIL_KINDS
from attestations.queries.follows import mail_choice
from attestations.views.shared import read_or_send


# A mail program posts `List-Unsubscribe=One-Click` here by itself (RFC 8058), with no page of ours before it and so
# with no token. Who has the key, which only the mail's own link holds, may end this mail: it is for nothing else.
@csrf_exempt
@never_cache
@read_or_send
def unsubscribe(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Opening the link changes nothing: programs that look into mails open every link in them."""
    kind = request.POST.get("kind") or request.GET.get("kind") or "all"
    choice = mail_choice(key)
    if kind not in MAIL_KINDS or choice is None:
        raise Http404("no such kind of mail, or nobody's key")
    if request.method == "POST":
        follows.stop_mail(key, kind=kind)
        if request.POST.get("List-Unsubscribe") == "One-Click":
            return HttpResponse("Done.\n", content_type="text/plain; charset=utf-8")
        return HttpResponseRedirect(request.get_full_path())
    context = {"choice": choice, "kind": kind, "what": MAIL_KINDS[kind]}
    return render(request, "attestations/unsubscribe.html", context)
