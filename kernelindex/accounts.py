"""What allauth may do on this site: who may sign up, what is kept of them, how tries are counted, second factors."""

import time
import uuid
from collections.abc import Callable
from typing import Any

from allauth.account import app_settings as account_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY, get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import views as totp
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers
from django.utils.http import url_has_allowed_host_and_scheme

PROFILE_FACTS = ("id", "login", "html_url")  # of what GitHub says of somebody, all that is kept


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "No account opens with this address and this password.",
        "too_many_login_attempts": "Too many tries failed. Wait five minutes, then try again, or reset the password.",
        "incorrect_password": "This is not your password.",
        "incorrect_code": "This code is wrong or was used already. Enter the one that the app shows now.",
        "rate_limited": "Too many tries. Wait a few minutes, then try again.",
    }

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        super().send_mail(template_prefix, email, {"site_url": settings.SITE_URL, **context})

    def populate_username(self, request: HttpRequest, user: Any) -> None:
        """Django's name of an account is a random one: it says nothing of anybody, and no page shows it."""
        user.username = uuid.uuid4().hex

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Beside the counts for each address and each account, one for the whole site."""
        if not ratelimit.consume(request, app="allauth.account", action="login_anywhere", key="all"):
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """As many queries for an address with an account as for one without: allauth asks once more for the latter."""
        known = EmailAddress.objects.filter(email=credentials.get("email", "").lower(), verified=True)
        if known.exists():
            known.exists()

    def is_safe_url(self, url: str | None) -> bool:
        """A way back is a path of this site: no other host, not even one of our own names."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None) and str(url).startswith("/")

    def is_reauthentication_required(self, *, app: str, **options: Any) -> bool:
        """Who signed in a moment ago need not say again who they are."""
        return super().is_reauthentication_required(app=app, **options) and not _has_just_signed_in(context.request)


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> Any:
        """The address alone: a public name is chosen here, and no other name is kept."""
        sociallogin.account.extra_data = {
            name: value for name, value in sociallogin.account.extra_data.items() if name in PROFILE_FACTS
        }
        return super().populate_user(request, sociallogin, {"email": data.get("email")})


class FactorAdapter(DefaultMFAAdapter):
    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": AccountAdapter.error_messages["incorrect_code"],
        "unverified_email": "Confirm every e-mail address of your account, or remove it: then add a second factor.",
        "too_many_codes": "Too many codes were tried. Wait a few minutes, then try again.",
    }

    def build_totp_svg(self, url: str) -> str:
        """On a white ground of its own: cameras read it in the dark theme too."""
        drawn: str = super().build_totp_svg(url)
        start = drawn.index(">", drawn.index("<svg")) + 1
        return drawn[:start] + '<rect width="100%" height="100%" fill="#fff"/>' + drawn[start:]


class ActivateTOTPView(totp.ActivateTOTPView):
    def form_valid(self, form: Any) -> HttpResponse:
        """Who has just typed a code of the new app has used it in this session: no second one is asked for."""
        response = super().form_valid(form)
        factor = Authenticator.objects.get(user=self.request.user, type=Authenticator.Type.TOTP)
        record_authentication(self.request, self.request.user, "mfa", id=factor.pk, type=factor.type)
        return response


class DeactivateTOTPView(totp.DeactivateTOTPView):
    def form_valid(self, form: Any) -> HttpResponse:
        """A factor that is gone counts in no session: not in this one, and the others end."""
        response = super().form_valid(form)
        used = get_authentication_records(self.request, self.request.user)
        self.request.session[AUTHENTICATION_METHODS_SESSION_KEY] = [r for r in used if r["method"] != "mfa"]
        for session in UserSession.objects.filter(user=self.request.user).exclude(
            session_key=self.request.session.session_key
        ):
            session.end()
        return response


def keep_account_pages_private(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Middleware: neither a browser nor anything between keeps a page of somebody's account."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.path.startswith("/accounts/"):
            add_never_cache_headers(response)
        return response

    return answer


def _has_just_signed_in(request: HttpRequest) -> bool:
    used = get_authentication_records(request, request.user)
    return bool(used) and time.time() - used[-1]["at"] < account_settings.REAUTHENTICATION_TIMEOUT
