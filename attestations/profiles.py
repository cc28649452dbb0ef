"""Give an account its opaque actor id, and say whether it may speak in public."""

import uuid
from typing import Any

from allauth.account.models import EmailAddress

from attestations.models import Profile


def profile_of(user: Any) -> Profile:
    """Return the profile of an account, making it on first use."""
    profile, _ = Profile.objects.get_or_create(user=user)
    return profile


def actor_of(user: Any) -> uuid.UUID:
    """Return the actor id of an account, making it on first use."""
    return profile_of(user).actor


def is_verified(user: Any) -> bool:
    """Whether one of the account's addresses was shown to be its own."""
    return EmailAddress.objects.filter(user=user, verified=True).exists()
