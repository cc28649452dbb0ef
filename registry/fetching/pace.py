"""Be a polite guest: one request at a time, a pause between two to one host, and back again only when it is fit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from registry.fetching.errors import FetchError
from registry.fetching.network import Network

T = TypeVar("T")


class Pace:
    """Waits until a host's turn has come."""

    def __init__(self, interval: float, network: Network) -> None:
        self._interval, self._network = interval, network
        self._last: dict[str, float] = {}

    def wait(self, host: str) -> None:
        if host in self._last:
            left = self._last[host] + self._interval - self._network.seconds()
            if left > 0:
                self._network.sleep(left)
        self._last[host] = self._network.seconds()


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try, how long to wait before the second time (doubled for each that follows), and at most."""

    tries: int = 3
    first_wait: float = 2
    longest_wait: float = 60


def patiently(attempt: Callable[[], T], patience: Patience, network: Network) -> T:
    """Try again what may pass. A server that asks for more time than we wait is left alone: its FetchError goes on."""
    for tried in range(1, patience.tries + 1):
        try:
            return attempt()
        except FetchError as error:
            wait = max(error.wait or 0, patience.first_wait * 2 ** (tried - 1))
            if not error.may_pass or tried == patience.tries or wait > patience.longest_wait:
                raise
            network.sleep(wait)
    raise AssertionError("patience without a try")
