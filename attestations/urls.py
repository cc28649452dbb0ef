"""The site map of people's pages: attestations, reports, claims, follows, one's own account."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
