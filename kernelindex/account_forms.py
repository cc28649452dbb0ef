"""allauth's forms in this site's words: labels and hints, no placeholders."""

from typing import Any

from allauth.account import forms
from allauth.account.internal.flows.email_verification import get_address_for_user
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import get_adapter as get_factor_adapter
from allauth.mfa.base import forms as factor_forms
from allauth.mfa.totp import forms as totp_forms
from allauth.socialaccount import forms as social_forms
from django.db import transaction
from django.http import HttpRequest

PASSWORD_HINT = "At least 10 characters; none of the common ones, and not like your address."  # noqa: S105
WORDS: dict[str, tuple[str, str]] = {
    "login": ("E-mail address", ""),
    "email": ("E-mail address", "Shown to nobody. A mail with a link shows that it is yours."),
    "password": ("Password", ""),
    "password1": ("Password", PASSWORD_HINT),
    "password2": ("The same password again", ""),
    "oldpassword": ("Present password", ""),
    "remember": ("Stay signed in on this device for two weeks", ""),
    "code": ("Code", ""),
}


class _InOurWords:
    """Comes first among the bases."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label, field.help_text = WORDS.get(name, (field.label, ""))
            field.widget.attrs.pop("placeholder", None)


class LoginForm(_InOurWords, forms.LoginForm):
    pass


class SignupForm(_InOurWords, forms.SignupForm):
    def try_save(self, request: HttpRequest) -> Any:
        """Where the address has an account already, do the same work and undo it: the answer takes as long."""
        with transaction.atomic():
            if not self.account_already_exists:
                return super().try_save(request)
            self.account_already_exists = False
            user = self.save(request)
            get_address_for_user(user)  # as the mail to a new account asks
            transaction.set_rollback(True)
        self.account_already_exists = True
        return super().try_save(request)


class SocialSignupForm(_InOurWords, social_forms.SignupForm):
    pass


class AddEmailForm(_InOurWords, forms.AddEmailForm):
    pass


class ChangePasswordForm(_InOurWords, forms.ChangePasswordForm):
    pass


class SetPasswordForm(_InOurWords, forms.SetPasswordForm):
    pass


class ResetPasswordForm(_InOurWords, forms.ResetPasswordForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].help_text = "The one that you sign in with."

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        if not self.users:  # as many queries as the token of an account takes
            EmailAddress.objects.filter(email=self.cleaned_data["email"]).exists()
        email: str = super().save(request, **kwargs)
        return email


class ResetPasswordKeyForm(_InOurWords, forms.ResetPasswordKeyForm):
    pass


class PasswordAgainForm(_InOurWords, forms.ReauthenticateForm):
    pass


class _Counted:
    """Codes are counted apart from passwords: who is asked for one has shown the password already."""

    user: Any

    def clean_code(self) -> str:
        key = f"second-factor-{self.user.pk}"
        usage = ratelimit.consume(context.request, app="allauth.account", action="second_factor", key=key)
        if not usage:
            raise get_factor_adapter().validation_error("too_many_codes")
        code: str = super().clean_code()  # type: ignore[misc]
        usage.rollback()
        return code


class CodeForm(_InOurWords, _Counted, factor_forms.AuthenticateForm):
    """At sign-in."""


class CodeAgainForm(_InOurWords, _Counted, factor_forms.ReauthenticateForm):
    """Before something that matters, in a session under way."""


class FirstCodeForm(_InOurWords, totp_forms.ActivateTOTPForm):
    """Of an app that is being set up."""
