"""The staff's front page: before the tables, what needs a person.

It stands beside the admin, not in it: Django makes the site before it reads what is registered with it.
"""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from registry.queries import curation


class StaffSite(AdminSite):
    site_header = "KernelIndex"
    site_title = "KernelIndex"
    index_title = "The registry"
    index_template = "admin/desk.html"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        desk = curation.desk(timezone.now()) if request.user.has_perm("registry.view_sync") else None
        return super().index(request, {**(extra_context or {}), "desk": desk})
