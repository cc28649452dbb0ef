"""Whether an address answers is asked without taking what it holds."""

import socket

import pytest

from registry.fetching import FetchError, Network, probe
from tests.registry.upstreams import HOST, OTHER, Asked, Reached, Upstream, answer

URL = f"https://{HOST}/page"
HEAD_ONLY = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"


def methods(upstream: Upstream) -> list[str]:
    return [asked.method for asked in upstream.asked]


def test_one_head_is_enough_where_it_is_answered(upstream: Upstream, outside: Network) -> None:
    upstream.scripts["/page"] = HEAD_ONLY
    assert probe(URL, network=outside) == 200
    assert methods(upstream) == ["HEAD"]


@pytest.mark.parametrize(
    "first", [answer(b"", "405 No"), answer(b"", "404 Not Found"), answer(b"", "501 What"), b"", b"garbage\r\n"]
)
def test_a_server_that_knows_no_head_is_asked_again(upstream: Upstream, outside: Network, first: bytes) -> None:
    upstream.scripts["/page"] = [first, answer(b"x")]
    assert probe(URL, network=outside) == 200
    assert methods(upstream) == ["HEAD", "GET"]


def test_what_is_not_there_is_told_by_its_status(upstream: Upstream, outside: Network) -> None:
    upstream.scripts["/page"] = answer(b"", "404 Not Found")
    assert probe(URL, network=outside) == 404


def test_the_body_is_not_read(upstream: Upstream, outside: Network) -> None:
    def vast(conn: socket.socket, asked: Asked) -> None:
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
        while True:
            conn.sendall(b"x" * 65536)

    upstream.scripts["/page"] = [answer(b"", "405 No"), vast]
    assert probe(URL, network=outside) == 200


def test_redirects_lead_to_any_public_host_and_no_other(upstream: Upstream, outside: Network, reached: Reached) -> None:
    upstream.scripts["/page"] = b"HTTP/1.1 301 Moved\r\nLocation: https://" + OTHER.encode() + b"/new\r\n\r\n"
    upstream.scripts["/new"] = HEAD_ONLY
    assert probe(URL, network=outside) == 200
    assert reached.resolved == [HOST, OTHER]
    upstream.scripts["/page"] = b"HTTP/1.1 301 Moved\r\nLocation: https://169.254.169.254/\r\n\r\n"
    with pytest.raises(FetchError, match=r"redirects to 'https://169\.254\.169\.254/'"):
        probe(URL, network=outside)
