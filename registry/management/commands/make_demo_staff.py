"""Make the demonstration's staff account: on the embedded default database only, with a password made on the spot."""

import secrets
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

EMAIL = "staff@localhost.localdomain"


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.IS_EMBEDDED:
            raise CommandError("Only the embedded default database has a demo staff account; use createsuperuser.")
        path = settings.DATA_DIR / "demo-staff-password"
        users = get_user_model().objects
        user, is_new = users.get_or_create(
            username="demo-staff", defaults={"email": EMAIL, "is_staff": True, "is_superuser": True}
        )
        if is_new or not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(12))
            user.set_password(path.read_text())
            user.save()
        # It has no mailbox, and nobody else can read that address: it is a name of this machine.
        EmailAddress.objects.get_or_create(user=user, email=EMAIL, defaults={"verified": True, "primary": True})
        self.stdout.write(f"Staff: sign in at {settings.SITE_URL}/admin/ as {EMAIL}, password {path.read_text()}\n")
        if not is_mfa_enabled(user):
            self.stdout.write("       The first sign-in sets up a second factor: have an authenticator app at hand.\n")
