"""Nothing inside our own network is ever asked on an upstream's or a curator's word (reliability.md T19).

Every connection of these tests, to whatever address, would end at one canary on loopback, which must stay silent.
"""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from registry.fetching import FetchError, Limits, Network, fetch
from tests.registry.upstreams import HOST, PUBLIC, Reached, Upstream, answer, network

# Each is listed as an allowed host too, as a careless curator might: the list alone opens nothing.
URLS = {
    "https://127.0.0.1/": "no-host-name",
    "https://127.0.0.1:443/": "no-host-name",
    "https://127.1/": "no-host-name",
    "https://127.0.1/": "no-host-name",
    "https://0x7f.1/": "no-host-name",
    "https://0x7f.0.0.1/": "no-host-name",
    "https://0x7f000001/": "no-host-name",
    "https://2130706433/": "no-host-name",
    "https://0177.0.0.1/": "no-host-name",
    "https://017700000001/": "no-host-name",
    "https://0/": "no-host-name",
    "https://0.0.0.0/": "no-host-name",
    "https://127.0.0.1./": "no-host-name",
    "https://169.254.169.254/latest/meta-data/": "no-host-name",
    "https://2852039166/": "no-host-name",
    "https://10.0.0.1/": "no-host-name",
    "https://192.168.0.1/": "no-host-name",
    "https://100.64.0.1/": "no-host-name",
    "https://[::1]/": "no-host-name",
    "https://[::]/": "no-host-name",
    "https://[::ffff:127.0.0.1]/": "no-host-name",
    "https://[::ffff:7f00:1]/": "no-host-name",
    "https://[0:0:0:0:0:ffff:a9fe:a9fe]/": "no-host-name",
    "https://[64:ff9b::7f00:1]/": "no-host-name",
    "https://[2002:7f00:1::]/": "no-host-name",
    "https://[fe80::1%25eth0]/": "no-host-name",
    "https://[fd00::1]/": "no-host-name",
    "https://8.8.8.8/": "no-host-name",  # a public number is no host of a source either
    "https://localhost/": "no-host-name",
    "https://localhost./": "no-host-name",
    "https://LOCALHOST/": "no-host-name",
    "https://intranet/": "no-host-name",
    f"https://{HOST}./": "no-host-name",
    f"https://{HOST}../": "no-host-name",
    f"https://.{HOST}/": "no-host-name",
    "https:///etc/passwd": "no-host-name",
    "https://:443/": "no-host-name",
    f"https://{HOST}:80/": "odd-port",
    f"https://{HOST}:22/": "odd-port",
    f"https://{HOST}:8443/": "odd-port",
    f"https://{HOST}:/": "odd-port",
    f"https://{HOST}:0443/": "odd-port",
    f"https://{HOST}:443:443/": "odd-port",
    f"https://{HOST}@127.0.0.1/": "user-in-url",
    f"https://127.0.0.1@{HOST}/": "user-in-url",
    f"https://user:secret@{HOST}/": "user-in-url",
    f"https://{HOST}:443@localhost/": "user-in-url",
    f"https://@{HOST}/": "user-in-url",
    f"https://127.0.0.1\\@{HOST}/": "url-unreadable",
    f"https://{HOST}\\.127.0.0.1/": "url-unreadable",
    f"https:\\\\{HOST}/": "url-unreadable",
    f"https:/{HOST}/": "not-https",
    f"https:{HOST}/": "not-https",
    f"//{HOST}/": "not-https",
    f"{HOST}/": "not-https",
    f"http://{HOST}/": "not-https",
    f"ftp://{HOST}/": "not-https",
    "file:///etc/passwd": "not-https",
    "gopher://127.0.0.1:6379/_FLUSHALL": "not-https",
    "data:text/plain,hello": "not-https",
    "unix:///var/run/docker.sock": "not-https",
    "https://127。0。0。1/": "url-unreadable",
    "https://１２７.0.0.1/": "url-unreadable",
    "https://①②⑦.⓪.⓪.①/": "url-unreadable",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/": "url-unreadable",
    "https://data.example。org/": "url-unreadable",
    "https://dаta.example.org/": "url-unreadable",  # a Cyrillic a
    f"https://{HOST}\x00.evil.example/": "url-unreadable",
    f"https://{HOST}\r\nHost: localhost/": "url-unreadable",
    f"https://{HOST}\t/": "url-unreadable",
    f" https://{HOST}/": "url-unreadable",
    f"https://{HOST}/a b": "url-unreadable",
    "https://%6c%6f%63%61%6c%68%6f%73%74/": "no-host-name",
    "https://127.0.0.1%2f@x/": "user-in-url",
    "https://data_example.org/": "no-host-name",
    "https://-data.example.org/": "no-host-name",
    f"https://{'a' * 64}.example.org/": "no-host-name",
    f"https://{HOST}/{'a' * 2000}": "url-unreadable",
    "": "url-unreadable",
    "https://evil.example.org/": "host-not-listed",
    f"https://{HOST}.evil.example/": "host-not-listed",
    f"https://sub.{HOST}/": "host-not-listed",
    "https://example.org/": "host-not-listed",
    "https://evil.example.org#@data.example.org/": "host-not-listed",
    "https://evil.example.org?@data.example.org/": "host-not-listed",
}
LISTED = [
    HOST, "127.0.0.1", "127.1", "0x7f.1", "2130706433", "0", "0.0.0.0", "10.0.0.1", "8.8.8.8", "[::1]", "::1",  # noqa: S104
    "localhost", "localhost.", "LOCALHOST", "intranet", "169.254.169.254", f"{HOST}.", "",
]  # fmt: skip

# What a listed name may resolve to, one day or on purpose.
ADDRESSES = [
    ["127.0.0.1"], ["127.8.8.8"], ["0.0.0.0"], ["10.1.2.3"], ["172.16.0.1"], ["172.31.255.254"], ["192.168.1.1"],  # noqa: S104
    ["169.254.169.254"], ["100.64.0.1"], ["192.0.0.8"], ["192.0.2.1"], ["198.18.0.1"], ["224.0.0.1"], ["240.0.0.1"],
    ["255.255.255.255"], ["::1"], ["::"], ["::ffff:127.0.0.1"], ["::ffff:8.8.8.8"], ["::127.0.0.1"],
    ["64:ff9b::7f00:1"], ["64:ff9b:1::a00:1"], ["2002:7f00:1::1"], ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["fe80::1"], ["fe80::1%lo"], ["fc00::1"], ["fd12:3456::1"], ["fec0::1"], ["ff02::1"], ["2001:db8::1"],
    ["100::1"], ["0177.0.0.1"], ["2130706433"], ["localhost"], [""], [PUBLIC, "127.0.0.1"], ["::1", PUBLIC],
]  # fmt: skip

BRIEF = Limits(connect=0.3)


class Canary:
    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def connections(self) -> int:
        """What has connected; a connection that was made waits in the backlog until it is counted here."""
        self.listener.settimeout(0)
        count = 0
        while True:
            try:
                self.listener.accept()[0].close()
            except BlockingIOError:
                return count
            count += 1


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    bird = Canary()
    yield bird
    bird.listener.close()


@pytest.fixture
def caged(canary: Canary, reached: Reached) -> Network:
    return network(canary.port, ssl.create_default_context(), reached)


@pytest.mark.parametrize("url", URLS)
def test_no_form_of_a_url_reaches_the_canary(
    url: str, canary: Canary, caged: Network, reached: Reached, tmp_path: Path
) -> None:
    with pytest.raises(FetchError) as raised:
        fetch(url, hosts=LISTED, max_bytes=10, into=tmp_path / "body", network=caged)
    assert (raised.value.reason, raised.value.may_pass) == (URLS[url], False)
    assert (reached.resolved, reached.dialled, canary.connections()) == ([], [], 0)


@pytest.mark.parametrize("addresses", ADDRESSES, ids=" ".join)
def test_no_address_that_is_not_public_reaches_the_canary(
    addresses: list[str], canary: Canary, caged: Network, reached: Reached, tmp_path: Path
) -> None:
    inside = replace(caged, resolve=lambda host: addresses)
    with pytest.raises(FetchError, match="which is not a public address") as raised:
        fetch(f"https://{HOST}/", hosts=[HOST], max_bytes=10, into=tmp_path / "body", network=inside)
    assert (raised.value.reason, raised.value.may_pass) == ("not-public", False)
    assert (reached.dialled, canary.connections()) == ([], 0)


def test_a_name_of_this_machine_is_refused_by_what_it_really_resolves_to(tmp_path: Path) -> None:
    """With the real resolver: whatever the machine calls loopback, no rule of ours knows its name."""
    answers = [str(found[4][0]) for found in socket.getaddrinfo("localhost", 443, type=socket.SOCK_STREAM)]
    real = replace(Network(), resolve=lambda host: Network().resolve("localhost"))
    with pytest.raises(FetchError, match=answers[0]):
        fetch(f"https://{HOST}/", hosts=[HOST], max_bytes=10, into=tmp_path / "body", network=real)


def test_a_name_that_is_rebound_is_connected_to_as_it_was_checked(
    canary: Canary, caged: Network, reached: Reached, tmp_path: Path
) -> None:
    """Public when checked, loopback when asked again: it is asked once, and that answer is what is connected to."""
    told = iter([[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]])

    def rebinding(host: str) -> list[str]:
        reached.resolved.append(host)
        return next(told)

    with pytest.raises(FetchError):  # the canary speaks no TLS
        fetch(
            f"https://{HOST}/", hosts=[HOST], max_bytes=10, into=tmp_path / "body",
            network=replace(caged, resolve=rebinding), limits=BRIEF,
        )  # fmt: skip
    assert (reached.resolved, reached.dialled) == ([HOST], [f"{PUBLIC}:443"])
    assert canary.connections() == 1


def test_a_redirect_is_resolved_anew_and_refused_where_it_was_rebound(
    upstream: Upstream, outside: Network, reached: Reached, tmp_path: Path
) -> None:
    upstream.scripts["/"] = answer(b"", "302 Found", Location="/again")
    told = iter([[PUBLIC], ["127.0.0.1"]])
    with pytest.raises(FetchError, match=r"127\.0\.0\.1, which is not a public address"):
        fetch(
            f"https://{HOST}/", hosts=[HOST], max_bytes=10, into=tmp_path / "body",
            network=replace(outside, resolve=lambda host: next(told)),
        )  # fmt: skip
    assert (reached.dialled, len(upstream.asked)) == ([f"{PUBLIC}:443"], 1)


def test_what_is_allowed_does_reach_the_canary(canary: Canary, caged: Network, tmp_path: Path) -> None:
    """Or its silence would prove nothing."""
    for url in (f"https://{HOST}/", f"HTTPS://{HOST.upper()}:443/x?y#z"):
        with pytest.raises(FetchError) as raised:
            fetch(url, hosts=[HOST.title()], max_bytes=10, into=tmp_path / "body", network=caged, limits=BRIEF)
        assert raised.value.reason in {"no-connection", "too-slow"}
        assert canary.connections() == 1
