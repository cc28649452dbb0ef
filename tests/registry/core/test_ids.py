import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core.ids import uuid7

PUBLISHED = datetime(2026, 8, 24, 19, 7, 0, tzinfo=UTC)


def test_the_first_32_bits_are_the_instant_of_the_seed_page() -> None:
    assert str(uuid7(PUBLISHED, "sha256:7331")).startswith("01a0352b-")


def test_an_id_is_reproducible() -> None:
    assert uuid7(PUBLISHED, "sha256:7331") == uuid.UUID("01a0352b-3820-7119-b4a5-50d13776b375")


def test_another_seed_gives_another_id_of_the_same_instant() -> None:
    one, other = uuid7(PUBLISHED, "a"), uuid7(PUBLISHED, "b")
    assert one != other
    assert str(one)[:13] == str(other)[:13]


@given(st.datetimes(datetime(1970, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC)), st.text(max_size=50))
def test_an_id_is_an_rfc_9562_uuid_of_version_7_that_keeps_the_millisecond(at: datetime, seed: str) -> None:
    made = uuid7(at, seed.encode(errors="ignore").decode())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def test_the_instant_counts_and_not_its_zone() -> None:
    assert uuid7(PUBLISHED.astimezone(timezone(timedelta(hours=9))), "a") == uuid7(PUBLISHED, "a")


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (datetime(2026, 8, 24), "an id needs an instant with its time zone"),
        (datetime(1969, 12, 31, tzinfo=UTC), "1969-12-31T00:00:00+00:00 does not fit the 48 bits of a UUIDv7's clock"),
    ],
)
def test_an_instant_that_an_id_cannot_hold_is_refused(at: datetime, message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        uuid7(at, "a")
    assert str(refusal.value) == message
