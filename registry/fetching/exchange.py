"""One question and its answer, over as many redirects as are allowed; each is checked as the first one was."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urljoin

import httpcore
from django.conf import settings

from registry.core.answers import REDIRECTS
from registry.core.web_addresses import AddressRefusedError, WebAddress, read_url
from registry.fetching.errors import FetchError
from registry.fetching.network import PORT, Clock, Network, Pinned

MOST_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and headers, names in lower case; `chunks` are the body's bytes as sent, read as they are asked for."""

    url: str
    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


@contextmanager
def ask(
    method: str,
    url: str,
    *,
    hosts: Collection[str] | None,
    network: Network,
    clock: Clock,
    headers: Mapping[str, str],
    before: Callable[[str], None],
) -> Iterator[Answer]:
    """Ask once and follow what the answer points to, on `hosts` only (None: any public one). Raises FetchError.

    `before` is called with the host ahead of each connection, for those who have to wait their turn.
    """
    address = _checked(url, hosts)
    for _ in range(MOST_REDIRECTS + 1):
        before(address.host)
        with _one(method, address, network, clock, headers) as answer:
            if answer.status not in REDIRECTS:
                yield answer
                return
            target = urljoin(str(address), answer.headers.get("location", ""))
        if "location" not in answer.headers:
            raise FetchError("bad-redirect", f"{address} redirects to nowhere", status=answer.status)
        address = _checked(target, hosts, redirected_by=str(address))
    raise FetchError("bad-redirect", f"{url} redirects more than {MOST_REDIRECTS} times, last to {address}")


def _checked(url: str, hosts: Collection[str] | None, redirected_by: str = "") -> WebAddress:
    try:
        return read_url(url, hosts)
    except AddressRefusedError as refused:
        text = f"{redirected_by} redirects to {refused}" if redirected_by else str(refused)
        raise FetchError(refused.reason, text) from refused


@contextmanager
def _one(
    method: str, address: WebAddress, network: Network, clock: Clock, headers: Mapping[str, str]
) -> Iterator[Answer]:
    """A connection of its own, closed afterwards; nothing of the environment (proxies, cookies) takes part."""
    host = address.host.encode()
    sent = {
        "Host": address.host,
        "User-Agent": f"KernelIndex/1 (+{settings.SITE_URL})",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Connection": "close",
        **headers,
    }
    with _told(address), httpcore.HTTPConnection(
        httpcore.Origin(b"https", host, PORT),
        ssl_context=network.trust(),
        network_backend=Pinned(address.host, network, clock),
    ) as connection, connection.stream(
        method, httpcore.URL(scheme=b"https", host=host, port=PORT, target=address.target.encode()), headers=sent
    ) as response:  # fmt: skip
        yield Answer(
            str(address),
            response.status,
            {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers},
            response.iter_stream(),
        )


@contextmanager
def _told(address: WebAddress) -> Iterator[None]:
    """Faults of the connection, in the words of this package."""
    try:
        yield
    except httpcore.TimeoutException as error:
        raise FetchError("too-slow", f"{address}: {error}") from error
    except httpcore.ConnectError as error:  # TLS included: the certificate is not this host's
        raise FetchError("no-connection", f"{address}: {error}") from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise FetchError("broken-off", f"{address}: {error or 'the connection broke'}") from error
