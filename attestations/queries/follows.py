"""What a reader follows and what is new about it, and the toggle on the page of a thing."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from attestations.models import Follow, Profile, Thing
from attestations.models.profiles import Digest
from attestations.queries import feeds, things
from attestations.queries.news import BEGINNING, NewsLine, Span, horizon, news
from attestations.queries.things import Key
from registry.queries.shapes import Ref

LINES_A_THING = 10
THINGS_WITH_NEWS = 100


@dataclass(frozen=True, slots=True)
class Followed:
    """A thing that is followed. Without a `ref` there is nothing by that name any more."""

    thing: str
    target: str
    ref: Ref | None
    feed_url: str
    at: datetime

    @property
    def name(self) -> str:
        return self.ref.name if self.ref else self.target


@dataclass(frozen=True, slots=True)
class ThingNews:
    """The newest lines about one thing; `more` lines are older and not shown."""

    thing: str
    word: str
    ref: Ref
    lines: tuple[NewsLine, ...]
    more: int

    @property
    def newest_at(self) -> datetime:
        return self.lines[0].at


@dataclass(frozen=True, slots=True)
class KindFollowed:
    """What is followed of one kind."""

    word: str
    items: tuple[Followed, ...]


@dataclass(frozen=True, slots=True)
class FollowPage:
    """Everything on the page of what one follows. `until` is what "mark read" is sent with."""

    since: datetime | None
    until: datetime
    news: tuple[ThingNews, ...]
    more_things: int
    kinds: tuple[KindFollowed, ...]
    total: int
    digest: str
    has_urgent_mail: bool


@dataclass(frozen=True, slots=True)
class Toggle:
    """The button on the page of a thing."""

    thing: str
    target: str
    url: str
    feed_url: str
    is_signed_in: bool
    is_followed: bool


def toggle(user: Any, thing: str, target: str) -> Toggle:
    """One query for a reader who is signed in, none for others."""
    is_signed_in = bool(user.is_authenticated)
    is_followed = is_signed_in and Follow.objects.filter(user=user, thing=thing, target=target).exists()
    url = things.KINDS[thing].address(target)
    return Toggle(thing, target, url, feeds.address(thing, target), is_signed_in, is_followed)


def follow_page(profile: Profile, now: datetime) -> FollowPage:
    """What is new about all that is followed since it was last marked read, or since it is followed."""
    follows = list(Follow.objects.filter(user=profile.user_id))
    refs = things.refs((follow.thing, follow.target) for follow in follows)
    told = told_since(follows, refs, since=profile.read_at, until=now)
    return FollowPage(
        since=profile.read_at,
        until=horizon(now),
        news=told[:THINGS_WITH_NEWS],
        more_things=max(0, len(told) - THINGS_WITH_NEWS),
        kinds=_by_kind(follows, refs),
        total=len(follows),
        digest=profile.digest,
        has_urgent_mail=profile.has_urgent_mail,
    )


def told_since(
    follows: Sequence[Follow],
    refs: dict[Key, Ref],
    *,
    since: datetime | None,
    until: datetime,
    most: int = LINES_A_THING,
) -> tuple[ThingNews, ...]:
    """News of what is followed, the thing with the newest first, `most` lines of each."""
    spans = [
        Span(follow.thing, follow.target, max(follow.at, since or BEGINNING), until)
        for follow in follows
        if (follow.thing, follow.target) in refs
    ]
    found = [
        ThingNews(thing, Thing(thing).label, refs[thing, target], lines[:most], max(0, len(lines) - most))
        for (thing, target), lines in news(spans).items()
    ]
    return tuple(sorted(found, key=lambda one: (one.newest_at, one.ref.name), reverse=True))


def _by_kind(follows: Sequence[Follow], refs: dict[Key, Ref]) -> tuple[KindFollowed, ...]:
    by_kind: dict[str, list[Followed]] = defaultdict(list)
    for follow in follows:
        ref = refs.get((follow.thing, follow.target))
        feed = feeds.address(follow.thing, follow.target)
        by_kind[follow.thing].append(Followed(follow.thing, follow.target, ref, feed, follow.at))
    for items in by_kind.values():
        items.sort(key=lambda item: (item.name.casefold(), item.target))
    return tuple(KindFollowed(Thing(thing).label, tuple(by_kind[thing])) for thing in Thing.values if thing in by_kind)


@dataclass(frozen=True, slots=True)
class MailChoice:
    """Which mail somebody gets about what they follow; nothing else of them is told."""

    has_digest: bool
    has_urgent_mail: bool


def mail_choice(key: uuid.UUID) -> MailChoice | None:
    """By the key of an unsubscribe link; None where it is nobody's."""
    profile = Profile.objects.filter(mail_key=key).first()
    return MailChoice(profile.digest != Digest.OFF, profile.has_urgent_mail) if profile else None
