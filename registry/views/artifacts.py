"""Bytes held here: handed out as they are, never as a page of this site."""

from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase

from registry import artifacts
from registry.models import Artifact


def artifact(request: HttpRequest, digest: str) -> HttpResponseBase:
    """Foreign bytes: always a download, of no type that a browser would run, in a sandbox of their own."""
    stored = artifacts.open_stored(digest)
    if stored is None:
        raise Http404
    known = Artifact.objects.filter(digest=digest).first()
    name = (known and known.file_name) or digest.removeprefix("sha256:")[:16]
    response = FileResponse(stored, as_attachment=True, filename=name, content_type="application/octet-stream")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["ETag"] = f'"{digest}"'
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
