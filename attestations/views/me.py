"""One's own account: the public name, mails, ways to everything else of it, and the way out."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from attestations.account_forms import HandleForm, LeaveForm, MailForm
from attestations.profiles import ProfileError, choose_handle, delete_account, name_may_change_at, profile_as_it_is
from attestations.views.shared import signed_in_required, way_back


@never_cache
@signed_in_required
def me(request: HttpRequest) -> HttpResponse:
    profile = profile_as_it_is(request.user)
    asked = request.POST.get("form")
    name = HandleForm(request.POST if asked == "name" else None, initial={"handle": profile.handle})
    mail = MailForm(request.POST if asked == "mail" else None, instance=profile)
    if asked == "name" and name.is_valid():
        try:
            choose_handle(user=request.user, text=name.cleaned_data["handle"], now=timezone.now())
        except ProfileError as error:
            name.add_error("handle", str(error))
        else:
            messages.success(request, "Your public name is saved.")
            return HttpResponseRedirect(way_back(request, request.path))
    elif asked == "mail" and mail.is_valid():
        mail.save()
        messages.success(request, "Your mail settings are saved.")
        return HttpResponseRedirect(request.path)
    context = {
        "profile": profile,
        "name": name,
        "mail": mail,
        "changes_at": name_may_change_at(profile),
        "back": way_back(request, ""),
    }
    return render(request, "attestations/me.html", context)


@never_cache
@signed_in_required
@reauthentication_required
def delete(request: HttpRequest) -> HttpResponse:
    """Sign-in is asked again first, also for the page that asks."""
    form = LeaveForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        user = request.user
        logout(request)
        delete_account(user=user, now=timezone.now())
        messages.success(request, "Your account is gone. What you wrote stays, under “deleted user”.")
        return HttpResponseRedirect("/")
    return render(request, "attestations/me_delete.html", {"form": form})
