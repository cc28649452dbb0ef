"""Read one small text file of another site."""

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from registry.fetching.files import fetch
from registry.fetching.network import THE_INTERNET, Limits, Network
from registry.fetching.probes import BRIEF


def fetch_text(
    url: str,
    *,
    hosts: Collection[str],
    max_bytes: int,
    limits: Limits = BRIEF,
    network: Network = THE_INTERNET,
    before: Callable[[str], None] = lambda host: None,
) -> str:
    """The text of a file of one of `hosts`, what is no UTF-8 in it replaced. Raises FetchError."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "body"
        fetch(url, hosts=hosts, max_bytes=max_bytes, into=into, limits=limits, network=network, before=before)
        return into.read_bytes().decode("utf-8-sig", errors="replace")
