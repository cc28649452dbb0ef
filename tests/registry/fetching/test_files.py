"""A file is fetched whole and as it was sent, or not at all."""

import gzip
import hashlib
import socket
import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from registry import fetching
from registry.fetching import FetchError, Limits, Network, fetch
from tests.conftest import NOW
from tests.registry.upstreams import HOST, OTHER, PUBLIC, Asked, Reached, Script, Upstream, answer, network

URL = f"https://{HOST}/rows.csv"
CAP = 1000
SHORT = Limits(connect=5, silence=0.3, total=1)


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "body"


def test_a_file_comes_with_its_digest_size_revision_and_type(
    upstream: Upstream, outside: Network, reached: Reached, into: Path
) -> None:
    upstream.scripts["/rows.csv?page=1"] = answer(b"a,b\n", ETag='"7"', Content_Type="text/csv")
    got = fetch(f"{URL}?page=1#row-3", hosts=[HOST], max_bytes=CAP, into=into, network=outside)
    assert into.read_bytes() == b"a,b\n"
    assert got is not None
    assert (got.url, got.answered_by) == (f"{URL}?page=1#row-3", f"{URL}?page=1")
    assert (got.sha256, got.size_bytes) == (f"sha256:{hashlib.sha256(b'a,b' + bytes([10])).hexdigest()}", 4)
    assert (got.revision, got.content_type) == ('"7"', "text/csv")
    assert (reached.resolved, reached.dialled) == ([HOST], [f"{PUBLIC}:443"])


def test_the_question_names_the_host_and_who_asks_and_carries_nothing_else(
    upstream: Upstream, outside: Network, into: Path, settings: object
) -> None:
    upstream.scripts["/rows.csv"] = answer(b"x", Set_Cookie="id=1")
    for _ in range(2):
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside)
    assert upstream.asked[0] == upstream.asked[1]
    assert upstream.asked[0] == Asked(
        "GET",
        "/rows.csv",
        {
            "host": HOST,
            "user-agent": "KernelIndex/1 (+http://localhost:8000)",
            "accept": "*/*",
            "accept-encoding": "identity",
            "connection": "close",
        },
        HOST,
    )


def test_proxies_of_the_environment_are_not_asked(
    upstream: Upstream, outside: Network, into: Path, reached: Reached, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    upstream.scripts["/rows.csv"] = answer(b"x")
    assert fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside)
    assert reached.dialled == [f"{PUBLIC}:443"]


def test_a_certificate_of_another_host_ends_it(
    upstream: Upstream, trusted: tuple[Path, ssl.SSLContext], reached: Reached, into: Path
) -> None:
    with pytest.raises(FetchError, match="certificate verify failed") as raised:
        fetch(
            "https://other.example.org/", hosts=["other.example.org"], max_bytes=CAP, into=into,
            network=network(upstream.port, trusted[1], reached),
        )  # fmt: skip
    assert (raised.value.reason, upstream.asked) == ("no-connection", [])


def test_a_certificate_that_nobody_vouches_for_ends_it(upstream: Upstream, outside: Network, into: Path) -> None:
    with pytest.raises(FetchError) as raised:
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=replace(outside, trust=Network().trust))
    assert (raised.value.reason, upstream.asked) == ("no-connection", [])


def test_the_next_address_is_tried_where_one_does_not_answer(
    upstream: Upstream, trusted: tuple[Path, ssl.SSLContext], reached: Reached, into: Path
) -> None:
    upstream.scripts["/rows.csv"] = answer(b"x")
    reachable = network(upstream.port, trusted[1], reached, {HOST: ["2606:4700::1111", PUBLIC]})
    refusing = socket.create_server(("127.0.0.1", 0))
    nobody = network(refusing.getsockname()[1], trusted[1], Reached())
    refusing.close()
    mixed = replace(
        reachable,
        dial=lambda address, port, timeout: (nobody if ":" in address else reachable).dial(address, port, timeout),
    )
    assert fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=mixed)
    with pytest.raises(FetchError) as raised:
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=nobody)
    assert (raised.value.reason, raised.value.may_pass) == ("no-connection", True)


def test_a_name_without_address_is_told(outside: Network, into: Path) -> None:
    def unknown(host: str) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    for resolve in (unknown, lambda host: []):
        with pytest.raises(FetchError, match=f"{HOST} has no address") as raised:
            fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=replace(outside, resolve=resolve))
        assert (raised.value.reason, raised.value.may_pass) == ("no-address", True)


# --- what is held already


@pytest.mark.parametrize(
    ("revision", "header"),
    [
        ('"7"', ("if-none-match", '"7"')),
        ('W/"7"', ("if-none-match", 'W/"7"')),
        ("Tue, 01 Sep 2026 12:00:00 GMT", ("if-modified-since", "Tue, 01 Sep 2026 12:00:00 GMT")),
    ],
)
def test_what_still_stands_is_not_sent_again(
    upstream: Upstream, outside: Network, into: Path, revision: str, header: tuple[str, str]
) -> None:
    upstream.scripts["/rows.csv"] = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    got = fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside, held_revision=revision)
    assert (got, into.exists()) == (None, False)
    assert header in upstream.asked[0].headers.items()


def test_unchanged_is_no_answer_to_who_holds_nothing(upstream: Upstream, outside: Network, into: Path) -> None:
    upstream.scripts["/rows.csv"] = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    for revision in (None, "4def975f"):  # a commit can't be asked about
        with pytest.raises(FetchError, match="answered 304"):
            fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside, held_revision=revision)


# --- what is not taken


def drip(conn: socket.socket, asked: Asked) -> None:
    """A byte every so often, each within the silence that is allowed."""
    conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
    for _ in range(900):
        conn.sendall(b"x")
        _pause(conn)


def drip_headers(conn: socket.socket, asked: Asked) -> None:
    conn.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(900):
        conn.sendall(b"x")
        _pause(conn)


def _pause(conn: socket.socket, seconds: float = 0.05) -> None:
    conn.settimeout(seconds)
    try:
        conn.recv(1)
    except TimeoutError:
        conn.settimeout(5)


def silent(conn: socket.socket, asked: Asked) -> None:
    conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nx")
    _pause(conn, 5)


def endless(conn: socket.socket, asked: Asked) -> None:
    conn.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        conn.sendall(b"40\r\n" + b"x" * 64 + b"\r\n")


def endless_headers(conn: socket.socket, asked: Asked) -> None:
    conn.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        conn.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")


BOMB = gzip.compress(bytes(200_000))

NOT_TAKEN: dict[str, tuple[bytes | Script, str, str, bool]] = {
    "a body that drips": (drip, "too-slow", "timed out|longer than 1 seconds", True),
    "headers that drip": (drip_headers, "too-slow", "timed out|longer than 1 seconds", True),
    "a body that falls silent": (silent, "too-slow", "timed out", True),
    "an endless body": (endless, "too-large", "more than 1000 bytes", False),
    "endless headers": (endless_headers, "broken-off", "https://data", True),
    "a length over the cap": (answer(b"x" * 1001), "too-large", "1001 bytes; 1000 are the most", False),
    "a length shorter than said": (answer(b"x" * 10, Content_Length="20"), "broken-off", "https://data", True),
    "a length of no number": (answer(b"x", Content_Length="many"), "broken-off", "https://data", True),
    "a negative length": (answer(b"x", Content_Length="-1"), "broken-off", "https://data", True),
    "two lengths": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "broken-off", "https://data", True,
    ),
    "no length": (answer(b"x", Content_Length=""), "no-length", "doesn't say where its body ends", False),
    "a chunk that breaks off": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\nxxx", "broken-off", "https://data", True,
    ),
    "a packed body": (answer(BOMB, Content_Encoding="gzip"), "encoded", "answered in gzip", False),
    "a body packed twice": (answer(BOMB, Content_Encoding="gzip, br"), "encoded", "answered in gzip, br", False),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n", "broken-off", "https://data", True),
    "nothing": (b"", "broken-off", "https://data", True),
    "a part": (answer(b"x", "206 Partial Content"), "bad-status", "answered 206", False),
    "no content": (b"HTTP/1.1 204 No Content\r\n\r\n", "bad-status", "answered 204", False),
    "not found": (answer(b"x", "404 Not Found"), "bad-status", "answered 404", False),
    "gone": (answer(b"x", "410 Gone"), "bad-status", "answered 410", False),
    "forbidden": (answer(b"x", "403 Forbidden"), "bad-status", "answered 403", False),
    "a fault of the server": (answer(b"x", "500 Oops"), "bad-status", "answered 500", True),
    "too many requests": (answer(b"x", "429 Slow", Retry_After="7"), "bad-status", "answered 429", True),
    "several choices": (answer(b"x", "300 Choices", Location="/x"), "bad-status", "answered 300", False),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_TAKEN)
def test_what_is_not_whole_or_not_allowed_leaves_nothing(
    upstream: Upstream, outside: Network, into: Path, case: str
) -> None:
    script, reason, text, may_pass = NOT_TAKEN[case]
    upstream.scripts["/rows.csv"] = script
    with pytest.raises(FetchError, match=text) as raised:
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside, limits=SHORT)
    assert (raised.value.reason, raised.value.may_pass) == (reason, may_pass)
    assert not into.exists()


def test_a_file_of_exactly_the_cap_is_taken(upstream: Upstream, outside: Network, into: Path) -> None:
    upstream.scripts["/rows.csv"] = answer(b"x" * CAP)
    got = fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside)
    assert got is not None
    assert got.size_bytes == CAP


def test_what_follows_the_length_is_not_read(upstream: Upstream, outside: Network, into: Path) -> None:
    upstream.scripts["/rows.csv"] = answer(b"abc", Content_Length="2")
    assert fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside)
    assert into.read_bytes() == b"ab"


@pytest.mark.parametrize(
    ("retry_after", "wait"),
    [("7", 7), ("", None), ("soon", None), ("-5", None), ("Tue, 01 Sep 2026 12:00:30 GMT", 30)],
)
def test_how_long_the_server_asks_to_wait_is_told(
    upstream: Upstream, outside: Network, into: Path, retry_after: str, wait: float | None
) -> None:
    upstream.scripts["/rows.csv"] = answer(b"", "503 Busy", Retry_After=retry_after)
    with pytest.raises(FetchError) as raised:
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=replace(outside, now=lambda: NOW))
    assert (raised.value.status, raised.value.wait) == (503, wait)


# --- redirects


def test_a_redirect_within_the_list_is_followed_and_resolved_anew(
    upstream: Upstream, outside: Network, into: Path, reached: Reached
) -> None:
    upstream.scripts |= {
        "/rows.csv": answer(b"", "302 Found", Location="/moved.csv"),
        "/moved.csv": answer(b"", "307 Moved", Location=f"https://{OTHER}/held.csv"),
        "/held.csv": answer(b"x"),
    }
    got = fetch(URL, hosts=[HOST, OTHER], max_bytes=CAP, into=into, network=outside)
    assert got is not None
    assert (got.url, got.answered_by) == (URL, f"https://{OTHER}/held.csv")
    assert reached.resolved == [HOST, HOST, OTHER]
    assert [asked.server_name for asked in upstream.asked] == [HOST, HOST, OTHER]


OFF = {
    f"https://{OTHER}/x": "host-not-listed",
    f"http://{HOST}/x": "not-https",
    f"//{OTHER}/x": "host-not-listed",
    "https://169.254.169.254/latest/meta-data/": "no-host-name",
    "https://127.0.0.1/": "no-host-name",
    "https://[::1]/": "no-host-name",
    f"https://{HOST}:8443/x": "odd-port",
    f"https://{HOST}@{OTHER}/x": "user-in-url",
    "file:///etc/passwd": "not-https",
    "gopher://x/": "not-https",
    "javascript:alert(1)": "not-https",
    f"https://{HOST}\\@{OTHER}/": "url-unreadable",
}


@pytest.mark.parametrize("target", OFF)
def test_a_redirect_off_the_list_ends_it_and_names_its_target(
    upstream: Upstream, outside: Network, into: Path, reached: Reached, target: str
) -> None:
    upstream.scripts["/rows.csv"] = answer(b"", "302 Found", Location=target)
    with pytest.raises(FetchError, match="redirects to ") as raised:
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside)
    assert raised.value.reason == OFF[target]
    assert target.rsplit("/", 1)[0].replace("\\", "") in str(raised.value).replace("\\", "")
    assert len(upstream.asked) == len(reached.dialled) == 1


def test_a_redirect_to_a_name_that_became_private_is_not_followed(
    upstream: Upstream, trusted: tuple[Path, ssl.SSLContext], reached: Reached, into: Path
) -> None:
    upstream.scripts["/rows.csv"] = answer(b"", "302 Found", Location=f"https://{OTHER}/x")
    inside = network(upstream.port, trusted[1], reached, {OTHER: ["169.254.169.254"]})
    with pytest.raises(FetchError, match=r"169\.254\.169\.254, which is not a public address"):
        fetch(URL, hosts=[HOST, OTHER], max_bytes=CAP, into=into, network=inside)
    assert (reached.dialled, len(upstream.asked)) == ([f"{PUBLIC}:443"], 1)


def test_a_loop_of_redirects_ends(upstream: Upstream, outside: Network, into: Path) -> None:
    upstream.scripts["/rows.csv"] = answer(b"", "302 Found", Location="/rows.csv")
    with pytest.raises(FetchError, match="redirects more than 5 times") as raised:
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside)
    assert (raised.value.reason, len(upstream.asked)) == ("bad-redirect", 6)


def test_a_redirect_to_nowhere_ends_it(upstream: Upstream, outside: Network, into: Path) -> None:
    upstream.scripts["/rows.csv"] = answer(b"", "302 Found")
    with pytest.raises(FetchError, match="redirects to nowhere"):
        fetch(URL, hosts=[HOST], max_bytes=CAP, into=into, network=outside)


def test_the_package_names_what_callers_use() -> None:
    assert all(hasattr(fetching, name) for name in fetching.__all__)
