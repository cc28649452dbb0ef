"""A public name is chosen once: neither it nor what looks like it can be taken by somebody else."""

from datetime import UTC, datetime
from typing import Any

import pytest

from attestations.models import Profile
from attestations.profiles import TAKEN, ProfileError, choose_handle, delete_account
from tests.people import member

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> Any:
    return member("reader", handle=None)


def chosen(user: Any, text: str) -> Profile:
    return choose_handle(user=user, text=text, now=NOW)


@pytest.mark.parametrize("name", ["alice", "rené", "мария", "王伟", "محمد", "J.R.R.Tolkien", "김철수"])
def test_a_name_of_any_script_in_use_is_taken_as_written(reader: Any, name: str) -> None:
    assert chosen(reader, f" {name} ").handle == name
    assert Profile.objects.get(user=reader).handle == name


@pytest.mark.parametrize("alike", ["alice", "Alice", "AIice", "a1ice", "al.ice", "al-ice"])
def test_what_looks_like_a_name_that_is_taken_can_not_be_had(reader: Any, alike: str) -> None:
    chosen(member("somebody-else", handle=None), "alice")
    with pytest.raises(ProfileError) as error:
        chosen(reader, alike)
    assert str(error.value) == TAKEN
    assert Profile.objects.get(user=reader).handle is None


def test_what_looks_like_a_name_that_was_given_up_can_not_be_had(reader: Any) -> None:
    left = member("left", handle=None)
    chosen(left, "oscar")
    delete_account(user=left, now=NOW)
    with pytest.raises(ProfileError) as error:
        chosen(reader, "0scar")
    assert str(error.value) == TAKEN


def test_one_may_write_one_s_own_name_in_another_way(reader: Any) -> None:
    chosen(reader, "alice")
    assert chosen(reader, "Alice").handle == "Alice"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m0derator", "This name, or one that looks like it, is kept for the site. Choose another."),
        ("аlice", "The letters are of several scripts (Cyrillic, Latin). Use one."),
        ("al\u202eice", "U+202E can't be seen. Leave it out."),
        ("", "A public name has 2 to 40 characters."),
    ],
)
def test_a_name_that_could_mislead_is_refused_with_what_to_do(reader: Any, text: str, message: str) -> None:
    with pytest.raises(ProfileError) as error:
        chosen(reader, text)
    assert str(error.value) == message
