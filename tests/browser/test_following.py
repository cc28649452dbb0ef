"""Following in a browser: the toggle by keyboard, what is new in each of its states, the way out of mail."""

from typing import Any

import pytest
from django.utils import timezone

from attestations import follows
from attestations.models import Follow, Thing
from attestations.profiles import profile_of
from registry import corrections
from registry.models import Run
from tests.attestations.test_follows import THINGS
from tests.browser.test_accounts import faults, looked_at
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import LIGER, STAFF

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_state_is_accessible_and_keeps_to_itself(demo: None, watch: Any, scheme: str) -> None:
    user = member("a-rather-long-public-name-of-40-letters-")
    watched = watch(scheme=scheme, of=user)
    assert faults(watched, {"nothing followed": "/follows/"}) == []
    for thing, target in THINGS.items():
        follows.follow(user, thing=thing, target=target, now=timezone.now())
    assert faults(watched, {"nothing new": "/follows/", "followed": f"/runs/{LIGER}/"}) == []
    Follow.objects.update(at=NOW.replace(year=2025))
    corrections.withdraw(
        [Run.objects.get(digest=LIGER)], reason="A_word_as_long_as_no_line_is_" * 8, actor=STAFF, now=timezone.now()
    )
    key = profile_of(user).mail_key
    assert faults(watched, {"news": "/follows/", "way out": f"/mail/{key}/off/?kind=digest"}) == []
    watched.page.get_by_role("button", name="Stop the weekly digest").click()
    watched.page.get_by_text("Stopped.").wait_for()
    assert looked_at(watched, "stopped") == []
    assert watched.complaints == []


def test_the_toggle_is_pressed_by_keyboard_and_says_its_state(demo: None, watch: Any) -> None:
    user = member("ada")
    watched = watch(scheme="light", of=user)
    watched.visit(f"/runs/{LIGER}/")
    button = watched.page.get_by_role("button", name="Follow", exact=True, pressed=False)
    button.focus()
    watched.page.keyboard.press("Enter")
    watched.page.get_by_role("button", name="Following", exact=True, pressed=True).wait_for()
    assert Follow.objects.filter(user=user, thing=Thing.RUN, target=LIGER).exists()
    watched.visit("/follows/")
    watched.page.get_by_role("button", name="Unfollow").click()
    watched.page.get_by_text("You follow nothing yet.").wait_for()
