"""The site map of the registry's pages. A digest may be cut to twelve hex digits everywhere it leads to a page."""

from django.urls import path, register_converter

from registry import converters
from registry.views import (
    artifacts,
    citations,
    documents,
    groups,
    home,
    incidents,
    operations,
    runs,
    sources,
    status,
    syncs,
)

register_converter(converters.Digest, "digest")
register_converter(converters.Prefix, "prefix")

run_urls = [
    path("runs/", runs.run_list, name="run-list"),
    path(
        "runs/<uuid:reference>/", lambda request, reference: runs.run_detail(request, str(reference)), name="run-by-id"
    ),
    path("runs/<digest:reference>/", runs.run_detail, name="run-detail"),
    path("runs/<digest:digest>/canonical.json", runs.run_canonical, name="run-canonical"),
    path("runs/<digest:digest>/cite.<str:form>", citations.run_citation, name="run-citation"),
    path("runs/<prefix:prefix>/", runs.run_prefix, name="run-prefix"),
]
group_urls = [
    path("groups/", groups.group_list, name="group-list"),
    path("groups/<digest:key>/", groups.group_detail, name="group-detail"),
    path("groups/<digest:key>/why-not/<digest:other>/", groups.why_not, name="why-not"),
    path("groups/<prefix:prefix>/", groups.group_prefix, name="group-prefix"),
]
document_urls = [
    path("operations/<slug:slug>/", operations.operation_detail, name="operation-detail"),
    path("workloads/<digest:reference>/", documents.workload_detail, name="workload-detail"),
    path("protocols/<digest:reference>/", documents.protocol_detail, name="protocol-detail"),
    path("environments/<digest:reference>/", documents.environment_detail, name="environment-detail"),
    path("hardware/<slug:reference>/", documents.hardware_detail, name="hardware-detail"),
    path("implementations/<uuid:reference>/", documents.implementation_detail, name="implementation-detail"),
    path("implementations/<slug:slug>/", documents.implementation_slug, name="implementation-slug"),
    path("projects/<slug:reference>/", documents.project_detail, name="project-detail"),
    path("sources/", sources.source_list, name="source-list"),
    path("sources/<slug:slug>/", sources.source_detail, name="source-detail"),
    path("sources/<slug:slug>/rows.csv", syncs.source_rows, name="source-rows"),
    path("incidents/", incidents.incident_list, name="incident-list"),
    path("incidents/<slug:slug>/", incidents.incident_detail, name="incident-detail"),
    path("syncs/<uuid:sync_id>/", syncs.sync_detail, name="sync-detail"),
    path("syncs/<uuid:sync_id>/rows.csv", syncs.sync_rows, name="sync-rows"),
    *(
        path(f"{kind}/<str:reference>/canonical.json", documents.canonical, {"kind": kind}, name=f"{kind}-canonical")
        for kind in documents.CANONICAL
    ),
    *(
        path(f"{kind}/<prefix:prefix>/", documents.by_prefix, {"kind": kind}, name=f"{kind}-prefix")
        for kind in ("workloads", "protocols", "environments")
    ),
]
list_urls = [
    path(f"{kind}/", documents.noun_list, {"kind": kind}, name=f"{kind}-list")
    for kind in ("operations", "projects", "implementations", "hardware", "protocols", "environments", "workloads")
]
urlpatterns = [
    path("", home.home_page, name="home"),
    path("search/", home.search_page, name="search"),
    path("docs/", home.docs_page, name="docs"),
    path("status/", status.status_page, name="status"),
    path("artifacts/<digest:digest>/", artifacts.artifact, name="artifact"),
    *run_urls,
    *group_urls,
    *document_urls,
    *list_urls,
]
