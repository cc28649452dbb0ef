"""The cast: readers, authors, staff, and how each is signed in."""

import time
from functools import cache
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.test import Client

from attestations.core.lookalikes import skeleton
from attestations.profiles import profile_of

PASSWORD = "correct horse battery"


@cache
def hashed(password: str) -> str:
    """A password as the database holds it. Once a process: hashing is slow on purpose, and most tests never sign in."""
    return make_password(password)


def member(
    name: str, *groups: str, is_verified: bool = True, handle: str | None = "", is_staff: bool = False,
    is_superuser: bool = False, is_active: bool = True,
) -> Any:  # fmt: skip
    """An account. Its public name is `name` unless given; None: none chosen yet. Groups make it staff."""
    user = get_user_model().objects.create(
        username=name, email=f"{name}@example.org", password=hashed(PASSWORD), is_superuser=is_superuser,
        is_staff=is_staff or is_superuser or bool(groups), is_active=is_active,
    )  # fmt: skip
    EmailAddress.objects.create(user=user, email=user.email, verified=is_verified, primary=True)
    user.groups.add(*Group.objects.filter(name__in=groups))
    profile = profile_of(user)
    profile.handle = name if handle == "" else handle
    profile.handle_skeleton = profile.handle and skeleton(profile.handle)
    profile.save()
    return user


def signed_in(user: Any, *, factor: bool | None = None, client: Client | None = None) -> Client:
    """A client with this account's session; `factor`: a second factor was used in it (staff: yes, unless said)."""
    client = client or Client()
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    session = client.session
    records = [{"method": "password", "at": time.time(), "email": user.email}]
    if user.is_staff if factor is None else factor:
        records.append({"method": "mfa", "at": time.time(), "type": "totp"})
    session["account_authentication_methods"] = records
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
    return client
