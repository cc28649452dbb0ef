"""The network as fetching sees it: a name is resolved once, every address checked, and only those are connected to."""

import socket
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import httpcore

from registry.core.web_addresses import is_public
from registry.fetching.errors import FetchError

PORT = 443
MOST_TRIED = 3  # of a name's addresses


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: to connect, without a byte, and altogether, redirects and body included."""

    connect: float = 10
    silence: float = 20
    total: float = 300


def _resolve(host: str) -> list[str]:
    found = socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def _dial(address: str, port: int, timeout: float) -> httpcore.NetworkStream:
    return httpcore.SyncBackend().connect_tcp(address, port, timeout=timeout)


@cache
def _trust() -> ssl.SSLContext:
    return httpcore.default_ssl_context()


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Network:
    """Names, connections, certificates, time. The default is the real one; no setting changes it."""

    resolve: Callable[[str], Sequence[str]] = _resolve
    dial: Callable[[str, int, float], httpcore.NetworkStream] = _dial
    trust: Callable[[], ssl.SSLContext] = _trust
    sleep: Callable[[float], None] = time.sleep
    seconds: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now


THE_INTERNET = Network()


def public_addresses(host: str, network: Network) -> list[str]:
    """What a name resolves to, asked once. Raises FetchError where any of it is not public."""
    try:
        found = list(network.resolve(host))
    except (OSError, UnicodeError) as error:
        raise FetchError("no-address", f"{host} has no address: {error}") from error
    if not found:
        raise FetchError("no-address", f"{host} has no address")
    private = [address for address in found if not is_public(address)]
    if private:
        raise FetchError("not-public", f"{host} resolves to {', '.join(private)}, which is not a public address")
    return found[:MOST_TRIED]


class Clock:
    """Cuts off what takes longer than its total, however it is spread."""

    def __init__(self, limits: Limits, network: Network) -> None:
        self.limits = limits
        self._seconds = network.seconds
        self._start = network.seconds()

    @property
    def elapsed(self) -> float:
        return self._seconds() - self._start

    def at_most(self, seconds: float) -> float:
        left = self.limits.total - self.elapsed
        if left <= 0:
            raise httpcore.ReadTimeout(f"longer than {self.limits.total:g} seconds altogether")
        return min(seconds, left)


class Pinned(httpcore.NetworkBackend):
    """Connects to one host, by the addresses that were checked for it and no others."""

    def __init__(self, host: str, network: Network, clock: Clock) -> None:
        self._host, self._network, self._clock = host, network, clock

    def connect_tcp(self, host: str, port: int, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
        assert (host, port) == (self._host, PORT)
        failed: Exception | None = None
        for address in public_addresses(host, self._network):
            seconds = self._clock.at_most(self._clock.limits.connect)
            try:
                stream = self._network.dial(address, port, seconds)
            except (httpcore.NetworkError, httpcore.TimeoutException) as error:
                failed = error
            else:
                return TimedStream(stream, self._clock)
        raise FetchError("no-connection", f"{host}: {failed or 'no connection'}")


class TimedStream(httpcore.NetworkStream):
    """Each step waits no longer than the silence that is allowed, nor past the total."""

    def __init__(self, stream: httpcore.NetworkStream, clock: Clock) -> None:
        self._stream, self._clock = stream, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._clock.at_most(self._clock.limits.silence))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._clock.at_most(self._clock.limits.silence))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        timeout = self._clock.at_most(self._clock.limits.connect)
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
