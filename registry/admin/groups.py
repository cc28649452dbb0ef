"""Comparison groups and what is derived of them."""

from django.contrib import admin

from registry.admin.facts import CacheAdmin, FactAdmin
from registry.models import ComparisonGroup, Coverage, EvidenceFact, EvidenceLevel, GroupStanding, Record, Standing


@admin.register(ComparisonGroup)
class ComparisonGroupAdmin(FactAdmin):
    list_display = ("key", "operation", "workload", "metric", "statistic", "unit")
    list_select_related = ("operation", "workload")
    search_fields = ("key", "operation__slug", "workload__label", "environment__hardware__name")


@admin.register(Coverage)
class CoverageAdmin(FactAdmin):
    list_display = ("group", "offered", "taken", "rule", "at")
    list_select_related = ("group",)
    search_fields = ("group__key", "rule")


@admin.register(Standing)
class StandingAdmin(CacheAdmin):
    list_display = ("run", "rank", "tied", "ratio", "reasons", "policy")
    list_select_related = ("run",)
    search_fields = ("run__digest", "group__key")


@admin.register(GroupStanding)
class GroupStandingAdmin(CacheAdmin):
    list_display = ("group", "run_count", "ranked_count", "author_count", "best_value", "policy")
    list_select_related = ("group",)
    search_fields = ("group__key",)


@admin.register(Record)
class RecordAdmin(CacheAdmin):
    list_display = ("run", "kind", "at", "previous")
    list_filter = ("kind",)
    list_select_related = ("run", "previous")
    search_fields = ("run__digest", "group__key")


@admin.register(EvidenceFact)
class EvidenceFactAdmin(FactAdmin):
    list_display = ("run", "kind", "at")
    list_filter = ("kind",)
    list_select_related = ("run",)
    search_fields = ("run__digest",)


@admin.register(EvidenceLevel)
class EvidenceLevelAdmin(CacheAdmin):
    list_display = ("run", "level", "policy")
    list_filter = ("level",)
    list_select_related = ("run",)
    search_fields = ("run__digest",)
