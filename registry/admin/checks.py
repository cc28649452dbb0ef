"""What the site checked of itself."""

from django.contrib import admin

from registry.admin.facts import CacheAdmin, FactAdmin
from registry.models import Link, Verification


@admin.register(Verification)
class VerificationAdmin(FactAdmin):
    list_display = ("started_at", "finished_at", "difference_count")
    search_fields = ("findings",)


@admin.register(Link)
class LinkAdmin(CacheAdmin):
    list_display = ("url", "status", "failing_since", "checked_at", "shown_on")
    list_filter = ("status",)
    search_fields = ("url", "shown_on")
