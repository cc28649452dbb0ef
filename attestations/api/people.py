"""What a public name attested, as JSON."""

from typing import Any

from rest_framework.request import Request

from attestations.queries import people
from attestations.queries.people import PersonPage
from registry.api.base import CURSOR, TwinView, described, serializer_of


@described("person_detail", serializer_of(PersonPage), "What a public name attested, newest first", CURSOR)
class Person(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> PersonPage:
        return people.person_page(kwargs["handle"], cursor=request.query_params.get("cursor"))
