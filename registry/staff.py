"""The staff's front page, and its door: before the tables, what needs a person; before that, a second factor.

It stands beside the admin, not in it: Django makes the site before it reads what is registered with it.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.reauthentication import suspend_request
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.contrib.contenttypes.views import shortcut
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils import timezone

from attestations.profiles import actor_of
from attestations.queries.desk import queues
from registry import auditing
from registry.queries import curation

FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
ASKED_AGAIN_AFTER_SECONDS = 30 * 60
ASKED_BEFORE_ACTS_AFTER_SECONDS = 5 * 60
# Where a changed row is power over others, or what is done can't be undone; by the start of the page's name.
SENSITIVE = ("auth_", "registry_redactionrequest_")
WAY_IN = "staff_way_in"  # of the session: where a member of staff wanted to go before a factor was set up
View = Callable[..., HttpResponse]


class StaffSite(AdminSite):
    site_header = "KernelIndex"
    site_title = "KernelIndex"
    index_title = "The registry"
    index_template = "admin/desk.html"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        now, may = timezone.now(), request.user.has_perm
        seen = {
            "queues": queues(now, lambda permission, model: may(permission) and self.is_registered(model)),
            "desk": curation.desk(now) if may("registry.view_sync") else None,
        }
        return super().index(request, {**(extra_context or {}), **seen})

    def has_permission(self, request: HttpRequest) -> bool:
        """Active staff, and a second factor was used in this session."""
        return super().has_permission(request) and factor_used_at(request) is not None

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Ask for the factor again after half an hour, and after five minutes before an act of weight.

        What was being sent is sent once the code is right; a file has to be chosen again.
        """
        inner = super().admin_view(self._watched(view), cacheable)

        @wraps(inner)
        def asking(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if self.has_permission(request) and _has_aged(request):
                return suspend_request(request, reverse("mfa_reauthenticate"))
            return inner(request, *args, **kwargs)

        return asking

    def _watched(self, view: View) -> View:
        """What somebody of staff sends and may not do is on record, on whichever page."""

        @wraps(view)
        def watched(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                return view(request, *args, **kwargs)
            except PermissionDenied:
                if request.method == "POST":
                    name = request.resolver_match.url_name if request.resolver_match else None
                    actor = actor_of(request.user)
                    auditing.record_denied(name or "page", "page", request.path, actor, timezone.now())
                raise

        return watched

    def get_urls(self) -> list[Any]:
        """Django's way from a row to its page raises for an id that is no UUID: here nothing is under such an id."""
        route = path("r/<path:content_type_id>/<path:object_id>/", self.admin_view(_see_on_site), name="view_on_site")
        return [route, *super().get_urls()]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """One door for staff too: Django's own form would know nothing of allauth's limits and factors."""
        target = get_next_redirect_url(request) or reverse("admin:index")
        if not request.user.is_authenticated:
            return redirect_to_login(target)
        if not super().has_permission(request):
            raise PermissionDenied
        if self.has_permission(request):
            return HttpResponseRedirect(target)
        if is_mfa_enabled(request.user, FACTORS):
            return redirect_to_login(target, reverse("mfa_reauthenticate"), REDIRECT_FIELD_NAME)
        request.session[WAY_IN] = target
        messages.warning(request, "The staff pages need a second factor: set one up here, then go on.")
        return HttpResponseRedirect(reverse("mfa_activate_totp"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """One place for passwords: the account's own pages, which count tries and end other sessions."""
        return HttpResponseRedirect(reverse("account_change_password"))


def _see_on_site(request: HttpRequest, content_type_id: str, object_id: str) -> HttpResponse:
    try:
        return shortcut(request, content_type_id, object_id)
    except ValidationError as error:
        raise Http404 from error


def factor_used_at(request: HttpRequest) -> float | None:
    """When a second factor was last used in this session, in seconds since the epoch."""
    used = [one["at"] for one in get_authentication_records(request, request.user) if one["method"] == "mfa"]
    return max(used, default=None)


def _has_aged(request: HttpRequest) -> bool:
    used_at = factor_used_at(request) or 0
    match = request.resolver_match
    is_act = request.method == "POST" and match is not None and (match.url_name or "").startswith(SENSITIVE)
    limit = ASKED_BEFORE_ACTS_AFTER_SECONDS if is_act else ASKED_AGAIN_AFTER_SECONDS
    return time.time() - used_at > limit
