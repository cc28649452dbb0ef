"""Incidents as JSON."""

from typing import Any

from rest_framework.request import Request

from registry.api.base import CURSOR, ListView, TwinView, described, page_of, serializer_of
from registry.queries import incidents
from registry.queries.incidents import IncidentLine, IncidentPage
from registry.queries.shapes import Page


@described("incident_list", page_of(IncidentLine), "Every incident, newest first; reversed ones stay")
class IncidentList(ListView):
    row = IncidentLine

    def ask_page(self, request: Request, **kwargs: Any) -> tuple[tuple[IncidentLine, ...], Page]:
        found = incidents.incident_lines()
        return found, Page(None, len(found))


@described("incident_detail", serializer_of(IncidentPage), "One incident: what it covers, and each run", CURSOR)
class IncidentDetail(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> IncidentPage:
        return incidents.incident_page(kwargs["slug"], cursor=request.query_params.get("cursor"))
