"""An input is fetched page after page; what is held is not asked for again; a guest waits when asked to."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from registry import artifacts
from registry.fetching import Caps, FetchError, InputFetched, Network, Patience, fetch_input
from registry.importers.base import Request
from tests.conftest import NOW
from tests.registry.upstreams import HOST, Reached, Upstream, answer

pytestmark = pytest.mark.django_db
START = f"https://{HOST}/kernels"
CAPS = Caps(file_bytes=1000)
FetchAll = Callable[..., list[InputFetched]]
Fate = Callable[[InputFetched], None]


class Paged:
    """An importer of an upstream whose pages say, as JSON, which others there are: [[path, name], …]."""

    @staticmethod
    def first(location: str) -> Sequence[Request]:
        return [Request(location, "kernels.json")]

    @staticmethod
    def following(request: Request, body: bytes) -> Sequence[Request]:
        return [Request(f"https://{HOST}{path}", name) for path, name in json.loads(body)]


def page(*following: tuple[str, str], **headers: str) -> bytes:
    return answer(json.dumps(following).encode(), **headers)


@pytest.fixture
def files() -> list[InputFetched]:
    """What was told to the caller, as it came."""
    return []


@pytest.fixture
def fetch_all(outside: Network, reached: Reached, files: list[InputFetched]) -> FetchAll:
    """Fetches all, on a clock that only sleeping moves."""
    still = replace(outside, seconds=lambda: reached.time)

    def run(**options: object) -> list[InputFetched]:
        told = {"location": START, "hosts": [HOST], "caps": CAPS, "on_file": files.append, "now": NOW, "network": still}
        return fetch_input(Paged, **(told | options))

    return run


def targets(upstream: Upstream) -> list[str]:
    return [asked.target for asked in upstream.asked]


def three_pages(upstream: Upstream) -> None:
    upstream.scripts |= {
        "/kernels": page(("/1", "1.json"), ("/2", "2.json"), ETag='"k"'),
        "/1": page(("/2", "2.json"), ("/kernels", "kernels.json"), ETag='"1"'),
        "/2": page(Last_Modified="Tue, 01 Sep 2026 12:00:00 GMT"),
    }


def test_each_page_is_fetched_once_stored_and_told_in_order(
    fetch_all: FetchAll, upstream: Upstream, files: list[InputFetched]
) -> None:
    three_pages(upstream)
    found = fetch_all()
    assert targets(upstream) == ["/kernels", "/1", "/2"]
    assert found == files
    assert [(file.position, file.name, file.url, file.revision) for file in found] == [
        (0, "kernels.json", START, '"k"'),
        (1, "1.json", f"https://{HOST}/1", '"1"'),
        (2, "2.json", f"https://{HOST}/2", "Tue, 01 Sep 2026 12:00:00 GMT"),
    ]
    for file in found:
        with artifacts.open_stored(file.sha256) as stored:
            assert len(stored.read()) == file.size_bytes


def test_two_requests_to_one_host_lie_a_second_apart(fetch_all: FetchAll, upstream: Upstream, reached: Reached) -> None:
    three_pages(upstream)
    fetch_all()
    assert reached.slept == [1, 1]


def test_a_broken_sync_goes_on_where_it_stopped(
    fetch_all: FetchAll, upstream: Upstream, files: list[InputFetched]
) -> None:
    three_pages(upstream)
    upstream.scripts["/2"] = [answer(b"", "403 Forbidden"), page()]
    with pytest.raises(FetchError, match="answered 403"):
        fetch_all()
    assert [file.name for file in files] == ["kernels.json", "1.json"]
    found = fetch_all(already=list(files))
    assert targets(upstream) == ["/kernels", "/1", "/2", "/2"]
    assert [file.name for file in found] == ["kernels.json", "1.json", "2.json"]
    assert found == files


def lost(file: InputFetched) -> None:
    default_storage.delete(artifacts.object_path(file.sha256))


def changed(file: InputFetched) -> None:
    Path(default_storage.path(artifacts.object_path(file.sha256))).write_bytes(b"[]")


@pytest.mark.parametrize("fate", [lost, changed])
def test_what_storage_no_longer_holds_is_fetched_again(
    fetch_all: FetchAll, upstream: Upstream, files: list[InputFetched], fate: Fate
) -> None:
    three_pages(upstream)
    before = fetch_all()
    fate(before[1])
    for options in ({"already": before}, {"last": before}):
        upstream.asked.clear()
        fetch_all(**options)
        again = next(asked for asked in upstream.asked if asked.target == "/1")
        assert "if-none-match" not in again.headers
        lost(before[1])


def test_what_the_server_calls_unchanged_is_read_from_storage(
    fetch_all: FetchAll, upstream: Upstream, files: list[InputFetched]
) -> None:
    three_pages(upstream)
    before = fetch_all()
    standing = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    upstream.scripts |= {"/kernels": standing, "/1": page(ETag='"2"'), "/2": standing}
    upstream.asked.clear()
    found = fetch_all(last=[replace(file, position=9, name=f"old-{file.name}") for file in before])
    assert [asked.headers.get("if-none-match") for asked in upstream.asked] == ['"k"', '"1"', None]
    assert upstream.asked[2].headers["if-modified-since"] == "Tue, 01 Sep 2026 12:00:00 GMT"
    assert [found[0], found[2]] == [before[0], before[2]]
    assert (found[1].revision, found[1].sha256 == before[1].sha256) == ('"2"', False)
    assert files[-3:] == found


# --- waiting


def test_a_server_that_is_busy_is_asked_again_later_and_longer_later(
    fetch_all: FetchAll, upstream: Upstream, reached: Reached
) -> None:
    upstream.scripts["/kernels"] = [answer(b"", "503 Busy"), answer(b"", "500 Oops"), page()]
    assert len(fetch_all()) == 1
    assert reached.slept == [2, 4]


def test_it_is_asked_when_it_says(fetch_all: FetchAll, upstream: Upstream, reached: Reached) -> None:
    upstream.scripts["/kernels"] = [answer(b"", "429 Slow", Retry_After="30"), page()]
    assert len(fetch_all()) == 1
    assert reached.slept == [30]


def test_a_server_that_asks_for_more_than_we_wait_is_left_alone(
    fetch_all: FetchAll, upstream: Upstream, reached: Reached
) -> None:
    upstream.scripts["/kernels"] = answer(b"", "429 Slow", Retry_After="3600")
    with pytest.raises(FetchError, match="answered 429") as raised:
        fetch_all()
    assert (raised.value.may_pass, raised.value.wait) == (True, 3600)
    assert (len(upstream.asked), reached.slept) == (1, [])


def test_patience_ends(fetch_all: FetchAll, upstream: Upstream, reached: Reached) -> None:
    upstream.scripts["/kernels"] = answer(b"", "502 Bad Gateway")
    with pytest.raises(FetchError, match="answered 502"):
        fetch_all(patience=Patience(tries=4, first_wait=1))
    assert (len(upstream.asked), reached.slept) == (4, [1, 2, 4])


def test_what_will_not_pass_is_asked_once(fetch_all: FetchAll, upstream: Upstream) -> None:
    upstream.scripts["/kernels"] = answer(b"", "404 Not Found")
    with pytest.raises(FetchError, match="answered 404"):
        fetch_all()
    assert len(upstream.asked) == 1


def test_a_broken_connection_is_tried_again(fetch_all: FetchAll, upstream: Upstream) -> None:
    upstream.scripts["/kernels"] = [b"", answer(b"[", Content_Length="2"), page()]
    assert len(fetch_all()) == 1


def test_the_caller_is_asked_ahead_of_each_request_and_may_end_it(
    fetch_all: FetchAll, upstream: Upstream, files: list[InputFetched]
) -> None:
    three_pages(upstream)
    turns = iter([None, None])

    class LeaseLost(Exception):
        pass

    def on_request() -> None:
        if next(turns, LeaseLost) is LeaseLost:
            raise LeaseLost

    with pytest.raises(LeaseLost):
        fetch_all(on_request=on_request)
    assert (targets(upstream), len(files)) == (["/kernels", "/1"], 2)


# --- caps


def test_a_sync_asks_for_no_more_files_than_its_cap(fetch_all: FetchAll, upstream: Upstream) -> None:
    three_pages(upstream)
    with pytest.raises(FetchError, match="more than 2 files") as raised:
        fetch_all(caps=replace(CAPS, requests=2))
    assert (raised.value.reason, targets(upstream)) == ("too-many", ["/kernels", "/1"])


def test_a_sync_takes_no_more_bytes_than_its_cap(
    fetch_all: FetchAll, upstream: Upstream, files: list[InputFetched]
) -> None:
    three_pages(upstream)
    with pytest.raises(FetchError) as raised:
        fetch_all(caps=replace(CAPS, all_bytes=80))
    assert raised.value.reason == "too-large"
    assert sum(file.size_bytes for file in files) <= 80


def test_two_addresses_of_one_name_are_told(fetch_all: FetchAll, upstream: Upstream) -> None:
    upstream.scripts["/kernels"] = page(("/1", "kernels.json"))
    with pytest.raises(FetchError, match=r"/1 and https://.*/kernels are both called 'kernels.json'"):
        fetch_all()


def test_an_upstream_s_own_words_open_no_other_host(fetch_all: FetchAll, upstream: Upstream, reached: Reached) -> None:
    upstream.scripts["/kernels"] = page(("@169.254.169.254/latest", "x.json"))
    with pytest.raises(FetchError) as raised:
        fetch_all()
    assert (raised.value.reason, reached.resolved) == ("user-in-url", [HOST])
