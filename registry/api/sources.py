"""Sources, the front page and search as JSON."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from attestations.queries.claim_pages import PublicSourcePage, with_source_speakers
from registry.api.base import CURSOR, ListView, TwinView, described, page_of, serializer_of
from registry.queries import home, search, sources
from registry.queries.home import HomePage
from registry.queries.search import SearchPage
from registry.queries.shapes import Page
from registry.queries.sources import SourceLine


@described("source_list", page_of(SourceLine), "Every source, those with most runs first")
class SourceList(ListView):
    row = SourceLine

    def ask_page(self, request: Request, **kwargs: Any) -> tuple[tuple[SourceLine, ...], Page]:
        found = sources.source_lines()
        return found, Page(None, len(found))


@described("source_detail", serializer_of(PublicSourcePage), "One source: terms, what was read, its runs", CURSOR)
class SourceDetail(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> PublicSourcePage:
        return with_source_speakers(sources.source_page(kwargs["slug"], cursor=request.query_params.get("cursor")))


@described("home", serializer_of(HomePage), "Live counts and newest records")
class Home(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> HomePage:
        return home.home_page()


@described(
    "search", serializer_of(SearchPage), "Find by words, digest prefix or external id", OpenApiParameter("q", str)
)
class Search(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> SearchPage:
        return search.search_page(request.query_params.get("q", ""))
