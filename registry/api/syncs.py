"""Syncs and the site's state as JSON."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request

from registry.api.base import CURSOR, TwinView, described, serializer_of
from registry.queries import status, syncs
from registry.queries.status import StatusPage
from registry.queries.syncs import SyncPage


@described("sync_detail", serializer_of(SyncPage), "One reading of a source, and each row that it did not take", CURSOR)
class SyncDetail(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> SyncPage:
        return syncs.sync_page(kwargs["sync_id"], cursor=request.query_params.get("cursor"))


@described("status", serializer_of(StatusPage), "Verifications, sources against their schedules, what waits")
class Status(TwinView):
    def ask(self, request: Request, **kwargs: Any) -> StatusPage:
        return status.status_page(timezone.now())
