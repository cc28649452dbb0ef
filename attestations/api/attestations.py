"""Attestations as JSON."""

from typing import Any

from rest_framework.request import Request

from attestations.queries import attestations
from attestations.queries.attestations import AttestationList, AttestationPage
from registry.api.base import CURSOR, TwinView, described, serializer_of
from registry.queries import runs


@described(
    "attestation_list", serializer_of(AttestationList), "Every attestation of a run, newest first, as its page has it",
    CURSOR,
)  # fmt: skip
class RunAttestations(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> AttestationList:
        run = runs.find(str(kwargs["digest"]))
        return attestations.attestation_list(run, cursor=request.query_params.get("cursor"))


@described(
    "attestation_detail", serializer_of(AttestationPage), "One attestation: its wordings and what happened to it"
)
class AttestationDetail(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> AttestationPage:
        return attestations.attestation_page(kwargs["attestation_id"])
