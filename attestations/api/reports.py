"""Issue reports as JSON: what everybody sees of them."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from attestations.queries import reports
from attestations.queries.reports import ReportLine, ReportPage
from registry.api.base import CURSOR, ListView, TwinView, described, page_of, serializer_of
from registry.queries.shapes import Page

STATE = OpenApiParameter("state", str, enum=(*reports.STATES, reports.OVERDUE), description="reports in this state")
RUN = OpenApiParameter("run", str, description="reports on the run of this digest")


@described("report_list", page_of(ReportLine), "Issue reports, newest first, duplicates grouped", CURSOR, RUN, STATE)
class ReportList(ListView):
    row = ReportLine

    def ask_page(self, request: Request, **kwargs: Any) -> tuple[tuple[ReportLine, ...], Page]:
        asked = {name: request.query_params.get(name) for name in ("state", "run", "cursor")}
        found = reports.report_list(now=timezone.now(), **asked)
        return found.rows, found.page


@described("report_detail", serializer_of(ReportPage), "One group of issue reports: its state and its dated steps")
class ReportDetail(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> ReportPage:
        return reports.report_page(kwargs["report_id"], now=timezone.now())
