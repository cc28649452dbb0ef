"""News by mail: at once about runs that one follows, once a week about all that one follows.

Each job looks from where it last looked to the horizon, and moves its watermark in the transaction that writes its
letters: killed anywhere, it tells everything once. Two that run at once tell it once too: one moves the mark first.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat

from attestations import letters, limits
from attestations.core.news import URGENT
from attestations.limits import Limit
from attestations.models import Follow, Profile, Thing, Watermark
from attestations.models.profiles import Digest
from attestations.queries import things
from attestations.queries.contests import newly_contested
from attestations.queries.follows import ThingNews, told_since
from attestations.queries.news import BEGINNING, RERUNS, NewsLine, Span, horizon, news
from registry.models import EvidenceFact, Mark
from registry.models.marks import MarkKind

WATERMARK = "urgent"
URGENT_MARKS = tuple(kind for kind in MarkKind.values if kind in URGENT)
MOST_URGENT = Limit("urgent mail", 20, timedelta(days=1))  # to one reader; the rest stands in the digest
BETWEEN = timedelta(days=7)
DIGESTS_A_CALL = 50
THINGS_A_LETTER = 50
LINES_A_LETTER = 3  # of each thing


@dataclass(frozen=True, slots=True)
class Changed:
    """A run that is followed, and what happened to it."""

    name: str
    url: str
    lines: tuple[NewsLine, ...]


def tell_urgent(*, now: datetime) -> int:
    """Write one letter to each reader whose followed runs were marked, contested or rerun since the last look.

    Gives the number of letters. The first look ever only begins: nothing before it is told.
    """
    until = horizon(now)
    mark, _ = Watermark.objects.get_or_create(name=WATERMARK, defaults=_position(until, now))
    since = datetime.fromisoformat(mark.position)
    if until <= since:
        return 0
    changed = _urgent(since, until)
    with transaction.atomic():
        if not _moved(mark, until, now):
            return 0
        readers = _readers(changed)
        return sum(_tell(profile, runs, since, now) for profile, runs in readers.items())


def _urgent(since: datetime, until: datetime) -> dict[str, Changed]:
    """What happened to each followed run, by digest."""
    followed = Exists(Follow.objects.filter(thing=Thing.RUN, target=OuterRef("run__digest")))
    marked = Mark.objects.filter(followed, kind__in=URGENT_MARKS, at__gt=since, at__lte=until)
    rerun = EvidenceFact.objects.filter(followed, kind__in=RERUNS, at__gt=since, at__lte=until)
    contested = newly_contested(since, until)
    digests = {*marked.values_list("run__digest", flat=True), *rerun.values_list("run__digest", flat=True), *contested}
    told = news([Span(Thing.RUN, digest, since, until) for digest in digests])
    refs = things.refs((Thing.RUN, digest) for digest in digests)
    found = {}
    for digest in digests:
        key = (str(Thing.RUN), digest)
        lines = [line for line in told.get(key, ()) if line.kind in URGENT]
        lines += [contested[digest]] if digest in contested else []
        if lines:
            found[digest] = Changed(refs[key].name, refs[key].url, tuple(sorted(lines, key=lambda line: line.at)))
    return found


def _readers(changed: Mapping[str, Changed]) -> dict[Profile, list[Changed]]:
    """Who is told of what: nothing that happened before they followed."""
    found: dict[Profile, list[Changed]] = defaultdict(list)
    profiles = {profile.user_id: profile for profile in _reachable().filter(has_urgent_mail=True)} if changed else {}
    for follow in Follow.objects.filter(thing=Thing.RUN, target__in=list(changed), user__in=list(profiles)):
        run = changed[follow.target]
        lines = tuple(line for line in run.lines if line.at > follow.at)
        if lines:
            found[profiles[follow.user_id]].append(Changed(run.name, run.url, lines))
    return found


def _reachable() -> QuerySet[Profile]:
    """Who can be written to; anybody else's letter would be given up."""
    confirmed = EmailAddress.objects.filter(user=OuterRef("user"), verified=True)
    return Profile.objects.filter(Exists(confirmed), user__is_active=True).select_related("user")


def _tell(profile: Profile, runs: list[Changed], since: datetime, now: datetime) -> bool:
    if not limits.take(MOST_URGENT, str(profile.actor), now=now):
        return False
    runs.sort(key=lambda run: run.name)
    context = {"runs": runs[:THINGS_A_LETTER], "more": max(0, len(runs) - THINGS_A_LETTER), "total": len(runs)}
    _write(profile, "urgent", since.isoformat(), context, now)
    return True


def _write(profile: Profile, kind: str, place: str, context: dict[str, Any], now: datetime) -> None:
    letters.write(
        kind, key=f"{kind} {profile.pk} {place}", now=now, user=profile.user, context=context, is_rung=False,
        unsubscribe=f"{settings.SITE_URL}/mail/{profile.mail_key}/off/?kind={kind}",
    )  # fmt: skip


def send_digests(*, now: datetime) -> int:
    """Write the weekly digests that are due, some a call; who has no news is looked at again in a week.

    A reader's first is due a week after the first follow.
    """
    return sum(_digest(profile, now) for profile in _due(now)[:DIGESTS_A_CALL])


def _due(now: datetime) -> QuerySet[Profile]:
    looked = Watermark.objects.filter(name=Concat(Value("digest "), Cast(OuterRef("pk"), TextField())))
    return (
        _reachable()
        .filter(digest=Digest.WEEKLY)
        .annotate(first=Min("user__follows__at"), looked=Subquery(looked.values("at")[:1]))
        .filter(Q(looked__lte=now - BETWEEN) | Q(looked=None, first__lte=now - BETWEEN))
        .exclude(first=None)
        .order_by("pk")
    )


def _digest(profile: Profile, now: datetime) -> bool:
    name, until = f"digest {profile.pk}", horizon(now)
    mark = Watermark.objects.filter(name=name).first()
    since = max(datetime.fromisoformat(mark.position) if mark else BEGINNING, profile.read_at or BEGINNING)
    follows = list(Follow.objects.filter(user=profile.user_id))
    refs = things.refs((follow.thing, follow.target) for follow in follows)
    told = told_since(follows, refs, since=since, until=until, most=LINES_A_LETTER)
    with transaction.atomic():
        is_mine = _moved(mark, until, now) if mark else _began(name, until, now)
        if is_mine and told:
            _write(profile, "digest", f"{until:%Y-%m-%d}", _digest_of(told), now)
    return bool(is_mine and told)


def _digest_of(told: tuple[ThingNews, ...]) -> dict[str, Any]:
    return {"things": told[:THINGS_A_LETTER], "more": max(0, len(told) - THINGS_A_LETTER), "total": len(told)}


def forget(*, now: datetime) -> int:
    """Delete the watermarks of readers whose account is gone."""
    mine = Watermark.objects.filter(name__startswith="digest ")
    names = [f"digest {pk}" for pk in Profile.objects.values_list("pk", flat=True)]
    gone = sorted(set(mine.values_list("name", flat=True)) - set(names))
    deleted, _ = Watermark.objects.filter(name__in=gone).delete()
    return deleted


def _position(until: datetime, now: datetime) -> dict[str, Any]:
    return {"position": until.isoformat(), "at": now}


def _moved(mark: Watermark, until: datetime, now: datetime) -> bool:
    """Whether it was this job that moved the mark: one that was quicker tells what there is to tell."""
    return bool(Watermark.objects.filter(pk=mark.pk, position=mark.position).update(**_position(until, now)))


def _began(name: str, until: datetime, now: datetime) -> bool:
    _, is_new = Watermark.objects.get_or_create(name=name, defaults=_position(until, now))
    return is_new
