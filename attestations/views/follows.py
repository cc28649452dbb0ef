"""What one follows: the toggle, the page of what is new, and how it is marked read."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from attestations import follows
from attestations.follows import FollowError
from attestations.profiles import profile_as_it_is
from attestations.queries.follows import follow_page
from attestations.views.shared import signed_in_required, way_back


@never_cache
@require_safe
@signed_in_required
def follow_list(request: HttpRequest) -> HttpResponse:
    page = follow_page(profile_as_it_is(request.user), timezone.now())
    return render(request, "attestations/follow_list.html", {"page": page})


@never_cache
@require_POST
@signed_in_required
def follow_toggle(request: HttpRequest) -> HttpResponse:
    """The state that is wanted is sent, not "the other one": sent twice, it is the same."""
    thing, target = request.POST.get("thing", ""), request.POST.get("target", "")
    try:
        if request.POST.get("wanted") == "yes":
            follows.follow(request.user, thing=thing, target=target, now=timezone.now())
        else:
            follows.unfollow(request.user, thing=thing, target=target)
    except FollowError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(way_back(request, "/follows/"))


@never_cache
@require_POST
@signed_in_required
def follows_read(request: HttpRequest) -> HttpResponse:
    """Read is what was shown: the page says up to which instant, so what came in between stays new."""
    try:
        until = parse_datetime(request.POST.get("until", ""))
    except ValueError:
        until = None
    if until is None or until.tzinfo is None:
        messages.error(request, "Nothing was marked: the page did not say up to when it was read. Try again.")
    else:
        follows.mark_read(request.user, until=until, now=timezone.now())
    return HttpResponseRedirect("/follows/")
