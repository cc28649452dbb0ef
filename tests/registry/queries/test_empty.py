"""A registry with nothing in it says so everywhere."""

import pytest

from registry.queries import home

pytestmark = pytest.mark.django_db


def test_an_empty_registry_has_an_honest_front_page() -> None:
    page = home.home_page()
    assert (page.run_count, page.group_count, page.newest_published_at, page.records, page.sources, page.examples) == (
        0, 0, None, (), (), (),
    )  # fmt: skip
    assert [(share.count, share.percent) for share in page.group_sizes] == [(0, 0.0)] * 5
