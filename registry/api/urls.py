"""The API's site map: each page's path under /api/v1/."""

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView

from attestations.api import attestations, people, reports
from registry.api import documents, groups, incidents, root, runs, sources, syncs

urlpatterns = [
    path("", root.Root.as_view(), name="root"),
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("home/", sources.Home.as_view(), name="home"),
    path("search/", sources.Search.as_view(), name="search"),
    path("runs/", runs.RunList.as_view(), name="run-list"),
    path("runs/<uuid:reference>/", runs.RunById.as_view(), name="run-by-id"),
    path("runs/<digest:reference>/", runs.RunDetail.as_view(), name="run-detail"),
    path("groups/", groups.GroupList.as_view(), name="group-list"),
    path("groups/<digest:key>/", groups.GroupDetail.as_view(), name="group-detail"),
    path("groups/<digest:key>/why-not/<digest:other>/", groups.WhyNot.as_view(), name="why-not"),
    path("sources/", sources.SourceList.as_view(), name="source-list"),
    path("sources/<slug:slug>/", sources.SourceDetail.as_view(), name="source-detail"),
    path("incidents/", incidents.IncidentList.as_view(), name="incident-list"),
    path("incidents/<slug:slug>/", incidents.IncidentDetail.as_view(), name="incident-detail"),
    path("syncs/<uuid:sync_id>/", syncs.SyncDetail.as_view(), name="sync-detail"),
    path("status/", syncs.Status.as_view(), name="status"),
    path("operations/<slug:slug>/", documents.OperationDetail.as_view(), name="operation-detail"),
    *(path(f"{kind}/", documents.noun_list(kind).as_view(), name=f"{kind}-list") for kind in documents.LISTINGS),
    path("workloads/<digest:reference>/", documents.WorkloadDetail.as_view(), name="workload-detail"),
    path("protocols/<digest:reference>/", documents.ProtocolDetail.as_view(), name="protocol-detail"),
    path("environments/<digest:reference>/", documents.EnvironmentDetail.as_view(), name="environment-detail"),
    path("hardware/<slug:reference>/", documents.HardwareDetail.as_view(), name="hardware-detail"),
    path("implementations/<uuid:reference>/", documents.ImplementationDetail.as_view(), name="implementation-detail"),
    path("projects/<slug:reference>/", documents.ProjectDetail.as_view(), name="project-detail"),
    path("runs/<digest:digest>/attestations/", attestations.RunAttestations.as_view(), name="attestation-list"),
    path("attestations/<uuid:attestation_id>/", attestations.AttestationDetail.as_view(), name="attestation-detail"),
    path("reports/", reports.ReportList.as_view(), name="report-list"),
    path("reports/<uuid:report_id>/", reports.ReportDetail.as_view(), name="report-detail"),
    path("people/<str:handle>/", people.Person.as_view(), name="person"),
    path("<path:rest>", root.NotFound.as_view(), name="not-found"),
]
