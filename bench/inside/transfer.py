"""Bytes of run pages as a browser that takes gzip gets them."""

import gzip
import re
from pathlib import Path
from typing import Any

from django.conf import settings

from bench.inside.site import Site, run_pages

_PARTS = re.compile(r'<(?:link rel="stylesheet" href|script src)="([^"]+)"')
LEVEL = 6  # what proxies use by default; static files are compressed ahead, at the highest


def measure() -> list[dict[str, Any]]:
    """HTML, and the style sheets and scripts that it names, each gzipped."""
    site = Site()
    found = []
    for name, path in run_pages().items():
        answer = site.ask(path, HTTP_ACCEPT_ENCODING="gzip")
        is_sent_so = answer.headers.get("Content-Encoding") == "gzip"
        html = gzip.decompress(answer.body) if is_sent_so else answer.body
        sizes = {"html": len(answer.body) if is_sent_so else len(gzip.compress(html, LEVEL))}
        for address in _PARTS.findall(html.decode()):
            sizes[Path(address).suffix.removeprefix(".")] = _gzipped_bytes(address)
        found.append({"name": name, "sizes": sizes, "html_raw": len(html), "is_sent_gzipped": is_sent_so})
    return found


def _gzipped_bytes(address: str) -> int:
    """Of the file as collectstatic wrote it, which WhiteNoise serves as it stands."""
    file = Path(settings.STATIC_ROOT) / address.rpartition(settings.STATIC_URL)[2]
    ahead = file.with_name(f"{file.name}.gz")
    return ahead.stat().st_size if ahead.exists() else len(gzip.compress(file.read_bytes()))
