"""Who an actor id is, in public words. Looked up when shown: gone when the account is."""

import uuid
from collections.abc import Iterable

from attestations.models import Profile

DELETED = "deleted user"
UNNAMED = "user without a public name"


def names(actors: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the public name of each actor, in one query."""
    wanted = set(actors)
    found = dict(Profile.objects.filter(actor__in=wanted).values_list("actor", "handle"))
    return {actor: (found[actor] or UNNAMED) if actor in found else DELETED for actor in wanted}
