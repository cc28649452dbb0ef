"""The site map of people's pages: attestations, reports, claims, follows, one's own account."""

from django.urls import path

from attestations.views import author_notes, claims, me

account_urls = [
    path("me/", me.me, name="me"),
    path("me/delete/", me.delete, name="me-delete"),
]
claim_urls = [
    path("projects/<slug:slug>/claim/", claims.project_claim, name="project-claim"),
    path("sources/<slug:slug>/claim/", claims.source_claim, name="source-claim"),
    path("claims/", claims.claim_list, name="claim-list"),
    path("claims/<uuid:claim_id>/", claims.claim_detail, name="claim-detail"),
    path("runs/<digest:digest>/note/", author_notes.author_note, name="author-note"),
    path("runs/<digest:digest>/withdrawal/", author_notes.withdrawal_request, name="withdrawal-request"),
]
urlpatterns = [*account_urls, *claim_urls]
