"""Atom feeds: public, the same for everyone, and nothing in them but what pages show."""

import hashlib
from datetime import datetime
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.http import condition

from attestations.core.letters import plain
from attestations.queries import feeds
from attestations.queries.feeds import Feed
from attestations.queries.news import BEGINNING, NewsLine
from registry.views.shared import page_view

SINCE = 2026  # of the tag URIs that entries are named by: a year in which the host was ours


@page_view
def feed(request: HttpRequest, thing: str, target: str) -> HttpResponse:
    found = feeds.feed(thing, target, timezone.now())
    body = written(found)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'

    @condition(etag_func=lambda request: tag, last_modified_func=lambda request: found.updated_at)
    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(body, content_type="application/atom+xml; charset=utf-8")

    response = answer(request)
    patch_cache_control(response, public=True, max_age=300)
    return response


class Entries(Atom1Feed):
    """Django's Atom, with the instant of the newest entry for the feed: never that of the asking."""

    def latest_post_date(self) -> datetime:
        return self.feed["updated_at"]


def written(found: Feed) -> bytes:
    """A feed as Atom. Every address in it is of KI_SITE_URL, whatever host was asked."""
    site = settings.SITE_URL
    writing = Entries(
        title=plain(f"{found.ref.name}: what is new"),
        link=f"{site}{found.ref.url}",
        description=None,
        subtitle=f"News of this {found.word} on KernelIndex",
        language="en",
        author_name="KernelIndex",
        feed_url=f"{site}{found.url}",
        feed_guid=f"{site}{found.url}",
        updated_at=found.updated_at or BEGINNING,
    )
    for line in found.lines:
        writing.add_item(**_entry(found, line))
    into = BytesIO()
    writing.write(into, "utf-8")
    return into.getvalue()


def _entry(found: Feed, line: NewsLine) -> dict[str, Any]:
    site, [one, *others] = settings.SITE_URL, line.runs or (None,)
    page = one.url if one and not others else found.ref.url
    text = render_to_string("attestations/_feed_entry.html", {"line": line, "site_url": site})
    return {
        "title": plain(line.text),
        "link": f"{site}{page}",
        "description": "\n".join(map(plain, text.strip().split("\n"))),
        "unique_id": f"tag:{urlsplit(site).hostname},{SINCE}:{found.ref.url}{line.id}",
        "pubdate": line.at,
        "updateddate": line.at,
        "categories": [line.word],
    }
