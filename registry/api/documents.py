"""What runs refer to, as JSON: one list and one detail a noun."""

from collections.abc import Callable
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from attestations.queries.claim_pages import PublicProjectPage, with_project_speakers
from registry.api.base import CURSOR, ListView, TwinView, described, page_of, serializer_of
from registry.queries import documents, lists, operations
from registry.queries.documents import EntityPage
from registry.queries.lists import LISTINGS, Line
from registry.queries.operations import OperationPage
from registry.queries.shapes import Page


class NounList(ListView):
    row = Line
    kind: ClassVar[str]

    def ask_page(self, request: Request, **kwargs: Any) -> tuple[tuple[Line, ...], Page]:
        found = lists.list_page(
            self.kind, cursor=request.query_params.get("cursor"), filters=request.query_params.dict()
        )
        return found.lines, found.page


class EntityDetail(TwinView):
    build: ClassVar[Callable[..., EntityPage]]

    def ask(self, request: Request, **kwargs: Any) -> EntityPage:
        return type(self).build(str(kwargs["reference"]), cursor=request.query_params.get("cursor"))


def noun_list(kind: str) -> type[NounList]:
    """The list view of one noun, with its filters in the schema."""
    listing = LISTINGS[kind]
    filters = [OpenApiParameter(name, str, description=f"only those of this {name}") for name in listing.filters]
    view = type(f"{kind.capitalize()}List", (NounList,), {"kind": kind})
    operation_id = f"{kind.removesuffix('s')}_list"
    return described(operation_id, page_of(Line), f"{listing.title}, by name", CURSOR, *filters)(view)


def entity_detail(
    kind: str, build: Callable[..., EntityPage], shape: type[EntityPage] = EntityPage
) -> type[EntityDetail]:  # fmt: skip
    view = type(f"{kind.capitalize()}Detail", (EntityDetail,), {"build": staticmethod(build)})
    return described(f"{kind}_detail", serializer_of(shape), f"One {kind}, with all runs under it", CURSOR)(view)


@described("operation_detail", serializer_of(OperationPage), "One operation: the best known of each workload", CURSOR)
class OperationDetail(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> OperationPage:
        return operations.operation_page(kwargs["slug"], cursor=request.query_params.get("cursor"))


WorkloadDetail = entity_detail("workload", documents.workload_page)
ProtocolDetail = entity_detail("protocol", documents.protocol_page)
EnvironmentDetail = entity_detail("environment", documents.environment_page)
HardwareDetail = entity_detail("hardware", documents.hardware_page)
ImplementationDetail = entity_detail("implementation", documents.implementation_page)
ProjectDetail = entity_detail(
    "project", lambda slug, cursor: with_project_speakers(documents.project_page(slug, cursor)), PublicProjectPage
)
