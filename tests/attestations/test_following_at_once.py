"""Following, and news by mail, where several do it at the same moment."""

from datetime import timedelta
from pathlib import Path

import pytest

from attestations import follows, news
from attestations.models import Follow, Letter, Thing
from attestations.queries.news import SETTLE
from registry import corrections
from registry.models import Run
from tests.attestations.test_follows import THINGS
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import LIGER, STAFF
from tests.simultaneous import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("demo")]
LATER = NOW + timedelta(minutes=1)


def withdraw() -> None:
    corrections.withdraw([Run.objects.get(digest=LIGER)], reason="Wrong clock.", actor=STAFF, now=LATER)


def reader(name: str) -> None:
    follows.follow(member(name), thing=Thing.RUN, target=LIGER, now=NOW)


def test_eight_presses_at_once_are_one_follow(tmp_path: Path) -> None:
    user = member("ada")
    results = at_once(lambda _: follows.follow(user, thing=Thing.RUN, target=LIGER, now=NOW), 8, tmp_path)
    assert (results, Follow.objects.count()) == ([None] * 8, 1)


def test_no_more_can_be_had_by_pressing_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follows, "MOST", 2)
    user, kinds = member("ada"), list(THINGS.items())
    results = at_once(
        lambda number: follows.follow(user, thing=kinds[number][0], target=kinds[number][1], now=NOW), 6, tmp_path
    )
    assert (Follow.objects.count(), results.count(None)) == (2, 2)


def test_four_jobs_at_once_tell_it_once(tmp_path: Path) -> None:
    news.tell_urgent(now=NOW + SETTLE)
    for name in ("ada", "bea"):
        reader(name)
    withdraw()
    results = at_once(lambda _: news.tell_urgent(now=LATER + SETTLE), 4, tmp_path)
    assert (sorted(results), Letter.objects.count()) == ([0, 0, 0, 2], 2)


def test_four_jobs_at_once_write_one_digest(tmp_path: Path) -> None:
    reader("ada")
    withdraw()
    results = at_once(lambda _: news.send_digests(now=NOW + timedelta(days=8)), 4, tmp_path)
    assert (sorted(results), Letter.objects.count()) == ([0, 0, 0, 1], 1)
