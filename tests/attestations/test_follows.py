"""Following: wanted states, a limit, and what is read."""

import uuid
from datetime import timedelta

import pytest

from attestations import follows
from attestations.follows import FollowError
from attestations.models import Follow, Profile, Thing
from attestations.models.profiles import Digest
from attestations.profiles import profile_of
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import HARDWARE, LIGER, LIGER_KEY, OPERATION

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo")]
HOUR = timedelta(hours=1)
THINGS = {
    Thing.GROUP: LIGER_KEY,
    Thing.OPERATION: OPERATION,
    Thing.PROJECT: "pytorch",
    Thing.HARDWARE: HARDWARE,
    Thing.SOURCE: "sol-execbench",
    Thing.RUN: LIGER,
}


@pytest.mark.parametrize("thing", Thing)
def test_each_kind_of_thing_can_be_followed_and_left(thing: str) -> None:
    user = member("ada")
    for _ in range(2):
        follows.follow(user, thing=thing, target=THINGS[Thing(thing)], now=NOW)
        assert Follow.objects.values_list("user", "thing", "target", "at").get() == (
            user.pk, thing, THINGS[Thing(thing)], NOW,
        )  # fmt: skip
    for _ in range(2):
        follows.unfollow(user, thing=thing, target=THINGS[Thing(thing)])
        assert not Follow.objects.exists()


@pytest.mark.parametrize(
    ("thing", "target"),
    [
        (Thing.RUN, "sha256:" + "0" * 64),
        (Thing.GROUP, LIGER),
        (Thing.SOURCE, ""),
        (Thing.SOURCE, "\x00"),
        (Thing.RUN, "x" * 121),
        ("user", "ada"),
        ("\x00", ""),
        ("", ""),
    ],
)
def test_what_is_not_there_can_not_be_followed(thing: str, target: str) -> None:
    user = member("ada")
    with pytest.raises(FollowError, match="nothing here"):
        follows.follow(user, thing=thing, target=target, now=NOW)
    follows.unfollow(user, thing=thing, target=target)


def test_a_reader_s_follows_end_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follows, "MOST", 2)
    user, other = member("ada"), member("bea")
    follows.follow(user, thing=Thing.RUN, target=LIGER, now=NOW)
    follows.follow(user, thing=Thing.GROUP, target=LIGER_KEY, now=NOW)
    follows.follow(user, thing=Thing.GROUP, target=LIGER_KEY, now=NOW)
    with pytest.raises(FollowError, match="You follow 2 things"):
        follows.follow(user, thing=Thing.OPERATION, target=OPERATION, now=NOW)
    follows.follow(other, thing=Thing.OPERATION, target=OPERATION, now=NOW)


def test_nobody_ends_another_s_follow() -> None:
    user, other = member("ada"), member("bea")
    follows.follow(user, thing=Thing.RUN, target=LIGER, now=NOW)
    follows.unfollow(other, thing=Thing.RUN, target=LIGER)
    assert Follow.objects.get().user == user


def test_what_is_read_only_moves_on() -> None:
    user = member("ada")
    for until, expected in ((NOW, NOW), (NOW - HOUR, NOW), (NOW + HOUR, NOW + HOUR), (NOW + 9 * HOUR, NOW + HOUR)):
        follows.mark_read(user, until=until, now=NOW + 2 * HOUR)
        assert profile_of(user).read_at == expected


@pytest.mark.parametrize(
    ("kind", "digest", "has_urgent_mail"),
    [("digest", Digest.OFF, True), ("urgent", Digest.WEEKLY, False), ("all", Digest.OFF, False)],
)
def test_the_key_of_a_mail_ends_that_mail(kind: str, digest: str, has_urgent_mail: bool) -> None:
    user, other = member("ada"), member("bea")
    for _ in range(2):
        follows.stop_mail(profile_of(user).mail_key, kind=kind)
        assert (profile_of(user).digest, profile_of(user).has_urgent_mail) == (digest, has_urgent_mail)
    assert (profile_of(other).digest, profile_of(other).has_urgent_mail) == (Digest.WEEKLY, True)


def test_another_key_ends_nothing() -> None:
    with pytest.raises(Profile.DoesNotExist):
        follows.stop_mail(uuid.uuid4(), kind="all")
