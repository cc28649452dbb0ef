"""Pages of syncs, and the rows that one did not take as a file."""

import csv
from collections.abc import Iterator
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render

from registry.models import Sync
from registry.queries import addresses, syncs
from registry.views.shared import cursor_of, page_view


@page_view
def sync_detail(request: HttpRequest, sync_id: UUID) -> HttpResponse:
    page = syncs.sync_page(sync_id, cursor=cursor_of(request))
    context = {"page": page, "section": "sources", "alternate_json": addresses.twin(addresses.sync(sync_id))}
    return render(request, "registry/sync_detail.html", context)


@page_view
def sync_rows(request: HttpRequest, sync_id: UUID) -> StreamingHttpResponse:
    return _file(syncs.find(sync_id))


@page_view
def source_rows(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The rows that the newest finished reading of a source did not take."""
    newest = syncs.newest_finished(slug)
    if newest is None:
        raise Http404
    return _file(newest)


class _Line:
    """A file to csv.writer that gives each line back in place of keeping it."""

    def write(self, line: str) -> str:
        return line


def _file(sync: Sync) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_lines(sync), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{sync.source.slug}-{sync.requested_at:%Y-%m-%d}-rows.csv"'
    return response


def _lines(sync: Sync) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(syncs.CSV_HEAD)
    for row in syncs.csv_rows(sync):
        yield writer.writerow(_inert(cell) for cell in row)


def _inert(cell: object) -> object:
    """An upstream's text that a spreadsheet would run as a formula is led by an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
