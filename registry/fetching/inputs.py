"""Fetch all files of a source's input: page after page, each stored by its digest before the next one is asked for."""

import tempfile
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from registry import artifacts
from registry.fetching.errors import FetchError
from registry.fetching.files import fetch
from registry.fetching.network import THE_INTERNET, Limits, Network
from registry.fetching.pace import Pace, Patience, patiently
from registry.importers.base import Importer, Request

PAUSE = 1.0  # seconds between two requests to one host


@dataclass(frozen=True, slots=True)
class InputFetched:
    """A file of an input, held under its digest. `position` counts from 0 in the order of asking."""

    position: int
    name: str
    url: str
    revision: str | None
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Caps:
    """Of one sync's input: bytes of a file, requests, bytes altogether."""

    file_bytes: int
    requests: int = 5_000
    all_bytes: int = 1 << 30


def fetch_input(
    importer: Importer,
    *,
    location: str,
    hosts: Collection[str],
    caps: Caps,
    on_file: Callable[[InputFetched], None],
    now: datetime,
    already: Sequence[InputFetched] = (),
    last: Sequence[InputFetched] = (),
    on_request: Callable[[], None] = lambda: None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    patience: Patience = Patience(),  # noqa: B008 (frozen)
    network: Network = THE_INTERNET,
) -> list[InputFetched]:
    """Fetch what the importer asks for, in its order. Raises FetchError; what was told to `on_file` is kept.

    `already`: what an earlier try of the same sync fetched; it is read from storage. `last`: the files of the last
    reading; what the server says is unchanged is not sent again. `on_request` is called ahead of each request, so that
    a worker can show that it lives; what it raises goes through.
    """
    held_before = {(file.name, file.url): file for file in already}
    read_last = {file.url: file for file in last}
    pace = Pace(PAUSE, network)
    found: list[InputFetched] = []
    names: dict[str, str] = {}  # name -> URL
    urls: set[str] = set()
    left = caps.all_bytes
    waiting = deque(importer.first(location))

    def before(host: str) -> None:
        pace.wait(host)
        on_request()

    while waiting:
        request = waiting.popleft()
        if request.url in urls:
            continue
        _within(request, names, caps)
        urls.add(request.url)
        names[request.name] = request.url
        file = held_before.get((request.name, request.url))
        body = _held(file) if file else None
        if file is None or body is None:
            ask = partial(
                _fetch_one, request, len(found), hosts=hosts, max_bytes=min(caps.file_bytes, left),
                last=read_last.get(request.url), before=before, limits=limits, network=network, now=now,
            )  # fmt: skip
            file, body = patiently(ask, patience, network)
            on_file(file)
        found.append(file)
        left -= file.size_bytes
        waiting.extend(importer.following(request, body))
    return found


def _within(request: Request, names: Mapping[str, str], caps: Caps) -> None:
    if request.name in names:
        raise FetchError("name-taken", f"{request.url} and {names[request.name]} are both called {request.name!r}")
    if len(names) >= caps.requests:
        raise FetchError("too-many", f"more than {caps.requests} files, the next being {request.url}")


def _fetch_one(
    request: Request,
    position: int,
    *,
    hosts: Collection[str],
    max_bytes: int,
    last: InputFetched | None,
    before: Callable[[str], None],
    limits: Limits,
    network: Network,
    now: datetime,
) -> tuple[InputFetched, bytes]:
    """One file, stored; or the bytes of the last reading where they still stand."""
    standing = _held(last) if last and last.revision else None
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "body"
        fetched = fetch(
            request.url, hosts=hosts, max_bytes=max_bytes, into=into, limits=limits, network=network, before=before,
            held_revision=last.revision if last and standing is not None else None,
        )  # fmt: skip
        if fetched is None:
            assert last is not None
            assert standing is not None
            return replace(last, position=position, name=request.name), standing
        artifacts.store_file(into, now=now)
        file = InputFetched(
            position, request.name, request.url, fetched.revision, fetched.sha256, fetched.size_bytes
        )  # fmt: skip
        return file, into.read_bytes()


def _held(file: InputFetched) -> bytes | None:
    """The bytes of a file that was fetched before; None where they are no longer held or no longer what they were."""
    try:
        stored = artifacts.open_stored(file.sha256)
        if stored is None:
            return None
        with stored:
            data = stored.read()
    except OSError:
        return None
    return data if artifacts.digest_of(data) == file.sha256 else None
