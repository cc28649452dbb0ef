"""The site's own URLs, and one page that does as little as a page of this site can."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kernelindex.urls import urlpatterns as of_the_site
from registry.models import Source


def trivial(request: HttpRequest) -> HttpResponse:
    """One query that reads no column, and a template of three lines."""
    return render(request, "bench/trivial.html", {"word": Source.objects.filter(slug="sol-execbench").exists()})


urlpatterns = [path("bench/trivial/", trivial), *of_the_site]
