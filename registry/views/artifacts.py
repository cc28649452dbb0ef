"""Bytes held here: handed out as they are, never as a page of this site, and only where terms allow it."""

from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from registry import artifacts
from registry.queries import downloads
from registry.views.shared import page_view


@page_view
def artifact(request: HttpRequest, digest: str) -> HttpResponseBase:
    """Foreign bytes: always a download, of no type that a browser would run, in a sandbox of their own."""
    download = downloads.download(digest)
    if download.withheld:
        return render(request, "451.html", {"download": download}, status=451)
    stored = artifacts.open_stored(digest)
    if stored is None:
        raise Http404
    response = FileResponse(
        stored, as_attachment=True, filename=download.file_name, content_type="application/octet-stream"
    )
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["ETag"] = f'"{digest}"'
    response["Cache-Control"] = "public, max-age=3600"  # the bytes never change; whether they may be shown does
    return response
