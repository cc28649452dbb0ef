"""The site map of people's pages: attestations, reports, claims, follows, one's own account."""

from django.urls import path

from attestations.views import attestations, author_notes, claims, feeds, follows, me, people, reports, unsubscribing

account_urls = [
    path("me/", me.me, name="me"),
    path("me/delete/", me.delete, name="me-delete"),
    path("people/<str:handle>/", people.person, name="person"),
]
attestation_urls = [
    path("runs/<digest:digest>/attest/", attestations.attest, name="attest"),
    path("runs/<digest:digest>/attestations/", attestations.attestation_list, name="attestation-list"),
    path("attestations/<uuid:attestation_id>/", attestations.attestation_detail, name="attestation-detail"),
    path("attestations/<uuid:attestation_id>/edit/", attestations.attestation_edit, name="attestation-edit"),
    path(
        "attestations/<uuid:attestation_id>/withdraw/", attestations.attestation_withdraw, name="attestation-withdraw"
    ),
    path(
        "attestations/<uuid:attestation_id>/samples.csv", attestations.attestation_samples, name="attestation-samples"
    ),
]
claim_urls = [
    path("projects/<slug:slug>/claim/", claims.project_claim, name="project-claim"),
    path("sources/<slug:slug>/claim/", claims.source_claim, name="source-claim"),
    path("claims/", claims.claim_list, name="claim-list"),
    path("claims/<uuid:claim_id>/", claims.claim_detail, name="claim-detail"),
    path("runs/<digest:digest>/note/", author_notes.author_note, name="author-note"),
    path("runs/<digest:digest>/withdrawal/", author_notes.withdrawal_request, name="withdrawal-request"),
]
report_urls = [
    path("runs/<digest:digest>/report/", reports.report, name="report"),
    path("reports/", reports.report_list, name="report-list"),
    path("reports/<uuid:report_id>/", reports.report_detail, name="report-detail"),
    path("reports/<uuid:report_id>/answer/", reports.report_answer, name="report-answer"),
    path("disputes/", reports.disputes_page, name="disputes"),
]
follow_urls = [
    path("follows/", follows.follow_list, name="follow-list"),
    path("follows/toggle/", follows.follow_toggle, name="follow-toggle"),
    path("follows/read/", follows.follows_read, name="follows-read"),
    path("feeds/<slug:thing>/<str:target>.atom", feeds.feed, name="feed"),
    path("mail/<uuid:key>/off/", unsubscribing.unsubscribe, name="unsubscribe"),
]
urlpatterns = [*account_urls, *attestation_urls, *claim_urls, *report_urls, *follow_urls]
