"""What an answer's headers say, in tables."""

from datetime import UTC, datetime

import pytest

from registry.core.answers import condition, revision, seconds_to_wait

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
DATE = "Tue, 01 Sep 2026 12:00:30 GMT"

REVISIONS = [
    ({"etag": '"7"', "last-modified": DATE, "x-repo-commit": "4def975f"}, '"7"'),
    ({"last-modified": DATE, "x-repo-commit": "4def975f"}, DATE),
    ({"x-repo-commit": "4def975f"}, "4def975f"),
    ({"etag": " ", "x-repo-commit": "4def975f"}, "4def975f"),
    ({"etag": '"' + "x" * 199 + '"', "last-modified": DATE}, DATE),
    ({"content-type": "text/csv"}, None),
    ({}, None),
]


@pytest.mark.parametrize(("headers", "expected"), REVISIONS)
def test_a_revision_is_what_can_be_asked_about_first(headers: dict[str, str], expected: str | None) -> None:
    assert revision(headers) == expected


CONDITIONS = {
    '"7"': ("If-None-Match", '"7"'),
    'W/"7"': ("If-None-Match", 'W/"7"'),
    DATE: ("If-Modified-Since", DATE),
    "4def975f": None,
    '"7': None,
    "": None,
    "yesterday": None,
}


@pytest.mark.parametrize("held", CONDITIONS)
def test_only_a_tag_or_a_date_makes_a_condition(held: str) -> None:
    assert condition(held) == CONDITIONS[held]


WAITS = {
    "0": 0, "7": 7, "3600": 3600, DATE: 30, "Tue, 01 Sep 2026 11:00:00 GMT": 0, "": None, "-1": None, "1.5": None,
    "soon": None, "٧": None, "9" * 400: None, "Tue, 99 Sep 2026 12:00:30 GMT": None,
    "Tue, 01 Sep 2026 12:00:30": 30, "Tue, 01 Sep 2026 14:00:30 +0200": 30,
}  # fmt: skip


@pytest.mark.parametrize("text", WAITS)
def test_a_wait_is_in_seconds_or_until_a_date(text: str) -> None:
    assert seconds_to_wait(text, NOW) == WAITS[text]
