"""Give an account its opaque actor id."""

import uuid
from typing import Any

from attestations.models import Profile


def actor_of(user: Any) -> uuid.UUID:
    """Return the actor id of an account, making it on first use."""
    profile, _ = Profile.objects.get_or_create(user=user)
    return profile.actor
