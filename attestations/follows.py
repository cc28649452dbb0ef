"""Follow a thing, stop, mark what is new as read, choose which mail comes of it."""

import uuid
from datetime import datetime
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import Q

from attestations.models import Follow, Profile
from attestations.models.profiles import Digest
from attestations.profiles import profile_of
from attestations.queries import things

MOST = 1000


class FollowError(ValueError):
    """The act does not apply; its text says why, for the one who tried."""


def follow(user: Any, *, thing: str, target: str, now: datetime) -> None:
    """Follow a thing; a second time changes nothing. Raises FollowError where there is no such thing or too many."""
    try:
        things.ref(thing, target)
    except ObjectDoesNotExist as error:
        raise FollowError("There is nothing here by that name to follow.") from error
    profile = profile_of(user)
    with transaction.atomic():
        Profile.objects.select_for_update().get(pk=profile.pk)  # one at a time, or the limit is none
        if Follow.objects.filter(user=user, thing=thing, target=target).exists():
            return
        if Follow.objects.filter(user=user).count() >= MOST:
            raise FollowError(f"You follow {MOST:,} things, which is as many as can be. Stop following one first.")
        Follow.objects.create(user=user, thing=thing, target=target, at=now)


def unfollow(user: Any, *, thing: str, target: str) -> None:
    """Stop following a thing, which need not be followed."""
    if things.could_be(thing, target):
        Follow.objects.filter(user=user, thing=thing, target=target).delete()


def mark_read(user: Any, *, until: datetime, now: datetime) -> None:
    """What happened up to an instant is read. An instant before the last one, or ahead of now, moves nothing."""
    profile = profile_of(user)
    if until <= now:
        Profile.objects.filter(Q(read_at=None) | Q(read_at__lt=until), pk=profile.pk).update(read_at=until)


NO_DIGEST, NO_URGENT = {"digest": Digest.OFF}, {"has_urgent_mail": False}
STOPPED: dict[str, dict[str, Any]] = {"digest": NO_DIGEST, "urgent": NO_URGENT, "all": NO_DIGEST | NO_URGENT}


def stop_mail(key: uuid.UUID, *, kind: str) -> None:
    """End a kind of mail (of core.news.MAIL_KINDS) for whoever its link was sent to. Raises Profile.DoesNotExist."""
    profile = Profile.objects.get(mail_key=key)
    Profile.objects.filter(pk=profile.pk).update(**STOPPED[kind])
