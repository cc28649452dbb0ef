"""A thousand reports by a thousand machines: the run stays as it is, the queue has one line, no mail goes out."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from attestations.models import Letter, Report
from attestations.views import reports as views
from registry.models import Standing
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import SOL, lacks, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_demo"), pytest.mark.ignore_template_errors]
ADDRESSES = [f"198.51.{number // 250}.{number % 250}" for number in range(1000)]


class Clock:
    """The views' clock, set by the test."""

    at = NOW

    def now(self) -> datetime:
        return self.at


def flood(clock: Clock, start: datetime) -> list[int]:
    """A report from each address, one a second, each with an address to write to."""
    codes = []
    for number, address in enumerate(ADDRESSES):
        clock.at = start + timedelta(seconds=number)
        told = {"reason": "incorrect_result", "text": f"Fake {number}.", "contact": f"victim{number}@example.org"}
        codes.append(Client().post(f"/runs/{SOL}/report/", told, REMOTE_ADDR=address).status_code)
    return codes


def test_a_flood_changes_nothing_but_one_line_of_the_queue(monkeypatch: Any, client: Client) -> None:
    clock = Clock()
    monkeypatch.setattr(views, "timezone", clock)
    before = list(Standing.objects.order_by("run").values("run", "rank", "position", "reasons"))
    codes = flood(clock, NOW)
    assert {code: codes.count(code) for code in set(codes)} == {302: 300, 429: 700}
    assert list(Standing.objects.order_by("run").values("run", "rank", "position", "reasons")) == before
    assert not Letter.objects.exists()
    page = client.get(f"/runs/{SOL}/")
    assert (page.status_code, lacks(page, "Rank 1", "209.8", "1 open report", "300 reports")) == (200, [])
    queue = signed_in(member("mona", "moderator")).get("/admin/attestations/report/")
    assert [row.joined_count for row in queue.context["cl"].result_list] == [299]
    assert Report.objects.count() == 300
    assert "victim" not in shown(queue)
