"""Who an account is in public: its opaque actor id, the name that it chose, and what is left when it goes."""

import hashlib
import hmac
import uuid
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction

from attestations.core.handles import HandleError, check_handle
from attestations.models import Profile, RetiredHandle

CHANGED_AT_MOST_EVERY = timedelta(days=30)
TAKEN = "This name, or one that looks like it, is taken or was given up by somebody else. Choose another."


class ProfileError(ValueError):
    """A public name that can't be had; the text tells what to do."""


def profile_of(user: Any) -> Profile:
    """Return the profile of an account, making it on first use."""
    profile, _ = Profile.objects.get_or_create(user=user)
    return profile


def actor_of(user: Any) -> uuid.UUID:
    """Return the actor id of an account, making it on first use."""
    return profile_of(user).actor


def profile_as_it_is(user: Any) -> Profile:
    """The profile of an account; an unsaved one where it has none yet. Makes nothing: pages that only read ask it."""
    return Profile.objects.filter(user=user).first() or Profile(user=user)


def actor_if_any(user: Any) -> uuid.UUID | None:
    """The actor id of an account that has one. Makes nothing: pages that only read ask it."""
    return Profile.objects.filter(user=user).values_list("actor", flat=True).first()


def name_of(user: Any) -> str | None:
    """The public name of an account; None where it has chosen none. Makes nothing: pages that only read ask it."""
    return Profile.objects.filter(user=user).values_list("handle", flat=True).first()


def is_verified(user: Any) -> bool:
    """Whether one of the account's addresses was shown to be its own."""
    return EmailAddress.objects.filter(user=user, verified=True).exists()


def name_may_change_at(profile: Profile) -> datetime | None:
    """From when on another name may be chosen; None: now. The first choice is free, and so is the next change."""
    last = RetiredHandle.objects.filter(actor=profile.actor).order_by("-at").values_list("at", flat=True).first()
    return last + CHANGED_AT_MOST_EVERY if last else None


def choose_handle(*, user: Any, text: str, now: datetime) -> Profile:
    """Give an account its public name. The one before is retired: only this account may take it again.

    Raises ProfileError.
    """
    try:
        handle = check_handle(text)
    except HandleError as error:
        raise ProfileError(str(error)) from None
    text, skeleton = handle.text, handle.skeleton
    profile_of(user)
    with transaction.atomic():
        profile = Profile.objects.select_for_update().get(user=user)
        if text == profile.handle:
            return profile
        free_at = name_may_change_at(profile)
        if free_at and free_at > now:
            raise ProfileError(f"A name can be changed once in 30 days: again from {free_at:%Y-%m-%d} on.")
        if RetiredHandle.objects.filter(key=_key(skeleton)).exclude(actor=profile.actor).exists():
            raise ProfileError(TAKEN)
        if profile.handle_skeleton and profile.handle_skeleton != skeleton:
            _retire(profile, now=now)
        RetiredHandle.objects.filter(key=_key(skeleton)).delete()
        profile.handle, profile.handle_skeleton = text, skeleton
        try:
            with transaction.atomic():
                profile.save(update_fields=["handle", "handle_skeleton"])
        except IntegrityError:
            raise ProfileError(TAKEN) from None
    return profile


@transaction.atomic
def delete_account(*, user: Any, now: datetime) -> None:
    """Remove an account with all that names it. What it said in public stays, under "deleted user".

    Addresses, factors, sign-ins elsewhere, follows and letters go with the row of the account; its name is retired.
    """
    profile = Profile.objects.filter(user=user).first()
    if profile and profile.handle_skeleton:
        _retire(profile, now=now)
    end_sessions(user)
    user.delete()


def end_sessions(user: Any) -> None:
    """Sign an account out everywhere, however a session began: only its content tells whose it is, so all are read."""
    ended = [
        session.session_key
        for session in Session.objects.iterator()
        if str(session.get_decoded().get(SESSION_KEY)) == str(user.pk)
    ]
    Session.objects.filter(session_key__in=ended).delete()
    UserSession.objects.filter(user=user).delete()


def _retire(profile: Profile, *, now: datetime) -> None:
    key = _key(profile.handle_skeleton or "")
    RetiredHandle.objects.update_or_create(key=key, defaults={"actor": profile.actor, "at": now})


def _key(skeleton: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), f"handle\n{skeleton}".encode(), hashlib.sha256).hexdigest()
