"""Fetch one file: within its cap, as it was sent, with the digest and the revision that its server names."""

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from registry.core import answers
from registry.fetching.errors import FetchError
from registry.fetching.exchange import Answer, ask
from registry.fetching.network import THE_INTERNET, Clock, Limits, Network


@dataclass(frozen=True, slots=True)
class Fetched:
    """`url` is what was asked for, `answered_by` where redirects led."""

    url: str
    answered_by: str
    sha256: str
    size_bytes: int
    revision: str | None
    content_type: str | None
    elapsed: float


def fetch(
    url: str,
    *,
    hosts: Collection[str],
    max_bytes: int,
    into: Path,
    held_revision: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    network: Network = THE_INTERNET,
    before: Callable[[str], None] = lambda host: None,
) -> Fetched | None:
    """Fetch a file of one of `hosts` into a path. None: the server says that `held_revision` still stands.

    Raises FetchError, and then leaves nothing at the path.
    """
    clock = Clock(limits, network)
    asked_if = answers.condition(held_revision) if held_revision else None
    headers = dict([asked_if] if asked_if else [])
    with ask(
        "GET", url, hosts=hosts, network=network, clock=clock, headers=headers, before=before
    ) as answer:  # fmt: skip
        if answer.status == 304 and asked_if:
            return None
        _refuse(answer, max_bytes, network)
        sha256, size_bytes = _write(answer, into, max_bytes)
    return Fetched(
        url=url,
        answered_by=answer.url,
        sha256=sha256,
        size_bytes=size_bytes,
        revision=answers.revision(answer.headers),
        content_type=answer.headers.get("content-type"),
        elapsed=clock.elapsed,
    )


def _refuse(answer: Answer, max_bytes: int, network: Network) -> None:
    """What is not taken by its headers already."""
    if answer.status != 200:
        wait = answers.seconds_to_wait(answer.headers.get("retry-after", ""), network.now())
        raise FetchError("bad-status", f"{answer.url} answered {answer.status}", status=answer.status, wait=wait)
    encoding = answer.headers.get("content-encoding", "identity").lower()
    if encoding != "identity":  # never unpacked here, so that nothing small becomes large
        raise FetchError("encoded", f"{answer.url} answered in {encoding}, though asked for the file as it is")
    length = answer.headers.get("content-length")
    if length is not None and int(length) > max_bytes:  # the protocol's reader has seen that it is a number
        raise FetchError("too-large", f"{answer.url}: {length} bytes; {max_bytes} are the most")
    if length is None and answer.headers.get("transfer-encoding", "").lower() != "chunked":
        raise FetchError("no-length", f"{answer.url} doesn't say where its body ends: a break would pass for it")


def _write(answer: Answer, into: Path, max_bytes: int) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    try:
        with into.open("wb") as file:
            for chunk in answer.chunks:
                size += len(chunk)
                if size > max_bytes:
                    raise FetchError("too-large", f"{answer.url}: more than {max_bytes} bytes")
                digest.update(chunk)
                file.write(chunk)
    except BaseException:
        into.unlink(missing_ok=True)
        raise
    return f"sha256:{digest.hexdigest()}", size
