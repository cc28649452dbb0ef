"""The feed of one thing: its news, as entries that keep their ids."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max

from attestations.models import Attestation, Report, Thing
from attestations.queries import things
from attestations.queries.news import BEGINNING, NewsLine, Span, news
from registry.models import Mark, Run
from registry.queries.shapes import Ref

REACH = timedelta(days=90)  # before the newest of it
ENTRIES = 50


@dataclass(frozen=True, slots=True)
class Feed:
    """`updated_at` is when the newest of it happened; None where nothing ever has."""

    thing: str
    word: str
    target: str
    ref: Ref
    url: str
    updated_at: datetime | None
    lines: tuple[NewsLine, ...]


def address(thing: str, target: str) -> str:
    return f"/feeds/{thing}/{target}.atom"


def feed(thing: str, target: str, now: datetime) -> Feed:
    """The newest entries of a thing. Raises ObjectDoesNotExist."""
    ref = things.ref(thing, target)
    newest = _newest(thing, target, now)
    span = Span(thing, target, newest - REACH if newest else BEGINNING, now)
    lines = news([span]).get(span.key, ()) if newest else ()
    updated = lines[0].at if lines else newest
    return Feed(thing, Thing(thing).label, target, ref, address(thing, target), updated, lines[:ENTRIES])


def _newest(thing: str, target: str, now: datetime) -> datetime | None:
    """When a run of it came, or it was last marked or spoken of."""
    path = things.KINDS[thing].path
    instants: list[Any] = [
        Run.objects.filter(**{path: target}).aggregate(at=Max("created_at"))["at"],
        Mark.objects.filter(**{f"run__{path}": target}).aggregate(at=Max("at"))["at"],
    ]
    if thing == Thing.RUN:
        instants.append(Attestation.objects.filter(run__digest=target).aggregate(at=Max("at"))["at"])
        said = Report.objects.filter(run__digest=target).aggregate(opened=Max("at"), closed=Max("closed_at"))
        instants += said.values()
    return max((at for at in instants if at and at <= now), default=None)
