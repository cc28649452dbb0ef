"""Comparison groups as JSON."""

from typing import Any

from rest_framework.request import Request

from registry.api.base import CURSOR, ListView, TwinView, described, page_of, serializer_of
from registry.queries import differences, groups, lists
from registry.queries.differences import WhyNotPage
from registry.queries.groups import GroupPage
from registry.queries.shapes import Page
from registry.queries.summaries import Summary


@described("group_list", page_of(Summary), "Every comparison group, by key", CURSOR)
class GroupList(ListView):
    row = Summary

    def ask_page(self, request: Request, **kwargs: Any) -> tuple[tuple[Summary, ...], Page]:
        found = lists.groups_page(cursor=request.query_params.get("cursor"))
        return found.rows, found.page


@described("group_detail", serializer_of(GroupPage), "One comparison group: its ranked table, a page at a time", CURSOR)
class GroupDetail(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> GroupPage:
        return groups.group_page(kwargs["key"], cursor=request.query_params.get("cursor"))


@described("why_not", serializer_of(WhyNotPage), "Every differing leaf of two comparison groups")
class WhyNot(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> WhyNotPage:
        return differences.why_not_page(kwargs["key"], kwargs["other"])
