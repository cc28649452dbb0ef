"""Runs as JSON."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework.request import Request

from attestations.queries.community import PublicRunPage, with_community
from registry.api.base import CURSOR, ListView, TwinView, described, page_of, serializer_of
from registry.queries import lists, runs
from registry.queries.runs import Tombstone
from registry.queries.shapes import Page, RunRow


@described("run_list", page_of(RunRow), "Every run, newest observation first", CURSOR)
class RunList(ListView):
    row = RunRow

    def ask_page(self, request: Request, **kwargs: Any) -> tuple[tuple[RunRow, ...], Page]:
        found = lists.runs_page(cursor=request.query_params.get("cursor"))
        return found.rows, found.page


PAGE_OR_TOMBSTONE = PolymorphicProxySerializer(
    component_name="RunPageOrTombstone",
    serializers=[serializer_of(PublicRunPage), serializer_of(Tombstone)],
    resource_type_field_name=None,
)


@described("run_detail", PAGE_OR_TOMBSTONE, "One run, by row id or digest: the facts of its page")
class RunDetail(TwinView):
    """A redacted run answers with its tombstone: `at`, `reason_class`, `citation`."""

    def ask(self, request: Request, **kwargs: Any) -> PublicRunPage | Tombstone:
        run = runs.find(str(kwargs["reference"]))
        now = timezone.now()
        return with_community(runs.run_page(run, site_url=settings.SITE_URL, today=now.date()), run, now=now)


class RunById(RunDetail):
    """The same by row id; the schema names the digest's address alone."""

    schema = None
