"""What the pages of people have in common: who may write, and the way back."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account.utils import get_next_redirect_url
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_http_methods

from attestations.profiles import is_verified, name_of

View = Callable[..., HttpResponse]
read_or_send = require_http_methods(["GET", "HEAD", "POST"])  # pages with a form


def way_back(request: HttpRequest, default: str = "/") -> str:
    """The page of this site that the reader came from or asked to return to; never another site's."""
    return get_next_redirect_url(request) or default


def led_to(name: str, request: HttpRequest, back: str | None = None) -> HttpResponseRedirect:
    """Send the reader to a page that brings them back: sign-in, the choice of a public name."""
    target = back or (request.get_full_path() if request.method == "GET" else way_back(request))
    return HttpResponseRedirect(f"{reverse(name)}?{urlencode({REDIRECT_FIELD_NAME: target})}")


def reader(request: HttpRequest) -> dict[str, Any]:
    """Context processor: what the header calls the reader. Asked for only where someone is signed in."""
    return {"reader_name": SimpleLazyObject(lambda: name_of(request.user) or "Your account")}


def signed_in_required(view: View) -> View:
    """Private pages: sign in first, and come back."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return led_to("account_login", request)
        return view(request, *args, **kwargs)

    return wrapped


def member_required(view: View) -> View:
    """Pages that write in public: signed in, an address shown to be one's own, a public name chosen."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return missing_step(request) or view(request, *args, **kwargs)

    return wrapped


def missing_step(request: HttpRequest, back: str | None = None) -> HttpResponse | None:
    """Where the reader must go before they may write in public; None where nothing is missing."""
    if not request.user.is_authenticated:
        return led_to("account_login", request, back)
    if not is_verified(request.user):
        messages.warning(request, "Confirm your e-mail address first: then you can write here.")
        return led_to("account_email", request, back)
    if not name_of(request.user):
        messages.warning(request, "Choose a public name first: what you write is shown under it.")
        return led_to("me", request, back)
    return None
